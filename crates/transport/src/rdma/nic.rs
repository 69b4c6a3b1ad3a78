//! One NIC port: waiting ACKs, flows that may send when the wire is free, and flows that may send
//! later.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use fabricsim_base::checkpoint::Stored;
use fabricsim_base::priority::{Priority, PrioritySet};
use fabricsim_base::units::Time;
use fabricsim_core::packet::Header;
use fabricsim_core::plugin::CongestionControl;

use super::ack_queue::AckQueue;
use super::circle::Circle;
use super::sender::RdmaSender;
use super::slots::SlotSet;

/// The queues of one NIC port. Flows are identified by their slot.
#[derive(Clone, Debug, Stored)]
#[checkpoint(plain)]
pub(crate) struct Nic<H> {
    pub(crate) acks: AckQueue<H>,
    /// End of the last packet on the wire; nothing leaves before.
    #[checkpoint(deadline)]
    pub(crate) free: Time,
    /// Flows that may send as soon as the wire is free, as a set for each priority.
    pub(crate) ready: [SlotSet; Priority::COUNT],
    /// Priorities with a nonempty set.
    pub(crate) occupied: PrioritySet,
    /// Slot of the flow with the last turn.
    pub(crate) last: u32,
    /// The flows of this port, if turns follow a list ([`FlowTurns::Listed`]).
    pub(crate) circle: Option<Box<Circle>>,
    /// Times at which paced flows become ready. An entry is stale if it differs from the flow's
    /// `paced_at`.
    pub(crate) paced: BinaryHeap<Reverse<(Time, u32)>>,
}

impl<H> Default for Nic<H> {
    fn default() -> Self {
        Self {
            acks: AckQueue::default(),
            free: Time::ZERO,
            ready: Default::default(),
            occupied: PrioritySet::EMPTY,
            last: u32::MAX,
            circle: None,
            paced: BinaryHeap::new(),
        }
    }
}

impl<H: Header> Nic<H> {
    /// Places `sender`, the flow in `slot`, according to its state: ready, waiting for its time, or
    /// neither. If its time is before the end of the packet on the wire, the flow is ready
    /// immediately, because nothing leaves before. Returns the flow's time, or [`Time::MAX`] for
    /// neither.
    // Inlined into the processing of each packet, because the sender already has the flow and the
    // port.
    #[inline(always)]
    pub(super) fn place<L: CongestionControl<H>>(
        &mut self,
        now: Time,
        slot: u32,
        sender: &mut RdmaSender<L>,
    ) -> Time {
        let due = if sender.may_send() {
            sender.next_send
        } else {
            Time::MAX
        };
        let flow = (sender.flow.request.priority, slot);
        self.put(now.max(self.free), flow, due, &mut sender.paced_at);
        due
    }
}

impl<H> Nic<H> {
    /// Makes a flow ready if it is `due` by `now`; otherwise, lets it wait for its time, unless
    /// that is [`Time::MAX`]. `paced_at` is the time of its current entry among waiting flows.
    #[inline(always)]
    pub(crate) fn put(
        &mut self,
        now: Time,
        (priority, slot): (Priority, u32),
        due: Time,
        paced_at: &mut Time,
    ) {
        if due <= now {
            self.set_ready(priority, slot);
            return;
        }
        if due < *paced_at {
            *paced_at = due;
            self.paced.push(Reverse((due, slot)));
        }
        self.clear_ready(priority, slot);
    }

    #[inline]
    pub(crate) fn set_ready(&mut self, priority: Priority, slot: u32) {
        self.ready[priority.index()].insert(slot);
        self.occupied.insert(priority);
    }

    #[inline]
    pub(crate) fn clear_ready(&mut self, priority: Priority, slot: u32) {
        if !self.occupied.contains(priority) {
            return;
        }
        let set = &mut self.ready[priority.index()];
        if set.remove(slot) && set.is_empty() {
            self.occupied.remove(priority);
        }
    }

    /// Removes a flow that has ended.
    pub(crate) fn end(&mut self, priority: Priority, slot: u32) {
        self.clear_ready(priority, slot);
        if let Some(circle) = &mut self.circle {
            circle.leave(slot);
        }
    }

    /// Returns the number of flows that may send when the wire is free.
    pub(crate) fn ready_flows(&self) -> u32 {
        let sets = self
            .occupied
            .into_iter()
            .map(|own| &self.ready[own.index()]);
        let flows: usize = sets.map(SlotSet::len).sum();
        u32::try_from(flows).unwrap_or(u32::MAX)
    }

    /// Returns the next flow in the circle with a priority in `allowed`.
    #[inline(always)]
    pub(crate) fn turn(&self, allowed: PrioritySet) -> Option<u32> {
        let occupied = self.occupied.intersection(allowed);
        match occupied.only() {
            Some(priority) => self.ready[priority.index()].after(self.last),
            None => self.turn_of_many(occupied),
        }
    }

    /// Same as [`Self::turn`], by the list of flows.
    pub(crate) fn listed_turn(&mut self, allowed: PrioritySet) -> Option<u32> {
        let (occupied, ready) = (self.occupied.intersection(allowed), &self.ready);
        let is_ready = |slot| {
            let mut sets = occupied.into_iter().map(|own| &ready[own.index()]);
            sets.any(|set| set.contains(slot))
        };
        self.circle.as_mut()?.turn(is_ready)
    }

    /// Same as [`Self::turn`], if flows of several priorities are ready, or none.
    #[inline(never)]
    fn turn_of_many(&self, occupied: PrioritySet) -> Option<u32> {
        let mut best = None;
        for priority in occupied {
            if let Some(slot) = self.ready[priority.index()].after(self.last) {
                // Distance around the circle from the last turn.
                let distance = slot.wrapping_sub(self.last).wrapping_sub(1);
                if best.is_none_or(|(nearest, _)| distance < nearest) {
                    best = Some((distance, slot));
                }
            }
        }
        best.map(|(_, slot)| slot)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flows_of_all_priorities_share_one_circle() {
        let mut nic = Nic::<()>::default();
        for (priority, slot) in [(3, 0), (5, 1), (3, 2)] {
            nic.set_ready(Priority::new(priority), slot);
        }
        let mut turns = Vec::new();
        for _ in 0..4 {
            let slot = nic.turn(PrioritySet::ALL).expect("flows are ready");
            nic.last = slot;
            turns.push(slot);
        }
        assert_eq!(turns, [0, 1, 2, 0]);
        let only = PrioritySet::from_iter([Priority::new(5)]);
        assert_eq!(nic.turn(only), Some(1));
        nic.clear_ready(Priority::new(5), 1);
        assert_eq!(nic.turn(only), None);
    }
}
