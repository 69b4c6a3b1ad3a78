//! Links and switches fail and come back: every flow ends or says why not, every byte is accounted
//! for, and threads do not matter.

#![allow(
    clippy::unwrap_used,
    reason = "a test may stop at what it did not expect"
)]

use std::fmt::Write as _;

use fabricsim::{Scenario, Simulation};
use fabricsim_core::flow::{Completion, FlowRequest};
use fabricsim_core::id::{ClassId, NodeId};
use fabricsim_core::network::Stop;
use fabricsim_core::packet::Priority;
use fabricsim_core::units::{Bytes, Duration, Rate, Time};
use fabricsim_scenario::cc::registry::{CONGESTION_CONTROLS, Transport};
use fabricsim_scenario::schema::event::{Event, EventKind, LinkName};
use proptest::prelude::*;

/// 54 hosts, then 18 top-of-rack switches from 54, 18 aggregation switches from 72, 9 cores from 90.
const FAT_TREE: &str = "[topology]\nkind = \"fat-tree\"\nk = 6\n";
const TRAFFIC: &str = "[[workload]]\nkind = \"permutation\"\nsize = \"400KB\"\n\
                       [[workload]]\nkind = \"poisson\"\nsizes = \"hadoop\"\nload = 0.3\n\
                       duration = \"100us\"\n";
const QUICK_TIMEOUT: &str = "[rdma]\nrto_min = \"100us\"\n";

