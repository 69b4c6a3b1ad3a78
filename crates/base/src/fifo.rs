//! A queue of plain values that are copied once in and once out.

use crate::checkpoint::{LoadError, Reader, Stored, Writer};

/// A value that can be copied over an older value of its type.
pub trait Assign: Copy {
    /// Copies the used part of `other`; the unused rest may keep its old values. So a large, mostly
    /// empty value need not be copied completely.
    #[inline]
    fn assign(&mut self, other: &Self) {
        *self = *other;
    }
}

/// A first-in, first-out queue in a ring of slots.
///
/// Values are copied directly between the slots and the caller's memory, which for packets is
/// several times faster than moving them over the stack. Most queues are empty most of the time,
/// and few are long at the same time. A queue that becomes empty therefore frees the memory of all
/// but a few slots, and starts again in the slots that it used last.
#[derive(Clone, Debug)]
pub struct Fifo<T> {
    slots: Box<[T]>,
    // 32 bits, because there are many queues, and most are empty.
    first: u32,
    len: u32,
}

impl<T> Default for Fifo<T> {
    fn default() -> Self {
        Self {
            slots: Box::default(),
            first: 0,
            len: 0,
        }
    }
}

/// Minimum number of slots after the first item.
const FEWEST_SLOTS: usize = 4;
/// Maximum number of slots of an empty queue.
const MOST_EMPTY_SLOTS: usize = 8;

impl<T: Assign> Fifo<T> {
    /// Adds `item` at the end and returns the stored copy.
    ///
    /// # Panics
    /// Panics if 2^31 items are stored.
    #[inline]
    pub fn push(&mut self, item: &T) -> &mut T {
        if self.len() == self.slots.len() {
            self.grow(item);
        }
        let place = self.place(self.len);
        self.len += 1;
        let slot = &mut self.slots[place];
        slot.assign(item);
        slot
    }

    /// Doubles the number of slots, with copies of `item` in the new ones.
    #[cold]
    fn grow(&mut self, item: &T) {
        self.slots.rotate_left(self.first as usize);
        self.first = 0;
        let count = (2 * self.slots.len()).max(FEWEST_SLOTS);
        assert!(
            u32::try_from(count).is_ok(),
            "a queue holds up to 2^31 items"
        );
        let mut slots = std::mem::take(&mut self.slots).into_vec();
        slots.reserve_exact(count - slots.len());
        slots.resize(count, *item);
        self.slots = slots.into_boxed_slice();
    }

    /// Frees all but a few slots.
    #[cold]
    fn shrink(&mut self) {
        let mut slots = std::mem::take(&mut self.slots).into_vec();
        slots.truncate(MOST_EMPTY_SLOTS);
        self.slots = slots.into_boxed_slice();
    }

    /// Returns the slot of the item with `before` items before it.
    #[inline]
    const fn place(&self, before: u32) -> usize {
        let place = self.first as usize + before as usize;
        if place < self.slots.len() {
            place
        } else {
            place - self.slots.len()
        }
    }

    /// Returns the first item.
    #[inline]
    #[must_use]
    pub fn front(&self) -> Option<&T> {
        (self.len > 0).then(|| &self.slots[self.first as usize])
    }

    /// Removes the first item, if there is one.
    #[inline]
    pub fn pop(&mut self) {
        if self.len <= 1 {
            self.first = 0;
            self.len = 0;
            if self.slots.len() > MOST_EMPTY_SLOTS {
                self.shrink();
            }
        } else {
            self.len -= 1;
            self.first += 1;
            if self.first as usize == self.slots.len() {
                self.first = 0;
            }
        }
    }

    /// Returns the items, first to last.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        (0..self.len).map(|before| &self.slots[self.place(before)])
    }

    /// Returns the number of items.
    #[inline]
    #[must_use]
    pub const fn len(&self) -> usize {
        self.len as usize
    }

    /// Returns `true` if the queue is empty.
    #[inline]
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }
}

impl<T: Stored> Stored for Fifo<T> {
    fn store(&self, out: &mut Writer) {
        out.number(self.len as usize);
        let first = self.slots[self.first as usize..].iter();
        let items = first.chain(&*self.slots).take(self.len as usize);
        items.for_each(|item| item.store(out));
    }

    fn fetch(input: &mut Reader<'_>) -> Result<Self, LoadError> {
        let slots = Vec::fetch(input)?.into_boxed_slice();
        let len = u32::try_from(slots.len()).map_err(|_| LoadError::new("a queue is too long"))?;
        Ok(Self {
            slots,
            first: 0,
            len,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use super::*;

    impl Assign for u32 {}

    proptest::proptest! {
        #[test]
        fn behaves_like_a_queue(steps in proptest::collection::vec(proptest::option::weighted(0.55, 0u32..9), 0..600)) {
            let mut fifo = Fifo::default();
            let mut model = VecDeque::new();
            for step in steps {
                match step {
                    Some(item) => {
                        fifo.push(&item);
                        model.push_back(item);
                    }
                    None => {
                        proptest::prop_assert_eq!(fifo.front(), model.front());
                        fifo.pop();
                        model.pop_front();
                    }
                }
                proptest::prop_assert_eq!(fifo.len(), model.len());
                proptest::prop_assert_eq!(fifo.is_empty(), model.is_empty());
                proptest::prop_assert!(fifo.iter().eq(&model));
                proptest::prop_assert!(!fifo.is_empty() || fifo.slots.len() <= MOST_EMPTY_SLOTS);
            }
            let mut out = Writer::default();
            fifo.store(&mut out);
            let bytes = out.finish().expect("nothing is refused");
            let again = Fifo::<u32>::fetch(&mut Reader::new(&bytes)).expect("what was stored");
            proptest::prop_assert!(again.iter().eq(&model));
        }
    }
}
