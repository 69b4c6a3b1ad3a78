//! Losses and late packets between two hosts, and what they cost.

#![allow(
    clippy::unwrap_used,
    reason = "a test may stop at what it did not expect"
)]

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use fabricsim_core::flow::{Completion, Flow, FlowRequest, PathInfo};
use fabricsim_core::id::{ClassId, FlowId, NodeId, PortId};
use fabricsim_core::packet::{Packet, PacketKind, Priorities};
use fabricsim_core::plugin::{
    Ack, CcContext, Congestion, CongestionControl, ControllerFactory, Endpoint, EndpointCounters,
    FlowStart, Signal,
};
use fabricsim_core::units::{Bytes, Duration, Rate, Time};
use fabricsim_transport::rdma::{BaseReference, Rdma, RdmaConfig, RdmaSettings, Recovery};
use proptest::prelude::*;

const MTU: u64 = 1_000;
/// Packets of a flow: six round trips at line rate.
const PACKETS: u64 = 300;
/// The number of the last one.
const LAST: u64 = PACKETS - 1;
const RATE: Rate = Rate::from_gbps(100);
/// One-way delay of the wire between the two hosts.
const DELAY: Duration = Duration::from_us(2);
const RTO: Duration = Duration::from_us(100);
const PORT: PortId = PortId(0);

/// Line rate and a fixed window; it counts what it is told of losses.
#[derive(Clone, Debug, Default)]
struct Fixed {
    window: Option<Bytes>,
    gaps: Arc<AtomicU32>,
    timeouts: Arc<AtomicU32>,
}

impl CongestionControl<()> for Fixed {
    fn on_ack(&mut self, _ack: &Ack<'_, ()>) {}

    fn window(&self) -> Option<Bytes> {
        self.window
    }

    fn pacing_rate(&self) -> Option<Rate> {
        Some(RATE)
    }

    fn on_congestion(&mut self, congestion: &Congestion) {
        let counter = match congestion.signal {
            Signal::Loss => &self.gaps,
            _ => &self.timeouts,
        };
        counter.fetch_add(1, Ordering::Relaxed);
    }
}

impl ControllerFactory<()> for Fixed {
    type Controller = Self;

