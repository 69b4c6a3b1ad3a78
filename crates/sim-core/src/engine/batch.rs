//! Messages in memory that is written again and again.

use std::ops::Deref;

use super::message::Message;

/// Messages sent over one channel in one epoch, in the order of sending. After it is emptied, it
/// keeps its slots with their contents, so that a message whose bytes are mostly unused is not
/// copied in full: see [`Assign::assign`](crate::fifo::Assign::assign).
#[derive(Clone, Debug)]
pub(super) struct Batch<M> {
    slots: Vec<M>,
    len: usize,
}

/// Buffers above this many bytes are large.
const LARGE_BYTES: usize = 64 << 10;

impl<M> Default for Batch<M> {
    fn default() -> Self {
        Self {
            slots: Vec::new(),
            len: 0,
        }
    }
}

impl<M: Message> Batch<M> {
    /// Adds `message` and returns the copy.
    // Left to itself the compiler makes it a call, which costs every packet-hop five instructions.
    #[inline(always)]
    pub(super) fn push(&mut self, message: &M) -> &mut M {
        let place = self.len;
        self.len += 1;
        if place < self.slots.len() {
            let slot = &mut self.slots[place];
            slot.assign(message);
            slot
        } else {
            self.add_slot(message);
            self.slots.last_mut().expect("just added")
        }
    }

    /// Messages, counted without a look at the slots.
    #[inline]
    pub(super) const fn len(&self) -> usize {
        self.len
    }

    /// Returns whether it has no message.
    #[inline]
    pub(super) const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The message at `place`, which is below the number of messages.
    #[inline]
    pub(super) fn at(&self, place: usize) -> &M {
        debug_assert!(place < self.len, "a message and not the rest of one");
        &self.slots[place]
    }

    /// Adds a slot. Large buffers grow by half, not twofold: their memory is what long links take.
    #[inline(never)]
    fn add_slot(&mut self, message: &M) {
        let len = self.slots.len();
        if len == self.slots.capacity() && len * size_of::<M>() > LARGE_BYTES {
            self.slots.reserve_exact(len / 2);
        }
        self.slots.extend_from_slice(std::slice::from_ref(message));
    }

    /// Returns how many more messages fit the memory at hand.
    pub(super) const fn room(&self) -> usize {
        self.slots.capacity() - self.len
    }

    /// Returns whether its memory is more than what stays in a cache.
    #[inline]
    pub(super) const fn is_large(&self) -> bool {
        self.slots.capacity() > LARGE_BYTES / size_of::<M>()
    }

    /// Gives back most of the memory of a large buffer that is nearly empty: buffers go round, and
    /// each would in time be as large as the largest burst.
    #[inline]
    pub(super) fn trim(&mut self) {
        if self.is_large() && self.len < self.slots.capacity() / 4 {
            self.shrink();
        }
    }

    #[cold]
    fn shrink(&mut self) {
        self.slots.truncate(self.len + self.len / 2);
        self.slots.shrink_to_fit();
    }

    /// Adds all of `other`.
    pub(super) fn extend(&mut self, other: &Self) {
        for message in &**other {
            self.push(message);
        }
    }

    /// Forgets the messages.
    #[inline]
    pub(super) const fn clear(&mut self) {
        self.len = 0;
    }

    /// Returns whether it has memory of its own.
    #[inline]
    pub(super) const fn has_room(&self) -> bool {
        self.slots.capacity() > 0
    }
}

impl<M> Deref for Batch<M> {
    type Target = [M];

    #[inline]
    fn deref(&self) -> &[M] {
        &self.slots[..self.len]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checkpoint::Stored;
    use crate::fifo::Assign;
    use crate::units::Time;

    /// Remembers what it took over.
    #[derive(Clone, Copy, Debug, PartialEq, Stored)]
    struct Part {
        used: u8,
        rest: u8,
    }

    impl Message for Part {
        fn arrival(&self) -> Time {
            Time::ZERO
        }

        fn set_arrival(&mut self, _at: Time) {}
    }

    impl Assign for Part {
        fn assign(&mut self, other: &Self) {
            self.used = other.used;
        }
    }

    #[test]
    fn slots_are_used_again() {
        let (one, two) = (Part { used: 1, rest: 10 }, Part { used: 2, rest: 20 });
        let mut batch = Batch::default();
        assert_eq!(batch.push(&one), &one);
        batch.clear();
        assert!(batch.is_empty() && batch.has_room());
        assert_eq!(
            batch.push(&two),
            &Part { used: 2, rest: 10 },
            "taken over in part"
        );
        assert_eq!(batch.push(&two), &two, "a new slot");

        let mut more = Batch::default();
        more.push(&one);
        more.extend(&batch);
        assert_eq!(
            more.iter().map(|part| part.used).collect::<Vec<_>>(),
            [1, 2, 2]
        );
    }
}
