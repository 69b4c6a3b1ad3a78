//! A host that runs RDMA and TCP side by side, each with its own queues. They take turns at a port.

use std::sync::Arc;

use fabricsim_core::flow::{Completion, Flow};
use fabricsim_core::id::{ClassId, PortId};
use fabricsim_core::packet::{Packet, Priorities};
use fabricsim_core::plugin::{Endpoint, EndpointCounters, LiveFlow, Unfinished, Wake};
use fabricsim_core::units::Time;

use crate::tcp::{Bits, Tcp, TcpFields};

/// Which transport carries a flow.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Carrier {
    /// The one beside TCP.
    #[default]
    Rdma,
    /// TCP.
    Tcp,
}

/// Which transport carries the flows of each class.
#[derive(Clone, Debug, Default)]
pub struct Carriers(Vec<Carrier>);

impl Carriers {
    /// TCP for the classes in `tcp`, RDMA for all others.
    #[must_use]
    pub fn new(tcp: impl IntoIterator<Item = ClassId>) -> Self {
        let mut carriers = Vec::new();
        for class in tcp {
            if carriers.len() <= class.index() {
                carriers.resize(class.index() + 1, Carrier::Rdma);
            }
            carriers[class.index()] = Carrier::Tcp;
        }
        Self(carriers)
    }

    /// The transport of `class`.
    #[must_use]
    pub fn of(&self, class: ClassId) -> Carrier {
        self.0.get(class.index()).copied().unwrap_or_default()
    }
}

/// RDMA (`R`) and TCP at one host. Packets are told apart by [`Bits::TCP`].
#[derive(Debug)]
pub struct Both<H, R> {
    carriers: Arc<Carriers>,
    rdma: R,
    tcp: Tcp<H>,
    /// Whose turn it is at each port.
    turns: Vec<Carrier>,
}

impl<H: TcpFields, R: Endpoint<H>> Both<H, R> {
    /// `rdma` and `tcp` at a host of `ports` NIC ports.
    #[must_use]
    pub fn new(carriers: Arc<Carriers>, rdma: R, tcp: Tcp<H>, ports: usize) -> Self {
        Self {
            carriers,
            rdma,
            tcp,
            turns: vec![Carrier::Rdma; ports],
        }
    }
}

impl<H: TcpFields, R: Endpoint<H>> Endpoint<H> for Both<H, R> {
    fn start(&mut self, now: Time, flow: &Flow, nic: PortId) {
        match self.carriers.of(flow.request.class) {
            Carrier::Rdma => self.rdma.start(now, flow, nic),
            Carrier::Tcp => self.tcp.start(now, flow, nic),
        }
    }

    #[inline]
    fn on_packet(
        &mut self,
        now: Time,
        nic: PortId,
        packet: &Packet<H>,
        done: &mut Vec<Completion>,
    ) {
        if packet.telemetry.tcp().bits.has(Bits::TCP) {
            self.tcp.on_packet(now, nic, packet, done);
        } else {
            self.rdma.on_packet(now, nic, packet, done);
        }
    }

    #[inline]
    fn poll(
        &mut self,
        now: Time,
        nic: PortId,
        paused: Priorities,
        send: impl FnOnce(&Packet<H>),
    ) -> bool {
        let turn = self.turns[nic.index()];
        // Whoever has nothing ready gives its turn away.
        let tcp_ready = self.tcp.next_send(now, nic, paused) <= now;
        let rdma_ready = self.rdma.next_send(now, nic, paused) <= now;
        let serves = match turn {
            Carrier::Rdma if rdma_ready => Carrier::Rdma,
            Carrier::Tcp if tcp_ready => Carrier::Tcp,
            Carrier::Rdma => Carrier::Tcp,
            Carrier::Tcp => Carrier::Rdma,
        };
        match serves {
            Carrier::Rdma => {
                self.turns[nic.index()] = Carrier::Tcp;
                self.rdma.poll(now, nic, paused, send)
            }
            Carrier::Tcp => {
                self.turns[nic.index()] = Carrier::Rdma;
                self.tcp.poll(now, nic, paused, send)
            }
        }
    }

    #[inline]
    fn next_send(&mut self, at: Time, nic: PortId, paused: Priorities) -> Time {
        let tcp = self.tcp.next_send(at, nic, paused);
        self.rdma.next_send(at, nic, paused).min(tcp)
    }

    #[inline]
    fn take_retimed(&mut self) -> Option<(PortId, Time)> {
        self.rdma.take_retimed()
    }

    #[inline]
    fn deadline(&self) -> Time {
        self.rdma.deadline().min(self.tcp.deadline())
    }

