//! Requirements that every algorithm in the registry must meet. The tests name no algorithm, so a
//! new one is tested as soon as it is registered.

use crate::algorithms::{cc_tables, factories_of};
use crate::support;
use fabricsim::{Scenario, Simulation};
use fabricsim_base::flow::Completion;
use fabricsim_base::id::ClassId;
use fabricsim_base::units::{Bytes, Duration, Rate, Time};
use fabricsim_core::network::Stop;
use fabricsim_core::plugin::{
    Ack, CcContext, Congestion, CongestionControl, ControllerFactory, FlowStart, Quirks, Signal,
};
use fabricsim_scenario::cc::registry::{
    AnyController, CONGESTION_CONTROLS, ClassFactories, Transport,
};
use proptest::prelude::*;

const TRANSPORTS: [Transport; 2] = [Transport::Rdma, Transport::Tcp];

const LINE: Rate = Rate::from_gbps(100);
const BASE_RTT: Duration = Duration::from_us(12);
const MTU: u64 = 1_000;

fn scenario(network: &str, cc: &str) -> Scenario {
    let text = format!("{network}\n[cc]\n{cc}\n");
    support::scenario(&text)
}

/// Runs `scenario` to its end on `threads` threads. Returns its flows in the order of their
/// numbers.
fn run_on(scenario: &Scenario, threads: usize) -> (Vec<Completion>, Simulation) {
    let mut simulation = Simulation::new(scenario, threads).unwrap();
    let stop = simulation.run_until(Time::MAX);
    assert_eq!(stop, Stop::Finished, "{:?}", simulation.unfinished());
    let mut done = simulation.take_completions();
    done.sort_by_key(|completion| completion.flow.id);
    (done, simulation)
}

fn run(network: &str, cc: &str) -> (Vec<Completion>, Simulation) {
    run_on(&scenario(network, cc), 1)
}

#[test]
fn a_lone_flow_fills_its_link() {
    let network = r#"
        [topology]
        kind = "star"
        hosts = 2
        [[workload]]
        kind = "permutation"
        size = "20MB""#;
    for cc in TRANSPORTS.map(cc_tables).concat() {
        // Two flows, one each way: apart from acknowledgements, each has its direction to itself.
        for done in run(network, &cc).0 {
            let rate = done.flow.request.size.as_f64() * 8e-9 / done.fct().as_secs_f64();
            assert!(rate > 80.0 && rate < 100.0, "{cc}: {rate} Gbps");
        }
    }
}

#[test]
fn flows_that_share_a_link_all_get_on() {
    let network = r#"
        [topology]
        kind = "star"
        hosts = 5
        [[workload]]
        kind = "incast"
        receiver = 4
        fan_in = 4
        size = "10MB"
        at = "0s""#;
    for (transport, cc) in TRANSPORTS
        .map(|t| cc_tables(t).into_iter().map(move |cc| (t, cc)))
        .into_iter()
        .flatten()
    {
        let (done, simulation) = run(network, &cc);
        let lossless = transport == Transport::Rdma;
        assert!(!lossless || simulation.counters().buffer_drops == 0, "{cc}");
        let times: Vec<f64> = done.iter().map(|c| c.fct().as_secs_f64()).collect();
        let (first, last) = (
            times.iter().copied().fold(f64::MAX, f64::min),
            times.iter().copied().fold(0.0, f64::max),
        );
        // 40 MB and headers take 3.35 ms on the link; no flow starves, and none is far ahead.
        assert!(last > 3.2e-3 && last < 7e-3, "{cc}: {times:?}");
        assert!(first > last / 4.0, "{cc}: {times:?}");
    }
}

#[test]
fn a_deep_incast_loses_nothing_under_pfc() {
    let network = r#"
        [topology]
        kind = "star"
        hosts = 65
        [switch]
        buffer = "8MiB"
        [[workload]]
        kind = "incast"
        receiver = 64
        fan_in = 64
        size = "500KB"
        at = "0s""#;
    for cc in cc_tables(Transport::Rdma) {
        let (done, simulation) = run(network, &cc);
        let counters = simulation.counters();
        assert_eq!((done.len(), counters.buffer_drops), (64, 0), "{cc}");
        let endpoint = simulation.endpoint_counters();
        assert_eq!(endpoint.retransmitted, Bytes::ZERO, "{cc}");
        assert_eq!(endpoint.delivered.get(), 64 * 500_000, "{cc}");
    }
}

