//! A host with an RDMA and a TCP stack. Each flow class uses one of them.

use std::sync::Arc;

use fabricsim_base::checkpoint::{Checkpointed, LoadError, Reader, Stored, Writer};
use fabricsim_base::flow::{Completion, Flow};
use fabricsim_base::id::{ClassId, FlowId, PortId};
use fabricsim_base::priority::PrioritySet;
use fabricsim_base::units::{Bytes, Rate, Time};
use fabricsim_core::packet::Packet;
use fabricsim_core::plugin::{
    ClassActivity, ControllerFactory, Endpoint, EndpointCounters, LivePart, PortUpdate, Received,
    TelemetryReader, Transport, Unfinished, Wait,
};

use crate::rdma::{Rdma, RdmaSettings};
use crate::tcp::{Bits, HasTcp, Tcp, TcpSettings};

/// Returns the transport that takes the next turn after `transport`.
const fn other(transport: Transport) -> Transport {
    match transport {
        Transport::Rdma => Transport::Tcp,
        Transport::Tcp => Transport::Rdma,
    }
}

/// Assigns a transport to each flow class.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ClassTransports {
    default: Transport,
    /// Indexed by class number.
    own: Vec<Option<Transport>>,
}

impl ClassTransports {
    /// Returns the assignment of `default` to all classes except the ones in `own`.
    #[must_use]
    pub fn new(default: Transport, own: impl IntoIterator<Item = (ClassId, Transport)>) -> Self {
        let mut by_class = Vec::new();
        for (class, transport) in own {
            if by_class.len() <= class.index() {
                by_class.resize(class.index() + 1, None);
            }
            by_class[class.index()] = Some(transport);
        }
        Self {
            default,
            own: by_class,
        }
    }

    /// Returns the transport that carries the flows of `class`.
    #[must_use]
    pub fn of(&self, class: ClassId) -> Transport {
        let own = self.own.get(class.index()).copied().flatten();
        own.unwrap_or(self.default)
    }

    /// Returns `true` if `transport` may carry flows.
    #[must_use]
    pub fn uses(&self, transport: Transport) -> bool {
        self.default == transport || self.own.contains(&Some(transport))
    }
}

/// Settings of hosts with both transports, shared by all hosts.
#[derive(Debug)]
pub struct HostSettings<F> {
    /// Transport that carries the flows of each class.
    pub transports: ClassTransports,
    /// Settings of RDMA.
    pub rdma: Arc<RdmaSettings<F>>,
    /// Settings of TCP.
    pub tcp: Arc<TcpSettings>,
}

/// Both transports of one host. A packet belongs to TCP if its header has [`Bits::TCP`].
///
/// The transports share each NIC port packet by packet. ACKs of either transport have priority over
/// data; between packets of the same kind, the transports take turns. A paused priority holds back
/// only itself.
#[derive(Debug)]
pub struct DualStackHost<H: HasTcp, F: ControllerFactory<H>> {
    transports: ClassTransports,
    /// `true` if a class uses RDMA. Otherwise TCP has the host to itself, and the RDMA state is
    /// never checked.
    uses_rdma: bool,
    rdma: Rdma<H, F>,
    tcp: Tcp<H>,
    /// For each NIC port, the transport with the next turn.
    turns: Vec<Transport>,
}

impl<H: HasTcp, F: ControllerFactory<H>> DualStackHost<H, F> {
    /// Returns the transports of a host. `nic_rates` are the rates of its NIC ports.
    #[must_use]
    pub fn new(settings: &HostSettings<F>, nic_rates: Vec<Rate>) -> Self {
        Self {
            transports: settings.transports.clone(),
            uses_rdma: settings.transports.uses(Transport::Rdma),
            turns: vec![Transport::Rdma; nic_rates.len()],
            rdma: Rdma::new(Arc::clone(&settings.rdma), nic_rates.clone()),
            tcp: Tcp::new(Arc::clone(&settings.tcp), nic_rates),
        }
    }

    /// Returns the host with `reader`, which decodes the telemetry of probes for TCP controllers.
    #[must_use]
    pub fn with_telemetry(mut self, reader: Arc<dyn TelemetryReader<H>>) -> Self {
        self.tcp = self.tcp.with_telemetry(reader);
        self
    }

    /// Returns the transport to poll first: the only one with ACKs, or the one with the next turn.
    #[inline]
    fn first(&self, nic: PortId, paused: PrioritySet) -> Transport {
        let rdma = self.rdma.has_acks(nic, paused);
        let tcp = self.tcp.has_acks(nic, paused);
        match (rdma, tcp) {
            (true, false) => Transport::Rdma,
            (false, true) => Transport::Tcp,
            _ => self.turns[nic.index()],
        }
    }
}

impl<H: HasTcp, F: ControllerFactory<H>> Checkpointed for DualStackHost<H, F> {
    fn save(&self, out: &mut Writer) {
        let Self {
            transports: _,
            uses_rdma: _,
            rdma,
            tcp,
            turns,
        } = self;
        turns.store(out);
        out.section(|out| rdma.save(out));
        out.section(|out| tcp.save(out));
    }