    fn build(&self, _start: &FlowStart<'_>) -> Self {
        self.clone()
    }
}

/// What becomes of a packet on the wire.
#[derive(Clone, Copy, Debug)]
enum Fate {
    Arrives,
    Lost,
    Late(Duration),
}

/// What is left when all flows have ended.
struct Outcome {
    sender: EndpointCounters,
    receiver: EndpointCounters,
    completions: Vec<Completion>,
    /// Gaps that the algorithms were told of.
    gaps: u32,
    timeouts: u32,
}

impl Outcome {
    /// Packets sent again.
    fn again(&self) -> u64 {
        self.sender.retransmitted.get().div_ceil(MTU)
    }
}

struct Host {
    transport: Rdma<(), Fixed>,
    /// When its wire is free.
    free: Time,
}

/// Sends flows of `sizes` bytes, all at once, from one host to another; `fate` is asked of each
/// packet on the wire, together with how often it has been sent before (0 for answers).
fn transfer(
    sizes: &[u64],
    recovery: Recovery,
    window: Option<Bytes>,
    mut fate: impl FnMut(&Packet<()>, u32) -> Fate,
) -> Outcome {
    let cc = Fixed {
        window,
        ..Fixed::default()
    };
    let config = RdmaConfig {
        recovery,
        rto_min: Some(RTO),
        nack_interval: Duration::from_us(10),
        ..RdmaConfig::default()
    };
    let settings = Arc::new(RdmaSettings::new(
        config,
        cc.clone(),
        CcContext::of_nics(RATE),
        BaseReference::Pair,
    ));
    let mut hosts = [0, 1].map(|_| Host {
        transport: Rdma::new(Arc::clone(&settings), vec![RATE]),
        free: Time::ZERO,
    });
    for (id, size) in (0..).zip(sizes) {
        let request = FlowRequest {
            src: NodeId(0),
            dst: NodeId(1),
            size: Bytes::new(*size),
            start: Time::ZERO,
            class: ClassId(0),
            priority: 3,
            src_port: Some(10_000),
            dst_port: 100,
        };
        let path = PathInfo {
            base_rtt: DELAY + DELAY + RATE.transmission(Bytes::new(MTU)),
            bottleneck: RATE,
            switches: 0,
        };
        let flow = Flow {
            id: FlowId(id),
            request,
            path,
        };
        hosts[0].transport.start(Time::ZERO, &flow, PORT);
    }
    let mut wires: BTreeMap<(Time, u64), (usize, Packet<()>)> = BTreeMap::new();
    let mut copies: BTreeMap<(FlowId, u64), u32> = BTreeMap::new();
    let (mut now, mut sent) = (Time::ZERO, 0u64);
    let mut completions = Vec::new();
    while completions.len() < sizes.len() {
        for (side, host) in hosts.iter_mut().enumerate() {
            while host.free <= now {
                let mut leaving = None;
                let nothing = Priorities::default();
                host.transport
                    .poll(now, PORT, nothing, |packet| leaving = Some(*packet));
                let Some(packet) = leaving else { break };
                host.free = now + RATE.transmission(packet.size());
                let before = copies.entry((packet.flow, packet.seq)).or_default();
                let data = packet.kind() == PacketKind::Data;
                let decided = fate(&packet, if data { *before } else { 0 });
                *before += u32::from(data);
                let at = host.free + DELAY;
                let at = match decided {
                    Fate::Arrives => at,
                    Fate::Late(by) => at + by,
                    Fate::Lost => continue,
                };
                sent += 1;
                wires.insert((at, sent), (1 - side, packet));
            }
        }
        let mut next = wires
            .first_key_value()
            .map_or(Time::MAX, |((at, _), _)| *at);
        for host in &mut hosts {
            let free = host.free.max(now);
            let send = host.transport.next_send(free, PORT, Priorities::default());
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
                .on_packet(now, PORT, &packet, &mut completions);
        }
        for host in &mut hosts {
            if host.transport.deadline() <= now {
                host.transport.on_deadline(now, &mut completions);
            }
        }
    }
    // What is still under way arrives too.
    for (_, (side, packet)) in std::mem::take(&mut wires) {
        hosts[side]
            .transport
            .on_packet(now, PORT, &packet, &mut completions);
    }
    let [sender, receiver] = hosts.map(|host| host.transport.counters());
    Outcome {
        sender,
        receiver,
        completions,
        gaps: cc.gaps.load(Ordering::Relaxed),
        timeouts: cc.timeouts.load(Ordering::Relaxed),
    }
}

/// A flow of [`PACKETS`] of which the numbers that `lost` maps to a count are lost that often.
fn with_losses(recovery: Recovery, lost: &[(u64, u32)]) -> Outcome {
    let outcome = transfer(&[PACKETS * MTU], recovery, None, |packet, before| {
        let losses = lost.iter().find(|(number, _)| number * MTU == packet.seq);
        match losses {
            Some((_, times)) if packet.kind() == PacketKind::Data && before < *times => Fate::Lost,
            _ => Fate::Arrives,
        }
    });
    assert_eq!(outcome.receiver.delivered, Bytes::new(PACKETS * MTU));
    assert_eq!(
        outcome.completions[0].retransmitted,
        outcome.sender.retransmitted
    );
    outcome
}

fn selectively(lost: &[(u64, u32)]) -> Outcome {
    with_losses(Recovery::Selective, lost)
}

#[test]
fn nothing_is_sent_again_without_loss() {
    for recovery in [Recovery::GoBackN, Recovery::Selective] {
        let outcome = with_losses(recovery, &[]);
        assert_eq!(outcome.again(), 0);
        assert_eq!((outcome.gaps, outcome.timeouts), (0, 0));
    }
}

#[test]
fn one_loss_costs_one_packet() {
    let outcome = selectively(&[(10, 1)]);
    assert_eq!((outcome.again(), outcome.gaps), (1, 1));
    assert_eq!(outcome.timeouts, 0);
    assert_eq!(outcome.receiver.arrived, outcome.receiver.delivered);
    // A round trip of 4 us at line rate, at least, is what going back costs.
    let going_back = with_losses(Recovery::GoBackN, &[(10, 1)]);
    assert!(going_back.again() > 40, "{}", going_back.again());
}

#[test]
fn a_burst_costs_what_was_lost_and_is_one_episode() {
    let burst: Vec<(u64, u32)> = (10..20).chain([25, 31]).map(|number| (number, 1)).collect();
    let outcome = selectively(&burst);
    assert_eq!((outcome.again(), outcome.gaps), (12, 1));
    assert_eq!(outcome.timeouts, 0);
}

#[test]
fn losses_further_apart_than_a_round_trip_are_episodes_of_their_own() {
    let outcome = selectively(&[(5, 1), (90, 1)]);
    assert_eq!((outcome.again(), outcome.gaps), (2, 2));
    assert_eq!(outcome.timeouts, 0);
}

#[test]
fn a_lost_tail_takes_a_timeout() {
    let outcome = selectively(&[(LAST, 1)]);
    assert_eq!((outcome.again(), outcome.gaps, outcome.timeouts), (1, 0, 1));
    assert!(outcome.completions[0].fct() > RTO);
    // The timeout covers the whole tail, and nothing before it.
    let outcome = selectively(&[(LAST - 3, 1), (LAST - 2, 1), (LAST - 1, 1), (LAST, 1)]);
    assert_eq!((outcome.again(), outcome.timeouts), (4, 1));
}

#[test]
fn a_second_copy_that_is_lost_is_noticed_when_something_later_arrives() {
    for times in [2, 3, 5] {
        let outcome = selectively(&[(10, times)]);
        assert_eq!(outcome.again(), u64::from(times));
        assert_eq!((outcome.gaps, outcome.timeouts), (1, 0), "{times}");
    }
}

#[test]
fn a_second_copy_with_nothing_after_it_takes_a_timeout() {
    let outcome = selectively(&[(LAST - 1, 2)]);
    assert_eq!((outcome.again(), outcome.timeouts), (2, 1));
}

/// In a network that changes the order of packets a late packet looks lost. It is sent again once,
/// however many others pass it, unless it turns up before its copy can leave.
#[test]
fn a_late_packet_costs_a_copy_at_most() {
    let copies = |passed: u64, late: &[u64]| {
        let by = RATE.transmission(Bytes::new(1_048 * passed)) + Duration::from_ns(10);
        let outcome = transfer(
            &[PACKETS * MTU],
            Recovery::Selective,
            None,
            |packet, before| {
                let data = packet.kind() == PacketKind::Data;
                if data && before == 0 && late.contains(&(packet.seq / MTU)) {
                    Fate::Late(by)
                } else {
                    Fate::Arrives
                }
            },
        );
        assert_eq!(outcome.receiver.delivered, Bytes::new(PACKETS * MTU));
        assert_eq!(outcome.timeouts, 0);
        outcome.again()
    };
    for passed in 1..30 {
        assert!(copies(passed, &[40]) <= 1, "passed by {passed}");
        let five = copies(passed, &[10, 30, 31, 70, 90]);
        assert!(five <= 5, "passed by {passed}: {five}");
    }
    assert_eq!(
        (copies(20, &[40]), copies(20, &[10, 30, 31, 70, 90])),
        (1, 5)
    );
}

fn recoveries() -> impl Strategy<Value = Recovery> {
    prop::sample::select(vec![Recovery::GoBackN, Recovery::Selective])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever is lost, each byte is delivered once and every flow ends.
    #[test]
    fn every_byte_is_delivered_once(
        sizes in prop::collection::vec(1u64..150_000, 1..4),
        recovery in recoveries(),
        window in prop::option::of(1u64..60_000),
        loss_of_data in 0u32..300,
        loss_of_answers in 0u32..300,
        late in 0u32..100,
        seed in any::<u64>(),
    ) {
        let mut random = seed | 1;
        let mut below = |thousandths: u32| {
            // xorshift64: any sequence without a pattern will do.
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            random % 1_000 < u64::from(thousandths)
        };
        let outcome = transfer(&sizes, recovery, window.map(Bytes::new), |packet, _| {
            let loss = match packet.kind() {
                PacketKind::Data => loss_of_data,
                _ => loss_of_answers,
            };
            if below(loss) {
                Fate::Lost
            } else if below(late) {
                Fate::Late(Duration::from_us(3))
            } else {
                Fate::Arrives
            }
        });
        let total = Bytes::new(sizes.iter().sum());
        prop_assert_eq!(outcome.completions.len(), sizes.len());
        prop_assert_eq!(outcome.receiver.delivered, total);
        prop_assert_eq!(outcome.sender.acknowledged, total);
        prop_assert_eq!(outcome.sender.sent, total + outcome.sender.retransmitted);
        prop_assert!(outcome.receiver.arrived <= outcome.sender.sent);
        let again = outcome.completions.iter().map(|done| done.retransmitted.get());
        prop_assert_eq!(again.sum::<u64>(), outcome.sender.retransmitted.get());
    }

    /// Where only data is lost and order is kept, what is sent again without a timeout is exactly
    /// what was lost.
    #[test]
    fn without_a_timeout_only_losses_are_sent_again(
        packets in 2u64..200,
        window in prop::option::of(5u64..60),
        lost in prop::collection::btree_map(0u64..200, 1u32..3, 0..20),
    ) {
        let mut gone = 0;
        let window = window.map(|packets| Bytes::new(packets * MTU));
        let outcome = transfer(&[packets * MTU], Recovery::Selective, window, |packet, before| {
            let times = lost.get(&(packet.seq / MTU)).copied().unwrap_or(0);
            if packet.kind() == PacketKind::Data && before < times {
                gone += 1;
                return Fate::Lost;
            }
            Fate::Arrives
        });
        prop_assert_eq!(outcome.receiver.delivered, Bytes::new(packets * MTU));
        if outcome.timeouts == 0 {
            prop_assert_eq!(outcome.again(), gone);
        } else {
            prop_assert!(outcome.again() >= gone);
        }
    }
}
