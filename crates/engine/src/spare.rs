//! Empty buffers for reuse.

use std::sync::{Arc, Mutex};

use super::batch::{Batch, slots_of};
use super::message::Message;

/// Completely read buffers, by size. The last buffer read is the first one written again, while its
/// memory is still in the cache: this saves a fifth of the time of a packet-hop.
///
/// A channel takes a buffer that fits its previous batch. If every channel could take any buffer,
/// all buffers would in time be as large as the largest burst, and use four times the memory of the
/// packets.
#[derive(Clone, Debug)]
pub(super) struct Spare<M> {
    /// The buffers of each class, with capacity for the buffers that may be kept.
    classes: Box<[Vec<Batch<M>>]>,
    /// The pool shared by several instances that are used in parallel.
    pool: Option<Arc<Pool<M>>>,
}

/// Buffers that one partition has too many of and another may lack. Buffers move between partitions
/// with the messages, in numbers that differ at random. Without a pool, one partition would always
/// allocate buffers that another one frees.
#[derive(Debug)]
pub(super) struct Pool<M> {
    classes: Box<[Mutex<Vec<Batch<M>>>]>,
}

/// Maximum bytes of empty buffers of each class in a pool.
const MOST_POOLED_BYTES: usize = 1 << 20;

const HELD: &str = "a pool is held only to move buffers into room that is there";

/// Maximum bytes of empty buffers of each class; excess buffers are freed.
const MOST_BYTES: usize = 256 << 10;
/// The limit for each process if two sides take turns: one side releases buffers before the other
/// side takes them.
const MOST_BYTES_OF_ONE: usize = 1 << 10;
/// The limit for all processes if two sides take turns.
const MOST_BYTES_OF_ALL: usize = 16 << 20;
/// Maximum number of empty large buffers.
const MOST_LARGE: usize = 64;

impl<M> Default for Spare<M> {
    /// An instance that keeps no buffers.
    fn default() -> Self {
        Self {
            classes: Box::default(),
            pool: None,
        }
    }
}

/// Returns an empty list for each class, with capacity for `bytes` of buffers.
fn rooms<M: Message>(bytes: usize) -> impl Iterator<Item = Vec<Batch<M>>> {
    let most = move |class| {
        if class < Batch::<M>::LARGE {
            bytes / size_of::<M>() / slots_of(class)
        } else {
            MOST_LARGE
        }
    };
    (0..=Batch::<M>::LARGE).map(move |class| Vec::with_capacity(most(class)))
}

impl<M: Message> Pool<M> {
    pub(super) fn new() -> Self {
        Self {
            classes: rooms(MOST_POOLED_BYTES).map(Mutex::new).collect(),
        }
    }

    /// Moves buffers from `kept` to the pool, as far as there is room: up to half the capacity of
    /// `kept`.
    #[cold]
    #[inline(never)]
    fn take_over(&self, class: u32, kept: &mut Vec<Batch<M>>) {
        let mut pooled = self.classes[class as usize].lock().expect(HELD);
        let room = pooled.capacity() - pooled.len();
        let left = kept.len() - (kept.capacity() / 2).min(kept.len()).min(room);
        // The first buffers have been unused for longest.
        let moved = kept.len() - left;
        pooled.extend(kept.drain(..moved));
    }

    /// Moves buffers from the pool to `kept`, up to half its capacity.
    #[cold]
    #[inline(never)]
    fn hand_out(&self, class: u32, kept: &mut Vec<Batch<M>>) {
        let mut pooled = self.classes[class as usize].lock().expect(HELD);
        let from = pooled.len().saturating_sub(kept.capacity() / 2);
        kept.extend(pooled.drain(from..));
    }
}

impl<M: Message> Spare<M> {
    /// Returns an instance with `pool`, which is `None` if there are no other instances.
    pub(super) fn new(pool: Option<Arc<Pool<M>>>) -> Self {
        Self {
            classes: rooms(MOST_BYTES).collect(),
            pool,
        }
    }

    /// Returns an instance for this number of `processes` on two sides that take turns.
    pub(super) fn for_turns(processes: usize, pool: Option<Arc<Pool<M>>>) -> Self {
        Self {
            classes: rooms((processes * MOST_BYTES_OF_ONE).clamp(MOST_BYTES, MOST_BYTES_OF_ALL))
                .collect(),
            pool,
        }
    }

    /// Removes and returns a buffer of `class`, if there is one.
    #[inline]
    pub(super) fn take(&mut self, class: u32) -> Option<Batch<M>> {
        let kept = self.classes.get_mut(class as usize)?;
        if kept.is_empty()
            && let Some(pool) = &self.pool
        {
            pool.hand_out(class, kept);
        }
        kept.pop()
    }

    /// Gives a batch without memory a buffer of its class, reusing an empty one if possible.
    #[inline]
    pub(super) fn open(&mut self, batch: &mut Batch<M>) {
        match self.take(batch.class()) {
            Some(buffer) => *batch = buffer,
            None => batch.allocate(),
        }
    }

