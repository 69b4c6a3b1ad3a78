//! The departure of a packet: the only code that sends a switch's packet on a wire.
//!
//! Each packet ends here, from the queue of its port or past it, in every [order](super::plan) in
//! which the switch handles its ports. The departure occupies the wire, writes the mark and the
//! telemetry, and updates the state of the port.

use std::num::NonZeroU64;

use super::port::Port;
use super::{Sends, Switch};
use crate::network::counters::Counters;
use crate::network::meter::Meter;
use crate::packet::{Flags, Header, Packet};
use crate::plugin::{
    Admission, DropReason, EventOrder, Hop, Interest, Leaving, Mark, Model, Observer, Qdisc,
    Telemetry,
};
use fabricsim_base::id::{NodeId, PortId};
use fabricsim_base::priority::Priority;
use fabricsim_base::units::{Bytes, Time};
use fabricsim_engine::{Lane, Message as _};

/// A port, with everything else that a departure from it touches. Values that all consecutive
/// packets share are computed once, when the exit is made.
pub(super) struct Exit<'a, M: Model> {
    node: NodeId,
    number: PortId,
    port: &'a mut Port<M::Queue>,
    meter: &'a mut Meter,
    telemetry: &'a mut M::Telemetry,
    observer: &'a mut M::Observer,
    counters: &'a mut Counters,
    /// Packets that a queue drops at a dequeue.
    dropped: &'a mut Vec<Packet<M::Header>>,
    /// Time at which the current event was set.
    cause: u32,
    /// Picoseconds for a byte on the wire if departures take the fast path: the link loses no
    /// packet, its transmission times are multiples of this, and no observer watches departures.
    usual: Option<NonZeroU64>,
    /// Packets up to this size need no buffer accounting if they find the queues empty.
    largest: Bytes,
}

/// A packet that is about to leave.
enum Source<'p, H> {
    /// The head of the queues.
    Queued,
    /// A packet that bypasses the empty queues, with its mark, its time of arrival and its ingress
    /// port.
    Passing(&'p Packet<H>, Mark, Time, PortId),
}

/// The buffer space of a packet that has left a queue.
pub(super) struct Gone {
    pub(super) ingress: PortId,
    pub(super) priority: Priority,
    wire: u16,
}

impl Gone {
    /// Returns the buffer space of `packet`, which arrived at `ingress`.
    #[inline]
    pub(super) fn new<H: Header>(ingress: PortId, packet: &Packet<H>) -> Self {
        Self {
            ingress,
            priority: packet.priority(),
            wire: packet.wire,
        }
    }

    /// Returns the size of the packet.
    #[inline]
    pub(super) fn size(&self) -> Bytes {
        Bytes::new(u64::from(self.wire))
    }
}

