//! What goes in comes out: bytes, packets, buffers and pauses add up on random small networks.

#![allow(
    clippy::unwrap_used,
    reason = "a test may stop at what it did not expect"
)]

use std::fmt::Write as _;
use std::fs;

use fabricsim::{Scenario, Simulation};
use fabricsim_core::flow::{Completion, FlowRequest};
use fabricsim_core::id::{ClassId, NodeId};
use fabricsim_core::network::Stop;
use fabricsim_core::packet::Priority;
use fabricsim_core::plugin::FlowKey;
use fabricsim_core::units::{Bytes, Duration, Rate, Time};
use fabricsim_topology::Port;
use proptest::prelude::*;

const MTU: u64 = 1_000;
/// Complete flows that a receiver remembers at least.
const REMEMBERED: usize = 64;
/// Longer than anything that is under way when the last flow ends.
const QUIET: Duration = Duration::from_ms(100);

/// Whether the links lose packets, and whether switches do.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Losses {
    Never,
    InSwitches,
    OnLinks,
}

/// A scenario and the `topology.txt` that it may refer to.
#[derive(Clone)]
struct Case {
    scenario: String,
    topology: String,
    losses: Losses,
    threads: usize,
}

impl std::fmt::Debug for Case {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (losses, threads) = (self.losses, self.threads);
        writeln!(f, "losses: {losses:?}, {threads} threads")?;
        writeln!(f, "{}\n# topology.txt\n{}", self.scenario, self.topology)
    }
}

/// The `[topology]` table, its `topology.txt`, its hosts, and whether its links lose packets.
#[derive(Clone, Debug)]
struct Net {
    table: String,
    file: String,
    hosts: u32,
    lossy: bool,
}

impl Net {
    fn built(hosts: u32, table: String) -> Self {
        Self {
            table,
            file: String::new(),
            hosts,
            lossy: false,
        }
    }
}

fn rates() -> impl Strategy<Value = u64> {
    prop::sample::select(vec![10u64, 25, 40, 100, 200, 400])
}

/// Delays in nanoseconds.
fn delays() -> impl Strategy<Value = u64> {
    prop_oneof![Just(100u64), 100u64..10_000]
}

fn stars() -> impl Strategy<Value = Net> {
    (2u32..8, rates(), delays()).prop_map(|(hosts, rate, delay)| {
        let table = format!(
            "kind = \"star\"\nhosts = {hosts}\nrate = \"{rate}Gbps\"\ndelay = \"{delay}ns\""
        );
        Net::built(hosts, table)
    })
}

fn leaf_spines() -> impl Strategy<Value = Net> {
    let sizes = (2u32..4, 1u32..4, 1u32..4);
    (sizes, (rates(), rates()), (delays(), delays())).prop_map(
        |((leaves, per_leaf, spines), (host_rate, fabric_rate), (link, host))| {
            let table = format!(
                "kind = \"leaf-spine\"\nleaves = {leaves}\nhosts_per_leaf = {per_leaf}\n\
                 spines = {spines}\nhost_rate = \"{host_rate}Gbps\"\n\
                 fabric_rate = \"{fabric_rate}Gbps\"\nlink_delay = \"{link}ns\"\n\
                 host_delay = \"{host}ns\""
            );
            Net::built(leaves * per_leaf, table)
        },
    )
}

fn dumbbells() -> impl Strategy<Value = Net> {
    (1u32..4, (rates(), rates()), (delays(), delays())).prop_map(
        |(side, (host_rate, bottleneck), (host, middle))| {
            let table = format!(
                "kind = \"dumbbell\"\nhosts_per_side = {side}\nhost_rate = \"{host_rate}Gbps\"\n\
                 bottleneck_rate = \"{bottleneck}Gbps\"\nhost_delay = \"{host}ns\"\n\
                 bottleneck_delay = \"{middle}ns\""
            );
            Net::built(2 * side, table)
        },
    )
}

fn chains() -> impl Strategy<Value = Net> {
    (2u32..9, 1u32..3, rates(), delays()).prop_map(|(switches, hosts, rate, delay)| {
        let table = format!(
            "kind = \"chain\"\nswitches = {switches}\nhosts_per_switch = {hosts}\n\
             rate = \"{rate}Gbps\"\ndelay = \"{delay}ns\""
        );
        Net::built(switches * hosts, table)
    })
}