    /// Adds `message` to a batch with no free slot. If its buffer is full, moves to a buffer of
    /// twice the size if there is one. Returns the copy.
    #[inline(never)]
    pub(super) fn push_into_new_slot<'a>(
        &mut self,
        batch: &'a mut Batch<M>,
        message: &M,
    ) -> &'a mut M {
        if batch.room() == 0
            && batch.class() < Batch::<M>::LARGE
            && let Some(mut larger) = self.take((batch.class() + 2).min(Batch::<M>::LARGE))
        {
            larger.extend(batch);
            self.recycle(std::mem::replace(batch, larger));
        }
        batch.push(message)
    }

    /// Empties `messages` and keeps its memory if there is room.
    #[inline]
    pub(super) fn recycle(&mut self, mut messages: Batch<M>) {
        if messages.has_room()
            && let Some(kept) = self.classes.get_mut(messages.class() as usize)
        {
            if kept.len() == kept.capacity()
                && let Some(pool) = &self.pool
            {
                pool.take_over(messages.class(), kept);
            }
            if kept.len() < kept.capacity() {
                messages.clear();
                kept.push(messages);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fabricsim_base::checkpoint::Stored;
    use fabricsim_base::fifo::Assign;
    use fabricsim_base::units::Time;

    /// A message of the size of a packet with some telemetry.
    #[derive(Clone, Copy, Debug, PartialEq, Stored)]
    #[checkpoint(plain)]
    struct Cargo([u64; 14]);

    impl Assign for Cargo {}

    impl Message for Cargo {
        fn arrival(&self) -> Time {
            Time::ZERO
        }

        fn set_arrival(&mut self, _at: Time) {}
    }

    /// Sends `count` messages over the channel with the batch `open`, and reads them.
    fn send(open: &mut Batch<Cargo>, spare: &mut Spare<Cargo>, count: u64) -> usize {
        spare.open(open);
        for number in 0..count {
            let cargo = Cargo([number; 14]);
            if open.has_slot() {
                open.fill(&cargo);
            } else {
                spare.push_into_new_slot(open, &cargo);
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
        let mut spare = Spare::new(None);
        let (mut busy, mut quiet) = (Batch::default(), Batch::default());
        for _ in 0..10 {
            assert_eq!(send(&mut busy, &mut spare, 100), 128);
            assert_eq!(send(&mut quiet, &mut spare, 3), 4);
        }
    }

    #[test]
    fn a_channel_that_sends_less_gets_smaller_buffers_step_by_step() {
        let mut spare = Spare::new(None);
        let mut channel = Batch::default();
        let slots = [100, 51, 52, 39, 38, 26, 25, 1, 1, 1, 1, 1, 1, 1, 1];
        let slots = slots.map(|count| send(&mut channel, &mut spare, count));
        let expected = [128, 128, 96, 96, 96, 64, 64, 48, 32, 24, 16, 12, 8, 6, 4];
        assert_eq!(slots, expected);
    }

    #[test]
    fn a_full_buffer_is_exchanged_for_one_that_is_there() {
        let mut spare = Spare::new(None);
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
        let mut spare = Spare::new(None);
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

    #[test]
    fn what_one_has_too_many_of_another_takes() {
        let pool = Arc::new(Pool::new());
        let [mut one, mut other] = [(); 2].map(|()| Spare::new(Some(Arc::clone(&pool))));
        let room = one.classes[0].capacity();
        // As if all messages, and so all buffers, went in one direction.
        let mut fresh = 0;
        for _ in 0..20 * room {
            let mut batch = Batch::default();
            fresh += usize::from(one.classes[0].is_empty() && pool_size(&pool) == 0);
            one.open(&mut batch);
            batch.push(&Cargo([1; 14]));
            other.recycle(batch);
        }
        assert_eq!(fresh, room + 1, "then they come back by the pool");
    }

    #[test]
    fn a_pool_keeps_only_so_much() {
        let pool = Arc::new(Pool::new());
        let mut spare = Spare::new(Some(Arc::clone(&pool)));
        let pooled = pool.classes[0].lock().unwrap().capacity();
        let kept = spare.classes[0].capacity();
        for _ in 0..3 * (pooled + kept) {
            spare.recycle(send_one());
        }
        assert_eq!(pool_size(&pool), pooled);
        assert!(pooled * slots_of(0) * size_of::<Cargo>() <= MOST_POOLED_BYTES);
        let taken = std::iter::from_fn(|| spare.take(0)).count();
        assert_eq!(taken, pooled + kept, "all of it is there");
        assert!(spare.take(Batch::<Cargo>::LARGE).is_none());
    }

    fn pool_size(pool: &Pool<Cargo>) -> usize {
        pool.classes[0].lock().unwrap().len()
    }

    fn send_one() -> Batch<Cargo> {
        let mut batch = Batch::default();
        batch.push(&Cargo([0; 14]));
        batch
    }
}
