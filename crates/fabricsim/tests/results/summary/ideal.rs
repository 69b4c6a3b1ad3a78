//! The ideal completion time on networks with unequal shortest paths.

use crate::support;
use std::fmt::Write as _;
use std::path::Path;

use fabricsim::{Scenario, Simulation};
use fabricsim_base::flow::{Completion, FlowRequest};
use fabricsim_base::id::{ClassId, NodeId};
use fabricsim_base::priority::Priority;
use fabricsim_base::units::{Bytes, Duration, Time};
use fabricsim_core::network::Stop;
use proptest::prelude::*;

/// Returns the file and the number of hosts of a network: leaves with a host each, and spines
/// between them, with links of any speed.
fn networks() -> impl Strategy<Value = (String, u32)> {
    let rates = prop::sample::select(vec![1u64, 10, 40, 100, 400]);
    let speeds = prop::collection::vec((rates, 1u64..3_000), 30);
    (2u32..5, 1u32..5, speeds).prop_map(|(leaves, spines, speeds)| {
        let hosts = leaves;
        let (first_leaf, first_spine) = (hosts, hosts + leaves);
        let mut ends: Vec<(u32, u32)> = (0..hosts).map(|host| (host, first_leaf + host)).collect();
        for leaf in first_leaf..first_spine {
            ends.extend((first_spine..first_spine + spines).map(|spine| (leaf, spine)));
        }
        let mut text = format!(
            "{} {} {}\n",
            hosts + leaves + spines,
            leaves + spines,
            ends.len()
        );
        for switch in first_leaf..first_spine + spines {
            let _ = write!(text, "{switch} ");
        }
        for ((a, b), (gbps, ns)) in ends.iter().zip(speeds.iter().cycle()) {
            let _ = write!(text, "\n{a} {b} {gbps}Gbps {ns}ns 0");
        }
        (text, hosts)
    })
}

/// A hop: its rate in bits per second, its delay in picoseconds.
type Hop = (u64, u64);

/// Returns the hops of every shortest path from `node` to `dst`.
fn paths(simulation: &Simulation, node: NodeId, dst: NodeId) -> Vec<Vec<Hop>> {
    let routes = simulation.routes();
    let mut found = Vec::new();
    for (next, port) in routes.next_hops(node, dst) {
        let port = routes.topology().ports(node)[port.index()];
        let hop = (port.rate.as_bps(), port.delay.as_ps());
        let rest = if next == dst {
            vec![Vec::new()]
        } else {
            paths(simulation, next, dst)
        };
        found.extend(rest.into_iter().map(|rest| [vec![hop], rest].concat()));
    }
    found
}

/// Returns the picoseconds that `bytes` take on a link.
fn time(bytes: u64, bps: u64) -> u128 {
    (u128::from(bytes) * 8_000_000_000_000).div_ceil(u128::from(bps))
}

/// Follows every packet of `size` bytes with `mtu` of payload, and its ACK, through every link.
/// Returns when the last ACK is back. Data have `more` bytes of telemetry.
fn followed(forth: &[Hop], back: &[Hop], (size, mtu): (u64, u64), more: u64) -> u128 {
    let mut free = vec![0; forth.len() + back.len()];
    let mut end = 0;
    let full = (0..size / mtu).map(|_| mtu);
    for payload in full.chain(Some(size % mtu).filter(|rest| *rest > 0)) {
        let data = forth.iter().map(|hop| (hop, payload + 48 + more));
        let acks = back.iter().map(|hop| (hop, 60.max(46 + more)));
        let mut at = 0;
        for ((&(bps, delay), bytes), free) in data.chain(acks).zip(&mut free) {
            *free = at.max(*free) + time(bytes, bps);
            at = *free + u128::from(delay);
        }
        end = at;
    }
    end
}

/// Returns the base round trip of a path and of the fastest of the paths `back`, with one payload
/// for each link, and all bytes with their headers at the slowest link: the published formula.
fn published(path: &[Hop], back: &[Vec<Hop>], size: u64) -> u128 {
    let delay = |way: &[Hop]| way.iter().map(|hop| u128::from(hop.1)).sum::<u128>();
    let slowest = path.iter().map(|hop| hop.0).min().unwrap();
    let payloads = path.iter().map(|hop| time(1_000, hop.0)).sum::<u128>();
    let back = back.iter().map(|way| delay(way)).min().unwrap();
    delay(path) + payloads + back + time(size + 48 * size.div_ceil(1_000), slowest)
}

/// Returns a simulation of `network` without flows; `more` are further tables.
fn build(network: &str, folder: &Path, (cc, more): (&str, &str)) -> Simulation {
    std::fs::write(folder.join("net.txt"), network).unwrap();
    let text = format!(
        r#"
            [topology]
            kind = "file"
            path = "net.txt"
            [[workload]]
            kind = "permutation"
            size = "1B"
            start = "1s"
            [run]
            stop_at = "1s"
            [cc]
            kind = "{cc}"
            {more}"#
    );
    let scenario = Scenario::from_text("test", &text, folder, &[]).unwrap();
    Simulation::new(&scenario, 1).unwrap()
}

