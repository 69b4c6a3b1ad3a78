//! Packets that pass a port one after the other.
//!
//! As long as packets pass, what decides whether and how they do stays as it is: the buffer, the time
//! for each byte, and who watches. So it is looked at once for all of them.

use std::num::NonZeroU64;

use super::Switch;
use super::departure::{leaving, write_telemetry};
use super::passing::{Passage, Passed, Stop};
use crate::packet::{Header, Packet};
use crate::plugin::{Admission, Hop, Mark, Model, Observer, Qdisc};
use fabricsim_base::id::PortId;
use fabricsim_base::units::{Bytes, Time};
use fabricsim_engine::{Group, Lane, SendBuffer};

/// What holds for all packets that pass a port in a row in the usual way: nobody watches, the link
/// loses nothing, and nothing is due.
#[derive(Clone, Copy, Debug)]
struct Usual {
    byte_ps: NonZeroU64,
    /// The size up to which no packet has to be accounted for: see [`Admission::passes_up_to`].
    largest: Bytes,
}

/// Why packets no longer pass in the usual way.
#[derive(Clone, Copy, Debug)]
enum End {
    /// There are no more.
    None,
    /// The next one has to be queued or accounted for.
    Queue,
    /// The next one passes with a mark, at this time and because of the arrival by this port.
    Marked(Mark, Time, Option<PortId>),
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
        let Some(usual) = self.usual(arrivals.number()) else {
            return self.pass_one_by_one(arrivals, send_buffer);
        };
        match self.pass_in_a_row(usual, arrivals, send_buffer) {
            End::None => None,
            End::Queue => Some(Stop::Queue),
            End::Marked(mark, now, by) => {
                let packet = arrivals.current().message;
                let lane = send_buffer.lane(arrivals.number());
                let mut passage = self.passage(arrivals.number());
                Some(passage.send_unwritten(now, by, mark, packet, lane))
            }
        }
    }

    #[inline(always)]
    fn usual(&self, out: usize) -> Option<Usual> {
        let port = &self.ports[out];
        if port.due != Time::MAX || self.observer.sees_dequeues() {
            return None;
        }
        Some(Usual {
            byte_ps: port.egress.byte_ps()?,
            largest: self.buffer.passes_up_to(),
        })
    }

    /// [`Self::pass_all`] with a look at everything for each packet.
    #[inline(never)]
    fn pass_one_by_one(
        &mut self,
        arrivals: &mut Group<'_, Packet<M::Header>>,
        send_buffer: &mut SendBuffer<Packet<M::Header>>,
    ) -> Option<Stop> {
        let mut lane = send_buffer.lane(arrivals.number());
        let mut passage = self.passage(arrivals.number());
        for arrival in arrivals {
            let times = (arrival.at, arrival.until);
            let ingress = PortId::from_index(arrival.channel);
            let passed = passage.pass(times, ingress, arrival.message, lane.lend());
            if let Err(stop) = passed {
                return Some(stop);
            }
        }
        None
    }

    /// [`Self::pass_all`] where all is as usual: what [`Passage::pass`] does for each packet.
    #[inline(always)]
    fn pass_in_a_row(
        &mut self,
        usual: Usual,
        arrivals: &mut Group<'_, Packet<M::Header>>,
        send_buffer: &mut SendBuffer<Packet<M::Header>>,
    ) -> End {
        let out = arrivals.number();
        let number = PortId::from_index(out);
        let port = &mut self.ports[out];
        let mut lane = send_buffer.lane(out);
        // In registers, and back in memory at the end.
        let mut rest = arrivals.clone();
        let mut waited = 0;
        let end = loop {
            let Some(arrival) = rest.next() else {
                break End::None;
            };
            let (packet, ingress) = (arrival.message, PortId::from_index(arrival.channel));
            let free_after = port.open_after;
            if free_after >= arrival.until
                || packet.size() > usual.largest
                    && !need_not_be_stored(&self.buffer, (ingress, number), packet)
            {
                break End::Queue;
            }
            let waits = free_after >= arrival.at;
            let now = arrival.at.max(free_after);
            let by = if waits { None } else { Some(ingress) };
            let Some(mark) = port.queue.bypass(waits, packet) else {
                break End::Queue;
            };
            // A wire that becomes free is an event without an arrival.
            waited += u64::from(waits);
            if mark != Mark::None {
                break End::Marked(mark, now, by);
            }
            // Whether it waits cannot be foreseen, whether it is the longest queue so far can.
            let depth = Bytes::new(packet.size().get() & u64::from(waits).wrapping_neg());
            if depth > self.counters.max_queue {
                self.counters.max_queue = depth;
            }
            let leaving = leaving(by, &lane);
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
                ..port.hop(now, out, way, sent.wire)
            };
            write_telemetry::<M>(&mut self.telemetry, &hop, leaving, sent);
        };
        *arrivals = rest;
        self.counters.events += waited;
        end
    }
}

/// Returns whether `packet` passes that is larger than all those of which it is known beforehand.
#[inline(never)]
fn need_not_be_stored<A: Admission, H: Header>(
    buffer: &A,
    (ingress, egress): (PortId, PortId),
    packet: &Packet<H>,
) -> bool {
    let (priority, size) = (packet.priority(), packet.size());
    priority.is_control() || buffer.passes(ingress, egress, priority, size)
}

impl<M: Model> Passage<'_, M> {
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
