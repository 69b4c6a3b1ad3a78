//! A small network: hosts joined by one bottleneck for each destination, with a delay and a queue
//! that drops or marks.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use fabricsim_base::flow::{Completion, Flow, FlowRequest, PathInfo};
use fabricsim_base::id::{ClassId, FlowId, NodeId, PortId};
use fabricsim_base::priority::{Priority, PrioritySet};
use fabricsim_base::units::{Bytes, Duration, Rate, Time};
use fabricsim_core::packet::{Flags, Packet, PacketKind};
use fabricsim_core::plugin::{Endpoint, EndpointCounters, LiveFlow, LivePart};
use fabricsim_transport::tcp::{ClassConfig, Tcp, TcpConfig, TcpHeader, TcpSettings};

pub(crate) type Segment = Packet<TcpHeader>;

/// Fate of a packet.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Fate {
    Arrives,
    Lost,
    Late(Duration),
    Twice(Duration),
    /// Arrives with a mark.
    Marked,
}

/// Properties of the network.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Path {
    /// Rate of the hosts' NICs.
    pub(crate) nic: Rate,
    /// Rate of the bottleneck.
    pub(crate) rate: Rate,
    /// Delay from the bottleneck to the host.
    pub(crate) delay: Duration,
    /// Bytes that fit in the bottleneck's queue.
    pub(crate) buffer: u64,
    /// Packets that arrive at a longer queue are marked if they are ECN-capable.
    pub(crate) mark_above: u64,
}

impl Path {
    /// Returns a bottleneck of 50 Mbps with a round-trip time of `rtt` and a buffer of `buffer`
    /// bytes.
    pub(crate) fn wan(rtt: Duration, buffer: u64) -> Self {
        Self {
            nic: Rate::from_gbps(10),
            rate: Rate::from_mbps(50),
            delay: Duration::from_ps(rtt.as_ps() / 2),
            buffer,
            mark_above: u64::MAX,
        }
    }
}

struct Host {
    tcp: Tcp<TcpHeader>,
    /// Times at which the host's NIC and the bottleneck before the host are free.
    free: Time,
    bottleneck: Time,
    /// Time of the next poll of the host.
    look: Time,
}

#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
enum Event {
    Start(usize),
    Arrival(usize),
    Look(usize),
}

pub(crate) struct Network<F> {
    path: Path,
    hosts: Vec<Host>,
    flows: Vec<Flow>,
    packets: Vec<Segment>,
    free: Vec<usize>,
    events: BinaryHeap<Reverse<(Time, u64, Event)>>,
    scheduled: u64,
    fate: F,
    pub(crate) now: Time,
    pub(crate) done: Vec<Completion>,
    /// Packets dropped at the bottlenecks.
    pub(crate) dropped: u64,
    pub(crate) marked: u64,
    pub(crate) longest_queue: u64,
    /// Payload bytes that have left the bottlenecks.
    pub(crate) carried: u64,
}

const PORT: PortId = PortId(0);
/// Passed instead of a reply function if the wire is busy, so that replies wait.
const NO_REPLY: Option<fn(&Packet<TcpHeader>) -> Time> = None;

impl<F: FnMut(Time, &Segment) -> Fate> Network<F> {
    pub(crate) fn new(
        hosts: usize,
        path: Path,
        config: &TcpConfig,
        class: ClassConfig,
        fate: F,
    ) -> Self {
        Self::with_classes(hosts, path, config, &[class], fate)
    }

