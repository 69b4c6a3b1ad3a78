//! Hosts that forward: meshes without switches, and servers whose GPUs are linked directly.

use std::fmt::Write as _;

use crate::support;
use fabricsim::{Scenario, Simulation};
use fabricsim_base::flow::Completion;
use fabricsim_base::id::NodeId;
use fabricsim_base::units::{Duration, Time};
use fabricsim_core::network::Stop;

/// A packet of 1,000 bytes has 1,048 on the wire: 335.36 ns at 25 Gbps.
const PACKET: Duration = Duration::from_ps(335_360);

/// Flows as (source, destination, bytes, start in ns).
type Flow = (u32, u32, u64, u64);

/// Returns the simulation of `flows` at line rate with the tables `more`.
fn simulation(more: &str, flows: &[Flow], threads: usize) -> Simulation {
    let folder = tempfile::tempdir().unwrap();
    let mut list = "src,dst,size_bytes,start_ns\n".to_owned();
    for (src, dst, size, start) in flows {
        writeln!(list, "{src},{dst},{size},{start}").unwrap();
    }
    std::fs::write(folder.path().join("flows.csv"), list).unwrap();
    let text = format!(
        r#"
            {more}
            [[workload]]
            kind = "list"
            path = "flows.csv"
            [cc]
            kind = "none"
            window_bdp = 0
        "#
    );
    let scenario = Scenario::from_text("mesh", &text, folder.path(), &[]);
    let scenario = scenario.unwrap_or_else(|error| panic!("{error}\n{text}"));
    Simulation::new(&scenario, threads).unwrap()
}

fn ended(mut simulation: Simulation) -> Vec<Completion> {
    assert_eq!(simulation.run_until(Time::MAX), Stop::Finished);
    assert!(simulation.unreachable().is_empty());
    let mut done = simulation.take_completions();
    done.sort_by_key(|completion| completion.flow.id);
    let ideal = simulation.ideal();
    if let [alone] = &*done {
        assert_eq!(ideal.of(alone), alone.fct(), "the ideal is exact");
    }
    done
}

/// Returns the completion time of a single flow.
fn fct(more: &str, flow: Flow) -> Duration {
    let done = ended(simulation(more, &[flow], 1));
    done[0].fct()
}

fn ring(hosts: u32, host: &str) -> String {
    format!(
        r#"
            [topology]
            kind = "mesh"
            hosts = {hosts}
            rate = "25Gbps"
            delay = "5us"
            [host]
            {host}
        "#
    )
}

/// Each link of the way costs a packet and its acknowledgement the time that they take between two
/// hosts on one link, and each host between two links the delay of forwarding, twice. The packets
/// of a longer flow follow each other without gaps.
#[test]
fn a_way_over_hosts_is_store_and_forward_with_a_delay_at_each() {
    let link = fct(&ring(2, ""), (0, 1, 1_000, 0));
    for (host, delay) in [
        ("forward = true", Duration::ZERO),
        (
            "forward = true\nforwarding_delay = \"700ns\"",
            Duration::from_ns(700),
        ),
    ] {
        for (hosts, dst, links) in [
            (4, 1, 1u64),
            (4, 2, 2),
            (8, 7, 1),
            (8, 2, 2),
            (8, 5, 3),
            (8, 4, 4),
        ] {
            for packets in [1, 10] {
                let own = fct(&ring(hosts, host), (0, dst, packets * 1_000, 0));
                let hops = delay * (2 * (links - 1));
                let expected = link * links + hops + PACKET * (packets - 1);
                assert_eq!(own, expected, "{hosts} {dst} {packets} {delay}");
            }
        }
    }
}

