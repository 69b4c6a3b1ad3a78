//! Hosts with two NICs: the NICs by which flows leave and arrive. Hosts with links to a switch
//! inside of their server, alone or in addition to NICs.

use crate::support;
use std::fmt::Write as _;
use std::path::Path;

use crate::algorithms::cc_tables;
use fabricsim::{Scenario, Simulation};
use fabricsim_base::id::{NodeId, PortId};
use fabricsim_base::units::{Duration, Rate, Time};
use fabricsim_core::network::Stop;
use fabricsim_scenario::cc::registry::Transport;
use proptest::prelude::*;

/// Servers 0 to 7, top-of-rack switches 8 to 11. Ports 0 to 3 of a switch lead to the servers of
/// its pod, and NIC i of a server leads to switch i of its pod.
fn testbed(tables: &str) -> String {
    format!(
        r#"
            [topology]
            kind = "testbed"
            [[workload]]
            kind = "incast"
            fan_in = 7
            size = "20KB"
            receiver = 3
            period = "50us"
            duration = "500us"
            {tables}"#
    )
}

/// Returns the bytes that server 3 has received and sent by each of its NICs.
fn by_nic(simulation: &mut Simulation) -> [[u64; 2]; 2] {
    [0, 1].map(|nic| {
        let into = simulation.port(NodeId(8 + u32::from(nic)), PortId(3));
        let out = simulation.port(NodeId(3), PortId(nic));
        [into, out].map(|sample| sample.unwrap().sent.get())
    })
}

/// Returns the bytes that `server` has sent by each of its NICs.
fn sent(simulation: &mut Simulation, server: u32) -> [u64; 2] {
    [0, 1].map(|nic| {
        simulation
            .port(NodeId(server), PortId(nic))
            .unwrap()
            .sent
            .get()
    })
}

const ALGORITHMS: [&str; 2] = [
    r#"
    [cc]
    kind = "hpcc"
"#,
    r#"
    [cc]
    kind = "cubic"
"#,
];
/// Payload: ten events of seven senders.
const PAYLOAD: u64 = 10 * 7 * 20_000;

#[test]
fn flows_to_a_named_nic_arrive_there_alone() {
    for cc in ALGORITHMS {
        for nic in [0usize, 1] {
            let routing = format!("[routing]\nnics = [{{ class = 0, to = {nic} }}]\n");
            let mut simulation = support::run(&testbed(&format!("{cc}{routing}")), 1);
            let both = by_nic(&mut simulation);
            assert!(both[nic][0] > PAYLOAD, "{cc}{nic}: {both:?}");
            // Acknowledgements leave by the NIC that received the data.
            assert!(both[nic][1] > 0, "{cc}{nic}: {both:?}");
            assert_eq!(both[1 - nic], [0, 0], "{cc}{nic}");
            // Servers of the pod send by the NIC at the same switch, other servers by both.
            let other = sent(&mut simulation, 0)[1 - nic];
            assert_eq!(other, 0, "{cc}{nic}");
            assert!(sent(&mut simulation, 5).iter().all(|&bytes| bytes > 0));
        }
        let both = by_nic(&mut support::run(&testbed(cc), 1));
        assert!(both.iter().all(|nic| nic[0] > PAYLOAD / 10), "{both:?}");
    }
}

#[test]
fn acknowledgements_return_to_a_named_nic() {
    for cc in ALGORITHMS {
        let routing = "[routing]\nnics = [{ class = 0, from = 1, to = 0 }]\n";
        let mut simulation = support::run(&testbed(&format!("{cc}{routing}")), 1);
        for server in [0, 1, 2, 4, 5, 6, 7] {
            let [idle, busy] = sent(&mut simulation, server);
            assert!(idle == 0 && busy > 10 * 20_000, "{cc}: {idle} {busy}");
            let tor = |nic: u32| NodeId(8 + server / 4 * 2 + nic);
            let port = PortId(u16::try_from(server % 4).unwrap());
            let acks = [0, 1].map(|nic| simulation.port(tor(nic), port).unwrap().sent.get());
            assert!(acks[0] == 0 && acks[1] > 0, "{cc}: {acks:?}");
        }
        // The paths cross the pod, since T belongs to the longest path between NICs.
        let info = simulation.network_info();
        assert_eq!(info.path_stats.switches, 5);
    }
}