fn simulation(text: &str, threads: usize) -> Simulation {
    let scenario = Scenario::from_toml(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    Simulation::new(&scenario, threads).unwrap()
}

fn us(us: u64) -> Time {
    Time::from_ns(us * 1_000)
}

fn event(at_us: u64, what: &str) -> String {
    format!("[[event]]\nat = \"{at_us}us\"\n{what}\n")
}

/// Runs to the end of all flows, and until nothing of theirs is under way any more; then every byte
/// that was sent has arrived or is known to be lost.
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

/// What was sent has arrived or is lost; call it when nothing is under way.
fn assert_balance(simulation: &Simulation) {
    let (network, ends) = (simulation.counters(), simulation.endpoint_counters());
    assert_eq!(ends.sent.get(), ends.arrived.get() + network.lost_payload);
}

/// Runs `text` to its end on several numbers of threads, to the same results.
fn finish_on_any_threads(text: &str) -> Simulation {
    let mut alone = simulation(text, 1);
    let expected = finish(&mut alone);
    assert_eq!(expected.len() as u64, alone.flows_started());
    for threads in [2, 3, 8] {
        let mut other = simulation(text, threads);
        assert_eq!(finish(&mut other), expected, "{threads} threads");
        assert_eq!(other.counters(), alone.counters(), "{threads} threads");
        assert_eq!(other.epochs(), alone.epochs(), "{threads} threads");
    }
    alone
}

/// Runs `test` with the `[cc]` table of each algorithm, and with how many packets a link must have under way when it
/// fails: TCP starts with ten segments, RDMA at line rate.
fn each_algorithm(test: impl Fn(&str, u64)) {
    for cc in CONGESTION_CONTROLS {
        println!("{}", cc.name);
        let cut = match cc.transport {
            Transport::Rdma => 10,
            Transport::Tcp => 0,
        };
        test(&format!("[cc]\nkind = \"{}\"\n", cc.name), cut);
    }
}

#[test]
fn a_link_that_flaps_holds_up_no_flow_under_any_algorithm() {
    each_algorithm(|cc, cut| {
        let text = [
            FAT_TREE,
            TRAFFIC,
            QUICK_TIMEOUT,
            &event(30, "kind = \"link-down\"\nlink = [54, 72]"),
            &event(60, "kind = \"link-up\"\nlink = [72, 54]"),
            &event(40, "kind = \"link-down\"\nlink = [0, 54]"),
            &event(90, "kind = \"link-up\"\nlink = [0, 54]"),
            cc,
        ]
        .concat();
        // Host 0 has one link: a flow that it would start meanwhile has no route.
        let mut simulation = simulation(&text, 1);
        assert_eq!(simulation.run_until(Time::MAX), Stop::Finished);
        assert_eq!(simulation.flows_finished(), simulation.flows_started());
        assert!(simulation.counters().link_down_drops > cut);
        assert!(simulation.endpoint_counters().timeouts > 0);

        let fabric_only = text.replace("[0, 54]", "[55, 73]");
        let simulation = finish_on_any_threads(&fabric_only);
        assert!(simulation.counters().link_down_drops > cut);
    });
}

#[test]
fn a_core_or_aggregation_switch_can_be_lost_for_ever() {
    each_algorithm(|cc, cut| {
        for switch in [90, 72] {
            let lost = event(30, &format!("kind = \"switch-down\"\nswitch = {switch}"));
            let text = [FAT_TREE, TRAFFIC, QUICK_TIMEOUT, &lost, cc].concat();
            let simulation = finish_on_any_threads(&text);
            let counters = simulation.counters();
            assert!(counters.link_down_drops > cut, "{counters:?}");
            assert_eq!(counters.no_route, 0);
        }
    });
}

#[test]
fn the_flows_of_a_lost_rack_are_reported_and_the_others_finish() {
    let lost = event(30, "kind = \"switch-down\"\nswitch = 54");
    let cc = "[run]\nstall_after = \"50ms\"\n[cc]\nkind = \"hpcc\"\n";
    let text = [FAT_TREE, TRAFFIC, QUICK_TIMEOUT, &lost, cc].concat();
    let run = |threads| {
        let mut simulation = simulation(&text, threads);
        assert_eq!(simulation.run_until(Time::MAX), Stop::Stalled);
        let left = simulation.unfinished();
        let in_rack = |node: NodeId| (0..3).contains(&node.0);
        assert!(left.len() >= 2, "{left:?}");
        for unfinished in &left {
            let request = &unfinished.flow.request;
            assert!(in_rack(request.src) || in_rack(request.dst), "{request:?}");
            let reason = format!(
                "no route from host {} to host {}: switch 54 is down since 30us",
                request.src, request.dst
            );
            assert!(
                unfinished.reason.starts_with(&reason),
                "{}",
                unfinished.reason
            );
        }
        let apart = simulation.unreachable();
        assert!(!apart.is_empty());
        for (index, request) in apart.iter().enumerate() {
            assert!(in_rack(request.src) || in_rack(request.dst), "{request:?}");
            assert!(request.start >= us(30));
            let reason = simulation.unreachable_reason(index);
            assert!(reason.contains("switch 54 is down since 30us"), "{reason}");
        }
        assert_eq!(
            simulation.flows_started(),
            simulation.flows_finished() + left.len() as u64
        );
        simulation.take_completions()
    };
    assert_eq!(run(1), run(3));
}

#[test]
fn a_rack_that_comes_back_is_served_again() {
    let text = [
        FAT_TREE,
        "[[workload]]\nkind = \"permutation\"\nsize = \"400KB\"\n",
        QUICK_TIMEOUT,
        // Longer than a run waits for progress: an event to come may be the repair.
        &event(10, "kind = \"switch-down\"\nswitch = 54"),
        &event(90_000, "kind = \"switch-up\"\nswitch = 54"),
        "[run]\nstall_after = \"1ms\"\n[cc]\nkind = \"hpcc\"\n",
    ]
    .concat();
    let simulation = finish_on_any_threads(&text);
    assert!(simulation.now() > us(90_000));
}

#[test]
fn packets_are_lost_until_routes_converge() {
    let run = |convergence: &str| {
        let text = [
            FAT_TREE,
            TRAFFIC,
            QUICK_TIMEOUT,
            &event(20, "kind = \"switch-down\"\nswitch = 90"),
            &format!("[routing]\nconvergence = \"{convergence}\"\n[cc]\nkind = \"none\"\n"),
        ]
        .concat();
        finish_on_any_threads(&text).counters().link_down_drops
    };
    let (at_once, late) = (run("0s"), run("50us"));
    assert!(late > at_once + 100, "{late} and {at_once}");
}

fn dumbbell(size: &str, cc: &str, events: &[String]) -> String {
    format!(
        "[topology]\nkind = \"dumbbell\"\nhosts_per_side = 1\n\
         [[workload]]\nkind = \"incast\"\nfan_in = 1\nreceiver = 1\nsize = \"{size}\"\nat = \"0s\"\n\
         [cc]\nkind = \"{cc}\"\n{}",
        events.concat()
    )
}

/// Between the two switches of the dumbbell.
fn middle(at_us: u64, kind: &str) -> String {
    event(at_us, &format!("link = [2, 3]\nkind = {kind}"))
}

#[test]
fn a_long_flow_takes_as_long_as_a_slower_link_makes_it() {
    let events = [
        middle(100, "\"link-rate\"\nrate = \"25Gbps\""),
        middle(500, "\"link-up\""),
        middle(600, "\"link-rate\"\nrate = \"10Gbps\""),
    ];
    let mut simulation = simulation(&dumbbell("10MB", "none", &events), 1);
    let done = finish(&mut simulation);
    // 1,048 bytes on the wire for each of 10,000 packets: at 100, 25, 100 and then 10 Gbps.
    let bits = |us: f64, gbps: f64| us * gbps * 1e3;
    let early = bits(100.0, 100.0) + bits(400.0, 25.0) + bits(100.0, 100.0);
    let expected = 600.0 + (10_000.0 * 1_048.0 * 8.0 - early) / 10e3;
    let took = done[0].fct().as_secs_f64() * 1e6;
    assert!(
        (took / expected - 1.0).abs() < 0.01,
        "{took} and {expected}"
    );
    assert_eq!(simulation.counters().lost_payload, 0);
}

#[test]
fn hpcc_follows_the_rate_that_telemetry_reports() {
    for profile in ["", "profile = \"ns3-hpcc\"\n"] {
        let events = [middle(0, "\"link-rate\"\nrate = \"25Gbps\"")];
        let text = format!("{profile}{}", dumbbell("10MB", "hpcc", &events));
        let mut simulation = simulation(&text, 1);
        let done = finish(&mut simulation);
        let wire = Rate::from_gbps(25).transmission(Bytes::new(10_000 * 1_090));
        let share = wire.as_secs_f64() / done[0].fct().as_secs_f64();
        assert!((0.9..0.97).contains(&share), "{profile}: {share}");
    }
}

#[test]
fn a_lossy_link_loses_its_share_until_it_is_healed() {
    each_algorithm(|cc, _| {
        let kind = cc.split('"').nth(1).unwrap();
        let events = [
            middle(1, "\"link-loss\"\nloss = 0.01"),
            middle(1_500, "\"link-loss\"\nloss = 0"),
        ];
        let mut simulation = simulation(&dumbbell("40MB", kind, &events), 1);
        simulation.run_until(us(1_500));
        let losses = simulation.counters().link_losses;
        let lost = losses as f64;
        let data = simulation.endpoint_counters().packets as f64;
        // Data one way; up to as many answers the other way.
        assert!(data > 500.0, "{data}");
        let spread = 4.0 * (0.02 * data).sqrt();
        assert!(lost > 0.01 * data - spread, "{lost} of {data}");
        assert!(lost < 0.02 * data + spread, "{lost} of {data}");
        finish(&mut simulation);
        assert_eq!(simulation.counters().link_losses, losses);
    });
}

/// 1,048 bytes at 100 Gbps take 83.84 ns: six packets have left the host within the first 500 ns, and
/// none of them is at the switch, 1 us away.
#[test]
fn a_flap_faster_than_the_wire_loses_what_was_on_it_and_nothing_else() {
    let text = "[topology]\nkind = \"star\"\nhosts = 2\n\
                [[workload]]\nkind = \"incast\"\nfan_in = 1\nreceiver = 1\nsize = \"200KB\"\n\
                at = \"0s\"\n[cc]\nkind = \"none\"\nwindow_bdp = 0\n\
                [[event]]\nat = \"500ns\"\nkind = \"link-down\"\nlink = [0, 2]\n\
                [[event]]\nat = \"600ns\"\nkind = \"link-up\"\nlink = [0, 2]\n";
    let text = text.replace("window_bdp = 0", "window_bdp = 0.0");
    let mut simulation = simulation(&text, 1);
    finish(&mut simulation);
    let counters = simulation.counters();
    assert_eq!(
        (counters.link_down_drops, counters.lost_payload),
        (6, 6_000)
    );
}

/// One packet from host 0 to host 1 over leaf 2, spine 4 and leaf 3. The spine is heard by nobody for 1
/// us, so it may put off what it has to do; an event that changes nothing, shortly before a failure or
/// before a look, must not make it forget that it has something to do.
#[test]
fn an_event_before_a_failure_changes_nothing() {
    let journey = |at_ns: u64, harmless: bool| {
        let mut text = "[topology]\nkind = \"leaf-spine\"\nleaves = 2\nhosts_per_leaf = 1\n\
                        spines = 1\nhost_delay = \"100ns\"\n[rdma]\nrto_min = \"100us\"\n\
                        [[workload]]\nkind = \"incast\"\nfan_in = 1\nreceiver = 1\n\
                        size = \"1KB\"\nat = \"0us\"\n[cc]\nkind = \"hpcc\"\n"
            .to_owned();
        for (at_ns, what) in [
            (at_ns, "kind = \"link-down\"\nlink = [2, 4]"),
            (at_ns + 50, "kind = \"link-up\"\nlink = [2, 4]"),
            (
                at_ns - 200,
                "kind = \"link-loss\"\nlink = [1, 3]\nloss = 0.0",
            ),
        ] {
            if harmless || !what.contains("loss") {
                writeln!(text, "[[event]]\nat = \"{at_ns}ns\"\n{what}").unwrap();
            }
        }
        let mut simulation = simulation(&text, 1);
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
    // The packet and its answer are on the link, each for about 1.1 us, or are to be sent over it.
    assert!((40..60).contains(&lost), "{lost}");
}

#[test]
fn a_failure_takes_pauses_with_it() {
    let mut text = "[topology]\nkind = \"leaf-spine\"\nleaves = 3\nhosts_per_leaf = 4\nspines = 1\n\
         [switch]\nbuffer = \"2MiB\"\nalpha = 0.0078125\n[rdma]\nrto_min = \"100us\"\n\
         [[workload]]\nkind = \"incast\"\nfan_in = 11\nreceiver = 0\nsize = \"400KB\"\nat = \"0us\"\n\
         [cc]\nkind = \"none\"\nwindow_bdp = 0.0\n"
        .to_owned();
    // A host that is paused, the receiver, and links between switches, each down for 5 us.
    for (at, link) in [(20, [4, 13]), (30, [0, 12]), (40, [13, 15]), (50, [12, 15])] {
        for (at, kind) in [(at, "link-down"), (at + 5, "link-up")] {
            let what = format!("kind = \"{kind}\"\nlink = {link:?}");
            text.push_str(&event(at, &what));
        }
    }
    let simulation = finish_on_any_threads(&text);
    let counters = simulation.counters();
    assert!(counters.pauses > 20, "{counters:?}");
    assert!(counters.link_down_drops > 50, "{counters:?}");
}

/// A host is paused; its link fails for a moment, which ends the pause at both ends, so that it is paused
/// again before it overruns the buffer by more than what was on the wire.
#[test]
fn a_neighbor_is_paused_again_after_a_flap() {
    let mut text = "[topology]\nkind = \"star\"\nhosts = 9\n\
         [switch]\nbuffer = \"2MiB\"\nalpha = 0.0078125\n[rdma]\nrto_min = \"100us\"\n\
         [[workload]]\nkind = \"incast\"\nfan_in = 8\nreceiver = 0\nsize = \"1MB\"\nat = \"0us\"\n\
         [cc]\nkind = \"none\"\nwindow_bdp = 0.0\n"
        .to_owned();
    for host in 1..9 {
        for (ns, kind) in [(11_000, "link-down"), (11_100, "link-up")] {
            writeln!(
                text,
                "[[event]]\nat = \"{ns}ns\"\nkind = \"{kind}\"\nlink = [{host}, 9]"
            )
            .unwrap();
        }
    }
    let mut simulation = simulation(&text, 1);
    simulation.run_until(us(11));
    assert!(simulation.counters().pauses > 0);
    finish(&mut simulation);
    let drops = simulation.counters().buffer_drops;
    println!("{drops} buffer drops");
    assert!(drops < 200, "{drops}");
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
            "{head}[topology]\nkind = \"file\"\npath = \"ring.txt\"\n[rdma]\n\
             rto_min = \"100us\"\n[[workload]]\nkind = \"all-to-all\"\nsize = \"100KB\"\n\
             [cc]\nkind = \"hpcc\"\n{tail}"
        );
        Scenario::from_text("ring", &text, dir.path(), &[]).unwrap()
    };
    let cut = event(20, "kind = \"link-down\"\nlink = [8, 9]");
    let mut simulation = Simulation::new(&read("", &cut), 1).unwrap();
    // Room for eight hops: 2 bytes and 8 for each.
    assert_eq!(simulation.facts().telemetry_bytes, 66);
    finish(&mut simulation);

    let refused = Simulation::new(&read("profile = \"ns3-hpcc\"\n", &cut), 1).unwrap_err();
    assert!(refused.to_string().contains("5 hops"), "{refused}");

    // Without it in the scenario there is no room for such paths.
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
    let quiet = [FAT_TREE, TRAFFIC, QUICK_TIMEOUT, "[cc]\nkind = \"hpcc\"\n"].concat();
    let scripted = [
        quiet.as_str(),
        &event(30, "kind = \"link-down\"\nlink = [54, 72]"),
        &event(60, "kind = \"switch-down\"\nswitch = 90"),
    ]
    .concat();
    let link = LinkName::between(NodeId(54), NodeId(72));
    let mut embedded = simulation(&quiet, 2);
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
    for (event, says) in [
        (down(us(44)), "it is 45us now"),
        (
            Event {
                at: us(50),
                kind: EventKind::LinkDown(LinkName::between(NodeId(0), NodeId(1))),
            },
            "no link joins the nodes 0 and 1",
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
    assert_eq!(finish(&mut embedded), finish(&mut simulation(&scripted, 1)));
}

/// What can happen to a leaf-spine fabric of nine hosts, three leaves (9 to 11) and two spines.
fn incidents() -> impl Strategy<Value = String> {
    let links = prop_oneof![
        (0u32..9).prop_map(|host| [host, 9 + host / 3]),
        (9u32..12, 12u32..14).prop_map(|(leaf, spine)| [leaf, spine]),
    ];
    let on_link = (links, 0usize..6).prop_map(|(link, what)| {
        let kind = [
            "\"link-down\"",
            "\"link-down\"",
            "\"link-up\"",
            "\"link-rate\"\nrate = \"40Gbps\"",
            "\"link-loss\"\nloss = 0.05",
            "\"link-loss\"\nloss = 0",
        ][what];
        format!("link = {link:?}\nkind = {kind}")
    });
    let on_switch = (9u32..14, prop::bool::ANY).prop_map(|(switch, down)| {
        let kind = if down { "switch-down" } else { "switch-up" };
        format!("switch = {switch}\nkind = \"{kind}\"")
    });
    (0u64..60_000, prop_oneof![3 => on_link, 1 => on_switch])
        .prop_map(|(ns, what)| format!("[[event]]\nat = \"{ns}ns\"\n{what}\n"))
}

/// Everything is repaired in the end.
fn repairs() -> String {
    let mut text = String::new();
    let hosts = (0..9).map(|host| [host, 9 + host / 3]);
    let fabric = (9..12).flat_map(|leaf| [[leaf, 12], [leaf, 13]]);
    for link in hosts.chain(fabric) {
        text.push_str(&event(80, &format!("kind = \"link-up\"\nlink = {link:?}")));
        let healed = format!("kind = \"link-loss\"\nlink = {link:?}\nloss = 0");
        text.push_str(&event(80, &healed));
    }
    for switch in 9..14 {
        let up = format!("kind = \"switch-up\"\nswitch = {switch}");
        text.push_str(&event(80, &up));
    }
    text
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, max_shrink_iters: 60, ..ProptestConfig::default() })]

    #[test]
    fn whatever_fails_everything_adds_up_and_every_flow_ends(
        incidents in prop::collection::vec(incidents(), 1..12),
        cc in prop::sample::select(vec![
            "kind = \"hpcc\"", "kind = \"none\"", "kind = \"none\"\nwindow_bdp = 0.0",
        ]),
        switch in prop::sample::select(vec![
            "buffer = \"4MiB\"\nalpha = 0.0078125", "pfc = false\nbuffer = \"200KiB\"", "",
        ]),
        convergence in 0u64..30,
        profile in prop::bool::weighted(0.2),
    ) {
        let profile = if profile { "profile = \"ns3-hpcc\"\n" } else { "" };
        let text = format!(
            "{profile}[topology]\nkind = \"leaf-spine\"\nleaves = 3\nhosts_per_leaf = 3\nspines = 2\n\
             [switch]\n{switch}\n[routing]\nconvergence = \"{convergence}us\"\n{QUICK_TIMEOUT}\
             [[workload]]\nkind = \"all-to-all\"\nsize = \"40KB\"\n\
             [[workload]]\nkind = \"incast\"\nfan_in = 8\nsize = \"20KB\"\nat = \"30us\"\n\
             [cc]\n{cc}\n{}{}",
            incidents.concat(), repairs()
        );
        let run = |threads| {
            let mut simulation = simulation(&text, threads);
            let done = finish(&mut simulation);
            let apart = simulation.unreachable().len();
            assert_eq!(done.len() as u64, simulation.flows_started());
            // Those of the workloads, and the byte with which a run is finished.
            assert_eq!(done.len() + apart, 9 * 8 + 8 + 1);
            (done, simulation.counters(), simulation.epochs())
        };
        prop_assert_eq!(run(1), run(3));
    }
}