impl<M: Model> Exit<'_, M> {
    /// Sends `packet`, which arrives at `at` by `ingress`, without queueing it. Returns `true` if
    /// it has left.
    ///
    /// This works if the queues are empty, the packet needs no buffer accounting, and the wire
    /// becomes free before `until`, the next event of the port. The packet may then also wait for
    /// the end of the current transmission.
    #[inline(always)]
    pub(super) fn pass(
        &mut self,
        (at, until): (Time, Time),
        ingress: PortId,
        packet: &Packet<M::Header>,
        lane: Lane<'_, Packet<M::Header>>,
    ) -> bool {
        let free_after = self.port.open_after;
        if free_after >= until || packet.size() > self.largest && !is_control(packet) {
            return false;
        }
        let waits = free_after >= at;
        let Some(mark) = self.port.queue.bypass(waits, packet) else {
            return false;
        };
        let by = if waits { None } else { Some(ingress) };
        let (now, source) = (at.max(free_after), (packet, at, ingress));
        self.send_passing((now, by), source, mark, lane);
        true
    }

    /// Sends a packet with `mark` past the empty queues; `source` is the packet with its time and
    /// port of arrival.
    // Each branch builds its own arguments, so packets without a mark keep theirs in registers.
    #[inline(always)]
    pub(super) fn send_passing(
        &mut self,
        event: (Time, Option<PortId>),
        (packet, arrived, ingress): (&Packet<M::Header>, Time, PortId),
        mark: Mark,
        mut lane: Lane<'_, Packet<M::Header>>,
    ) {
        match self.usual {
            Some(byte_ps) if mark == Mark::None => {
                let source = Source::Passing(packet, Mark::None, arrived, ingress);
                self.depart(Some(byte_ps), event, source, lane);
            }
            _ => {
                let source = Source::Passing(packet, mark, arrived, ingress);
                (self.lend()).depart_unusually(event, source, lane.lend());
            }
        }
    }

    /// Sends the next packet of the queues. Returns `None` if no packet may leave.
    #[inline(always)]
    fn send_queued(
        &mut self,
        event: (Time, Option<PortId>),
        mut lane: Lane<'_, Packet<M::Header>>,
    ) -> Option<Gone> {
        match self.usual {
            Some(byte_ps) => self.depart(Some(byte_ps), event, Source::Queued, lane),
            None => (self.lend()).depart_unusually(event, Source::Queued, lane.lend()),
        }
    }

    /// Makes a copy for a call, so that the exit of consecutive packets can stay in registers.
    #[inline(always)]
    fn lend(&mut self) -> Exit<'_, M> {
        Exit {
            node: self.node,
            number: self.number,
            port: self.port,
            meter: self.meter,
            telemetry: self.telemetry,
            observer: self.observer,
            counters: self.counters,
            dropped: self.dropped,
            ..*self
        }
    }

    /// [`Self::depart`] for a port that is not on the fast path.
    #[inline(never)]
    fn depart_unusually(
        mut self,
        event: (Time, Option<PortId>),
        source: Source<'_, M::Header>,
        lane: Lane<'_, Packet<M::Header>>,
    ) -> Option<Gone> {
        self.depart(None, event, source, lane)
    }

    /// Sends a packet at `now`. `usual` is the time of a byte if the port is on the fast path.
    ///
    /// `by` is the port of the arrival that triggers the departure. It is `None` if the end of the
    /// previous packet does, which counts as a separate event.
    // Inlined into its few callers because a call costs every packet-hop twenty instructions.
    #[inline(always)]
    fn depart(
        &mut self,
        usual: Option<NonZeroU64>,
        (now, by): (Time, Option<PortId>),
        source: Source<'_, M::Header>,
        lane: Lane<'_, Packet<M::Header>>,
    ) -> Option<Gone> {
        self.counters.events += u64::from(by.is_none());
        let port = &mut *self.port;
        let (packet, arrived, ingress, mark) = match source {
            Source::Passing(packet, mark, arrived, ingress) => {
                (packet, arrived, ingress, Some(mark))
            }
            Source::Queued => {
                let paused = port.egress.paused;
                let Some(head) = port.queue.head(now, paused, self.dropped) else {
                    port.note_state();
                    return None;
                };
                (head, head.arrival(), head.port, None)
            }
        };
        let gone = Gone::new(ingress, packet);
        let place = place_in(&lane);
        let byte_ps = usual.or_else(|| port.egress.byte_ps());
        let sent = (port.egress).transmit::<M::Order, _>(byte_ps, (now, self.cause), packet, lane);
        // A packet that the link loses still gets its mark and its telemetry, as an observer sees
        // them.
        let is_lost = sent.is_none();
        let mut copy = None;
        let sent = match sent {
            Some(sent) => sent,
            None => copy.insert(*packet),
        };

        // Update the port before the telemetry reads its queue.
        let (mark, queue) = match mark {
            Some(mark) => {
                port.open_after = port.egress.busy_until;
                // The branch on the longest queue is predictable, a branch on `by` is not: so
                // compute the waiting bytes without one.
                let waited = u64::from(gone.wire) & u64::from(by.is_none()).wrapping_neg();
                self.counters.note_queue(Bytes::new(waited));
                (mark, Bytes::ZERO)
            }
            None => {
                let mark = port.queue.pop(now);
                port.note_state();
                let queue = port.queue.bytes();
                self.observer
                    .on_queue_change(now, self.node, self.number, queue);
                (mark, queue)
            }
        };
        if is_lost {
            self.observer
                .on_drop(now, self.node, DropReason::Link, sent);
        }

        let place = (!is_lost).then_some(place);
        let hop = Hop {
            now,
            arrived,
            ingress,
            port: self.number,
            rate: port.egress.rate(),
            queue,
            sent: port.egress.sent_bytes_before(sent.wire),
        };
        let is_watched = usual.is_none() && self.observer.interest().has(Interest::DEQUEUES);
        self.write(
            sent,
            mark,
            &hop,
            (!is_watched).then_some(Leaving { place, by }),
        );
        Some(gone)
    }

    /// Writes mark and telemetry into `sent`, which is stored in the buffer of its channel. Without
    /// `leaving`, also shows the packet to the observer.
    #[inline(always)]
    fn write(
        &mut self,
        sent: &mut Packet<M::Header>,
        mark: Mark,
        hop: &Hop,
        leaving: Option<Leaving>,
    ) {
        if mark == Mark::Congestion && sent.takes_mark() {
            sent.flags.set(Flags::CONGESTION);
            self.meter.marked += 1;
        }
        match leaving {
            Some(leaving) if !M::Order::BY_INSERTION => {
                self.telemetry.on_departure(sent, hop, leaving);
            }
            _ => self.telemetry.on_dequeue(sent, hop),
        }
        if leaving.is_none() {
            self.observer.on_dequeue(self.node, hop, sent);
        }
    }
}

