//! The two lists of queues that take turns (RFC 8290 section 4.2).

use fabricsim_base::checkpoint::Stored;

/// No queue.
const NONE: u32 = u32::MAX;
/// In [`Lists::next`]: in neither list.
const UNLISTED: u32 = u32::MAX - 1;

/// One of the lists.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Which {
    /// Queues that were empty when their packet arrived; they go first.
    New,
    /// Queues that have had a turn.
    Old,
}

#[derive(Clone, Copy, Debug, Stored)]
#[checkpoint(absolute)]
struct List {
    first: u32,
    last: u32,
}

const EMPTY: List = List {
    first: NONE,
    last: NONE,
};

/// The new and the old queues; each queue is in at most one list.
#[derive(Clone, Debug, Stored)]
#[checkpoint(absolute)]
pub(super) struct Lists {
    new: List,
    old: List,
    /// The next queue of each queue in its list.
    next: Vec<u32>,
}

impl Lists {
    /// Returns empty lists for `queues` queues.
    pub(super) fn new(queues: u32) -> Self {
        Self {
            new: EMPTY,
            old: EMPTY,
            next: vec![UNLISTED; queues as usize],
        }
    }

    /// Returns the queue that is first in turn.
    #[inline]
    pub(super) const fn first(&self) -> Option<(u32, Which)> {
        if self.new.first != NONE {
            Some((self.new.first, Which::New))
        } else if self.old.first != NONE {
            Some((self.old.first, Which::Old))
        } else {
            None
        }
    }

    /// Makes `queue`, which gets a packet, a new one unless it is in a list. Returns `true` if it
    /// became new.
    #[inline]
    pub(super) fn add_new(&mut self, queue: u32) -> bool {
        let unlisted = self.next[queue as usize] == UNLISTED;
        if unlisted {
            Self::append(&mut self.new, &mut self.next, queue);
        }
        unlisted
    }

    /// Moves the first queue of `which` to the end of the old ones.
    pub(super) fn move_to_old(&mut self, which: Which) {
        let queue = self.remove_first(which);
        Self::append(&mut self.old, &mut self.next, queue);
    }

    /// Handles the first queue of `which` when it is found empty: removes it, or moves a new queue
    /// behind the old ones if there are any.
    pub(super) fn on_empty(&mut self, which: Which) {
        if which == Which::New && self.old.first != NONE {
            self.move_to_old(which);
        } else {
            self.remove_first(which);
        }
    }

    /// Removes the first queue of `which`, which must not be empty.
    fn remove_first(&mut self, which: Which) -> u32 {
        let list = match which {
            Which::New => &mut self.new,
            Which::Old => &mut self.old,
        };
        let queue = list.first;
        let next = &mut self.next[queue as usize];
        list.first = *next;
        if list.first == NONE {
            list.last = NONE;
        }
        *next = UNLISTED;
        queue
    }

    fn append(list: &mut List, next: &mut [u32], queue: u32) {
        next[queue as usize] = NONE;
        if list.last == NONE {
            list.first = queue;
        } else {
            next[list.last as usize] = queue;
        }
        list.last = queue;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_queues_go_first_and_end_among_the_old_ones() {
        let mut lists = Lists::new(4);
        assert_eq!(lists.first(), None);
        assert!(lists.add_new(2));
        assert!(!lists.add_new(2));
        lists.move_to_old(Which::New);
        assert_eq!(lists.first(), Some((2, Which::Old)));
        assert!(lists.add_new(0) && lists.add_new(3));
        assert_eq!(lists.first(), Some((0, Which::New)));
        // Empty, but there is an old queue for which it must wait.
        lists.on_empty(Which::New);
        assert!(!lists.add_new(0));
        lists.move_to_old(Which::New);
        let order: Vec<u32> = std::iter::from_fn(|| {
            let (queue, which) = lists.first()?;
            lists.on_empty(which);
            Some(queue)
        })
        .collect();
        assert_eq!(order, [2, 0, 3]);
        // Without old queues, an empty new queue may become new again.
        assert!(lists.add_new(1));
        lists.on_empty(Which::New);
        assert_eq!(lists.first(), None);
        assert!(lists.add_new(1));
    }
}
