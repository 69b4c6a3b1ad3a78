//! The ideal completion time on networks whose equally long paths differ.

use std::fmt::Write as _;
use std::path::Path;

use fabricsim::{Scenario, Simulation};
use fabricsim_core::flow::{Completion, FlowRequest};
use fabricsim_core::id::{ClassId, NodeId};
use fabricsim_core::network::Stop;
use fabricsim_core::packet::Priority;
use fabricsim_core::units::{Bytes, Time};
use proptest::prelude::*;

/// Leaves with a host each, spines between them, links of any speed: the file, and its hosts.
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

/// The hops of every shortest path from `node` to `dst`.
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

/// Picoseconds that `bytes` take on a link.
fn time(bytes: u64, bps: u64) -> u128 {
    (u128::from(bytes) * 8_000_000_000_000).div_ceil(u128::from(bps))
}

/// The ideal of the documents when data take this path and ACKs are `back` under way: the delays, a
/// packet's payload at each hop, and all bytes with their headers at the slowest link.
fn documented(path: &[Hop], back: u128, size: u64) -> u128 {
    let slowest = path.iter().map(|hop| hop.0).min().unwrap();
    let hops = path
        .iter()
        .map(|&(bps, delay)| u128::from(delay) + time(1_000, bps));
    hops.sum::<u128>() + back + time(size + 48 * size.div_ceil(1_000), slowest)
}

/// Returns the physical lower bound on the transfer time over one path: the delays, all bytes at
/// the slowest link, and the last packet at all other links.
fn physical(path: &[Hop], size: u64) -> u128 {
    let slowest = path.iter().map(|hop| hop.0).min().unwrap();
    let last = size - (size.div_ceil(1_000) - 1) * 1_000 + 48;
    let hops = path
        .iter()
        .map(|&(bps, delay)| u128::from(delay) + time(last, bps));
    hops.sum::<u128>() + time(size + 48 * size.div_ceil(1_000) - last, slowest)
}

/// The delays of a path, and those with an ACK of 60 bytes at each hop.
fn with_acks(path: &[Hop]) -> [u128; 2] {
    let delays = path.iter().map(|hop| u128::from(hop.1)).sum();
    [
        delays,
        delays + path.iter().map(|hop| time(60, hop.0)).sum::<u128>(),
    ]
}

fn build(network: &str, folder: &Path, cc: &str) -> Simulation {
    std::fs::write(folder.join("net.txt"), network).unwrap();
    let text = format!(
        "[topology]\nkind = \"file\"\npath = \"net.txt\"\n[[workload]]\nkind = \"permutation\"\n\
         size = \"1B\"\nstart = \"1s\"\n[run]\nstop_at = \"1s\"\n[cc]\nkind = \"{cc}\"\n"
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

/// Runs all flows; their completions.
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

    /// Flows of all sizes, crowded and alone: the ideal is the least over all shortest paths, no
    /// flow is faster than links and light allow, and none beats the ideal by more than the packet
    /// that this counts at each hop of a path.
    #[test]
    fn no_flow_beats_the_best_of_its_paths(
        (network, hosts) in networks(),
        flows in prop::collection::vec((any::<prop::sample::Index>(), 1u32..4, 0u32..17, 0u64..30_000), 1..30),
        cc in prop::sample::select(vec!["none", "hpcc", "dcqcn"]),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let mut simulation = build(&network, folder.path(), cc);
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
            let all = paths(&simulation, record.src, record.dst);
            let back = |what: usize| all.iter().map(|path| with_acks(path)[what]).min().unwrap();
            let ideals = all.iter().map(|path| documented(path, back(0), size));
            prop_assert_eq!(Some(ideal), ideals.min(), "{:?}", record);
            let least = all.iter().map(|path| physical(path, size)).min().unwrap() + back(1);
            prop_assert!(fct >= least, "{} < {}: {:?}", fct, least, record);
            let granted = |path: &[Hop]| path.iter().map(|hop| time(1_000, hop.0)).sum::<u128>();
            let granted = all.iter().map(|path| granted(path)).max().unwrap();
            prop_assert!(fct + granted >= ideal, "{} < {} - {}: {:?}", fct, ideal, granted, record);
        }
    }
}

/// Two ways between two racks, at 1 and at 100 Gbps. Whichever way a flow is sent, its ideal is
/// that of the faster one, so that slowdowns are above one and show which flows had the slow way.
#[test]
fn flows_on_the_slow_one_of_two_paths_are_slow() {
    let network = "6 4 6\n2 3 4 5\n0 2 100Gbps 100ns 0\n1 3 100Gbps 100ns 0\n2 4 1Gbps 100ns 0\n\
                   4 3 1Gbps 100ns 0\n2 5 100Gbps 100ns 0\n5 3 100Gbps 100ns 0";
    let folder = tempfile::tempdir().unwrap();
    let mut simulation = build(network, folder.path(), "none");
    for n in 0..40u64 {
        simulation
            .inject(request(0, 1, 5_000, Time::from_ns(n * 400_000)))
            .unwrap();
    }
    let done = finish(&mut simulation);
    // Four hops of 100 ns, a packet at each, and five packets of 1,048 bytes at 100 Gbps.
    let ideal = 800 + 4 * 80 + 5 * 1_048 * 8 / 100;
    let mut slow = 0;
    for completion in done {
        let record = simulation.record(&completion);
        assert_eq!(record.ideal.as_ns(), ideal);
        let factor = record.fct.as_ps() as f64 / record.ideal.as_ps() as f64;
        assert!(factor > 0.9, "{factor}");
        slow += u32::from(factor > 20.0);
    }
    assert!((10..=30).contains(&slow), "{slow} of 40");
}

/// The profile has the published ideal: of the first path, whichever it is.
#[test]
fn the_profile_keeps_the_ideal_of_the_first_path() {
    let network = "6 4 6\n2 3 4 5\n0 2 100Gbps 100ns 0\n1 3 100Gbps 100ns 0\n2 4 100Gbps 100ns 0\n\
                   4 3 100Gbps 100ns 0\n2 5 1Gbps 100ns 0\n5 3 1Gbps 100ns 0";
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("net.txt"), network).unwrap();
    let text = "profile = \"ns3-hpcc\"\n[topology]\nkind = \"file\"\npath = \"net.txt\"\n\
                [[workload]]\nkind = \"incast\"\nfan_in = 1\nreceiver = 1\nsize = \"5KB\"\nat = \"0s\"\n\
                [cc]\nkind = \"hpcc\"\n";
    let scenario = Scenario::from_text("test", text, folder.path(), &[]).unwrap();
    let mut simulation = Simulation::new(&scenario, 1).unwrap();
    assert_eq!(simulation.run_until(Time::MAX), Stop::Finished);
    let done = simulation.take_completions();
    // The first next hop is the highest node, which is the slow one; times are cut to nanoseconds.
    let ideal = 800 + 2 * 80 + 2 * 8_000 + 5 * 1_048 * 8;
    assert_eq!(simulation.record(&done[0]).ideal.as_ns(), ideal);
}