/// Hosts around a switch, every link of another kind.
fn uneven_stars(losses: BoxedStrategy<f64>) -> impl Strategy<Value = Net> {
    let links = prop::collection::vec((rates(), delays(), losses), 2..8);
    links.prop_map(|links| {
        let hosts = u32::try_from(links.len()).unwrap();
        let mut file = format!("{} 1 {hosts}\n{hosts}\n", hosts + 1);
        for (host, (rate, delay, loss)) in links.iter().enumerate() {
            writeln!(file, "{host} {hosts} {rate}Gbps {delay}ns {loss:.6}").unwrap();
        }
        Net {
            table: "kind = \"file\"\npath = \"topology.txt\"".to_owned(),
            file,
            hosts,
            lossy: links.iter().any(|(.., loss)| *loss > 0.0),
        }
    })
}

fn networks() -> impl Strategy<Value = Net> {
    prop_oneof![
        stars(),
        leaf_spines(),
        dumbbells(),
        chains(),
        uneven_stars(Just(0.0).boxed()),
        uneven_stars((0.0..0.01f64).boxed()),
    ]
}

fn sizes() -> impl Strategy<Value = u64> {
    prop_oneof![1u64..3_000, 1u64..60_000]
}

/// A `[[workload]]` table for `hosts` hosts.
fn workloads(hosts: u32) -> impl Strategy<Value = String> {
    let start = || 0u64..50_000;
    prop_oneof![
        (1..hosts, sizes(), start()).prop_map(|(fan_in, size, at)| format!(
            "kind = \"incast\"\nfan_in = {fan_in}\nsize = \"{size}B\"\nat = \"{at}ns\""
        )),
        (sizes(), 1u32..3, start()).prop_map(|(size, count, gap)| format!(
            "kind = \"permutation\"\nsize = \"{size}B\"\ncount = {count}\ngap = \"{gap}ns\""
        )),
        (1u64..10_000, start()).prop_map(|(size, stagger)| format!(
            "kind = \"all-to-all\"\nsize = \"{size}B\"\nstagger = \"{stagger}ns\""
        )),
        (1_000u64..60_000, 1u32..9, start()).prop_map(|(size, tenths, start)| format!(
            "kind = \"poisson\"\nsizes = \"{size}B\"\nload = 0.{tenths}\nstart = \"{start}ns\"\n\
             duration = \"20us\""
        )),
    ]
}

fn algorithms() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "kind = \"hpcc\"",
        "kind = \"hpcc\"\nform = \"window\"\nreaction = \"per-rtt\"",
        "kind = \"none\"",
        "kind = \"none\"\nwindow_bdp = 0.0",
    ])
}

/// The `[switch]` table: with PFC room for all headroom and thresholds down to nothing, without it
/// buffers down to a few packets.
fn switches() -> impl Strategy<Value = (bool, String)> {
    prop_oneof![
        (9u32..32, 0i32..13).prop_map(|(mebibytes, shift)| {
            let alpha = 0.5f64.powi(shift);
            let table = format!("pfc = true\nbuffer = \"{mebibytes}MiB\"\nalpha = {alpha:?}");
            (true, table)
        }),
        (40u32..2_000).prop_map(|kibibytes| {
            let table = format!("pfc = false\nbuffer = \"{kibibytes}KiB\"");
            (false, table)
        }),
    ]
}

fn recoveries() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["go-back-n", "selective"])
}

fn cases() -> impl Strategy<Value = Case> {
    networks()
        .prop_flat_map(|net| {
            let workloads = prop::collection::vec(workloads(net.hosts), 1..3);
            (
                Just(net),
                workloads,
                algorithms(),
                (switches(), recoveries()),
                0u32..1_000,
                1usize..4,
            )
        })
        .prop_map(|(net, workloads, cc, (switch, recovery), seed, threads)| {
            let (pfc, switch) = switch;
            let losses = match (net.lossy, pfc) {
                (true, _) => Losses::OnLinks,
                (false, false) => Losses::InSwitches,
                (false, true) => Losses::Never,
            };
            // Where nothing is lost nobody may time out, however long a pause takes.
            let rto_min = match losses {
                Losses::Never => "500ms",
                Losses::InSwitches | Losses::OnLinks => "200us",
            };
            let mut scenario = format!(
                "seed = {seed}\n[topology]\n{}\n[switch]\n{switch}\n[cc]\n{cc}\n\
                 [rdma]\nrto_min = \"{rto_min}\"\nrecovery = \"{recovery}\"\n",
                net.table
            );
            for workload in workloads {
                writeln!(scenario, "[[workload]]\n{workload}").unwrap();
            }
            Case {
                scenario,
                topology: net.file,
                losses,
                threads,
            }
        })
}

