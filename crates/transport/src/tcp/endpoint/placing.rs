//! Tracks which connections of a host are ready or wait for pacing, and when to check their timers.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use fabricsim_base::units::Time;

use super::Tcp;
use crate::rdma::nic::Nic;
use crate::tcp::connection::Connection;
use crate::tcp::header::HasTcp;

impl<H: HasTcp> Tcp<H> {
    /// Marks connections as ready if their pacing time has passed. Returns the time of the next
    /// one.
    #[inline]
    pub(super) fn promote(&mut self, now: Time, nic: usize) -> Time {
        if self.nics[nic].paced.is_empty() {
            return Time::MAX;
        }
        self.promote_paced(now, nic)
    }

    /// Same as [`Self::promote`], if connections are paced.
    #[inline(never)]
    fn promote_paced(&mut self, now: Time, nic: usize) -> Time {
        while let Some(&Reverse((at, slot))) = self.nics[nic].paced.peek() {
            let connection = self.connections[slot as usize].as_mut();
            // Otherwise the connection has ended, or there is a newer entry for it.
            let live = connection.filter(|c| c.paced_at == at && c.nic.index() == nic);
            if let Some(connection) = live {
                if at > now && connection.sender.paced == at && connection.may_send() {
                    return at;
                }
                connection.paced_at = Time::MAX;
                let port = &mut self.nics[nic];
                port.paced.pop();
                place(now, slot, connection, port);
            } else {
                self.nics[nic].paced.pop();
            }
        }
        Time::MAX
    }

    /// Updates the timers of the connection in `slot` after a change, and [places](place) it.
    /// Returns the time at which it may send.
    #[inline(never)]
    pub(super) fn settle(&mut self, now: Time, slot: u32) -> Time {
        self.settle_inline(now, slot)
    }

    /// Same as [`Self::settle`], inlined into the processing of each packet.
    #[inline(always)]
    pub(super) fn settle_inline(&mut self, now: Time, slot: u32) -> Time {
        let Self {
            connections,
            nics,
            timers,
            ..
        } = self;
        let connection = connections[slot as usize]
            .as_mut()
            .expect("a listed slot holds a connection");
        arm(
            timers,
            connection.deadline(),
            slot,
            &mut connection.timer_at,
        );
        let nic = &mut nics[connection.nic.index()];
        place(now, slot, connection, nic)
    }
}

/// Makes the endpoint check the timers of the connection in `slot` at `deadline`, if that is before
/// `timer_at`.
#[inline]
pub(super) fn arm(
    timers: &mut BinaryHeap<Reverse<(Time, u32)>>,
    deadline: Time,
    slot: u32,
    timer_at: &mut Time,
) {
    if deadline < *timer_at {
        *timer_at = deadline;
        timers.push(Reverse((deadline, slot)));
    }
}

/// Places `connection` (in `slot`) according to its state: ready, waiting for pacing, or neither.
/// Returns the time at which it may send, or [`Time::MAX`] for neither.
#[inline(always)]
fn place<H: HasTcp>(now: Time, slot: u32, connection: &mut Connection, nic: &mut Nic<H>) -> Time {
    let due = connection.next_send();
    connection.due = due;
    connection.awaits_ack = connection.sender.awaits_ack();
    let flow = (connection.priority, slot);
    nic.put(now, flow, due, &mut connection.paced_at);
    due
}
