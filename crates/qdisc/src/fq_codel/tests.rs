use std::collections::BTreeMap;

use fabricsim_base::units::{Duration, Rate};
use fabricsim_core::packet::Flags;

use super::*;
use crate::CodelConfig;
use crate::discipline_config::DisciplineKind;
use crate::testing::{counters, drain, fill, flow_packet, offer, packet, rule_queue, serve, with};

const CONTEXT: DisciplineContext = DisciplineContext {
    seed: 1,
    entity: 9,
    rate: Rate::from_mbps(50),
    packet: Bytes::new(1_514),
};

fn queues(flows: u32) -> FqCodel<()> {
    FqCodel::new(
        &FqCodelConfig {
            flows,
            ..FqCodelConfig::default()
        },
        &CONTEXT,
    )
}

/// Returns `count` flows with different queues.
fn apart(queues: &FqCodel<()>, count: usize) -> Vec<u32> {
    let mut taken = BTreeMap::new();
    for flow in 0.. {
        let queue = queues.classify(&flow_packet(flow, 0).key);
        taken.entry(queue).or_insert(flow);
        if taken.len() == count {
            break;
        }
    }
    taken.into_values().collect()
}

#[test]
fn two_greedy_flows_share_by_bytes() {
    let mut queues = queues(1_024);
    let flows = apart(&queues, 2);
    // One flow sends small packets, and both have more packets than they can send.
    let packets = [flow_packet(flows[0], 1_514), flow_packet(flows[1], 200)];
    let mut sent = BTreeMap::new();
    for round in 0..4_000u64 {
        let now = Time::from_ns(1_000 * round);
        offer(&mut queues, now, &packets[0]);
        fill(&mut queues, now, &packets[1], 8);
        let served = serve(&mut queues, now).packet.expect("some wait");
        *sent.entry(served.flow.0).or_insert(0u64) += u64::from(served.wire);
    }
    let (first, second) = (sent[&flows[0]] as f64, sent[&flows[1]] as f64);
    assert!((first / second - 1.0).abs() < 0.01, "{first} {second}");
}

#[test]
fn a_new_flow_goes_first_once() {
    let mut queues = queues(1_024);
    let flows = apart(&queues, 2);
    for _ in 0..50 {
        offer(&mut queues, Time::ZERO, &flow_packet(flows[0], 1_514));
    }
    serve(&mut queues, Time::ZERO);
    serve(&mut queues, Time::ZERO);
    for _ in 0..5 {
        offer(&mut queues, Time::ZERO, &flow_packet(flows[1], 1_000));
    }
    let order: Vec<u32> = (0..8)
        .map(|_| {
            let served = serve(&mut queues, Time::ZERO);
            served.packet.expect("some wait").flow.0
        })
        .collect();
    let [old, new] = [flows[0], flows[1]];
    // With its quantum, the new queue sends two packets. The old one has used up its quantum and
    // moves to the end, so the new one gets its second turn, of 1,028 bytes, before it.
    assert_eq!(order, [new, new, new, new, old, new, old, old]);
}

#[test]
fn a_flow_that_comes_back_too_soon_waits_for_the_others() {
    let mut queues = queues(1_024);
    let flows = apart(&queues, 2);
    for _ in 0..50 {
        offer(&mut queues, Time::ZERO, &flow_packet(flows[0], 1_514));
    }
    drain(&mut queues, Time::ZERO, 2);
    let mut sent = BTreeMap::new();
    for _ in 0..40 {
        // Always a single packet, so that its queue is empty each time after it was served.
        if queues.backlogs[queues.classify(&flow_packet(flows[1], 0).key) as usize] == 0 {
            offer(&mut queues, Time::ZERO, &flow_packet(flows[1], 1_514));
        }
        let served = serve(&mut queues, Time::ZERO).packet.expect("some wait");
        *sent.entry(served.flow.0).or_insert(0u64) += 1;
    }
    assert!(sent[&flows[0]] >= 19, "{sent:?}");
}