fn simulation(case: &Case) -> Simulation {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("topology.txt"), &case.topology).unwrap();
    let scenario = Scenario::from_text("case", &case.scenario, dir.path(), &[]);
    Simulation::new(&scenario.unwrap(), case.threads).unwrap()
}

/// Runs to the end of all flows, and then sends one byte through the quiet network, so that
/// duplicates, answers and pause frames that were still under way are gone too.
fn run_until_quiet(simulation: &mut Simulation) -> Vec<Completion> {
    assert_eq!(simulation.run_until(Time::MAX), Stop::Finished);
    let [first, .., last] = *simulation.routes().topology().hosts() else {
        panic!("a network has two hosts");
    };
    let byte = FlowRequest {
        src: first,
        dst: last,
        size: Bytes::new(1),
        start: simulation.now() + QUIET,
        class: ClassId(9),
        priority: Priority::new(3),
        src_port: None,
        dst_port: 100,
    };
    simulation.inject(byte).unwrap();
    assert_eq!(simulation.run_until(Time::MAX), Stop::Finished);
    simulation.take_completions()
}

/// The ports through which the first packets of a flow pass.
fn path(simulation: &Simulation, completion: &Completion) -> Vec<Port> {
    let request = &completion.flow.request;
    let nodes: Vec<NodeId> = simulation.routes().trace(&FlowKey {
        src: request.src,
        dst: request.dst,
        src_port: request.src_port.unwrap(),
        dst_port: request.dst_port,
    });
    let ports = |node| simulation.routes().topology().ports(node);
    nodes
        .windows(2)
        .map(|pair| {
            *ports(pair[0])
                .iter()
                .find(|port| port.peer == pair[1])
                .unwrap()
        })
        .collect()
}

/// The least time in which a flow can be acknowledged: its bytes at the slowest link, and light
/// there and back.
fn physical_minimum(path: &[Port], size: Bytes) -> Duration {
    let slowest: Rate = path.iter().map(|port| port.rate).min().unwrap();
    let delays = path
        .iter()
        .fold(Duration::ZERO, |sum, port| sum + port.delay);
    slowest.transmission(size) + delays + delays
}

