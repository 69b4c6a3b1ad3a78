//! A switch with plugins that record their calls, for tests of its parts.

use std::collections::VecDeque;

use super::{Sends, Switch};
use crate::network::{LineTiming, LinkConfig, SwitchConfig};
use crate::packet::{Flags, Packet, PacketKind};
use crate::plugin::{
    Admission, Admit, ByNode, DropReason, Endpoint, EndpointCounters, Hop, Interest, Leaving, Mark,
    Model, Observer, PortOrder, PortStates, PortUpdate, Qdisc, Release, Routing, Slack, Telemetry,
    Unfinished,
};
use fabricsim_base::flow::{Completion, Flow, FlowKey};
use fabricsim_base::id::{FlowId, NodeId, PortId};
use fabricsim_base::priority::{Priority, PrioritySet};
use fabricsim_base::rng::{Purpose, Stream};
use fabricsim_base::units::{Bytes, Duration, Rate, Time};
use fabricsim_engine::Message as _;

/// A switch in which everything except its departures is as simple as possible.
#[derive(Debug)]
pub(super) struct Simple;

impl Model for Simple {
    type Header = ();
    type Order = ByNode;
    type Telemetry = Told;
    type Queue = Line;
    type Buffer = Endless;
    type Routing = Nowhere;
    type Endpoint = NoHost;
    type Observer = Seen;
}

/// Records each departure. [`Leaving`] is present unless an observer watches.
#[derive(Clone, Debug)]
pub(super) struct Told {
    pub(super) departures: Vec<(Hop, Option<Leaving>)>,
    pub(super) order: PortOrder,
}

impl Telemetry<()> for Told {
    fn on_dequeue(&mut self, _packet: &mut Packet<()>, hop: &Hop) {
        self.departures.push((*hop, None));
    }

    fn on_departure(&mut self, _packet: &mut Packet<()>, hop: &Hop, leaving: Leaving) {
        self.departures.push((*hop, Some(leaving)));
    }

    fn order(&self) -> PortOrder {
        self.order
    }
}

/// First in, first out. Marks all data packets if `marks` is set.
#[derive(Clone, Debug, Default)]
pub(super) struct Line {
    pub(super) packets: VecDeque<Packet<()>>,
    pub(super) marks: bool,
}

impl Line {
    const fn mark(&self) -> Mark {
        if self.marks {
            Mark::Congestion
        } else {
            Mark::None
        }
    }
}

impl Qdisc<()> for Line {
    fn enqueue(&mut self, now: Time, packet: &Packet<()>) -> Option<&mut Packet<()>> {
        self.packets.push_back(*packet);
        let stored = self.packets.back_mut()?;
        stored.set_arrival(now);
        Some(stored)
    }

    fn head(
        &mut self,
        _now: Time,
        _paused: PrioritySet,
        _dropped: &mut Vec<Packet<()>>,
    ) -> Option<&Packet<()>> {
        self.packets.front()
    }

    fn pop(&mut self, _now: Time) -> Mark {
        self.packets.pop_front();
        self.mark()
    }

    fn bytes(&self) -> Bytes {
        self.packets.iter().map(Packet::size).sum()
    }

    fn for_each(&self, visit: impl FnMut(&Packet<()>)) {
        self.packets.iter().for_each(visit);
    }

    fn is_ready(&self, _paused: PrioritySet) -> bool {
        !self.packets.is_empty()
    }

    fn bypass(&mut self, _waits: bool, _packet: &Packet<()>) -> Option<Mark> {
        Some(self.mark())
    }
}

/// A buffer that admits everything.
#[derive(Clone, Debug)]
pub(super) struct Endless {
    pub(super) slack: Slack,
}

impl Admission for Endless {
    fn admit(&mut self, _: PortId, _: PortId, _: Priority, _: Bytes) -> Admit {
        Admit::Accept
    }

    fn slack(&self) -> Slack {
        self.slack
    }

    fn release(&mut self, _: PortId, _: PortId, _: Priority, _: Bytes) -> Release {
        Release::Quiet
    }

    fn has_paused(&self, _: PortId, _: Priority) -> bool {
        false
    }

    fn used(&self) -> Bytes {
        Bytes::ZERO
    }
}

