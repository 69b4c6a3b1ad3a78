//! The flows that wait for their NIC port, for their pacing or for a timer.

use std::cmp::Reverse;

use fabricsim_core::packet::Header;
use fabricsim_core::plugin::{CongestionControl, ControllerFactory};
use fabricsim_core::units::Time;

use super::Rdma;

impl<H: Header, F: ControllerFactory<H>> Rdma<H, F> {
    /// Puts the flow of `slot` where its state says: ready, waiting for its time, or neither.
    #[inline]
    pub(super) fn place(&mut self, now: Time, slot: u32) {
        let sender = self.senders[slot as usize]
            .as_mut()
            .expect("a listed slot holds a flow");
        let nic = &mut self.nics[sender.nic.index()];
        let priority = sender.flow.request.priority;
        if !sender.may_send() {
            nic.clear_ready(priority, slot);
        } else if sender.next_send <= now {
            nic.set_ready(priority, slot);
        } else {
            nic.clear_ready(priority, slot);
            if sender.next_send < sender.paced_at {
                sender.paced_at = sender.next_send;
                nic.paced.push(Reverse((sender.next_send, slot)));
            }
        }
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
