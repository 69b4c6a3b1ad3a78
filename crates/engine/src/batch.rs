//! Messages in memory that is reused.

use std::ops::{Deref, DerefMut};

use super::message::Message;

/// Messages sent over one channel in one epoch, in the order of sending. An emptied batch keeps its
/// slots with their contents, so that a message with mostly unused bytes is not copied in full: see
/// [`Assign::assign`](fabricsim_base::fifo::Assign::assign).
#[derive(Clone, Debug)]
pub(super) struct Batch<M> {
    slots: Vec<M>,
    len: u32,
    /// The size class of the buffer; without a buffer, the class of the channel's next buffer.
    class: u32,
}

/// Buffers above this number of bytes are large.
const LARGE_BYTES: usize = 64 << 10;

impl<M> Default for Batch<M> {
    fn default() -> Self {
        Self::without_memory(0)
    }
}

impl<M> Batch<M> {
    /// The class of large buffers, of any size.
    pub(super) const LARGE: u32 = {
        let class = class_of(LARGE_BYTES / size_of::<M>());
        if class < 1 { 1 } else { class }
    };

    const fn without_memory(class: u32) -> Self {
        Self {
            slots: Vec::new(),
            len: 0,
            class,
        }
    }

    /// Returns the class of the buffer.
    #[inline]
    pub(super) const fn class(&self) -> u32 {
        self.class
    }

    /// Returns the class of the smallest buffers with room for `messages`.
    pub(super) fn class_for(messages: usize) -> u32 {
        let class = class_of(messages);
        let class = class + u32::from(slots_of(class) < messages);
        class.min(Self::LARGE)
    }

    /// Sets the class to the largest class that is not larger than this buffer.
    fn note_class(&mut self) {
        self.class = class_of(self.slots.capacity()).min(Self::LARGE);
    }
}

/// Returns the number of slots in buffers of `class`: 4, 6, 8, 12, 16, 24 and so on.
pub(super) const fn slots_of(class: u32) -> usize {
    (2 + class as usize % 2) << (class / 2 + 1)
}

/// Returns the largest class with at most `slots` slots.
const fn class_of(slots: usize) -> u32 {
    if slots <= slots_of(0) {
        return 0;
    }
    let double = slots.ilog2() - 2;
    let has_half = slots >> (double + 1) & 1 == 1;
    2 * double + if has_half { 1 } else { 0 }
}

impl<M: Message> Batch<M> {
    /// Removes and returns the batch. The next buffer has the same class, or the class below if the
    /// messages filled less than two fifths of the buffer, so that varying traffic does not change
    /// buffers in every epoch.
    #[inline]
    pub(super) fn hand_over(&mut self) -> Self {
        let is_spacious = 5 * self.len() < 2 * self.slots.capacity();
        let next = Self::without_memory(self.class.saturating_sub(u32::from(is_spacious)));
        std::mem::replace(self, next)
    }

    /// Allocates a buffer for a batch without memory.
    #[cold]
    pub(super) fn allocate(&mut self) {
        self.class = self.class.min(Self::LARGE - 1);
        self.slots.reserve_exact(slots_of(self.class));
    }

    /// Returns `true` if the next message has a slot.
    #[inline(always)]
    pub(super) const fn has_slot(&self) -> bool {
        (self.len as usize) < self.slots.len()
    }

    /// Copies `message` into the next slot, which must exist, and returns the copy.
    #[inline(always)]
    pub(super) fn fill(&mut self, message: &M) -> &mut M {
        let slot = &mut self.slots[self.len as usize];
        self.len += 1;
        slot.assign(message);
        slot
    }

    /// Adds `message` and returns the copy.
    #[inline]
    pub(super) fn push(&mut self, message: &M) -> &mut M {
        if self.has_slot() {
            self.fill(message)
        } else {
            self.add_slot(message);
            self.len += 1;
            self.slots.last_mut().expect("just added")
        }
    }

    /// Returns the number of messages without reading the slots.
    #[inline]
    pub(super) const fn len(&self) -> usize {
        self.len as usize
    }

    /// Returns `true` if there are no messages.
    #[inline]
    pub(super) const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the message at `place`, which must be below the number of messages.
    #[inline]
    pub(super) fn at(&self, place: usize) -> &M {
        debug_assert!(place < self.len(), "a message and not the rest of one");
        &self.slots[place]
    }

    /// Returns the message in slot `place` if the slot exists. The caller knows that the slot is in
    /// use.
    #[inline(always)]
    pub(super) fn slot(&self, place: usize) -> Option<&M> {
        self.slots.get(place)
    }

    /// Adds a slot. Large buffers grow by a half instead of doubling, because they account for most
    /// of the memory of long links.
    #[inline(never)]
    fn add_slot(&mut self, message: &M) {
        let len = self.slots.len();
        if len == self.slots.capacity() && len * size_of::<M>() > LARGE_BYTES {
            self.slots.reserve_exact(len / 2);
        }
        self.slots.extend_from_slice(std::slice::from_ref(message));
        self.note_class();
    }

    /// Returns the number of additional messages that fit the allocated memory.
    pub(super) const fn room(&self) -> usize {
        self.slots.capacity() - self.len()
    }

    /// Returns `true` if its memory is too large to stay in a cache.
    #[inline]
    pub(super) const fn is_large(&self) -> bool {
        self.slots.capacity() > LARGE_BYTES / size_of::<M>()
    }

    /// Releases most of the memory of a large, nearly empty buffer. Buffers are reused by different
    /// channels, so without this each would in time be as large as the largest burst.
    #[inline]
    pub(super) fn trim(&mut self) {
        if self.is_large() && self.len() < self.slots.capacity() / 4 {
            self.shrink();
        }
    }

    #[cold]
    fn shrink(&mut self) {
        self.slots.truncate(self.len() + self.len() / 2);
        self.slots.shrink_to_fit();
        self.note_class();
    }

    /// Adds all messages of `other`.
    pub(super) fn extend(&mut self, other: &Self) {
        for message in &**other {
            self.push(message);
        }
    }

    /// Removes the messages.
    #[inline]
    pub(super) const fn clear(&mut self) {
        self.len = 0;
    }

    /// Returns `true` if it has allocated memory.
    #[inline]
    pub(super) const fn has_room(&self) -> bool {
        self.slots.capacity() > 0
    }
}

impl<M> Deref for Batch<M> {
    type Target = [M];

    #[inline]
    fn deref(&self) -> &[M] {
        &self.slots[..self.len as usize]
    }
}

impl<M> DerefMut for Batch<M> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [M] {
        &mut self.slots[..self.len as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fabricsim_base::checkpoint::Stored;
    use fabricsim_base::fifo::Assign;
    use fabricsim_base::units::Time;

    /// A message that copies only its used part.
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
    fn classes_are_those_of_their_slots() {
        let slots: Vec<_> = (0..8).map(slots_of).collect();
        assert_eq!(slots, [4, 6, 8, 12, 16, 24, 32, 48]);
        for class in 0..20 {
            let (from, to) = (slots_of(class), slots_of(class + 1));
            for slots in from..to {
                assert_eq!(class_of(slots), class, "{slots} slots");
            }
            for messages in from + 1..=to {
                let least = (class + 1).min(Batch::<Part>::LARGE);
                assert_eq!(Batch::<Part>::class_for(messages), least);
            }
        }
        assert_eq!((class_of(0), Batch::<Part>::class_for(0)), (0, 0));
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
