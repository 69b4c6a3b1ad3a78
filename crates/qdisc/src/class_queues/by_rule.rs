//! Queues of a port that are not plain. These are calls, separate from the code of plain queues,
//! which is inlined into the switch.

use fabricsim_base::priority::PrioritySet;
use fabricsim_base::units::{Bytes, Time};
use fabricsim_core::packet::{Header, Packet};
use fabricsim_core::plugin::Mark;

use super::ClassQueues;
use crate::discipline::Discipline;

impl<H: Header> ClassQueues<H> {
    /// `Qdisc::bypass` for a queue with a discipline that may stop, count or mark the packet.
    #[inline(never)]
    pub(super) fn bypass_by_rule(&mut self, waits: bool, packet: &Packet<H>) -> Option<Mark> {
        if !self.given_up.is_empty() {
            return None;
        }
        let priority = packet.priority();
        let mark = self.queues[priority.index()].pass(waits, packet)?;
        self.turns.on_passed(priority);
        Some(mark)
    }

    /// `Qdisc::enqueue` for a queue that is not plain.
    #[inline(never)]
    pub(super) fn enqueue_by_rule(
        &mut self,
        now: Time,
        packet: &Packet<H>,
    ) -> Option<&mut Packet<H>> {
        let priority = packet.priority();
        let before = self.given_up.len();
        let queue = &mut self.queues[priority.index()];
        let stored = queue.enqueue(now, packet, &mut self.given_up);
        if stored.is_some() {
            self.total += u64::from(packet.wire);
            self.turns.fill(priority);
        }
        if !self.given_up.is_empty() {
            self.passing = PrioritySet::EMPTY;
        }
        for packet in &self.given_up[before..] {
            self.total -= u64::from(packet.wire);
        }
        stored
    }

    /// `Qdisc::head` if the queue to be served, `shown`, is not plain.
    #[inline(never)]
    pub(super) fn head_by_rule(
        &mut self,
        now: Time,
        paused: PrioritySet,
        dropped: &mut Vec<Packet<H>>,
    ) -> Option<&Packet<H>> {
        loop {
            let queue = &mut self.queues[self.shown.index()];
            let before = dropped.len();
            let chosen = queue.select(now, dropped);
            for packet in &dropped[before..] {
                self.total -= u64::from(packet.wire);
            }
            if chosen {
                break;
            }
            self.turns.empty(self.shown);
            self.shown = self.turns.choose(paused)?;
        }
        let first = self.queues[self.shown.index()].front()?;
        self.shown_wire = first.wire;
        self.queues[self.shown.index()].front()
    }

    /// `Qdisc::pop` if the queue of the last head is not plain.
    #[inline(never)]
    pub(super) fn pop_by_rule(&mut self, now: Time) -> Mark {
        let queue = &mut self.queues[self.shown.index()];
        let mark = queue.pop(now);
        let left = queue.bytes();
        self.on_sent(Bytes::new(u64::from(self.shown_wire)), left);
        mark
    }
}
