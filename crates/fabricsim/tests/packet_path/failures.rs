//! Links and switches fail and recover: every flow ends or reports the reason, every byte is
//! accounted for, and threads do not matter.

mod dumbbells;
mod pauses;
mod random;
mod switches;

use crate::support;
use std::fmt::Write as _;

use fabricsim::{Scenario, Simulation};
use fabricsim_base::flow::{Completion, FlowRequest};
use fabricsim_base::id::{ClassId, NodeId};
use fabricsim_base::priority::Priority;
use fabricsim_base::units::{Bytes, Duration, Rate, Time};
use fabricsim_core::network::Stop;
use fabricsim_scenario::cc::registry::{CONGESTION_CONTROLS, Transport};
use fabricsim_scenario::schema::event::{Event, EventKind, LinkName};

/// 54 hosts, then 18 top-of-rack switches from 54, 18 aggregation switches from 72, 9 cores from
/// 90.
const FAT_TREE: &str = r#"
    [topology]
    kind = "fat-tree"
    k = 6
"#;

const TRAFFIC: &str = r#"
    [[workload]]
    kind = "permutation"
    size = "400KB"
    [[workload]]
    kind = "poisson"
    sizes = "hadoop"
    load = 0.3
    duration = "100us"
"#;

const QUICK_TIMEOUT: &str = r#"
    [rdma]
    rto_min = "100us"
"#;

fn us(us: u64) -> Time {
    Time::from_ns(us * 1_000)
}

fn event(at_us: u64, what: &str) -> String {
    format!(
        r#"
        [[event]]
        at = "{at_us}us"
        {what}
    "#
    )
}

/// Runs to the end of all flows, and until none of their packets is in the network. Checks that
/// every sent byte has then arrived or is known to be lost.
fn finish(simulation: &mut Simulation) -> Vec<Completion> {
    assert_eq!(simulation.run_until(Time::MAX), Stop::Finished);
    let [first, .., last] = *simulation.routes().topology().hosts() else {
        panic!("a network has two hosts");
    };
    let byte = FlowRequest {
        src: first,
        dst: last,
        size: Bytes::new(1),
        start: simulation.now() + Duration::from_ms(100),
        class: ClassId(9),
        priority: Priority::new(3),
        src_port: None,
        dst_port: 100,
    };
    simulation.inject(byte).unwrap();
    assert_eq!(simulation.run_until(Time::MAX), Stop::Finished);
    assert_balance(simulation);
    assert!(simulation.unfinished().is_empty());
    assert_eq!(simulation.queued_bytes(), Bytes::ZERO);
    assert_eq!(simulation.paused_ports(), 0);
    simulation.take_completions()
}

/// Checks that every sent byte has arrived or was lost. Call it when no packet is in flight.
fn assert_balance(simulation: &Simulation) {
    let (network, ends) = (simulation.counters(), simulation.endpoint_counters());
    assert_eq!(
        ends.sent.get(),
        ends.arrived.get() + network.lost_payload.get()
    );
}

/// Runs `text` to its end on several numbers of threads, and checks for equal results.
fn finish_on_any_threads(text: &str) -> Simulation {
    let mut alone = support::simulation(text, 1);
    let expected = finish(&mut alone);
    assert_eq!(expected.len() as u64, alone.flows_started());
    for threads in [2, 3, 8] {
        let mut other = support::simulation(text, threads);
        assert_eq!(finish(&mut other), expected, "{threads} threads");
        assert_eq!(other.counters(), alone.counters(), "{threads} threads");
        assert_eq!(other.epochs(), alone.epochs(), "{threads} threads");
    }
    alone
}

/// Runs `test` with the `[cc]` table of each algorithm, and with the number of packets that a link
/// must carry when it fails. RDMA starts at line rate; TCP that is paced from its first segment on
/// may have none.
fn each_algorithm(test: impl Fn(&str, u64)) {
    for cc in CONGESTION_CONTROLS {
        println!("{}", cc.name);
        let cut = match cc.transport {
            Transport::Rdma => 11,
            Transport::Tcp => 0,
        };
        test(
            &format!(
                r#"
            [cc]
            kind = "{}"
        "#,
                cc.name
            ),
            cut,
        );
    }
}

