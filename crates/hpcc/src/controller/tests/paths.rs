//! Tests of flows that change their path.

use super::*;
use crate::published_stack::PublishedStack;

#[test]
fn another_path_starts_the_comparison_anew() {
    let factory = factory(HpccConfig::default(), Quirks::EXACT);
    let mut cc = flow(&factory);
    ack(&mut cc, &seen(&factory, 1_024, 0, 0), 1_000, 100_000);
    let mut longer = seen(&factory, 2_048, 5_000, 0);
    longer.push(
        &Hop {
            now: Time::from_ns(3_000),
            arrived: Time::from_ns(3_000),
            ingress: PortId(0),
            port: PortId(0),
            rate: LINE,
            queue: Bytes::ZERO,
            sent: Bytes::ZERO,
        },
        label(5, 0),
        &factory.scale,
    );
    ack(&mut cc, &longer, 2_000, 101_000);
    assert_eq!(cc.rate, LINE);
    assert!(!reschedules(&cc));
}

/// Returns the stack of one hop of switch `node`, dequeued at `ns`, with `sent` bytes sent.
fn seen_of<S: IntHeader>(factory: &Setup, node: u32, ns: u64, sent: u64) -> S {
    let mut stack = S::default();
    let hop = Hop {
        now: Time::from_ns(ns),
        arrived: Time::from_ns(ns),
        ingress: PortId(0),
        port: PortId(0),
        rate: LINE,
        queue: Bytes::ZERO,
        sent: Bytes::new(sent),
    };
    stack.push(&hop, label(node, 0), &factory.scale);
    stack
}

/// Moves a flow from spine 4, which has sent 1 GB, to spine 5, which has sent 5 KB. A difference of
/// 4 GB in 100 ns means another path. Returns the rate and the utilization afterwards.
fn moved_to_another_spine<S: IntHeader + HasInt<Int = S>>(quirks: Quirks) -> (f64, f64) {
    let factory = factory(HpccConfig::default(), quirks);
    let mut cc = ControllerFactory::<S>::build(&factory.config, &factory.start());
    let mut see = |node, ns, sent, cumulative| {
        let stack: S = seen_of(&factory, node, ns, sent);
        let next_seq = cumulative + 100_000;
        cc.on_ack(&Ack::new(
            Time::ZERO,
            cumulative,
            next_seq,
            Duration::ZERO,
            &stack,
        ));
        (cc.rate.as_bps_f64() / 1e9, cc.utilization())
    };
    see(4, 1_024, 1_000_000_000, 1_000);
    // Nearly full for a round trip.
    let (before, busy) = see(4, 1_024 + T_NS, 1_000_118_750, 101_000);
    assert!((before - 100.0).abs() < 0.5 && (busy - 0.95).abs() < 0.01);
    see(5, 1_024 + T_NS + 100, 5_000, 102_000);
    see(5, 1_024 + T_NS + 200, 6_187, 103_000)
}

#[test]
fn another_path_of_equal_length_starts_the_comparison_anew() {
    // 1,187 bytes in 100 ns are 95%, as before, so neither the rate nor the average changes.
    let (rate, utilization) = moved_to_another_spine::<Stack>(Quirks::EXACT);
    assert!((utilization - 0.95).abs() < 0.01, "{utilization}");
    assert!((rate - 100.0).abs() < 0.5, "{rate}");
}

#[test]
fn the_published_header_takes_paths_of_equal_length_for_one() {
    let (_, utilization) = moved_to_another_spine::<PublishedStack>(Quirks::PUBLISHED);
    assert!((utilization - 0.95).abs() > 0.1, "{utilization}");
}