/// Without packets that pass through, hosts that forward have the times of hosts that do not.
#[test]
fn neighbors_notice_nothing_of_forwarding() {
    let text = |forward: bool| {
        format!(
            r#"
                {}
                [[workload]]
                kind = "collective"
                operation = "all-reduce"
                size = "400KB"
                [[workload]]
                kind = "collective"
                operation = "all-gather"
                size = "123KB"
                [cc]
                kind = "dcqcn"
            "#,
            ring(8, &format!("forward = {forward}"))
        )
    };
    let run = |forward: bool, threads: usize| {
        let mut simulation = support::run(&text(forward), threads);
        let mut done = simulation.take_completions();
        done.sort_by_key(|completion| completion.flow.id);
        (
            done.iter().map(Completion::fct).collect::<Vec<_>>(),
            simulation.now(),
        )
    };
    let plain = run(false, 1);
    for threads in [1, 2, 3] {
        assert_eq!(run(true, threads), plain);
    }
}

/// 2 (8 - 1) steps of 50 packets and a link.
#[test]
fn an_all_reduce_over_a_ring_of_eight_takes_fourteen_steps() {
    let text = format!(
        r#"
            {}
            [[workload]]
            kind = "collective"
            operation = "all-reduce"
            size = "400KB"
            [cc]
            kind = "none"
        "#,
        ring(8, "forward = true")
    );
    let simulation = support::run(&text, 2);
    let step = PACKET * 50 + Duration::from_us(5);
    let took = simulation.now().since(Time::ZERO).as_ps();
    assert_eq!(took / step.as_ps(), 14);
}

/// Two flows of 100 packets share the link from host 1 to host 2: the own packets of host 1 and the
/// packets that pass through take turns, so both flows end within a packet of each other.
#[test]
fn own_packets_and_passing_packets_take_turns() {
    let flows = [(0, 2, 100_000, 0), (1, 2, 100_000, 5_335)];
    let done = ended(simulation(&ring(5, "forward = true"), &flows, 1));
    let ends: Vec<u64> = done.iter().map(|done| done.finish.as_ps()).collect();
    let acks = (done[0].fct() - done[1].fct()).as_ps();
    assert!(acks > 0, "{ends:?}");
    // The acknowledgements of the first flow have one more link, of 5 us and less than a packet.
    let apart = ends[0].abs_diff(ends[1] + 5_000_000);
    assert!(apart <= 2 * PACKET.as_ps(), "{ends:?}");
    // 200 packets on one wire.
    assert!(ends[1] > 200 * PACKET.as_ps(), "{ends:?}");
}

#[test]
fn a_failed_link_turns_the_way_around() {
    let link = fct(&ring(2, ""), (0, 1, 1_000, 0));
    let failing = format!(
        r#"
            {}
            [[event]]
            kind = "link-down"
            link = [0, 1]
            at = "10us"
        "#,
        ring(4, "forward = true")
    );
    let done = ended(simulation(&failing, &[(0, 1, 1_000, 1_000_000)], 1));
    assert_eq!(done[0].fct(), link * 3);
    assert_eq!(done[0].flow.path.switches, 2);
}

#[test]
fn two_hosts_without_a_way_are_told_the_key() {
    let mut simulation = simulation(&ring(4, ""), &[(0, 2, 1_000, 0)], 1);
    assert_eq!(simulation.run_until(Time::MAX), Stop::Finished);
    let [apart] = simulation.unreachable() else {
        panic!("one flow, not {:?}", simulation.unreachable());
    };
    assert_eq!((apart.src, apart.dst), (NodeId(0), NodeId(2)));
    let why = simulation.unreachable_reason(0);
    assert!(why.contains("[host] forward = true"), "{why}");
}

/// Seven hosts in a ring, each of which sends to the third one clockwise. Links carry three flows,
/// and own packets get half of each link, so what passes through waits until all pause all.
#[test]
fn a_full_ring_of_hosts_is_a_deadlock() {
    let flows: Vec<Flow> = (0..7)
        .map(|host| (host, (host + 3) % 7, 3_000_000, 0))
        .collect();
    let more = format!(
        "{}[switch]\nbuffer = \"400KB\"\n",
        ring(7, "forward = true").replace("5us", "500ns")
    );
    let mut seen = Vec::new();
    for threads in [1, 3] {
        let mut simulation = simulation(&more, &flows, threads);
        assert_eq!(simulation.run_until(Time::MAX), Stop::Deadlocked);
        seen.push((simulation.deadlock(), simulation.now()));
    }
    assert_eq!(seen[0], seen[1], "threads do not matter");
    let nodes: Vec<u32> = seen[0].0.iter().map(|port| port.node.0).collect();
    assert_eq!(nodes, [0, 1, 2, 3, 4, 5, 6]);
}

