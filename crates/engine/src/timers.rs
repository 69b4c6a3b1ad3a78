//! The local events of one process: a small heap of plain keys.

use fabricsim_base::checkpoint::{Kind, LoadError, Reader, Stored, Writer};
use fabricsim_base::units::Time;

/// A local event. The derived order is the order of execution: by time, then by `set`, then by the
/// rank of the kind, then by the port or slot.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct Timer {
    /// Time at which the event is due.
    pub at: Time,
    /// Time at which the event was set, in nanoseconds truncated to 32 bits, if the model orders
    /// simultaneous events by it; otherwise 0.
    pub set: u32,
    /// The rank of its kind among events of the same time.
    pub rank: u16,
    /// The port or slot.
    pub index: u16,
}

/// A timer as one number with the same order: from the top, time, `set`, rank and index.
type Key = u128;

impl Timer {
    #[inline(always)]
    fn key(self) -> Key {
        let rest = u64::from(self.set) << 32 | u64::from(self.rank) << 16 | u64::from(self.index);
        Key::from(self.at.as_ps()) << 64 | Key::from(rest)
    }

    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "the fields of a key")]
    const fn of(key: Key) -> Self {
        Self {
            at: Time::from_ps((key >> 64) as u64),
            set: (key >> 32) as u32,
            rank: (key >> 16) as u16,
            index: key as u16,
        }
    }
}

/// Timers in order. A canceled timer stays until it is due; the process that set it recognizes it
/// because its deadline has moved.
///
/// A binary heap with a root that may be vacant. A timer that expires usually sets the next one,
/// which then takes the place of the root and sinks. This moves one key instead of two for a
/// removal and an insertion.
#[derive(Clone, Debug)]
pub struct Timers {
    heap: Vec<Key>,
    /// `true` if the root was removed and not yet replaced.
    vacant: bool,
    /// The time of the next timer, or [`Time::MAX`]. Stored because it is read before every event.
    next: Time,
}

impl Default for Timers {
    fn default() -> Self {
        Self {
            heap: Vec::new(),
            vacant: false,
            next: Time::MAX,
        }
    }
}

/// Stores the timers in their order, because the places in the heap have no effect.
impl Stored for Timers {
    fn store(&self, out: &mut Writer) {
        let Self {
            heap,
            vacant,
            next: _,
        } = self;
        let mut keys = heap[usize::from(*vacant)..].to_vec();
        keys.sort_unstable();
        out.number(keys.len());
        for key in keys {
            let Timer {
                at,
                set,
                rank,
                index,
            } = Timer::of(key);
            let kind = out.declare(Kind::Deadline);
            at.store(out);
            out.declare(Kind::Plain);
            (set, rank, index).store(out);
            out.declare(kind);
        }
    }

    fn fetch(input: &mut Reader<'_>) -> Result<Self, LoadError> {
        let mut timers = Self::default();
        for _ in 0..input.length()? {
            let at = Time::fetch(input)?;
            let (set, rank, index) = Stored::fetch(input)?;
            timers.set(Timer {
                at,
                set,
                rank,
                index,
            });
        }
        Ok(timers)
    }
}

impl Timers {
    /// Sets a timer.
    #[inline(always)]
    pub fn set(&mut self, timer: Timer) {
        self.next = self.next.min(timer.at);
        let key = timer.key();
        // The expired timer is often the only one and sets itself again.
        match &mut self.heap[..] {
            [only] if self.vacant => {
                *only = key;
                self.vacant = false;
            }
            _ => self.insert(key),
        }
    }

    /// Removes all timers.
    pub fn clear(&mut self) {
        self.heap.clear();
        self.vacant = false;
        self.next = Time::MAX;
    }

    #[inline(never)]
    fn insert(&mut self, key: Key) {
        if self.vacant {
            self.vacant = false;
            self.sink(key);
        } else {
            self.heap.push(key);
            self.rise(key);
        }
    }

    /// Returns the next timer.
    #[inline]
    #[must_use]
    pub fn peek(&self) -> Option<Timer> {
        if !self.vacant {
            return self.heap.first().copied().map(Timer::of);
        }
        let children = self.heap.get(1..self.heap.len().min(3))?;
        children.iter().min().copied().map(Timer::of)
    }

    /// Returns the time of the next timer, or [`Time::MAX`].
    #[inline]
    #[must_use]
    pub const fn next_time(&self) -> Time {
        self.next
    }

    /// Removes and returns the next timer.
    #[inline(always)]
    pub fn pop(&mut self) -> Option<Timer> {
        if self.vacant {
            self.fill_root();
        }
        let next = self.heap.first().copied().map(Timer::of)?;
        self.vacant = true;
        let child = |place| {
            self.heap
                .get(place)
                .map_or(Time::MAX, |&key| Timer::of(key).at)
        };
        self.next = child(1).min(child(2));
        Some(next)
    }

    /// Moves the last key to the vacant root, and from there to its place.
    #[inline(never)]
    fn fill_root(&mut self) {
        self.vacant = false;
        if let Some(last) = self.heap.pop()
            && !self.heap.is_empty()
        {
            self.sink(last);
        }
    }

    /// Moves the last key, `key`, up to its place.
    #[inline]
    fn rise(&mut self, key: Key) {
        let mut place = self.heap.len() - 1;
        while place > 0 {
            let parent = (place - 1) / 2;
            if self.heap[parent] <= key {
                break;
            }
            self.heap[place] = self.heap[parent];
            place = parent;
        }
        self.heap[place] = key;
    }

    /// Places `key` at the root and moves it down to its place.
    #[inline]
    fn sink(&mut self, key: Key) {
        let heap = &mut self.heap[..];
        let mut place = 0;
        loop {
            let mut child = 2 * place + 1;
            let Some(&left) = heap.get(child) else { break };
            let mut least = left;
            if let Some(&right) = heap.get(child + 1)
                && right < left
            {
                least = right;
                child += 1;
            }
            if key <= least {
                break;
            }
            heap[place] = least;
            place = child;
        }
        heap[place] = key;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn timers_come_up_in_sorted_order(steps in proptest::collection::vec(proptest::option::weighted(0.6, (0u64..20, 0u16..3, 0u16..4)), 0..120)) {
            let mut timers = Timers::default();
            let mut model = Vec::new();
            for step in steps {
                if let Some((at, rank, index)) = step {
                    let timer = Timer { at: Time::from_ps(at), set: 0, rank, index };
                    timers.set(timer);
                    model.push(timer);
                } else {
                    let next = timers.pop();
                    proptest::prop_assert_eq!(next, model.iter().min().copied());
                    if let Some(position) = model.iter().position(|&timer| Some(timer) == next) {
                        model.swap_remove(position);
                    }
                }
                let first = model.iter().min().copied();
                proptest::prop_assert_eq!(timers.peek(), first);
                proptest::prop_assert_eq!(timers.next_time(), first.map_or(Time::MAX, |timer| timer.at));
            }
        }
    }
}