    pub(crate) fn with_classes(
        hosts: usize,
        path: Path,
        config: &TcpConfig,
        classes: &[ClassConfig],
        fate: F,
    ) -> Self {
        config.validate().expect("valid settings");
        let own = classes
            .iter()
            .cloned()
            .zip(0..)
            .map(|(class, id)| (ClassId(id), class));
        let settings = Arc::new(TcpSettings::new(config, ClassConfig::default(), own));
        Self {
            path,
            hosts: (0..hosts)
                .map(|_| Host {
                    tcp: Tcp::new(Arc::clone(&settings), vec![path.nic]),
                    free: Time::ZERO,
                    bottleneck: Time::ZERO,
                    look: Time::MAX,
                })
                .collect(),
            flows: Vec::new(),
            packets: Vec::new(),
            free: Vec::new(),
            events: BinaryHeap::new(),
            scheduled: 0,
            fate,
            now: Time::ZERO,
            done: Vec::new(),
            dropped: 0,
            marked: 0,
            longest_queue: 0,
            carried: 0,
        }
    }

    /// Adds a flow of `size` bytes from `src` to `dst` at `start`. Flows must be added in order of
    /// starts.
    pub(crate) fn flow(&mut self, src: u32, dst: u32, size: u64, start: Time, class: u16) {
        let number = self.flows.len();
        let request = FlowRequest {
            src: NodeId(src),
            dst: NodeId(dst),
            size: Bytes::new(size),
            start,
            class: ClassId(class),
            priority: Priority::new(1),
            src_port: Some(10_000),
            dst_port: 80,
        };
        let path = PathInfo {
            base_rtt: self.path.delay * 2,
            bottleneck: self.path.rate,
            switches: 1,
        };
        let id = FlowId(u32::try_from(number).unwrap());
        self.flows.push(Flow::new(id, request, path));
        self.schedule(start, Event::Start(number));
    }

    fn schedule(&mut self, at: Time, event: Event) {
        self.scheduled += 1;
        self.events.push(Reverse((at, self.scheduled, event)));
    }

    fn carry(&mut self, at: Time, mut packet: Segment) {
        let fate = (self.fate)(at, &packet);
        if matches!(fate, Fate::Lost) {
            return;
        }
        let to = packet.key.dst.index();
        let rate = self.path.rate;
        let busy = self.hosts[to].bottleneck.max(at);
        let waiting = rate.bytes_in(busy.since(at)).get();
        self.longest_queue = self.longest_queue.max(waiting);
        if waiting + u64::from(packet.wire) > self.path.buffer {
            self.dropped += 1;
            return;
        }
        let capable = packet.flags.has(Flags::ECT0) || packet.flags.has(Flags::ECT1);
        if capable && (waiting > self.path.mark_above || matches!(fate, Fate::Marked)) {
            packet.flags.set(Flags::CONGESTION);
            self.marked += 1;
        }
        let leaves = busy + rate.transmission(packet.size());
        self.hosts[to].bottleneck = leaves;
        self.carried += packet.payload_bytes().get();
        let arrival = leaves + self.path.delay;
        let arrival = match fate {
            Fate::Late(by) => arrival + by,
            Fate::Twice(by) => {
                self.deliver(arrival + by, packet);
                arrival
            }
            Fate::Arrives | Fate::Lost | Fate::Marked => arrival,
        };
        self.deliver(arrival, packet);
    }

    fn deliver(&mut self, at: Time, packet: Segment) {
        let index = match self.free.pop() {
            Some(index) => {
                self.packets[index] = packet;
                index
            }
            None => {
                self.packets.push(packet);
                self.packets.len() - 1
            }
        };
        self.schedule(at, Event::Arrival(index));
    }

    /// Lets `host` send as much as it may, and schedules its next poll.
    fn serve(&mut self, host: usize) {
        let nothing = PrioritySet::default();
        while self.hosts[host].free <= self.now {
            let mut sent = None;
            let now = self.now;
            let tcp = &mut self.hosts[host].tcp;
            let nic = self.path.nic;
            let mut leaves = now;
            if !tcp.poll(now, PORT, nothing, |packet| {
                sent = Some(*packet);
                leaves += nic.transmission(packet.size());
                leaves
            }) {
                break;
            }
            let packet = sent.expect("a poll that sends shows the packet");
            self.hosts[host].free = leaves;
            self.carry(leaves, packet);
        }
        let free = self.hosts[host].free.max(self.now);
        let tcp = &mut self.hosts[host].tcp;
        let next = tcp.next_send(free, PORT, nothing).min(tcp.deadline());
        let next = next.max(self.now);
        if next < self.hosts[host].look {
            self.hosts[host].look = next;
            self.schedule(next, Event::Look(host));
        }
    }

