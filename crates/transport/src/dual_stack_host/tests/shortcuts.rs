//! Replies that leave immediately and updates that name a single flow are shortcuts: they save the
//! host some calls but change nothing else. These tests compare all packets and times with a host
//! that is fully polled after every event.

use std::collections::VecDeque;
use std::sync::Arc;

use fabricsim_base::flow::StreamPlace;
use proptest::prelude::*;

use super::*;

use crate::cc::BbrConfig;
use crate::tcp::Pattern;

const DELAY: Duration = Duration::from_us(1);
/// The connection that carries messages.
const CONNECTION: FlowId = FlowId(1_000);
/// Only the first data packets may be lost, so that all flows end.
const MOST_LOST_OF: usize = 300;
const NONE: PrioritySet = PrioritySet::EMPTY;

/// A sent packet: time, sending host, flow, kind, sequence number and acknowledgement.
type Sent = (Time, usize, FlowId, PacketKind, u64, u64);

/// A flow: start in nanoseconds, sender, `true` for TCP, and size in bytes.
type Start = (u64, usize, bool, u64);

/// A host with its port, and the packets in flight to it.
struct Station {
    host: Host,
    free: Time,
    wake: Time,
    deadline: Time,
    inbound: VecDeque<(Time, Packet<TcpHeader>)>,
}

/// Two hosts on one link.
struct Pair {
    stations: [Station; 2],
    /// `true` if the hosts use the shortcuts.
    shortcuts: bool,
    /// If TCP flows are messages of one connection, the bytes that each side has sent so far.
    stream: Option<[u64; 2]>,
    /// One of this many data packets is lost, among the first ones.
    lost_every: usize,
    data: usize,
    log: Vec<Sent>,
    done: Vec<Completion>,
    replied: usize,
    named: usize,
}

impl Pair {
    fn new(shortcuts: bool, lost_every: usize, class: &ClassConfig) -> Self {
        let station = || Station {
            host: host_of(class.clone()),
            free: Time::ZERO,
            wake: Time::MAX,
            deadline: Time::MAX,
            inbound: VecDeque::new(),
        };
        Self {
            stations: [station(), station()],
            shortcuts,
            stream: None,
            lost_every,
            data: 0,
            log: Vec::new(),
            done: Vec::new(),
            replied: 0,
            named: 0,
        }
    }

    /// Sends `packet` from host `from`.
    fn put(&mut self, now: Time, from: usize, packet: &Packet<TcpHeader>) {
        let said = packet.telemetry.tcp().ack();
        let entry = (now, from, packet.flow, packet.kind(), packet.seq, said);
        self.log.push(entry);
        let free = now + RATE.transmission(packet.size());
        self.stations[from].free = free;
        self.data += usize::from(packet.payload > 0);
        let is_lost = self.data < MOST_LOST_OF && self.data.is_multiple_of(self.lost_every);
        if packet.payload == 0 || !is_lost {
            let inbound = &mut self.stations[1 - from].inbound;
            inbound.push_back((free + DELAY, *packet));
        }
    }

    /// Polls host `at` for everything it may have to do.
    fn serve(&mut self, now: Time, at: usize) {
        let station = &mut self.stations[at];
        let mut left = None;
        if station.free <= now {
            station.host.poll(now, NIC, NONE, |packet| {
                left = Some(*packet);
                now + RATE.transmission(packet.size())
            });
        }
        if let Some(packet) = left {
            self.put(now, at, &packet);
        }
        let station = &mut self.stations[at];
        let next = station.host.next_send(station.free.max(now), NIC, NONE);
        station.wake = next.max(station.free);
        station.deadline = station.host.deadline();
    }

    /// Delivers the next packet to host `at`.
    fn arrive(&mut self, now: Time, at: usize) {
        let station = &mut self.stations[at];
        let (_, packet) = station.inbound.pop_front().expect("one is due");
        let is_idle = station.wake > now && station.deadline > now;
        let may_reply =
            self.shortcuts && packet.kind() == PacketKind::Data && station.free <= now && is_idle;
        let mut left = None;
        let send = may_reply.then_some(|reply: &Packet<TcpHeader>| {
            left = Some(*reply);
            now + RATE.transmission(reply.size())
        });
        let update = (station.host).on_packet(now, NIC, &packet, &mut self.done, send);
        if let Some(reply) = left {
            self.put(now, at, &reply);
        }
        let station = &mut self.stations[at];
        match update {
            PortUpdate::Replied => self.replied += 1,
            PortUpdate::Flow { due, .. }
                if self.shortcuts && is_idle && due > now && due > station.free =>
            {
                self.named += 1;
                station.wake = station.wake.min(due);
                station.deadline = station.host.deadline();
            }
            _ => self.serve(now, at),
        }
    }