    fn load(&mut self, input: &mut Reader<'_>) -> Result<(), LoadError> {
        let Self {
            transports: _,
            uses_rdma: _,
            rdma,
            tcp,
            turns,
        } = self;
        turns.load(input)?;
        input.section("RDMA", |input| rdma.load(input))?;
        input.section("TCP", |input| tcp.load(input))
    }
}

impl<H: HasTcp, F: ControllerFactory<H>> Endpoint<H> for DualStackHost<H, F> {
    fn start(&mut self, now: Time, flow: &Flow, nic: PortId) {
        match self.transports.of(flow.request.class) {
            Transport::Rdma => self.rdma.start(now, flow, nic),
            Transport::Tcp => self.tcp.start(now, flow, nic),
        }
    }

    #[inline]
    fn on_packet(
        &mut self,
        now: Time,
        nic: PortId,
        packet: &Packet<H>,
        done: &mut Vec<Completion>,
        send: Option<impl FnOnce(&Packet<H>) -> Time>,
    ) -> PortUpdate {
        if packet.telemetry.tcp().bits.has(Bits::TCP) {
            let turn = &mut self.turns[nic.index()];
            let send = send.map(|send| {
                |reply: &Packet<H>| {
                    *turn = Transport::Rdma;
                    send(reply)
                }
            });
            self.tcp.on_packet(now, nic, packet, done, send)
        } else {
            let update = self.rdma.on_packet(now, nic, packet, done, send);
            if update == PortUpdate::Replied {
                self.turns[nic.index()] = Transport::Tcp;
            }
            update
        }
    }

    #[inline]
    fn poll(
        &mut self,
        now: Time,
        nic: PortId,
        paused: PrioritySet,
        send: impl FnOnce(&Packet<H>) -> Time,
    ) -> bool {
        if !self.uses_rdma || self.rdma.is_quiet(nic) {
            let sent = self.tcp.poll(now, nic, paused, send);
            if sent {
                self.turns[nic.index()] = Transport::Rdma;
            }
            return sent;
        }
        let first = self.first(nic, paused);
        let mut send = Some(send);
        for transport in [first, other(first)] {
            let take = |packet: &Packet<H>| {
                let send = send.take();
                send.expect("one transport sends a packet at a time")(packet)
            };
            let sent = match transport {
                Transport::Rdma => self.rdma.poll(now, nic, paused, take),
                Transport::Tcp => self.tcp.poll(now, nic, paused, take),
            };
            if sent {
                self.turns[nic.index()] = other(transport);
                return true;
            }
        }
        false
    }

    #[inline]
    fn next_send(&mut self, at: Time, nic: PortId, paused: PrioritySet) -> Time {
        if !self.uses_rdma || self.rdma.is_quiet(nic) {
            return self.tcp.next_send(at, nic, paused);
        }
        let rdma = self.rdma.next_send(at, nic, paused);
        if rdma <= at {
            return rdma;
        }
        rdma.min(self.tcp.next_send(at, nic, paused))
    }

    fn message_alignment(&self, class: ClassId) -> Bytes {
        match self.transports.of(class) {
            Transport::Rdma => self.rdma.message_alignment(class),
            Transport::Tcp => self.tcp.message_alignment(class),
        }
    }

    fn take_received(&mut self) -> Option<Received> {
        self.rdma
            .take_received()
            .or_else(|| self.tcp.take_received())
    }

    fn may_complete(&self, packet: &Packet<H>) -> bool {
        if packet.telemetry.tcp().bits.has(Bits::TCP) {
            self.tcp.may_complete(packet)
        } else {
            self.rdma.may_complete(packet)
        }
    }

    #[inline]
    fn deadline(&self) -> Time {
        let tcp = self.tcp.deadline();
        if self.uses_rdma {
            tcp.min(self.rdma.deadline())
        } else {
            tcp
        }
    }

    fn on_deadline(&mut self, now: Time, done: &mut Vec<Completion>) -> PortUpdate {
        let mut update = PortUpdate::Unchanged;
        if self.uses_rdma && self.rdma.deadline() <= now {
            update = self.rdma.on_deadline(now, done);
        }
        if self.tcp.deadline() <= now {
            update = self.tcp.on_deadline(now, done);
        }
        update
    }

    fn wait(&self, now: Time, flow: FlowId) -> Option<Wait> {
        (self.rdma.wait(now, flow)).or_else(|| self.tcp.wait(now, flow))
    }

    fn unfinished(&self) -> Vec<Unfinished> {
        let mut flows = self.rdma.unfinished();
        flows.extend(self.tcp.unfinished());
        Unfinished::sort(&mut flows);
        flows
    }

    fn for_each_live(&self, mut visit: impl FnMut(&LivePart)) {
        self.rdma.for_each_live(&mut visit);
        self.tcp.for_each_live(visit);
    }

    fn waiting_acks(&self) -> usize {
        self.rdma.waiting_acks() + self.tcp.waiting_acks()
    }

    fn counters(&self) -> EndpointCounters {
        let mut counters = self.rdma.counters();
        counters += self.tcp.counters();
        counters
    }

    fn activity(&self, now: Time) -> ClassActivity {
        let mut activity = self.rdma.activity(now);
        activity += self.tcp.activity(now);
        activity
    }

    fabricsim_base::saves_state!();
}

#[cfg(test)]
mod tests;
