//! Flows of TCP and RDMA on random networks with failures.

use std::fmt::Write as _;
use std::fs;

use fabricsim::{Scenario, Simulation};
use fabricsim_base::flow::Completion;
use fabricsim_base::units::{Bytes, Time};
use fabricsim_core::network::Stop;
use proptest::prelude::*;

use crate::tcp::tcp_congestion_controls;

/// A network that loses packets of all kinds, with equal paths and links that fail and recover.
#[derive(Clone, Debug)]
struct Harsh {
    loss: f64,
    cc: &'static str,
    keys: &'static str,
    rdma: bool,
    seed: u32,
    size: u64,
    flaps: Vec<(u64, u64, u32, u32)>,
    queue: &'static str,
    threads: usize,
}

fn harsh() -> impl Strategy<Value = Harsh> {
    let algorithms: Vec<&'static str> = tcp_congestion_controls().map(|cc| cc.name).collect();
    let keys = vec![
        "",
        r#"ecn = "classic""#,
        r#"ecn = "accurate""#,
        r#"opening = "open""#,
    ];
    let queues = vec![
        "",
        "pfifo limit 20",
        "fq_codel",
        "dualpi2",
        "codel ecn limit 30",
    ];
    (
        (
            0.0..0.05f64,
            prop::sample::select(algorithms),
            prop::sample::select(keys),
        ),
        (any::<bool>(), 0u32..1_000, 1u64..200_000),
        prop::collection::vec((0u64..300, 1u64..2_000, 8u32..10, 10u32..13), 0..5),
        prop::sample::select(queues),
        1usize..4,
    )
        .prop_map(
            |((loss, cc, keys), (rdma, seed, size), flaps, queue, threads)| Harsh {
                loss,
                cc,
                keys,
                rdma,
                seed,
                size,
                flaps,
                queue,
                threads,
            },
        )
}

impl Harsh {
    /// Two leaves with four hosts each, three spines at different distances, so a change of path
    /// reorders the packets of a flow.
    fn topology(&self) -> String {
        let mut links = String::new();
        for host in 0..8 {
            writeln!(
                links,
                "{host} {} 25Gbps 1us {:.4}",
                8 + host / 4,
                self.loss / 4.0
            )
            .unwrap();
        }
        for leaf in [8, 9] {
            for spine in [10, 11, 12] {
                let delay = 1 + 7 * (spine - 10);
                writeln!(links, "{leaf} {spine} 100Gbps {delay}us {:.4}", self.loss).unwrap();
            }
        }
        format!("13 5 {}\n8 9 10 11 12\n{links}", links.lines().count())
    }

    fn scenario(&self) -> String {
        let Self {
            cc,
            keys,
            seed,
            size,
            ..
        } = self;
        let mut text = format!(
            r#"seed = {seed}
                [topology]
                kind = "file"
                path = "topology.txt"
                [routing]
                convergence = "50us"
                [tcp]
                max_rto = "50ms"
                [rdma]
                rto_min = "300us"
                [cc]
                kind = "{cc}"
                {keys}
                [[workload]]
                kind = "permutation"
                size = "{size}B"
                [[workload]]
                kind = "incast"
                receiver = 0
                fan_in = 7
                size = "{size}B"
                at = "30us"
            "#
        );
        // RDMA shares the links, so that lossless and lossy queues meet.
        if self.rdma {
            text += r#"
                [[workload]]
                kind = "permutation"
                size = "50KB"
                cc = { kind = "dcqcn" }
            "#;
        }
        if !self.queue.is_empty() {
            writeln!(
                text,
                r#"
                [[queue]]
                discipline = "{}""#,
                self.queue
            )
            .unwrap();
        }
        // Each failed link recovers, so that flows can end.
        for (at, span, leaf, spine) in &self.flaps {
            let link = format!("link = [{leaf}, {spine}]");
            writeln!(
                text,
                r#"
                    [[event]]
                    at = "{at}us"
                    kind = "link-down"
                    {link}"#
            )
            .unwrap();
            let up = at + span;
            writeln!(
                text,
                r#"
                    [[event]]
                    at = "{up}us"
                    kind = "link-up"
                    {link}"#
            )
            .unwrap();
        }
        text
    }

    fn run(&self, threads: usize) -> (Vec<Completion>, Simulation) {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("topology.txt"), self.topology()).unwrap();
        let text = self.scenario();
        let scenario = Scenario::from_text("harsh", &text, dir.path(), &[]);
        let scenario = scenario.unwrap_or_else(|error| panic!("{error}\n{text}"));
        let mut simulation = Simulation::new(&scenario, threads).unwrap();
        let stop = simulation.run_until(Time::MAX);
        assert_eq!(
            stop,
            Stop::Finished,
            "{text}\n{:?}",
            simulation.unfinished()
        );
        (simulation.take_completions(), simulation)
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    /// Data and acknowledgements are lost, paths change during flows and packets overtake one
    /// another: every flow with a route ends, every byte of it is delivered once, and threads do
    /// not matter.
    #[test]
    fn every_flow_of_tcp_finishes_or_had_no_route(harsh in harsh()) {
        let (done, simulation) = harsh.run(1);
        prop_assert_eq!(done.len() as u64, simulation.flows_started());
        let ends = simulation.endpoint_counters();
        let asked: u64 = done.iter().map(|done| done.flow.request.size.get()).sum();
        prop_assert_eq!(ends.acknowledged, Bytes::new(asked));
        prop_assert_eq!(ends.delivered, Bytes::new(asked));
        prop_assert_eq!(ends.sent.get(), asked + ends.retransmitted.get());
        let (others, other) = harsh.run(harsh.threads + 1);
        prop_assert_eq!(others, done);
        prop_assert_eq!(other.counters(), simulation.counters());
    }
}