    /// Runs `starts` to the end. Of simultaneous events, starts are first, then arrivals, then
    /// wake-ups and deadlines of hosts.
    fn run(&mut self, starts: &[Start]) {
        let mut starts: Vec<(usize, &Start)> = starts.iter().enumerate().collect();
        starts.sort_by_key(|&(_, start)| start.0);
        let mut starts = VecDeque::from(starts);
        while self.log.len() < 20_000 {
            let start = starts
                .front()
                .map_or(Time::MAX, |(_, s)| Time::from_ns(s.0));
            let arrivals = [0, 1].map(|at| {
                let first = self.stations[at].inbound.front();
                first.map_or(Time::MAX, |&(time, _)| time)
            });
            let wakes = [0, 1].map(|at| self.stations[at].wake);
            let deadlines = [0, 1].map(|at| self.stations[at].deadline);
            let times = [arrivals, wakes, deadlines];
            let now = times
                .into_iter()
                .flatten()
                .min()
                .unwrap_or(Time::MAX)
                .min(start);
            if now == Time::MAX {
                return;
            }
            // One event at a time, in a fixed order of kinds, so that both runs break ties alike.
            if start == now {
                let (id, &(_, from, is_tcp, size)) = starts.pop_front().expect("one is due");
                let ends = if from == 0 { (0, 1) } else { (1, 0) };
                let id = u32::try_from(id).expect("few flows");
                let class = if is_tcp { TCP } else { RDMA };
                let mut flow = flow(now, id, ends, class, size);
                if let Some(positions) = self.stream.as_mut().filter(|_| is_tcp) {
                    let connection = CONNECTION;
                    let place = positions[from];
                    positions[from] += size;
                    flow.stream = Some(StreamPlace {
                        connection,
                        from: place,
                    });
                }
                self.stations[from].host.start(now, &flow, NIC);
                self.serve(now, from);
            } else if let Some(at) = arrivals.iter().position(|&time| time == now) {
                self.arrive(now, at);
            } else if let Some(at) = wakes.iter().position(|&time| time == now) {
                self.serve(now, at);
            } else if let Some(at) = deadlines.iter().position(|&time| time == now) {
                self.stations[at].host.on_deadline(now, &mut self.done);
                self.serve(now, at);
            }
        }
    }

    fn ends(&self) -> Vec<(FlowId, Time)> {
        let ends = self.done.iter().map(|done| (done.flow.id, done.finish));
        ends.collect()
    }
}

proptest! {
    #[test]
    fn shortcuts_change_no_packet(
        mut starts in proptest::collection::vec(
            (0u64..30_000, 0usize..2, prop::bool::weighted(0.8), 1u64..120_000),
            1..8,
        ),
        lost_every in 5usize..400,
        is_paced in any::<bool>(),
        is_fetched in any::<bool>(),
        is_stream in any::<bool>(),
    ) {
        let mut class = ClassConfig::default();
        if is_stream {
            // The first message opens the connection before any other message arrives.
            starts.iter_mut().for_each(|start| start.0 += 10_000);
            starts.insert(0, (0, 0, true, 1_000));
        } else if is_fetched {
            class.pattern = Pattern::Fetch;
        }
        if is_paced {
            class.cc = Arc::new(BbrConfig::default());
        }
        let [mut all, mut short] = [false, true].map(|on| Pair::new(on, lost_every, &class));
        for pair in [&mut all, &mut short] {
            pair.stream = is_stream.then_some([0; 2]);
        }
        all.run(&starts);
        short.run(&starts);
        prop_assert_eq!(&all.log, &short.log);
        prop_assert_eq!(all.ends(), short.ends());
        prop_assert_eq!(all.done.len(), starts.len());
        prop_assert_eq!(all.replied + all.named, 0);
    }
}

#[test]
fn most_packets_of_tcp_are_answered_at_once_or_name_their_flow() {
    let mut pair = Pair::new(true, usize::MAX, &ClassConfig::default());
    pair.run(&[(0, 0, true, 500_000)]);
    let data = pair.data;
    let acks = pair.log.len() - data;
    assert!(pair.replied > acks * 9 / 10, "{} of {acks}", pair.replied);
    // After most ACKs the sender immediately sends more; the receiver waits after every other
    // segment.
    assert!(pair.named > data * 4 / 10, "{} of {data}", pair.named);
}