#[test]
fn losses_are_made_up_for() {
    let network = r#"
        [topology]
        kind = "leaf-spine"
        leaves = 2
        hosts_per_leaf = 4
        spines = 2
        [switch]
        pfc = false
        buffer = "500KB"
        [[workload]]
        kind = "incast"
        receiver = 7
        fan_in = 7
        size = "300KB"
        period = "200us"
        duration = "600us""#;
    let mut lost = 0;
    for cc in TRANSPORTS.map(cc_tables).concat() {
        let (done, simulation) = run(network, &cc);
        assert_eq!(done.len(), 21, "{cc}");
        assert_eq!(
            simulation.endpoint_counters().delivered.get(),
            21 * 300_000,
            "{cc}"
        );
        lost += simulation.counters().buffer_drops;
    }
    assert!(lost > 1_000, "the buffer is too small for this: {lost}");
}

#[test]
fn threads_do_not_matter() {
    let network = r#"
        [topology]
        kind = "fat-tree"
        k = 4
        [[workload]]
        kind = "poisson"
        sizes = "hadoop"
        load = 0.6
        duration = "300us"
        [[workload]]
        kind = "incast"
        receiver = 3
        fan_in = 12
        size = "60KB"
        period = "100us"
        duration = "200us""#;
    let profile = r#"profile = "ns3-hpcc""#;
    for (profile, transport) in [
        ("", Transport::Rdma),
        (profile, Transport::Rdma),
        ("", Transport::Tcp),
    ] {
        for cc in cc_tables(transport) {
            // Packets of the profile have no room for credit or a tag.
            if !profile.is_empty() {
                let plain = scenario(network, &cc);
                let tag = plain
                    .telemetry()
                    .into_iter()
                    .any(|kind| kind.tag().is_some());
                if tag || plain.uses_credit() {
                    continue;
                }
            }
            let scenario = scenario(&format!("{profile}\n{network}"), &cc);
            let expected = run_on(&scenario, 1).0;
            assert!(expected.len() > 100, "{}", expected.len());
            for threads in [2, 3, 8] {
                assert_eq!(
                    run_on(&scenario, threads).0,
                    expected,
                    "{profile} {cc} on {threads}"
                );
            }
        }
    }
}

/// Each algorithm in a class of its own, all in one network: algorithms of RDMA in the priorities
/// from 2 on in turn, algorithms of TCP in one.
#[test]
fn algorithms_run_side_by_side() {
    let mut lossless = (2..8).cycle();
    let mut text = r#"
        [topology]
        kind = "leaf-spine"
        leaves = 4
        hosts_per_leaf = 4
        spines = 2
        [cc]
        kind = "none"
    "#
    .to_owned();
    for cc in CONGESTION_CONTROLS {
        let priority = match cc.transport {
            Transport::Rdma => lossless.next().unwrap(),
            Transport::Tcp => 1,
        };
        text += &format!(
            r#"
                [[workload]]
                kind = "poisson"
                sizes = "websearch"
                load = 0.05
                duration = "2ms"
                priority = {priority}
                [workload.cc]
                kind = "{}"
            "#,
            cc.name
        );
    }
    let scenario = support::scenario(&text);
    let (expected, simulation) = run_on(&scenario, 1);
    assert_eq!(simulation.counters().buffer_drops, 0);
    for (index, cc) in CONGESTION_CONTROLS.iter().enumerate() {
        let class = ClassId(u16::try_from(index).unwrap());
        let own = expected.iter().filter(|c| c.flow.request.class == class);
        assert!(own.count() > 1, "{}", cc.name);
        assert_eq!(scenario.cc_of(class).name(), cc.name);
    }
    for threads in [2, 3, 8] {
        assert_eq!(run_on(&scenario, threads).0, expected, "on {threads}");
    }
}

/// An event of a flow, as seen by its algorithm.
#[derive(Clone, Copy, Debug)]
enum Event {
    /// A packet acknowledgement after a round trip of so many nanoseconds, with or without a mark.
    Ack {
        packets: u64,
        rtt_ns: u64,
        marked: bool,
    },
    /// No event for so many nanoseconds.
    Silence(u64),
    /// Lost packets.
    Loss(Signal),
}

