//! Many queues of packets in one allocation.

use fabricsim_base::checkpoint::Stored;
use fabricsim_base::fifo::Assign;
use fabricsim_base::units::Time;
use fabricsim_core::packet::{Header, Packet};
use fabricsim_engine::Message;

/// No slot.
const NONE: u32 = u32::MAX;

/// A queue of packets in a [`PacketPool`].
#[derive(Clone, Copy, Debug, Stored)]
#[checkpoint(plain)]
pub(crate) struct Chain {
    first: u32,
    last: u32,
}

impl Default for Chain {
    fn default() -> Self {
        Self {
            first: NONE,
            last: NONE,
        }
    }
}

impl Chain {
    #[inline]
    pub(crate) const fn is_empty(self) -> bool {
        self.first == NONE
    }

    /// Returns `true` if the queue, which must not be empty, has one packet.
    #[inline]
    pub(crate) const fn has_one(self) -> bool {
        self.first == self.last
    }
}

/// The packets of all queues of a discipline, in slots that are reused. A thousand queues use the
/// memory of the waiting packets instead of a ring each.
#[derive(Clone, Debug, Stored)]
#[checkpoint(plain)]
pub(crate) struct PacketPool<H> {
    slots: Vec<Packet<H>>,
    /// The next slot of each slot, in its queue or in the free list.
    next: Vec<u32>,
    free: u32,
    len: usize,
}

impl<H> Default for PacketPool<H> {
    fn default() -> Self {
        Self {
            slots: Vec::new(),
            next: Vec::new(),
            free: NONE,
            len: 0,
        }
    }
}

impl<H: Header> PacketPool<H> {
    /// Stores a copy of `packet`, which arrives now, at the end of `chain`.
    ///
    /// # Panics
    /// Panics if 2^32 - 1 packets wait.
    pub(crate) fn push(
        &mut self,
        chain: &mut Chain,
        now: Time,
        packet: &Packet<H>,
    ) -> &mut Packet<H> {
        let slot = if self.free == NONE {
            let slot = u32::try_from(self.slots.len()).expect("fewer than 2^32 packets wait");
            self.slots.push(*packet);
            self.next.push(NONE);
            slot
        } else {
            let slot = self.free;
            self.free = self.next[slot as usize];
            self.next[slot as usize] = NONE;
            self.slots[slot as usize].assign(packet);
            slot
        };
        if chain.is_empty() {
            chain.first = slot;
        } else {
            self.next[chain.last as usize] = slot;
        }
        chain.last = slot;
        self.len += 1;
        let stored = &mut self.slots[slot as usize];
        stored.set_arrival(now);
        stored
    }

    /// Returns the first packet of `chain`.
    #[inline]
    pub(crate) fn front(&self, chain: Chain) -> Option<&Packet<H>> {
        (!chain.is_empty()).then(|| &self.slots[chain.first as usize])
    }

    /// Removes the first packet of `chain`, if there is one.
    #[inline]
    pub(crate) fn pop(&mut self, chain: &mut Chain) {
        if chain.is_empty() {
            return;
        }
        let slot = chain.first;
        chain.first = self.next[slot as usize];
        self.next[slot as usize] = self.free;
        self.free = slot;
        self.len -= 1;
    }

    /// Returns the number of packets in all queues.
    #[inline]
    pub(crate) const fn len(&self) -> usize {
        self.len
    }

    /// Returns the packets of `chain`, first to last.
    pub(crate) fn iter(&self, chain: Chain) -> impl Iterator<Item = &Packet<H>> {
        let first = (!chain.is_empty()).then_some(chain.first);
        std::iter::successors(first, |&slot| {
            Some(self.next[slot as usize]).filter(|&next| next != NONE)
        })
        .map(|slot| &self.slots[slot as usize])
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use super::*;
    use crate::testing::packet;

    proptest::proptest! {
        #[test]
        fn behaves_like_many_queues(
            steps in proptest::collection::vec((0usize..4, proptest::option::weighted(0.55, 60u16..1_500)), 0..400)
        ) {
            let mut pool = PacketPool::<()>::default();
            let mut chains = [Chain::default(); 4];
            let mut models: [VecDeque<u16>; 4] = Default::default();
            let mut most = 0;
            for (index, step) in steps {
                let (chain, model) = (&mut chains[index], &mut models[index]);
                if let Some(wire) = step {
                    pool.push(chain, Time::from_ns(5), &packet(1, wire));
                    model.push_back(wire);
                } else {
                    pool.pop(chain);
                    model.pop_front();
                }
                for (chain, model) in chains.iter().zip(&models) {
                    let wires: VecDeque<u16> = pool.iter(*chain).map(|packet| packet.wire).collect();
                    proptest::prop_assert_eq!(&wires, model);
                    let front = pool.front(*chain).map(|packet| packet.wire);
                    proptest::prop_assert_eq!(front, model.front().copied());
                }
                let held: usize = models.iter().map(VecDeque::len).sum();
                most = most.max(held);
                proptest::prop_assert_eq!(pool.len(), held);
                proptest::prop_assert_eq!(pool.slots.len(), most);
            }
        }
    }
}