#[test]
fn rates_of_hops_begin_a_path_with_the_one_that_ruled() {
    let config = HpccConfig {
        per_hop_rates: true,
        ..HpccConfig::default()
    };
    let path = |factory: &Setup, nodes: [u32; 2], ns, sent: [u64; 2]| {
        let mut stack: Stack = seen_of(factory, nodes[0], ns, sent[0]);
        let hop = Hop {
            now: Time::from_ns(ns),
            arrived: Time::from_ns(ns),
            ingress: PortId(0),
            port: PortId(0),
            rate: LINE,
            queue: Bytes::ZERO,
            sent: Bytes::new(sent[1]),
        };
        stack.push(&hop, label(nodes[1], 0), &factory.scale);
        stack
    };
    let factory = factory(config, Quirks::EXACT);
    let mut cc = flow(&factory);
    ack(
        &mut cc,
        &path(&factory, [4, 5], 1_024, [0, 0]),
        1_000,
        100_000,
    );
    // The first link is at a tenth of its rate, the second at twice its target.
    let loaded = path(&factory, [4, 5], 1_024 + T_NS, [12_500, 237_500]);
    ack(&mut cc, &loaded, 101_000, 200_000);
    let (rate, rates) = (cc.rate, [0, 1].map(|hop| cc.per_hop[hop].reference / 1e9));
    assert!((rates[0] - 100.0).abs() < 0.1, "{rates:?}");
    assert!((rates[1] - 50.05).abs() < 0.1, "{rates:?}");
    // The same busy second link, behind another first link, then as the first link.
    for (nodes, seen) in [([6, 5], 1), ([5, 7], 2)] {
        let ns = 1_024 + T_NS + seen * 100;
        let other = path(&factory, nodes, ns, [0, 0]);
        ack(&mut cc, &other, 101_000 + seen, 200_000);
        assert_eq!(cc.rate, rate, "the flow goes on as it was");
        for hop in 0..2 {
            let reference = cc.per_hop[hop].reference / 1e9;
            assert!((reference - 50.05).abs() < 0.1, "hop {hop}: {reference}");
        }
    }
}

/// Packets take 8 paths in turn, each at half of its rate. An acknowledgement arrives every 125 ns,
/// and every eighth is from the same path.
#[test]
fn the_samples_of_all_paths_together_are_averaged_over_a_round_trip() {
    let factory = factory(HpccConfig::default(), Quirks::EXACT);
    let mut start = factory.start();
    start.paths = PathStability::PerPacket;
    let mut cc: Hpcc<Stack> = ControllerFactory::<Stack>::build(&factory.config, &start);
    let mut see = |number: u64| {
        let ns = 1_024 + number * 125;
        // 50 Gbps.
        let sent = ns * 50 / 8;
        let stack: Stack = seen_of(&factory, u32::try_from(number % 8).unwrap_or(0), ns, sent);
        let (cumulative, next_seq) = (1_000 * (number + 1), 1_000 * (number + 100));
        let now = Time::from_ns(ns);
        let mut ack = Ack::new(now, cumulative, next_seq, Duration::ZERO, &stack);
        ack.now = now;
        CongestionControl::<Stack>::on_ack(&mut cc, &ack);
        cc.utilization()
    };
    // The first packet of each path has nothing to compare with.
    for number in 0..8 {
        assert!((see(number) - 1.0).abs() < 1e-9, "{number}");
    }
    // The next sample spans 1,000 of the 10,000 ns, and each later one has a weight of 125 ns.
    let mut expected = 1.0;
    for number in 8..88 {
        let weight_ns = if number == 8 { 1_000.0 } else { 125.0 };
        expected += (0.5 - expected) * weight_ns / T_NS as f64;
        let utilization = see(number);
        assert!(
            (utilization - expected).abs() < 1e-3,
            "{number}: {utilization}, {expected}"
        );
    }
}

/// 64 paths are stored in addition to the last one. Additional paths replace the oldest ones in
/// turn.
#[test]
fn the_oldest_of_many_paths_are_forgotten() {
    let factory = factory(HpccConfig::default(), Quirks::EXACT);
    let stack = |node: u32| seen_of::<Stack>(&factory, node, 1_024, 0);
    let mut others = OtherPaths::default();
    let mut previous = stack(0);
    for node in 1..=67 {
        assert!(
            !others.swap_in(&mut previous, &stack(node)),
            "{node} is new"
        );
    }
    for node in 3..67 {
        assert!(others.swap_in(&mut previous, &stack(node)), "{node}");
        assert!(previous.same_path(&stack(node)));
    }
    for node in 0..3 {
        assert!(!others.swap_in(&mut previous, &stack(node)), "{node}");
    }
}
