//! Tests of a sender and a receiver of credit over a wire that loses grants and requests.

#![allow(
    clippy::unwrap_used,
    reason = "a test may stop at what it did not expect"
)]

use std::collections::BTreeMap;
use std::sync::Arc;

use fabricsim_base::flow::{Flow, FlowRequest, PathInfo};
use fabricsim_base::id::{ClassId, FlowId, NodeId, PortId};
use fabricsim_base::priority::{Priority, PrioritySet};
use fabricsim_base::units::{Bytes, Duration, Rate, Time};
use fabricsim_core::packet::{Header as _, Packet, PacketKind};
use fabricsim_core::plugin::{CREDIT_BEGINS, CcConfig, CcContext, Endpoint, EndpointCounters};
use fabricsim_transport::cc::RcccConfig;
use fabricsim_transport::rdma::{BaseReference, Rdma, RdmaConfig, RdmaSettings};
use fabricsim_transport::tcp::TcpHeader;

const RATE: Rate = Rate::from_gbps(100);
const DELAY: Duration = Duration::from_us(2);
const PORT: PortId = PortId(0);
/// Passed instead of a reply function if the wire is busy, so that replies wait.
const NO_REPLY: Option<fn(&Packet<TcpHeader>) -> Time> = None;
const SIZE: u64 = 1_000_000;

struct Host {
    transport: Rdma<TcpHeader, RcccConfig>,
    free: Time,
}

fn hosts() -> [Host; 2] {
    let config = RdmaConfig {
        rto_min: Some(Duration::from_us(50)),
        ..RdmaConfig::default()
    };
    let network = CcContext {
        base_rtt: DELAY + DELAY,
        ..CcContext::of_nics(RATE)
    };
    let cc = RcccConfig::default();
    let rules = cc.credit(config.mtu, &network);
    let settings = RdmaSettings::new(config, cc, network, BaseReference::Pair).with_credit(rules);
    let settings = Arc::new(settings);
    [0, 1].map(|_| Host {
        transport: Rdma::new(Arc::clone(&settings), vec![RATE]),
        free: Time::ZERO,
    })
}

/// Observations of a flow of 1 MB.
struct Seen {
    ended: Time,
    sender: EndpointCounters,
    packets: BTreeMap<u8, u64>,
}

impl Seen {
    fn packets(&self, kind: PacketKind) -> u64 {
        self.packets.get(&(kind as u8)).copied().unwrap_or_default()
    }
}

/// Sends a flow over a wire that loses each packet for which `lost` returns `true`. `check` sees
/// all packets.
fn flow(
    mut lost: impl FnMut(Time, &Packet<TcpHeader>) -> bool,
    mut check: impl FnMut(&Packet<TcpHeader>),
) -> Seen {
    let mut hosts = hosts();
    let request = FlowRequest {
        src: NodeId(0),
        dst: NodeId(1),
        size: Bytes::new(SIZE),
        start: Time::ZERO,
        class: ClassId(0),
        priority: Priority::new(3),
        src_port: Some(10_000),
        dst_port: 100,
    };
    let path = PathInfo {
        base_rtt: DELAY + DELAY,
        bottleneck: RATE,
        switches: 0,
    };
    let flow = Flow::new(FlowId(0), request, path);
    hosts[0].transport.start(Time::ZERO, &flow, PORT);
    let mut wires: BTreeMap<(Time, u64), (usize, Packet<TcpHeader>)> = BTreeMap::new();
    let (mut now, mut number, mut done) = (Time::ZERO, 0, Vec::new());
    let mut packets = BTreeMap::new();
    while done.is_empty() {
        // Both hosts send for as long as their wires are free.
        for (side, host) in hosts.iter_mut().enumerate() {
            while host.free <= now {
                let mut leaving = None;
                let nothing = PrioritySet::default();
                host.transport.poll(now, PORT, nothing, |packet| {
                    leaving = Some(*packet);
                    now + RATE.transmission(packet.size())
                });
                let Some(packet) = leaving else { break };
                check(&packet);
                *packets.entry(packet.kind() as u8).or_default() += 1;
                host.free = now + RATE.transmission(packet.size());
                if !lost(now, &packet) {
                    number += 1;
                    wires.insert((host.free + DELAY, number), (1 - side, packet));
                }
            }
        }
        // Advance to the next arrival, departure or timer.
        let mut next = wires
            .first_key_value()
            .map_or(Time::MAX, |((at, _), _)| *at);
        for host in &mut hosts {
            let free = host.free.max(now);
            let send = host.transport.next_send(free, PORT, PrioritySet::default());
            next = next.min(send.max(free)).min(host.transport.deadline());
        }
        assert!(next < Time::MAX, "nothing moves at {now}");
        now = next.max(now);
        while let Some(entry) = wires.first_entry()
            && entry.key().0 <= now
        {
            let (side, packet) = entry.remove();
            hosts[side]
                .transport
                .on_packet(now, PORT, &packet, &mut done, NO_REPLY);
        }
        for host in &mut hosts {
            if host.transport.deadline() <= now {
                host.transport.on_deadline(now, &mut done);
            }
        }
    }
    Seen {
        ended: done[0].finish,
        sender: hosts[0].transport.counters(),
        packets,
    }
}

