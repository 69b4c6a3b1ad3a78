//! The flows that wait for their NIC port, for their pacing or for a timer.

use std::cmp::Reverse;

use fabricsim_base::id::{FlowId, PortId};
use fabricsim_base::priority::PrioritySet;
use fabricsim_base::units::Time;
use fabricsim_core::packet::{Header, Packet};
use fabricsim_core::plugin::quirks::{FlowTurns, NicTimer};
use fabricsim_core::plugin::{CongestionControl, ControllerFactory};

use super::Rdma;

impl<H: Header, F: ControllerFactory<H>> Rdma<H, F> {
    /// Returns the time at which the first flow of `nic` with bytes left is due, which may be a
    /// time that has passed ([`NicTimer::FirstWithBytes`]).
    // Apart from the code of networks that are precise.
    #[cold]
    pub(super) fn first_with_bytes(&self, nic: PortId) -> Time {
        let senders = self.senders.iter().flatten();
        let with_bytes = senders.filter(|s| s.nic == nic && s.next < s.written());
        let due = with_bytes.map(|sender| sender.next_send);
        due.min().unwrap_or(Time::MAX)
    }

    /// Returns whether nothing waits for `nic` or for a time at which it may leave there.
    #[inline]
    pub(crate) fn is_quiet(&self, nic: PortId) -> bool {
        let port = &self.nics[nic.index()];
        port.acks.is_empty()
            && port.occupied.is_empty()
            && port.paced.is_empty()
            && self.settings.nic_timer != NicTimer::FirstWithBytes
    }

    /// The slot of `flow`, where it has not ended.
    #[inline]
    pub(super) fn slot_of(&mut self, flow: FlowId) -> Option<u32> {
        let recent = self.senders.get(self.recent as usize);
        if !matches!(recent, Some(Some(sender)) if sender.flow.id == flow) {
            self.recent = *self.slots.get(&flow)?;
        }
        Some(self.recent)
    }

    /// Puts the flow of `slot` where its state says ([`Nic::place`]).
    pub(super) fn place(&mut self, now: Time, slot: u32) {
        let sender = self.senders[slot as usize]
            .as_mut()
            .expect("a listed slot holds a flow");
        self.nics[sender.nic.index()].place(now, slot, sender);
    }

    /// Takes the flow whose time has come out of those that are paced, where it is the only one that
    /// may send by `nic`: it need not become ready first.
    #[inline]
    pub(super) fn only_due(&mut self, now: Time, nic: PortId, paused: PrioritySet) -> Option<u32> {
        let port = &mut self.nics[nic.index()];
        let &Reverse((at, slot)) = port.paced.peek()?;
        let listed = self.settings.turns == FlowTurns::Listed;
        if at > now || !port.occupied.is_empty() || listed {
            return None;
        }
        let sender = self.senders[slot as usize].as_mut()?;
        if sender.paced_at != at
            || sender.nic != nic
            || sender.next_send > now
            || paused.contains(sender.flow.request.priority)
            || !sender.may_send()
        {
            return None;
        }
        port.paced.pop();
        sender.paced_at = Time::MAX;
        if port
            .paced
            .peek()
            .is_some_and(|&Reverse((next, _))| next <= now)
        {
            port.set_ready(sender.flow.request.priority, slot);
            return None;
        }
        Some(slot)
    }

    /// The flow whose turn it is to send by `nic`, of those that may.
    pub(super) fn turn(&mut self, now: Time, nic: PortId, paused: PrioritySet) -> Option<u32> {
        let first = self.nics[nic.index()].paced.peek();
        if first.is_some_and(|&Reverse((at, _))| at <= now) {
            self.promote(now, nic.index());
        }
        let (port, allowed) = (
            &mut self.nics[nic.index()],
            PrioritySet::ALL.without(paused),
        );
        match self.settings.turns {
            FlowTurns::BySlot => port.turn(allowed),
            FlowTurns::Listed => port.listed_turn(allowed),
        }
    }

    /// The next packet of the flow of `slot`, which has the turn at `nic`; whether it is retransmitted,
    /// and whether nothing else of the flow is in flight.
    #[inline(always)]
    pub(super) fn next_packet(
        &mut self,
        now: Time,
        nic: PortId,
        slot: u32,
    ) -> (Packet<H>, bool, bool) {
        let port = &mut self.nics[nic.index()];
        port.last = slot;
        let credit = H::CREDIT && self.settings.credit.is_some();
        let ready = if credit { port.ready_flows() } else { 0 };
        let sender = self.senders[slot as usize]
            .as_mut()
            .expect("a ready slot holds a flow");
        let first_of_flight = sender.in_flight() == 0;
        let (mut packet, again) = sender.send(now, &self.settings);
        if credit {
            sender.ask_for_credit(&mut packet, ready, &self.settings);
        }
        (packet, again, first_of_flight)
    }

    /// Returns when the first of the paced flows is due, where that is after `now` and the entry at
    /// hand says it: [`Self::promote`] for most calls.
    #[inline]
    pub(super) fn next_paced(&self, now: Time, nic: PortId) -> Option<Time> {
        let &Reverse((at, slot)) = self.nics[nic.index()].paced.peek()?;
        let sender = self.senders[slot as usize].as_ref()?;
        let counts = at > now
            && sender.paced_at == at
            && sender.nic == nic
            && sender.next_send <= at
            && sender.may_send();
        counts.then_some(at)
    }

    /// Moves flows whose time has come to the ready ones. Returns when the next one will be.
    #[inline]
    pub(super) fn promote(&mut self, now: Time, nic: usize) -> Time {
        while let Some(&Reverse((at, slot))) = self.nics[nic].paced.peek() {
            let sender = self.senders[slot as usize].as_mut();
            let live = sender.filter(|s| s.paced_at == at && s.nic.index() == nic);
            let due = match live {
                // The flow has gone, or a newer entry stands for it.
                None => None,
                Some(sender) if !sender.may_send() => {
                    sender.paced_at = Time::MAX;
                    None
                }
                Some(sender) if sender.next_send > at => {
                    sender.paced_at = Time::MAX;
                    Some(slot)
                }
                Some(_) if at > now => return at,
                Some(sender) => {
                    sender.paced_at = Time::MAX;
                    Some(slot)
                }
            };
            self.nics[nic].paced.pop();
            if let Some(slot) = due {
                self.place(now, slot);
            }
        }
        Time::MAX
    }

    /// Sees to it that the flow of `slot` is looked at when its timeout or its algorithm wants it.
    pub(super) fn set_timer(&mut self, slot: u32) {
        let rto_min = self.settings.rto_min;
        let sender = self.sender(slot);
        let at = sender.timeout_at(rto_min).min(sender.cc.deadline());
        if at < sender.timer_at {
            sender.timer_at = at;
            self.timers.push(Reverse((at, slot)));
        }
    }
}