    fn on_deadline(&mut self, now: Time, done: &mut Vec<Completion>) -> Wake {
        let mut wake = Wake::Quiet;
        if self.rdma.deadline() <= now {
            wake = self.rdma.on_deadline(now, done);
        }
        if self.tcp.deadline() <= now && self.tcp.on_deadline(now, done) == Wake::Poll {
            wake = Wake::Poll;
        }
        wake
    }

    fn unfinished(&self) -> Vec<Unfinished> {
        let mut flows = self.rdma.unfinished();
        flows.extend(self.tcp.unfinished());
        flows.sort_by_key(|unfinished| unfinished.flow.id);
        flows
    }

    fn for_each_live(&self, mut visit: impl FnMut(&LiveFlow)) {
        self.rdma.for_each_live(&mut visit);
        self.tcp.for_each_live(visit);
    }

    fn counters(&self) -> EndpointCounters {
        let mut counters = self.rdma.counters();
        counters += self.tcp.counters();
        counters
    }
}

#[cfg(test)]
mod tests {
    use fabricsim_core::flow::{FlowRequest, PathInfo};
    use fabricsim_core::id::{FlowId, NodeId};
    use fabricsim_core::units::{Bytes, Duration, Rate};

    use super::*;
    use crate::cc::LineRateConfig;
    use crate::rdma::{BaseReference, PacingTimes, Rdma, RdmaConfig, RdmaSettings};
    use crate::tcp::{ClassConfig, TcpConfig, TcpSettings, WithTcp};

    type Header = WithTcp<()>;
    const PORT: PortId = PortId(0);
    const RATE: Rate = Rate::from_gbps(10);

    fn host() -> Both<Header, Rdma<Header, LineRateConfig>> {
        let settings = RdmaSettings::new(
            RdmaConfig::default(),
            LineRateConfig { window_bdp: 8.0 },
            PacingTimes::Exact,
            BaseReference::PerPair,
        );
        let tcp = TcpSettings::new(&TcpConfig::default(), ClassConfig::default(), []);
        Both::new(
            Arc::new(Carriers::new([ClassId(1)])),
            Rdma::new(Arc::new(settings), vec![RATE]),
            Tcp::new(Arc::new(tcp), vec![RATE]),
            1,
        )
    }

    fn flow(id: u32, class: u16) -> Flow {
        Flow {
            id: FlowId(id),
            request: FlowRequest {
                src: NodeId(0),
                dst: NodeId(1),
                size: Bytes::new(1_000_000),
                start: Time::ZERO,
                class: ClassId(class),
                priority: 1,
                src_port: Some(10_000),
                dst_port: 100,
            },
            path: PathInfo {
                base_rtt: Duration::from_us(20),
                bottleneck: RATE,
                switches: 1,
            },
        }
    }

    #[test]
    fn both_transports_share_a_port_and_finish() {
        let mut hosts = [host(), host()];
        hosts[0].start(Time::ZERO, &flow(0, 0), PORT);
        hosts[0].start(Time::ZERO, &flow(1, 1), PORT);
        assert_eq!(hosts[0].unfinished().len(), 2);
        let mut wire: Vec<(Time, usize, Packet<Header>)> = Vec::new();
        let mut done = Vec::new();
        let mut order = Vec::new();
        let mut now = Time::ZERO;
        // A slot in which either wire carries a packet; packets arrive 10 us later.
        while done.len() < 2 && now < Time::from_ns(50_000_000) {
            now += Duration::from_ns(1_250);
            let due = wire.iter().take_while(|(at, ..)| *at <= now).count();
            for (_, to, packet) in wire.drain(..due) {
                hosts[to].on_packet(now, PORT, &packet, &mut done);
            }
            for (index, host) in hosts.iter_mut().enumerate() {
                if host.deadline() <= now {
                    host.on_deadline(now, &mut done);
                }
                host.poll(now, PORT, Priorities::default(), |packet| {
                    if packet.payload > 0 && index == 0 {
                        order.push(packet.telemetry.tcp().bits.has(Bits::TCP));
                    }
                    wire.push((now + Duration::from_us(10), 1 - index, *packet));
                });
            }
        }
        assert_eq!(done.len(), 2);
        assert_eq!(hosts[0].counters().acknowledged, Bytes::new(2_000_000));
        assert_eq!(hosts[1].counters().delivered, Bytes::new(2_000_000));
        // While both have bytes to send they take turns.
        let shared = order.windows(2).filter(|pair| pair[0] != pair[1]).count();
        assert!(shared > 400, "{shared} of {}", order.len());
    }
}
