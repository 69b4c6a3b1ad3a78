//! Packets that pass a port one after the other.
//!
//! As long as packets pass, what decides whether and how they do stays as it is: the buffer, the time
//! for each byte, and who watches. So it is looked at once for all of them.

use std::num::NonZeroU64;

use super::Switch;
use super::departure::{leaving, write_telemetry};
use super::passing::{Passage, Passed, Stop};
use crate::engine::{Group, Lane, SendBuffer};
use crate::id::PortId;
use crate::packet::Packet;
use crate::plugin::{Admission, Hop, Mark, Model, Observer, Qdisc};
use crate::units::{Bytes, Time};

/// What holds for all packets that pass a port in a row in the usual way: nobody watches, the link
/// loses nothing, and nothing is due.
#[derive(Clone, Copy, Debug)]
struct Usual {
    byte_ps: NonZeroU64,
    /// The largest packet that need not be accounted for.
    largest: Bytes,
}

impl<M: Model> Switch<M> {
    /// Lets those of `arrivals` pass that are left, up to one that does not or not in the usual way.
    // A call for many packets: within its caller half of what they need would be on the stack.
    #[inline(never)]
    pub(super) fn pass_all(
        &mut self,
        arrivals: &mut Group<'_, Packet<M::Header>>,
        send_buffer: &mut SendBuffer<Packet<M::Header>>,
    ) -> Option<Stop> {
        let mut passage = self.passage(arrivals.number());
        let lane = send_buffer.lane(arrivals.number());
        match passage.usual() {
            Some(usual) => passage.pass_in_a_row(usual, arrivals, lane),
            None => passage.pass_one_by_one(arrivals, lane),
        }
    }
}

impl<M: Model> Passage<'_, M> {
    #[inline(always)]
    fn usual(&self) -> Option<Usual> {
        if self.port.due != Time::MAX || self.observer.sees_dequeues() {
            return None;
        }
        let byte_ps = self.port.egress.byte_ps()?;
        Some(Usual {
            byte_ps,
            largest: self.buffer.passes_up_to(),
        })
    }

    /// [`Switch::pass_all`] with a look at everything for each packet.
    #[inline(never)]
    fn pass_one_by_one(
        &mut self,
        arrivals: &mut Group<'_, Packet<M::Header>>,
        mut lane: Lane<'_, Packet<M::Header>>,
    ) -> Option<Stop> {
        for arrival in arrivals {
            let times = (arrival.at, arrival.until);
            let ingress = PortId::from_index(arrival.channel);
            let passed = self.pass(times, ingress, arrival.message, lane.lend());
            if let Err(stop) = passed {
                return Some(stop);
            }
        }
        None
    }

    /// [`Switch::pass_all`] where all is as usual: what [`Self::pass`] does for each packet.
    #[inline(always)]
    fn pass_in_a_row(
        &mut self,
        usual: Usual,
        arrivals: &mut Group<'_, Packet<M::Header>>,
        mut lane: Lane<'_, Packet<M::Header>>,
    ) -> Option<Stop> {
        // In registers, and back in memory at the end.
        let mut rest = arrivals.clone();
        let mut waited = 0;
        let stop = loop {
            let Some(arrival) = rest.next() else {
                break None;
            };
            let (packet, ingress) = (arrival.message, PortId::from_index(arrival.channel));
            let free_after = self.port.open_after;
            if free_after >= arrival.until
                || packet.size() > usual.largest && !self.need_not_be_stored(packet, ingress)
            {
                break Some(Stop::Queue);
            }
            let waits = free_after >= arrival.at;
            let now = arrival.at.max(free_after);
            let mark = self.port.queue.bypass(waits, packet);
            // A wire that becomes free is an event without an arrival.
            waited += u64::from(waits && mark.is_some());
            match mark {
                Some(Mark::None) => {}
                Some(mark) => {
                    let by = if waits { None } else { Some(ingress) };
                    break Some(self.send_unwritten(now, by, mark, packet, lane.lend()));
                }
                None => break Some(Stop::Queue),
            }
            // Whether it waits cannot be foreseen, whether it is the longest queue so far can.
            let depth = Bytes::new(packet.size().get() & u64::from(waits).wrapping_neg());
            if depth > self.counters.max_queue {
                self.counters.max_queue = depth;
            }
            let leaving = leaving(if waits { None } else { Some(ingress) }, &lane);
            let port = &mut *self.port;
            let sent = port.egress.transmit_by::<M::Order, _>(
                usual.byte_ps,
                (now, self.cause),
                packet,
                lane.lend(),
            );
            port.open_after = port.egress.busy_until;
            let way = (arrival.at, ingress);
            let hop = Hop {
                // As the port is open.
                queue: Bytes::ZERO,
                ..port.hop(now, self.number.index(), way, sent.wire)
            };
            write_telemetry::<M>(self.telemetry, &hop, leaving, sent);
        };
        *arrivals = rest;
        self.counters.events += waited;
        stop
    }

    /// Returns whether `packet` passes that is larger than all those of which it is known beforehand.
    #[inline(never)]
    fn need_not_be_stored(&self, packet: &Packet<M::Header>, ingress: PortId) -> bool {
        let (priority, size) = (packet.priority(), packet.size());
        priority.is_control() || (self.buffer).passes(ingress, self.number, priority, size)
    }

    /// Puts `packet`, which passes with `mark`, on the wire at `now`.
    #[inline(never)]
    fn send_unwritten(
        &mut self,
        now: Time,
        by: Option<PortId>,
        mark: Mark,
        packet: &Packet<M::Header>,
        lane: Lane<'_, Packet<M::Header>>,
    ) -> Stop {
        if by.is_none() {
            self.counters.max_queue = self.counters.max_queue.max(packet.size());
        }
        let leaving = leaving(by, &lane);
        let port = &mut *self.port;
        let sent = (port.egress).transmit::<M::Order, _>(now, self.cause, packet, lane);
        port.open_after = port.egress.busy_until;
        Stop::Unwritten(Passed {
            at: now,
            leaving,
            mark,
            lost: sent.is_none(),
        })
    }
}