fn request(src: u32, dst: u32, size: u64, start: Time) -> FlowRequest {
    FlowRequest {
        src: NodeId(src),
        dst: NodeId(dst),
        size: Bytes::new(size),
        start,
        class: ClassId(0),
        priority: Priority::new(3),
        src_port: None,
        dst_port: 100,
    }
}

/// Runs all flows and returns their completions.
fn finish(simulation: &mut Simulation) -> Vec<Completion> {
    assert_eq!(
        simulation.run_until(Time::from_ns(900_000_000)),
        Stop::TimeReached
    );
    assert!(simulation.unfinished().is_empty());
    simulation.take_completions()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    /// Flows of all sizes, with and without other traffic. The ideal is the least over all shortest
    /// paths in both directions, following a flow packet by packet, and no flow beats it.
    #[test]
    fn no_flow_beats_the_best_of_its_paths(
        (network, hosts) in networks(),
        flows in prop::collection::vec((any::<prop::sample::Index>(), 1u32..4, 0u32..17, 0u64..30_000), 1..30),
        cc in prop::sample::select(vec!["none", "hpcc", "dcqcn"]),
        rule in prop::sample::select(vec!["exact", "published"]),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let rules = format!(r#"
            [output]
            ideal = "{rule}"
        "#);
        let mut simulation = build(&network, folder.path(), (cc, &rules));
        for (src, offset, power, start) in &flows {
            let src = u32::try_from(src.index(hosts as usize)).unwrap();
            let dst = (src + 1 + offset % (hosts - 1)) % hosts;
            // From one byte to 130 packets.
            let size = (1u64 << power) + start % (1 << power);
            simulation.inject(request(src, dst, size, Time::from_ns(*start))).unwrap();
        }
        let done = finish(&mut simulation);
        prop_assert_eq!(done.len(), flows.len());
        for completion in done {
            let record = simulation.record(&completion);
            let (fct, ideal) = (u128::from(record.fct.as_ps()), u128::from(record.ideal.as_ps()));
            let size = record.size.get();
            let forth = paths(&simulation, record.src, record.dst);
            let back = paths(&simulation, record.dst, record.src);
            let pairs = forth.iter().flat_map(|forth| back.iter().map(move |back| (forth, back)));
            let least = pairs.map(|(forth, back)| followed(forth, back, (size, 1_000), 0)).min();
            prop_assert!(Some(fct) >= least, "{} < {:?}: {:?}", fct, least, record);
            let formula = forth.iter().map(|forth| published(forth, &back, size)).min();
            let expected = if rule == "exact" { least } else { formula };
            prop_assert_eq!(Some(ideal), expected, "{:?}", record);
        }
    }

    /// Consecutive flows through switches in a row, with links of any rate and delay. A sender at
    /// line rate, without a window, takes exactly the ideal for any size and MTU. A sender with a
    /// window or telemetry never takes less. With links of one rate it takes exactly that time,
    /// plus its telemetry, if the flow has one packet or, without telemetry, if its window has room
    /// for the whole flow.
    #[test]
    fn a_lone_flow_takes_its_ideal_time(
        links in prop::collection::vec(
            (prop::sample::select(vec![1u64, 10, 25, 40, 100, 400]), 1u64..3_000),
            2..8,
        ),
        one_rate: bool,
        mtu in prop::sample::select(vec![1u64, 256, 1_000, 1_500, 4_096, 9_000]),
        packets in prop::collection::vec((0u64..40, 1u64..9_001), 1..6),
        cc in prop::sample::select(vec!["none", "hpcc", "dctcp", "dcqcn", "timely"]),
    ) {
        let nodes = links.len() + 1;
        let rate = |gbps: u64| if one_rate { links[0].0 } else { gbps };
        let hops: Vec<Hop> = links
            .iter()
            .map(|&(gbps, ns)| (rate(gbps) * 1_000_000_000, ns * 1_000))
            .collect();
        // Hosts are nodes 0 and 1, switches the other nodes.
        let mut text = format!("{nodes} {} {}\n", nodes - 2, links.len());
        for switch in 2..nodes {
            let _ = write!(text, "{switch} ");
        }
        let row: Vec<usize> = [0].into_iter().chain(2..nodes).chain([1]).collect();
        for (ends, &(gbps, ns)) in row.windows(2).zip(&links) {
            let _ = write!(text, "\n{} {} {}Gbps {ns}ns 0", ends[0], ends[1], rate(gbps));
        }
        let folder = tempfile::tempdir().unwrap();
        // A sender without congestion control has a window, too, unless it is 0.
        let unlimited = if cc == "none" { "window_bdp = 0.0\n" } else { "" };
        let rdma = format!(r#"
            {unlimited}
            [rdma]
            mtu = "{mtu}B"
        "#);
        let mut simulation = build(&text, folder.path(), (cc, &rdma));
        let mut start = Time::ZERO;
        for &(full, rest) in &packets {
            let size = full * mtu + 1 + rest % mtu;
            simulation.inject(request(0, 1, size, start)).unwrap();
            start += Duration::from_us(10_000);
        }
        // A short queue may slow down a sender, so exact equality needs a flow that fills none.
        let window = simulation.network_info().path_stats.bdp.get();
        let telemetry = u64::from(simulation.network_info().telemetry_bytes);
        for completion in finish(&mut simulation) {
            let record = simulation.record(&completion);
            let (fct, ideal) = (u128::from(record.fct.as_ps()), u128::from(record.ideal.as_ps()));
            let size = record.size.get();
            let back: Vec<Hop> = hops.iter().rev().copied().collect();
            let of = |more: u64| followed(&hops, &back, (size, mtu), more);
            prop_assert_eq!(ideal, of(0), "{:?}", record);
            let fills_no_queue = one_rate && size <= window && telemetry == 0;
            let at_line_rate = cc == "none" || cc == "dctcp" && fills_no_queue;
            if at_line_rate || size <= mtu {
                prop_assert_eq!(fct, of(telemetry), "{} {:?}", cc, record);
            }
            prop_assert!(fct >= ideal, "{} < {}: {:?}", fct, ideal, record);
        }
    }
}

/// Two paths between two racks, at 1 and at 100 Gbps. The ideal of each flow belongs to the faster
/// path, so slowdowns are above one and show which flows took the slow path.
#[test]
fn flows_on_the_slow_one_of_two_paths_are_slow() {
    let network = "6 4 6\n2 3 4 5\n0 2 100Gbps 100ns 0\n1 3 100Gbps 100ns 0\n2 4 1Gbps 100ns 0\n\
                   4 3 1Gbps 100ns 0\n2 5 100Gbps 100ns 0\n5 3 100Gbps 100ns 0";
    let folder = tempfile::tempdir().unwrap();
    let mut simulation = build(network, folder.path(), ("none", ""));
    for n in 0..40u64 {
        simulation
            .inject(request(0, 1, 5_000, Time::from_ns(n * 400_000)))
            .unwrap();
    }
    let done = finish(&mut simulation);
    // Eight delays of 100 ns, five packets of 1,048 bytes at 100 Gbps, the last one at three more
    // links, and its ACK of 60 bytes at four.
    let ideal = 800_000 + (5 + 3) * 83_840 + 4 * 4_800;
    let mut slow = 0;
    for completion in done {
        let record = simulation.record(&completion);
        assert_eq!(record.ideal.as_ps(), ideal);
        let factor = record.fct.as_ps() as f64 / record.ideal.as_ps() as f64;
        assert!(factor >= 1.0, "{factor}");
        slow += u32::from(factor > 20.0);
    }
    assert!((10..=30).contains(&slow), "{slow} of 40");
}

/// The profile has the published ideal, which uses the first path, even a slow one.
#[test]
fn the_profile_keeps_the_ideal_of_the_first_path() {
    let network = "6 4 6\n2 3 4 5\n0 2 100Gbps 100ns 0\n1 3 100Gbps 100ns 0\n2 4 100Gbps 100ns 0\n\
                   4 3 100Gbps 100ns 0\n2 5 1Gbps 100ns 0\n5 3 1Gbps 100ns 0";
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("net.txt"), network).unwrap();
    let text = r#"profile = "ns3-hpcc"
        [topology]
        kind = "file"
        path = "net.txt"
        [[workload]]
        kind = "incast"
        fan_in = 1
        receiver = 1
        size = "5KB"
        at = "0s"
        [cc]
        kind = "hpcc"
    "#;
    let scenario = Scenario::from_text("test", text, folder.path(), &[]).unwrap();
    let mut simulation = Simulation::new(&scenario, 1).unwrap();
    assert_eq!(simulation.run_until(Time::MAX), Stop::Finished);
    let done = simulation.take_completions();
    // The first next hop is the highest node, which is the slow one; times are truncated to
    // nanoseconds.
    let ideal = 800 + 2 * 80 + 2 * 8_000 + 5 * 1_048 * 8;
    assert_eq!(simulation.record(&done[0]).ideal.as_ns(), ideal);
}

/// Two hosts with paths that fit a NIC each. A scenario can choose the rule under the profile as
/// well.
#[test]
fn the_profile_can_have_exact_ideals() {
    let text = r#"profile = "ns3-hpcc"
        [topology]
        kind = "star"
        hosts = 2
        [output]
        ideal = "exact"
        [[workload]]
        kind = "incast"
        fan_in = 1
        size = "1B"
        at = "0s"
        [cc]
        kind = "dctcp"
    "#;
    let mut simulation = support::run(text, 1);
    let done = simulation.take_completions();
    let record = simulation.record(&done[0]);
    // 49 and 60 bytes at two links of 100 Gbps, each truncated to nanoseconds.
    assert_eq!(record.ideal, Duration::from_ns(4_000 + 2 * 3 + 2 * 4));
    assert_eq!(record.fct, record.ideal);
}