#[test]
fn a_flow_that_comes_back_has_one_quantum() {
    let mut queues = queues(1_024);
    let flows = apart(&queues, 2);
    // It leaves with most of its quantum unspent.
    offer(&mut queues, Time::ZERO, &flow_packet(flows[1], 100));
    assert!(serve(&mut queues, Time::ZERO).packet.is_some());
    assert!(serve(&mut queues, Time::ZERO).packet.is_none());
    fill(&mut queues, Time::ZERO, &flow_packet(flows[0], 100), 20);
    serve(&mut queues, Time::ZERO);
    fill(&mut queues, Time::ZERO, &flow_packet(flows[1], 500), 9);
    // The other queue spends its own quantum first, because it is new, too.
    let order: Vec<u32> = (0..24)
        .map(|_| {
            let served = serve(&mut queues, Time::ZERO);
            served.packet.expect("some wait").flow.0
        })
        .collect();
    let turn = order.iter().skip_while(|&&flow| flow == flows[0]);
    let turn = turn.take_while(|&&flow| flow == flows[1]).count();
    assert_eq!(turn, 4, "{order:?}");
}

#[test]
fn drops_that_make_room_bring_the_next_signals_closer() {
    let marks = |overload: bool| {
        let config = FqCodelConfig {
            flows: 1,
            limit: 50,
            drop_batch: 8,
            ..FqCodelConfig::default()
        };
        let mut queues = FqCodel::<()>::new(&config, &CONTEXT);
        let full = with(packet(1, 1_500), Flags::ECT0);
        fill(&mut queues, Time::ZERO, &full, 40);
        let mut marks = Vec::new();
        for ms in (10..400).step_by(10) {
            let now = Time::ZERO + Duration::from_ms(ms);
            if serve(&mut queues, now).marked {
                marks.push(ms);
            }
            offer(&mut queues, now, &full);
            if overload && ms == 130 {
                fill(&mut queues, now, &full, 11);
                assert_eq!(counters(&queues).overload_drops.packets, 8);
            }
        }
        marks
    };
    // The second signal is already due; the next ones follow after 100 ms / sqrt(2), or / sqrt(10),
    // and so on.
    assert_eq!(marks(false), [120, 220, 300, 350]);
    assert_eq!(marks(true), [120, 220, 260, 290, 320, 340, 370]);
}

#[test]
fn a_single_queue_is_codel() {
    let settings = CodelConfig {
        ecn: true,
        limit: Some(100_000),
        ..CodelConfig::default()
    };
    let mut codel = rule_queue(&settings);
    let mut single = FqCodel::<()>::new(
        &FqCodelConfig {
            flows: 1,
            limit: 100_000,
            memory_limit: Bytes::new(1 << 40),
            ..FqCodelConfig::default()
        },
        &CONTEXT,
    );
    let mut signals = 0;
    for round in 0..60_000u32 {
        let now = Time::from_ns(20_000 * u64::from(round));
        let flags = [Flags::NONE, Flags::ECT0][usize::from(round % 3 == 0)];
        for flow in 0..1 + round % 2 {
            let packet = with(flow_packet(round + flow, 1_400), flags);
            assert_eq!(
                offer(&mut codel, now, &packet),
                offer(&mut single, now, &packet)
            );
        }
        let (expected, served) = (serve(&mut codel, now), serve(&mut single, now));
        let flow = |packet: Option<Packet<()>>| packet.map(|packet| packet.flow);
        assert_eq!(flow(served.packet), flow(expected.packet));
        assert_eq!(
            (served.marked, served.dropped),
            (expected.marked, expected.dropped)
        );
        signals += served.dropped + usize::from(served.marked);
    }
    assert!(signals > 20, "{signals}");
}