/// 1 MB and headers at 99 Gbps take 84.7 us; 4 us and about a round trip are added.
#[test]
fn a_flow_is_granted_what_it_has_left_and_no_more() {
    let (mut asked, mut granted) = (0, 0);
    let seen = flow(
        |_, _| false,
        |packet| match packet.kind() {
            PacketKind::Data => asked = asked.max(packet.telemetry.credit()),
            PacketKind::Grant => granted = granted.max(packet.telemetry.credit()),
            _ => {}
        },
    );
    assert!(seen.ended < Time::from_ns(92_000), "{}", seen.ended);
    assert_eq!(seen.packets(PacketKind::Request), 0);
    assert_eq!(seen.sender.timeouts, 0);
    // Data sent before the first grant needed none, and the grants at the end are spare.
    let wire = SIZE + SIZE / 1_000 * 48;
    let (asked, granted) = (asked - CREDIT_BEGINS, granted - CREDIT_BEGINS);
    assert!(asked <= wire && asked > wire - 200_000, "{asked}");
    assert!(
        granted >= asked && granted < asked + 100_000,
        "{asked} {granted}"
    );
}

#[test]
fn a_grant_that_is_lost_is_made_up_for_by_the_next() {
    let mut count = 0;
    let every_other = |_, packet: &Packet<TcpHeader>| {
        count += u64::from(packet.kind() == PacketKind::Grant);
        packet.kind() == PacketKind::Grant && count % 2 == 0
    };
    let seen = flow(every_other, |_| ());
    assert!(seen.ended < Time::from_ns(97_000), "{}", seen.ended);
    assert_eq!(seen.sender.timeouts, 0);
    assert_eq!(seen.sender.retransmitted, Bytes::ZERO);
}

/// All grants are lost until a millisecond has passed, and so are the first requests. The sender
/// has nothing in flight and requests credit repeatedly, at growing intervals. Nothing is
/// retransmitted.
#[test]
fn a_sender_without_credit_asks_until_it_has_some() {
    let deaf = Time::from_ns(1_000_000);
    let lost = |now, packet: &Packet<TcpHeader>| match packet.kind() {
        PacketKind::Grant => now < deaf,
        PacketKind::Request => now < Time::from_ns(300_000),
        _ => false,
    };
    let seen = flow(lost, |_| ());
    assert!(
        seen.ended > deaf && seen.ended < Time::from_ns(2_500_000),
        "{}",
        seen.ended
    );
    let requests = seen.packets(PacketKind::Request);
    assert!((2..10).contains(&requests), "{requests}");
    assert_eq!(seen.sender.timeouts, 0);
    assert_eq!(seen.sender.retransmitted, Bytes::ZERO);
}

/// The whole first window is lost, with all its requests for credit.
#[test]
fn a_sender_whose_first_window_is_lost_asks_and_sends_it_again() {
    let first = |now, packet: &Packet<TcpHeader>| {
        packet.kind() == PacketKind::Data && now < Time::from_ns(20_000)
    };
    let seen = flow(first, |_| ());
    assert!(seen.packets(PacketKind::Request) > 0);
    assert!(seen.sender.timeouts > 0);
    assert!(seen.ended < Time::from_ns(400_000), "{}", seen.ended);
}