/// A workload over a mesh whose hosts forward.
fn mesh(shape: &str, cc: &str, more: &str) -> String {
    format!(
        r#"
            [topology]
            kind = "mesh"
            {shape}
            delay = "600ns"
            [host]
            forward = true
            forwarding_delay = "300ns"
            [cc]
            {cc}
            [[workload]]
            kind = "all-to-all"
            size = "20KB"
            [[workload]]
            kind = "poisson"
            sizes = "websearch"
            load = 0.3
            duration = "60us"
            {more}
        "#
    )
}

const SHAPES: [&str; 5] = [
    r#"shape = "ring"
        hosts = 5"#,
    r#"shape = "dgx-1""#,
    r#"shape = "hypercube"
        hosts = 16"#,
    r#"shape = "torus"
        dims = [4, 3]"#,
    r#"shape = "full"
        hosts = 4
        links = 2"#,
];

#[test]
fn threads_and_checkpoints_do_not_matter() {
    let failing = r#"
        [[event]]
        kind = "link-down"
        link = [0, 1]
        at = "20us"
        [[event]]
        kind = "link-up"
        link = [0, 1]
        at = "50us"
        [rdma]
        rto_min = "100us"
    "#;
    let ccs = [
        (r#"kind = "hpcc""#, ""),
        (r#"kind = "dcqcn""#, failing),
        (r#"kind = "cubic""#, ""),
        (r#"kind = "swift""#, "[routing]\npolicy = \"random\""),
        (r#"kind = "hpcc-pint""#, ""),
    ];
    for (shape, (cc, more)) in SHAPES.into_iter().zip(ccs) {
        let text = mesh(shape, cc, more);
        let end = |mut simulation: Simulation| {
            let stop = simulation.run_until(Time::MAX);
            assert_eq!(stop, Stop::Finished, "{text}");
            assert!(simulation.unfinished().is_empty());
            let mut done = simulation.take_completions();
            done.sort_by_key(|completion| (completion.finish, completion.flow.id));
            (format!("{done:?}"), format!("{:?}", simulation.counters()))
        };
        let whole = end(support::simulation(&text, 1));
        for threads in [2, 3] {
            assert_eq!(end(support::simulation(&text, threads)), whole, "{text}");
        }
        for at in [7_300, 31_000, 55_001] {
            let mut simulation = support::simulation(&text, 2);
            simulation.run_until(Time::from_ns(at));
            let checkpoint = simulation.snapshot().unwrap();
            let scenario = support::scenario(&text);
            let restored = Simulation::restore(&scenario, 1, &checkpoint).unwrap();
            let (_, counters) = end(restored);
            assert_eq!(counters, whole.1, "{at} ns\n{text}");
        }
    }
}

/// In a server with the links of a DGX-1, GPU 0 reaches GPU 1 directly. GPU 5 is two links away
/// inside of the server if GPUs forward, and otherwise behind two leaves and a spine.
#[test]
fn servers_without_a_switch_use_their_mesh() {
    let switches = |host: &str, dst: u32| {
        let more = format!(
            r#"
                [topology]
                kind = "rail"
                servers = 2
                servers_per_unit = 2
                spines = 2
                server_mesh = "dgx-1"
                server_rate = "200Gbps"
                [host]
                {host}
            "#
        );
        ended(simulation(&more, &[(0, dst, 1_000, 0)], 1))[0]
            .flow
            .path
            .switches
    };
    assert_eq!(switches("", 1), 0);
    assert_eq!(switches("", 5), 3);
    assert_eq!(switches("", 8), 1);
    assert_eq!(switches("forward = true", 1), 0);
    assert_eq!(switches("forward = true", 5), 1);
    // Through the server and the rail of the other GPU, as with NCCL's PXN.
    assert_eq!(switches("forward = true", 9), 2);
}