/// Each server has sent every second of its ten flows by each NIC.
#[test]
fn nics_take_turns() {
    for cc in ALGORITHMS {
        let text = testbed(&format!(
            r#"
            {cc}
            [routing]
            nic = "round-robin"
        "#
        ));
        let mut simulation = support::run(&text, 1);
        for server in [0, 1, 2, 4, 5, 6, 7] {
            let [one, other] = sent(&mut simulation, server);
            assert!(one.abs_diff(other) < 2_000, "{cc}: {one} {other}");
        }
    }
}

#[test]
fn threads_change_nothing() {
    let routing = r#"
        [routing]
        nic = "round-robin"
        nics = [{ class = 0, to = 1 }]
    "#;
    for cc in ALGORITHMS {
        let text = testbed(&format!("{cc}{routing}"));
        let finishes = |threads| -> Vec<Time> {
            let mut simulation = support::run(&text, threads);
            let mut done = simulation.take_completions();
            done.sort_by_key(|completion| completion.flow.id);
            done.iter().map(|completion| completion.finish).collect()
        };
        let one = finishes(1);
        assert_eq!(one.len(), 70);
        for threads in [2, 3, 8] {
            assert_eq!(finishes(threads), one, "{cc}");
        }
    }
}

/// The base round trip of a flow between named NICs belongs to its own path, which crosses the pod
/// if the NICs are at different switches.
#[test]
fn the_ideal_is_that_of_the_flows_own_path() {
    let text = r#"
        [topology]
        kind = "testbed"
        [[workload]]
        kind = "poisson"
        sizes = "1KB"
        load = 0.001
        duration = "1ms"
        sources = ["0"]
        destinations = ["3"]
        [cc]
        kind = "dcqcn"
        [routing]
    "#;
    for (nics, rtt) in [("from = 0, to = 0", 5_440), ("from = 1, to = 0", 8_500)] {
        let text = format!("{text}nics = [{{ class = 0, {nics} }}]\n");
        let mut simulation = support::run(&text, 1);
        let done = simulation.take_completions();
        assert!(!done.is_empty());
        for completion in &done {
            assert_eq!(
                completion.flow.path.base_rtt,
                Duration::from_ns(rtt),
                "{nics}"
            );
        }
    }
}

#[test]
fn a_named_nic_whose_link_is_down_is_out_of_reach() {
    let text = r#"
        [[event]]
        at = "0s"
        kind = "link-down"
        link = [3, 8]
        [cc]
        kind = "dcqcn"
        [routing]
        nics = [{ class = 0, to = 0 }]
    "#;
    let scenario = Scenario::from_text("nics.toml", &testbed(text), Path::new("."), &[]);
    let mut simulation = Simulation::new(&scenario.unwrap(), 1).unwrap();
    simulation.run_until(Time::MAX);
    assert_eq!(simulation.take_completions(), []);
    assert_eq!(simulation.unreachable().len(), 70);
}

/// Servers of `gpus` each in the format of SimAI's generator: each GPU has a link to each of the
/// `nvswitches` of its server at 2,880 Gbps and, if there are `leaves`, to each leaf at 400 Gbps.
fn simai(servers: u32, gpus: u32, nvswitches: u32, leaves: u32) -> String {
    let all = servers * gpus;
    let inner = servers * nvswitches;
    let first_leaf = all + inner;
    let nodes = first_leaf + leaves;
    let links = all * (nvswitches + leaves);
    let mut text = format!("{nodes} {gpus} {inner} {leaves} {links} H100\n");
    for switch in all..nodes {
        write!(text, "{switch} ").unwrap();
    }
    for gpu in 0..all {
        let first = all + gpu / gpus * nvswitches;
        for switch in first..first + nvswitches {
            write!(text, "\n{gpu} {switch} 2880Gbps 25ns 0").unwrap();
        }
        for leaf in first_leaf..nodes {
            write!(text, "\n{gpu} {leaf} 400Gbps 500ns 0").unwrap();
        }
    }
    text
}

