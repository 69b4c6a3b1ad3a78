//! Flows that wait for their NIC port, their pacing or a timer.

use std::cmp::Reverse;

use fabricsim_base::id::{FlowId, PortId};
use fabricsim_base::priority::PrioritySet;
use fabricsim_base::units::Time;
use fabricsim_core::packet::{Header, Packet};
use fabricsim_core::plugin::quirks::{FlowTurns, NicTimer};
use fabricsim_core::plugin::{CongestionControl, ControllerFactory};

use super::Rdma;

impl<H: Header, F: ControllerFactory<H>> Rdma<H, F> {
    /// Returns the due time of the first flow of `nic` with bytes left, which may be in the past
    /// ([`NicTimer::FirstWithBytes`]).
    // Kept out of line, apart from the code of precise networks.
    #[cold]
    pub(super) fn first_with_bytes(&self, nic: PortId) -> Time {
        let senders = self.senders.iter().flatten();
        let with_bytes = senders.filter(|s| s.nic == nic && s.next < s.written());
        let due = with_bytes.map(|sender| sender.next_send);
        due.min().unwrap_or(Time::MAX)
    }

    /// Returns `true` if no packet waits for `nic`, neither now nor for a later time.
    #[inline]
    pub(crate) fn is_quiet(&self, nic: PortId) -> bool {
        let port = &self.nics[nic.index()];
        port.acks.is_empty()
            && port.occupied.is_empty()
            && port.paced.is_empty()
            && self.settings.nic_timer != NicTimer::FirstWithBytes
    }

    /// Returns the slot of `flow` if it has not ended.
    #[inline]
    pub(super) fn slot_of(&mut self, flow: FlowId) -> Option<u32> {
        let recent = self.senders.get(self.recent as usize);
        if !matches!(recent, Some(Some(sender)) if sender.flow.id == flow) {
            self.recent = *self.slots.get(&flow)?;
        }
        Some(self.recent)
    }

    /// Places the flow in `slot` according to its state ([`Nic::place`]).
    pub(super) fn place(&mut self, now: Time, slot: u32) {
        let sender = self.senders[slot as usize]
            .as_mut()
            .expect("a listed slot holds a flow");
        self.nics[sender.nic.index()].place(now, slot, sender);
    }

    /// Removes and returns the paced flow that is due, if it is the only one that may send through
    /// `nic`. This saves making it ready first.
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

    /// Returns the flow with the turn to send through `nic`.
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

    /// Returns the next packet of the flow in `slot`, which has the turn at `nic`. Also returns
    /// `true` if the packet is a retransmission, and `true` if nothing else of the flow is in
    /// flight.
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

    /// Returns the due time of the first paced flow, if it is after `now` and the first entry is
    /// valid. For most calls, this replaces [`Self::promote`].
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

    /// Marks flows as ready if their pacing time has passed. Returns the time of the next one.
    #[inline]
    pub(super) fn promote(&mut self, now: Time, nic: usize) -> Time {
        while let Some(&Reverse((at, slot))) = self.nics[nic].paced.peek() {
            let sender = self.senders[slot as usize].as_mut();
            let live = sender.filter(|s| s.paced_at == at && s.nic.index() == nic);
            let due = match live {
                // The flow has ended, or there is a newer entry for it.
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

    /// Schedules a timer for the flow in `slot` at its timeout or its controller's deadline.
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