#[test]
fn a_link_that_flaps_holds_up_no_flow_under_any_algorithm() {
    each_algorithm(|cc, cut| {
        let text = [
            FAT_TREE,
            TRAFFIC,
            QUICK_TIMEOUT,
            &event(
                30,
                r#"kind = "link-down"
                link = [54, 72]"#,
            ),
            &event(
                60,
                r#"kind = "link-up"
                link = [72, 54]"#,
            ),
            &event(
                40,
                r#"kind = "link-down"
                link = [0, 54]"#,
            ),
            &event(
                90,
                r#"kind = "link-up"
                link = [0, 54]"#,
            ),
            cc,
        ]
        .concat();
        // Host 0 has one link, so a flow that it would start meanwhile has no route.
        let simulation = support::run(&text, 1);
        assert_eq!(simulation.flows_finished(), simulation.flows_started());
        assert!(simulation.counters().link_down_drops >= cut);
        assert!(simulation.endpoint_counters().timeouts > 0);

        let fabric_only = text.replace("[0, 54]", "[55, 73]");
        let simulation = finish_on_any_threads(&fabric_only);
        assert!(simulation.counters().link_down_drops >= cut);
    });
}

#[test]
fn packets_are_lost_until_routes_converge() {
    let run = |convergence: &str| {
        let text = [
            FAT_TREE,
            TRAFFIC,
            QUICK_TIMEOUT,
            &event(
                20,
                r#"kind = "switch-down"
                switch = 90"#,
            ),
            &format!(
                r#"
                [routing]
                convergence = "{convergence}"
                [cc]
                kind = "none"
            "#
            ),
        ]
        .concat();
        finish_on_any_threads(&text).counters().link_down_drops
    };
    let (at_once, late) = (run("0s"), run("50us"));
    assert!(late > at_once + 100, "{late} and {at_once}");
}

/// One packet from host 0 to host 1 over leaf 2, spine 4 and leaf 3. No process listens to the
/// spine for 1 us, so it may defer its work. An event that changes nothing, shortly before a
/// failure or a sample, must not make it forget this work.
#[test]
fn an_event_before_a_failure_changes_nothing() {
    let journey = |at_ns: u64, harmless: bool| {
        let mut text = r#"
            [topology]
            kind = "leaf-spine"
            leaves = 2
            hosts_per_leaf = 1
            spines = 1
            host_delay = "100ns"
            [rdma]
            rto_min = "100us"
            [[workload]]
            kind = "incast"
            fan_in = 1
            receiver = 1
            size = "1KB"
            at = "0us"
            [cc]
            kind = "hpcc"
        "#
        .to_owned();
        for (at_ns, what) in [
            (
                at_ns,
                r#"kind = "link-down"
                link = [2, 4]"#,
            ),
            (
                at_ns + 50,
                r#"kind = "link-up"
                link = [2, 4]"#,
            ),
            (
                at_ns - 200,
                r#"kind = "link-loss"
                    link = [1, 3]
                    loss = 0.0"#,
            ),
        ] {
            if harmless || !what.contains("loss") {
                writeln!(
                    text,
                    r#"
                    [[event]]
                    at = "{at_ns}ns"
                    {what}"#
                )
                .unwrap();
            }
        }
        // A sample between the harmless event and the failure must show the same packets, too.
        let mut simulation = support::simulation(&text, 1);
        let until = Time::from_ns(at_ns - 100);
        assert_eq!(simulation.run_until(until), Stop::TimeReached);
        let on_the_way = simulation.counters();
        let done = finish(&mut simulation);
        (on_the_way, simulation.counters(), done[0])
    };
    let mut lost = 0;
    for at_ns in (200..4_500).step_by(50) {
        let alone = journey(at_ns, false);
        assert_eq!(journey(at_ns, true), alone, "{at_ns} ns");
        lost += u32::from(alone.1.link_down_drops > 0);
    }
    // The packet and its ACK are on the link, each for about 1.1 us, or are still to cross it.
    assert!((40..60).contains(&lost), "{lost}");
}