#[test]
fn the_fattest_flow_makes_room_from_its_head() {
    let mut queues = FqCodel::<()>::new(
        &FqCodelConfig {
            limit: 100,
            ..FqCodelConfig::default()
        },
        &CONTEXT,
    );
    let flows = apart(&queues, 3);
    for number in 0..60u64 {
        let mut packet = flow_packet(flows[0], 1_000);
        packet.seq = number;
        assert_eq!(offer(&mut queues, Time::ZERO, &packet), (true, 0));
    }
    for _ in 0..40 {
        offer(&mut queues, Time::ZERO, &flow_packet(flows[1], 1_000));
    }
    let mut dropped = Vec::new();
    let newcomer = flow_packet(flows[2], 1_000);
    assert!(
        queues
            .enqueue(Time::ZERO, &newcomer, &mut dropped)
            .is_some()
    );
    // The oldest half of the fattest queue's 60 packets.
    let numbers: Vec<u64> = dropped.iter().map(|packet| packet.seq).collect();
    assert_eq!(numbers, (0..30).collect::<Vec<u64>>());
    assert!(dropped.iter().all(|packet| packet.flow.0 == flows[0]));
    assert_eq!(queues.packets(), 71);
    assert_eq!(counters(&queues).overload_drops.packets, 30);
}

#[test]
fn at_most_a_batch_makes_room() {
    let config = FqCodelConfig {
        flows: 1,
        limit: 1_000,
        ..FqCodelConfig::default()
    };
    let mut queues = FqCodel::<()>::new(&config, &CONTEXT);
    for _ in 0..1_000 {
        offer(&mut queues, Time::ZERO, &packet(1, 1_000));
    }
    assert_eq!(
        offer(&mut queues, Time::ZERO, &packet(1, 1_000)),
        (true, 64)
    );
    let by_memory = FqCodelConfig {
        memory_limit: Bytes::new(1_000_000),
        ..config
    };
    let mut queues = FqCodel::<()>::new(&by_memory, &CONTEXT);
    for _ in 0..500 {
        assert_eq!(offer(&mut queues, Time::ZERO, &packet(1, 2_000)), (true, 0));
    }
    assert_eq!(offer(&mut queues, Time::ZERO, &packet(1, 1)), (true, 64));
}

#[test]
fn a_newcomer_may_be_the_fattest_itself() {
    let config = FqCodelConfig {
        limit: 2,
        ..FqCodelConfig::default()
    };
    let mut queues = FqCodel::<()>::new(&config, &CONTEXT);
    let flows = apart(&queues, 3);
    offer(&mut queues, Time::ZERO, &flow_packet(flows[0], 100));
    offer(&mut queues, Time::ZERO, &flow_packet(flows[1], 100));
    assert_eq!(
        offer(&mut queues, Time::ZERO, &flow_packet(flows[2], 1_000)),
        (false, 0)
    );
    assert_eq!(queues.packets(), 2);
    let counters = counters(&queues);
    assert_eq!(counters.offered.packets, 3);
    assert_eq!(counters.overload_drops.packets, 1);
}

#[test]
fn flows_spread_over_the_queues_and_ports_differ() {
    let [one, other] = [9, 10].map(|entity| {
        FqCodel::<()>::new(
            &FqCodelConfig::default(),
            &DisciplineContext { entity, ..CONTEXT },
        )
    });
    let mut used = vec![0u32; 1_024];
    let mut same = 0;
    for flow in 0..102_400 {
        let key = flow_packet(flow, 0).key;
        used[one.classify(&key) as usize] += 1;
        same += u32::from(one.classify(&key) == other.classify(&key));
    }
    assert!(used.iter().all(|&flows| (50..160).contains(&flows)));
    assert!((50..160).contains(&same), "{same}");
}

#[test]
fn settings_out_of_range_are_refused() {
    let refused = |config: FqCodelConfig| config.validate().expect_err("out of range").key;
    let good = FqCodelConfig::default();
    good.validate().expect("the defaults are good");
    assert_eq!(
        refused(FqCodelConfig {
            flows: 0,
            ..good.clone()
        }),
        "flows"
    );
    assert_eq!(
        refused(FqCodelConfig {
            quantum: Bytes::ZERO,
            ..good.clone()
        }),
        "quantum"
    );
    assert_eq!(refused(FqCodelConfig { limit: 0, ..good }), "limit");
}