fn check(case: &Case) {
    let mut simulation = simulation(case);
    let completions = run_until_quiet(&mut simulation);
    let (network, ends) = (simulation.counters(), simulation.endpoint_counters());
    let sum = |bytes: &dyn Fn(&Completion) -> Bytes| {
        completions
            .iter()
            .fold(Bytes::ZERO, |sum, done| sum + bytes(done))
    };
    let asked = sum(&|done| done.flow.request.size);
    let retransmitted = sum(&|done| done.retransmitted);

    // Every flow ends, once.
    let mut numbers: Vec<u32> = completions.iter().map(|done| done.flow.id.0).collect();
    numbers.sort_unstable();
    let started = u32::try_from(simulation.flows_started()).unwrap();
    assert_eq!(numbers, (0..started).collect::<Vec<_>>());
    assert!(simulation.unfinished().is_empty());
    assert!(simulation.unreachable().is_empty());

    // Every byte is acknowledged once, and delivered once as long as receivers remember the flows
    // that they have had.
    assert_eq!(ends.acknowledged, asked);
    assert!(ends.delivered >= asked);
    if completions.len() <= REMEMBERED || ends.retransmitted == Bytes::ZERO {
        assert_eq!(ends.delivered, asked);
    }
    assert!(ends.arrived >= ends.delivered);
    assert_eq!(ends.sent, asked + ends.retransmitted);
    assert_eq!(ends.retransmitted, retransmitted);

    // What did not arrive was dropped or lost.
    let gone = network.buffer_drops + network.queue_drops + network.link_losses;
    let missing = ends.sent.get() - ends.arrived.get();
    assert!(missing <= gone * MTU, "{missing} bytes in {gone} packets");
    assert_eq!(missing, network.lost_payload);
    assert_eq!(network.link_down_drops, 0);
    assert_eq!((network.queue_drops, network.no_route), (0, 0));
    assert!(case.losses == Losses::OnLinks || network.link_losses == 0);

    // Nothing stays behind.
    assert_eq!(simulation.queued_bytes(), Bytes::ZERO);
    assert_eq!(network.pauses, network.resumes);
    assert_eq!(simulation.paused_ports(), 0);

    // Nothing is faster than its links.
    let paths: Vec<Vec<Port>> = completions
        .iter()
        .map(|done| path(&simulation, done))
        .collect();
    for (done, path) in completions.iter().zip(&paths) {
        let least = physical_minimum(path, done.flow.request.size);
        assert!(
            done.fct() > least,
            "{} took {}, not {least}",
            done.flow.id,
            done.fct()
        );
    }

    if case.losses == Losses::Never {
        assert_eq!((network.buffer_drops, ends.timeouts), (0, 0));
        assert_eq!(ends.retransmitted, Bytes::ZERO);
        assert_eq!(ends.arrived, asked);
        let packets = |done: &Completion| done.flow.request.size.get().div_ceil(MTU);
        assert_eq!(ends.packets, completions.iter().map(packets).sum::<u64>());
        // Each packet and its answer cross the path, and each pause frame one link.
        let crossings = completions.iter().zip(&paths);
        let there = crossings.map(|(done, path)| packets(done) * path.len() as u64);
        let frames = network.pauses + network.resumes;
        assert_eq!(network.packet_hops, 2 * there.sum::<u64>() + frames);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn bytes_packets_and_pauses_add_up(case in cases()) {
        check(&case);
    }
}

fn star(losses: Losses, switch: &str, cc: &str) -> Case {
    Case {
        scenario: format!(
            "[topology]\nkind = \"star\"\nhosts = 9\n[switch]\n{switch}\n[cc]\n{cc}\n\
             [rdma]\nrto_min = \"100ms\"\n\
             [[workload]]\nkind = \"incast\"\nfan_in = 8\nsize = \"200KB\"\nat = \"0us\""
        ),
        topology: String::new(),
        losses,
        threads: 1,
    }
}

const FLOOD: &str = "kind = \"none\"\nwindow_bdp = 0.0";

#[test]
fn a_flooded_switch_without_pfc_drops_and_every_flow_finishes() {
    let case = star(
        Losses::InSwitches,
        "pfc = false\nbuffer = \"256KiB\"",
        FLOOD,
    );
    check(&case);
    let mut simulation = simulation(&case);
    run_until_quiet(&mut simulation);
    assert!(simulation.counters().buffer_drops > 0);
    assert!(simulation.endpoint_counters().retransmitted > Bytes::ZERO);
    assert_eq!(simulation.counters().pauses, 0);
}

#[test]
fn a_flooded_switch_with_pfc_pauses_and_loses_nothing() {
    let case = star(Losses::Never, "pfc = true\nbuffer = \"1MiB\"", FLOOD);
    check(&case);
    let mut simulation = simulation(&case);
    run_until_quiet(&mut simulation);
    assert!(simulation.counters().pauses > 0);
}

#[test]
fn pauses_under_the_profile_stop_no_algorithm_for_ever() {
    let mut case = star(
        Losses::Never,
        "pfc = true\nbuffer = \"1MiB\"\nalpha = 0.0078125",
        "kind = \"none\"",
    );
    case.scenario.insert_str(0, "profile = \"ns3-hpcc\"\n");
    check(&case);
}

#[test]
fn pauses_spread_through_a_fabric_and_nothing_is_lost() {
    let case = Case {
        scenario: format!(
            "[topology]\nkind = \"leaf-spine\"\nleaves = 4\nhosts_per_leaf = 4\nspines = 2\n\
             [switch]\nbuffer = \"2MiB\"\nalpha = 0.0078125\n[cc]\n{FLOOD}\n\
             [rdma]\nrto_min = \"100ms\"\n\
             [[workload]]\nkind = \"incast\"\nfan_in = 15\nsize = \"200KB\"\nat = \"0us\"\n\
             [[workload]]\nkind = \"permutation\"\nsize = \"200KB\""
        ),
        topology: String::new(),
        losses: Losses::Never,
        threads: 2,
    };
    check(&case);
    let mut simulation = simulation(&case);
    run_until_quiet(&mut simulation);
    // More ports pause their neighbors than those that hosts are on.
    assert!(simulation.counters().pauses > 15);
}

#[test]
fn a_lossy_link_loses_and_every_flow_finishes() {
    let case = Case {
        scenario: "[topology]\nkind = \"file\"\npath = \"topology.txt\"\n[cc]\nkind = \"hpcc\"\n\
                   [[workload]]\nkind = \"permutation\"\nsize = \"2MB\""
            .to_owned(),
        topology: "4 1 3\n3\n0 3 100Gbps 1us 0.01\n1 3 100Gbps 1us 0\n2 3 25Gbps 3us 0.002\n"
            .to_owned(),
        losses: Losses::OnLinks,
        threads: 1,
    };
    check(&case);
    let mut simulation = simulation(&case);
    run_until_quiet(&mut simulation);
    assert!(simulation.counters().link_losses > 10);
    assert!(simulation.endpoint_counters().retransmitted > Bytes::ZERO);
}