/// Returns the number of packets that have left over `lane` in this epoch.
#[inline(always)]
#[expect(
    clippy::cast_possible_truncation,
    reason = "a batch counts its messages in 32 bits"
)]
fn place_in<H: Header>(lane: &Lane<'_, Packet<H>>) -> u32 {
    lane.sent() as u32
}

/// Returns `true` if the size of `packet` does not matter, because the buffer does not account for
/// control.
// A call, made for few packets: inlined, the compiler would evaluate it for every packet.
#[inline(never)]
fn is_control<H: Header>(packet: &Packet<H>) -> bool {
    packet.priority().is_control()
}

impl<M: Model> Switch<M> {
    /// Returns the egress of port number `port`, with the state that a departing packet changes.
    #[inline(always)]
    pub(super) fn exit(&mut self, port: usize) -> Exit<'_, M> {
        let state = &mut self.ports[port];
        Exit {
            node: self.id,
            number: PortId::from_index(port),
            usual: if self.observer.interest().has(Interest::DEQUEUES) {
                None
            } else {
                state.egress.byte_ps()
            },
            port: state,
            meter: &mut self.meters[port],
            telemetry: &mut self.telemetry,
            observer: &mut self.observer,
            counters: &mut self.counters,
            dropped: &mut self.dropped,
            cause: self.cause,
            largest: self.buffer.slack().packet,
        }
    }

    /// Sends the next packet of `port`, because its wire is free, and arms the port for the packet
    /// after it. `by` is the port of the arrival that triggers this, or `None` if the wire has just
    /// become free.
    #[inline(always)]
    pub(super) fn send_next(
        &mut self,
        now: Time,
        port: usize,
        by: Option<PortId>,
        send_buffer: &mut Sends<M>,
    ) {
        let gone = (self.exit(port)).send_queued((now, by), send_buffer.lane(port));
        if let Some(gone) = &gone {
            self.release(now, port, gone, send_buffer);
        }
        if !self.dropped.is_empty() {
            self.give_up(now, port, send_buffer);
        }
        let Port { egress, queue, .. } = &self.ports[port];
        if gone.is_some() && queue.is_ready(egress.paused) {
            self.arm(now, port);
        }
    }
}

#[cfg(test)]
mod tests;