fn events() -> impl Strategy<Value = Vec<Event>> {
    let ack =
        (0u64..4, 4_000u64..2_000_000, any::<bool>()).prop_map(|(packets, rtt_ns, marked)| {
            Event::Ack {
                packets,
                rtt_ns,
                marked,
            }
        });
    let loss = prop_oneof![Just(Signal::Loss), Just(Signal::Timeout)];
    let event = prop_oneof![
        8 => ack,
        2 => (1u64..3_000_000).prop_map(Event::Silence),
        1 => loss.prop_map(Event::Loss),
    ];
    proptest::collection::vec(event, 1..200)
}

/// Returns the tables of RDMA. Algorithms with their own window bounds get the same bounds as all
/// other algorithms: from a packet to a bandwidth-delay product.
fn bounded_tables() -> Vec<String> {
    let mut tables = Vec::new();
    for mut table in cc_tables(Transport::Rdma) {
        let kind = |name| table.starts_with(&format!(r#"kind = "{name}""#));
        let entry = factories_of(Transport::Rdma)
            .find(|cc| kind(cc.name))
            .unwrap();
        for (key, bound) in [("min_cwnd", 1), ("max_cwnd", 150), ("max_window_bdp", 1)] {
            if entry.keys().iter().any(|own| own.name == key) {
                table += &format!("\n{key} = {bound}");
            }
        }
        tables.push(table);
    }
    tables
}

fn controller(cc: &str, quirks: Quirks) -> AnyController<()> {
    let network = r#"
        [topology]
        kind = "star"
        hosts = 2
        [[workload]]
        kind = "permutation"
        size = "1MB""#;
    let scenario = scenario(network, cc);
    let network = CcContext {
        base_rtt: BASE_RTT,
        longest_path: 5,
        seed: 1,
        quirks,
        ..CcContext::of_nics(LINE)
    };
    let start = FlowStart::new(LINE, BASE_RTT, Bytes::new(MTU), &network);
    ClassFactories::new(scenario.cc().rdma_factory(), [], &network).build(&start)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// After any events, rates are positive and at most the line rate, windows hold at least a byte
    /// and at most a bandwidth-delay product, and timers are set for the future.
    #[test]
    fn rates_and_windows_stay_in_bounds(events in events()) {
        for table in bounded_tables() {
            for quirks in [Quirks::EXACT, Quirks::PUBLISHED] {
                let mut cc = controller(&table, quirks);
                let (mut now, mut acked, mut next) = (Time::ZERO, 0u64, 150_000u64);
                for event in &events {
                    let until = match *event {
                        Event::Silence(ns) => now + Duration::from_ns(ns),
                        Event::Ack { .. } | Event::Loss(_) => now + Duration::from_ns(100),
                    };
                    while cc.deadline() <= until {
                        now = now.max(cc.deadline());
                        cc.on_timer(now);
                        prop_assert!(cc.deadline() > now, "{table}: a timer is set for {now} again");
                    }
                    now = until;
                    match *event {
                        Event::Ack { packets, rtt_ns, marked } => {
                            acked += packets * MTU;
                            next = next.max(acked + 40_000);
                            cc.on_ack(&Ack {
                                newly_acked: Bytes::new(packets * MTU),
                                marked: u32::from(marked),
                                ..Ack::new(now, acked, next, Duration::from_ns(rtt_ns), &())
                            });
                        }
                        Event::Loss(signal) => cc.on_congestion(&Congestion {
                            now,
                            signal,
                            in_flight: Bytes::new(next - acked),
                            next_seq: next,
                        }),
                        Event::Silence(_) => {}
                    }
                    let rate = cc.pacing_rate();
                    prop_assert!(rate.is_none_or(|rate| rate <= LINE), "{table}: {rate:?}");
                    prop_assert!(rate.is_none_or(|rate| rate >= Rate::from_mbps(900)), "{table}: {rate:?}");
                    let window = cc.window();
                    prop_assert!(window.is_none_or(|window| window.get() > 0 && window.get() <= 150_000), "{table}: {window:?}");
                }
            }
        }
    }
}

#[test]
fn the_settings_of_every_algorithm_survive_their_own_report() {
    for cc in TRANSPORTS.map(cc_tables).concat() {
        let network = r#"
            [topology]
            kind = "star"
            hosts = 2
            [[workload]]
            kind = "permutation"
            size = "1MB""#;
        let resolved = scenario(network, &cc).resolved();
        let table = toml::to_string(&resolved["cc"]).unwrap();
        let again = scenario(network, &table).resolved();
        assert_eq!(again["cc"], resolved["cc"], "{cc}");
    }
}