#[derive(Debug)]
pub(super) struct Nowhere {
    pub(super) reads_ports: bool,
}

impl Routing<()> for Nowhere {
    fn pick(&mut self, _: Time, _: &Packet<()>, _: impl PortStates) -> Option<PortId> {
        None
    }

    fn reads_ports(&self) -> bool {
        self.reads_ports
    }
}

/// Records the calls that a departure makes.
#[derive(Debug)]
pub(super) struct Seen {
    pub(super) calls: Vec<&'static str>,
    pub(super) interest: Interest,
}

impl Observer<()> for Seen {
    fn interest(&self) -> Interest {
        self.interest
    }

    fn on_dequeue(&mut self, _: NodeId, _: &Hop, _: &Packet<()>) {
        self.calls.push("dequeue");
    }

    fn on_queue_change(&mut self, _: Time, _: NodeId, _: PortId, _: Bytes) {
        self.calls.push("queue");
    }

    fn on_drop(&mut self, _: Time, _: NodeId, reason: DropReason, packet: &Packet<()>) {
        assert_eq!(reason, DropReason::Link);
        assert!(!packet.flags.has(Flags::CONGESTION), "it is not marked yet");
        self.calls.push("lost");
    }
}

/// An endpoint, because a model must name one.
#[derive(Debug)]
pub(super) struct NoHost;

impl Endpoint<()> for NoHost {
    fn start(&mut self, _: Time, _: &Flow, _: PortId) {}

    fn on_packet(
        &mut self,
        _: Time,
        _: PortId,
        _: &Packet<()>,
        _: &mut Vec<Completion>,
        _: Option<impl FnOnce(&Packet<()>) -> Time>,
    ) -> PortUpdate {
        PortUpdate::Unchanged
    }

    fn poll(
        &mut self,
        _: Time,
        _: PortId,
        _: PrioritySet,
        _: impl FnOnce(&Packet<()>) -> Time,
    ) -> bool {
        false
    }

    fn next_send(&mut self, _: Time, _: PortId, _: PrioritySet) -> Time {
        Time::MAX
    }

    fn deadline(&self) -> Time {
        Time::MAX
    }

    fn on_deadline(&mut self, _: Time, _: &mut Vec<Completion>) -> PortUpdate {
        PortUpdate::Unchanged
    }

    fn unfinished(&self) -> Vec<Unfinished> {
        Vec::new()
    }

    fn counters(&self) -> EndpointCounters {
        EndpointCounters::default()
    }
}

/// The egress port of the tests, the ingress port of their packets, and the delay of the link,
/// which sends a byte in a nanosecond.
pub(super) const OUT: usize = 1;
pub(super) const BY: PortId = PortId(2);
pub(super) const DELAY: Duration = Duration::from_us(1);

/// Returns a switch with three ports and its send buffer. The links lose packets with probability
/// `loss`.
pub(super) fn switch(loss: Option<f64>) -> (Switch<Simple>, Sends<Simple>) {
    let rate = Rate::from_gbps(8);
    let link = |port| LinkConfig {
        rate,
        timing: LineTiming::new(rate),
        delay: DELAY,
        loss: loss.map(|chance| (chance, Stream::new(1, port, Purpose::Loss))),
    };
    let config = SwitchConfig {
        ports: (0..3).map(|port| (link(port), Line::default())).collect(),
        buffer: Endless {
            slack: Slack {
                room: Bytes::new(u64::MAX),
                packet: Bytes::new(u64::MAX),
            },
        },
        routing: Nowhere { reads_ports: false },
        telemetry: Told {
            departures: Vec::new(),
            order: PortOrder::Free,
        },
        observer: Seen {
            calls: Vec::new(),
            interest: Interest::NOTHING,
        },
    };
    (Switch::new(NodeId(9), config), Sends::<Simple>::new(3))
}

/// Returns a data packet of `wire` bytes.
pub(super) fn packet(seq: u64, wire: u16) -> Packet<()> {
    let key = FlowKey {
        src: NodeId(0),
        dst: NodeId(1),
        src_port: 1,
        dst_port: 2,
    };
    let mut packet = Packet::new(PacketKind::Data, Priority::new(3), key, FlowId(0));
    (packet.seq, packet.wire) = (seq, wire);
    packet.flags.set(Flags::ECT0);
    packet
}
