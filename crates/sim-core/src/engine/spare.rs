//! Empty buffers, to be written again.

use super::batch::{Batch, slots_of};
use super::message::Message;

/// Buffers that have been read to the end, by size. The last one read is the first one written
/// again, while its memory is still in the cache: that is worth a fifth of the time of a packet-hop.
///
/// A channel asks for the size that fits what it has sent before. If any buffer could come to any
/// channel, all would in time be as large as the largest burst, and take four times the memory of the
/// packets.
#[derive(Clone, Debug)]
pub(super) struct Spare<M> {
    /// The buffers of each class, with room for as many as are kept.
    classes: Box<[Vec<Batch<M>>]>,
}

/// Bytes of empty buffers that are kept of each class; more are given back to the allocator.
const MOST_BYTES: usize = 256 << 10;
/// The same for large buffers, as a number.
const MOST_LARGE: usize = 64;

impl<M> Default for Spare<M> {
    /// A place that keeps nothing.
    fn default() -> Self {
        Self {
            classes: Box::default(),
        }
    }
}

impl<M: Message> Spare<M> {
    pub(super) fn new() -> Self {
        let most = |class| {
            if class < Batch::<M>::LARGE {
                MOST_BYTES / size_of::<M>() / slots_of(class)
            } else {
                MOST_LARGE
            }
        };
        let classes = 0..=Batch::<M>::LARGE;
        Self {
            classes: classes
                .map(|class| Vec::with_capacity(most(class)))
                .collect(),
        }
    }

    /// Takes a buffer of `class`, if there is one.
    #[inline]
    pub(super) fn take(&mut self, class: u32) -> Option<Batch<M>> {
        self.classes.get_mut(class as usize)?.pop()
    }

    /// Empties `messages` and keeps its memory, as far as there is room.
    #[inline]
    pub(super) fn recycle(&mut self, mut messages: Batch<M>) {
        if messages.has_room()
            && let Some(kept) = self.classes.get_mut(messages.class() as usize)
            && kept.len() < kept.capacity()
        {
            messages.clear();
            kept.push(messages);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checkpoint::Stored;
    use crate::fifo::Assign;
    use crate::units::Time;

    /// As large as a packet with some telemetry.
    #[derive(Clone, Copy, Debug, PartialEq, Stored)]
    struct Cargo([u64; 14]);

    impl Assign for Cargo {}

    impl Message for Cargo {
        fn arrival(&self) -> Time {
            Time::ZERO
        }

        fn set_arrival(&mut self, _at: Time) {}
    }

    /// Sends `count` messages over the channel whose batch is `open`, and reads them.
    fn send(open: &mut Batch<Cargo>, spare: &mut Spare<Cargo>, count: u64) -> usize {
        open.open(spare);
        for number in 0..count {
            let cargo = Cargo([number; 14]);
            if open.has_slot() {
                open.fill(&cargo);
            } else {
                open.push_into_new_slot(&cargo, spare);
            }
        }
        let sent = open.hand_over();
        assert!(sent.iter().map(|cargo| cargo.0[0]).eq(0..count));
        let slots = sent.len() + sent.room();
        spare.recycle(sent);
        slots
    }

    #[test]
    fn a_burst_does_not_make_the_buffers_of_other_channels_large() {
        let mut spare = Spare::new();
        let (mut busy, mut quiet) = (Batch::default(), Batch::default());
        for _ in 0..10 {
            assert_eq!(send(&mut busy, &mut spare, 100), 128);
            assert_eq!(send(&mut quiet, &mut spare, 3), 4);
        }
    }

    #[test]
    fn a_channel_that_sends_less_gets_smaller_buffers_step_by_step() {
        let mut spare = Spare::new();
        let mut channel = Batch::default();
        let slots = [100, 51, 52, 39, 38, 26, 25, 1, 1, 1, 1, 1, 1, 1, 1];
        let slots = slots.map(|count| send(&mut channel, &mut spare, count));
        let expected = [128, 128, 96, 96, 96, 64, 64, 48, 32, 24, 16, 12, 8, 6, 4];
        assert_eq!(slots, expected);
    }

    #[test]
    fn a_full_buffer_is_exchanged_for_one_that_is_there() {
        let mut spare = Spare::new();
        let mut channel = Batch::default();
        assert_eq!(send(&mut channel, &mut spare, 16), 16);
        let mut other = Batch::default();
        assert_eq!(send(&mut other, &mut spare, 5), 8, "4 slots came to be 8");
        assert_eq!(send(&mut Batch::default(), &mut spare, 4), 4);
        let kept = |spare: &Spare<Cargo>| spare.classes.iter().map(Vec::len).collect::<Vec<_>>();
        let before = kept(&spare);
        let mut third = Batch::default();
        assert_eq!(send(&mut third, &mut spare, 16), 16);
        assert_eq!(before, kept(&spare), "nothing was allocated");
    }

    #[test]
    fn only_so_many_bytes_are_kept() {
        let mut spare = Spare::new();
        for class in (0..=Batch::<Cargo>::LARGE).step_by(2) {
            for _ in 0..1_000 {
                let mut buffer = Batch::default();
                for _ in 0..slots_of(class) {
                    buffer.push(&Cargo([0; 14]));
                }
                spare.recycle(buffer);
            }
            let kept = &spare.classes[class as usize];
            let bytes = kept.len() * slots_of(class) * size_of::<Cargo>();
            assert!(!kept.is_empty() && bytes <= 8 << 20, "{class}: {bytes}");
        }
        let mut none = Spare::default();
        none.recycle(send_one());
        assert!(none.take(0).is_none());
    }

    fn send_one() -> Batch<Cargo> {
        let mut batch = Batch::default();
        batch.push(&Cargo([0; 14]));
        batch
    }
}