#[test]
fn a_route_round_a_failure_may_be_longer_than_any_before() {
    // A ring of eight switches: without the link 8-9 the path from host 0 to host 1 has eight.
    let mut file = "16 8 16\n8 9 10 11 12 13 14 15\n".to_owned();
    for index in 0..8 {
        let (switch, next) = (8 + index, 8 + (index + 1) % 8);
        writeln!(file, "{index} {switch} 100Gbps 1us 0").unwrap();
        writeln!(file, "{switch} {next} 100Gbps 1us 0").unwrap();
    }
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("ring.txt"), file).unwrap();
    let read = |head: &str, tail: &str| {
        let text = format!(
            r#"
                {head}
                [topology]
                kind = "file"
                path = "ring.txt"
                [rdma]
                rto_min = "100us"
                [[workload]]
                kind = "all-to-all"
                size = "100KB"
                [cc]
                kind = "hpcc"
                {tail}"#
        );
        Scenario::from_text("ring", &text, dir.path(), &[]).unwrap()
    };
    let cut = event(
        20,
        r#"kind = "link-down"
        link = [8, 9]"#,
    );
    let mut simulation = Simulation::new(&read("", &cut), 1).unwrap();
    // Room for eight hops: 2 bytes and 8 for each.
    assert_eq!(simulation.network_info().telemetry_bytes, 66);
    finish(&mut simulation);

    let refused = Simulation::new(&read("profile = \"ns3-hpcc\"\n", &cut), 1).unwrap_err();
    assert!(refused.to_string().contains("5 hops"), "{refused}");

    // If the scenario lacks the event, there is no room for such paths.
    let mut simulation = Simulation::new(&read("", ""), 1).unwrap();
    let refused = simulation
        .schedule(Event {
            at: us(20),
            kind: EventKind::LinkDown(LinkName::between(NodeId(8), NodeId(9))),
        })
        .unwrap_err();
    assert!(refused.to_string().contains("8 switches"), "{refused}");
}

#[test]
fn events_can_be_scheduled_while_a_simulation_runs() {
    // The same events once in the scenario and once from the program must give the same run.
    let quiet = [
        FAT_TREE,
        TRAFFIC,
        QUICK_TIMEOUT,
        r#"
        [cc]
        kind = "hpcc"
    "#,
    ]
    .concat();
    let scripted = [
        quiet.as_str(),
        &event(
            30,
            r#"kind = "link-down"
            link = [54, 72]"#,
        ),
        &event(
            60,
            r#"kind = "switch-down"
            switch = 90"#,
        ),
    ]
    .concat();
    let link = LinkName::between(NodeId(54), NodeId(72));
    let mut embedded = support::simulation(&quiet, 2);
    let down = |at| Event {
        at,
        kind: EventKind::LinkDown(link),
    };
    embedded.schedule(down(us(30))).unwrap();
    assert_eq!(embedded.run_until(us(45)), Stop::TimeReached);
    embedded
        .schedule(Event {
            at: us(60),
            kind: EventKind::SwitchDown(NodeId(90)),
        })
        .unwrap();
    // Refused events must change nothing, so the comparison below includes them.
    for (event, says) in [
        (down(us(44)), "it is 45us now"),
        (
            Event {
                at: us(50),
                kind: EventKind::LinkDown(LinkName::between(NodeId(0), NodeId(1))),
            },
            "no link joins host0 (node 0) and host1 (node 1)",
        ),
        (
            Event {
                at: us(50),
                kind: EventKind::LinkRate(link, Rate::from_gbps(7)),
            },
            "no code for 7Gbps",
        ),
    ] {
        let refused = embedded.schedule(event).unwrap_err().to_string();
        assert!(refused.contains(says), "{refused}");
    }
    assert_eq!(
        finish(&mut embedded),
        finish(&mut support::simulation(&scripted, 1))
    );
}