/// A ring of 4 hosts without a switch, 25 Gbps and 5 us to each neighbor.
fn ring(workload: &str) -> Simulation {
    let folder = tempfile::tempdir().unwrap();
    let links = "0 1 25Gbps 5us 0\n1 2 25Gbps 5us 0\n2 3 25Gbps 5us 0\n3 0 25Gbps 5us 0\n";
    std::fs::write(folder.path().join("ring.txt"), format!("4 0 4\n\n{links}")).unwrap();
    let text = format!(
        r#"
            [topology]
            kind = "file"
            path = "ring.txt"
            [cc]
            kind = "none"
            [[workload]]
            {workload}
        "#
    );
    let scenario = Scenario::from_text("ring.toml", &text, folder.path(), &[]).unwrap();
    Simulation::new(&scenario, 1).unwrap()
}

#[test]
fn a_ring_without_a_switch_carries_what_neighbors_send() {
    let mut simulation = ring(
        r#"kind = "collective"
            operation = "all-reduce"
            size = "400KB""#,
    );
    assert_eq!(simulation.run_until(Time::MAX), Stop::Finished);
    assert!(simulation.unreachable().is_empty());
    // Six steps of 100 packets of 1,048 bytes, 335.36 ns each, and 5 us of link.
    let step = Duration::from_ns(33_536 + 5_000);
    assert_eq!(simulation.now().since(Time::ZERO).as_ps() / step.as_ps(), 6);
}

#[test]
fn hosts_do_not_forward() {
    let mut simulation = ring(
        r#"kind = "incast"
            fan_in = 3
            receiver = 0
            size = "1KB"
            at = "0s""#,
    );
    assert_eq!(simulation.run_until(Time::MAX), Stop::Finished);
    let [apart] = simulation.unreachable() else {
        panic!("one flow, not {:?}", simulation.unreachable());
    };
    assert_eq!((apart.src, apart.dst), (NodeId(2), NodeId(0)));
    let why = simulation.unreachable_reason(0);
    assert!(why.contains("hosts do not forward"), "{why}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// GPUs of one server without leaves have the rate of their inner links as NIC rate, all other
    /// GPUs the rate of their NICs. Every algorithm and kind of traffic accepts it.
    #[test]
    fn hosts_have_a_nic_rate_whatever_their_links_lead_to(
        servers in 1u32..4,
        gpus in 2u32..5,
        nvswitches in 1u32..4,
        leaves in 0u32..3,
        choice in 0usize..1_000,
        traffic in 0usize..4,
    ) {
        // Several servers need leaves, because otherwise they are not connected.
        let leaves = leaves.max(u32::from(servers > 1));
        let tables: Vec<String> = [Transport::Rdma, Transport::Tcp]
            .into_iter()
            .flat_map(cc_tables)
            .collect();
        let cc = &tables[choice % tables.len()];
        let traffic = [
            r#"kind = "permutation"
                size = "100KB""#,
            r#"kind = "incast"
                fan_in = 1
                receiver = 0
                size = "100KB"
                at = "0s""#,
            r#"kind = "poisson"
                sizes = "100KB"
                load = 0.3
                duration = "20us""#,
            r#"kind = "collective"
                operation = "all-reduce"
                size = "400KB""#,
        ][traffic];
        let folder = tempfile::tempdir().unwrap();
        let file = simai(servers, gpus, nvswitches, leaves);
        std::fs::write(folder.path().join("servers.txt"), &file).unwrap();
        let text = format!(
            r#"
                [topology]
                kind = "file"
                path = "servers.txt"
                [cc]
                {cc}
                [[workload]]
                {traffic}
            "#
        );
        let scenario = Scenario::from_text("servers.toml", &text, folder.path(), &[]);
        let scenario = scenario.unwrap_or_else(|error| panic!("{text}{file}{error}"));
        // Inner links count only if they are the only ones.
        let gbps = if leaves == 0 { 2_880 } else { 400 };
        prop_assert_eq!(scenario.nic_rate(), Rate::from_gbps(gbps));
        let ports = if leaves == 0 { nvswitches } else { leaves };
        for host in &*scenario.workload_context(0).hosts {
            prop_assert_eq!(host.rate, Rate::from_gbps(gbps * u64::from(ports)));
        }
        let mut simulation = Simulation::new(&scenario, 1).unwrap();
        prop_assert_eq!(simulation.run_until(Time::MAX), Stop::Finished, "{}", text);
    }
}