    /// Runs until `end`, or until no event is left.
    pub(crate) fn run_until(&mut self, end: Time) {
        let mut seen = Time::MAX;
        let mut looks = 0;
        while let Some(&Reverse((at, _, event))) = self.events.peek() {
            if at > end {
                break;
            }
            self.events.pop();
            looks = if at == seen { looks + 1 } else { 0 };
            seen = at;
            assert!(looks < 100_000, "time does not go on at {at}");
            self.now = at;
            let host = match event {
                Event::Start(flow) => {
                    let flow = self.flows[flow];
                    let host = flow.request.src.index();
                    self.hosts[host].tcp.start(at, &flow, PORT);
                    host
                }
                Event::Arrival(index) => {
                    let packet = self.packets[index];
                    self.free.push(index);
                    let host = packet.key.dst.index();
                    let Self { hosts, done, .. } = self;
                    hosts[host].tcp.on_packet(at, PORT, &packet, done, NO_REPLY);
                    host
                }
                Event::Look(host) if self.hosts[host].look != at => continue,
                Event::Look(host) => {
                    self.hosts[host].look = Time::MAX;
                    if self.hosts[host].tcp.deadline() <= at {
                        let Self { hosts, done, .. } = self;
                        hosts[host].tcp.on_deadline(at, done);
                    }
                    host
                }
            };
            self.serve(host);
        }
        self.now = self.now.max(end);
    }

    /// Runs until all flows have ended. Fails after an hour.
    pub(crate) fn finish(&mut self) {
        let hour = Time::ZERO + Duration::from_ms(3_600_000);
        let mut end = self.now;
        while self.done.len() < self.flows.len() {
            end += Duration::from_ms(1_000);
            self.run_until(end);
            assert!(end < hour, "unfinished: {:?}", self.unfinished());
        }
    }

    pub(crate) fn unfinished(&self) -> Vec<String> {
        let all = self.hosts.iter().flat_map(|host| host.tcp.unfinished());
        all.map(|left| format!("{}: {}", left.id, left.reason))
            .collect()
    }

    /// Returns the counters of `host`.
    pub(crate) fn counters(&self, host: usize) -> EndpointCounters {
        self.hosts[host].tcp.counters()
    }

    pub(crate) fn live(&self, host: usize) -> Vec<LiveFlow> {
        let mut live = Vec::new();
        self.hosts[host].tcp.for_each_live(|part| match *part {
            LivePart::Sent(flow) | LivePart::Fetched(flow, _) => live.push(flow),
            LivePart::Serving(..) => {}
        });
        live
    }

    /// Returns the completion times in milliseconds, in the order of flows.
    pub(crate) fn fct_ms(&self) -> Vec<f64> {
        let mut done: Vec<_> = self.done.iter().collect();
        done.sort_by_key(|completion| completion.flow.id);
        done.iter()
            .map(|completion| completion.fct().as_secs_f64() * 1e3)
            .collect()
    }
}

/// The fate of packets in a network without losses of its own.
pub(crate) fn faultless(_: Time, _: &Segment) -> Fate {
    Fate::Arrives
}

pub(crate) fn ms(ms: u64) -> Duration {
    Duration::from_ms(ms)
}

pub(crate) fn at_ms(ms: u64) -> Time {
    Time::ZERO + Duration::from_ms(ms)
}

pub(crate) fn is_data(packet: &Segment) -> bool {
    packet.kind() == PacketKind::Data && packet.payload > 0
}
