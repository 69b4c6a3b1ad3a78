//! Random games on networks in which flows meet, compared with the same flows as an open loop.

use fabricsim::{Scenario, Simulation};
use fabricsim_base::flow::{Completion, FlowRequest};
use fabricsim_base::id::{ClassId, NodeId};
use fabricsim_base::priority::Priority;
use fabricsim_base::units::{Bytes, Duration, Time};
use fabricsim_core::network::Stop;
use fabricsim_core::plugin::{AppContext, AppFlow, Application};
use proptest::prelude::*;

use crate::hosted::player::{CLASS, silent};

/// Sends flows of random sizes to random hosts. Replies to most arrivals, to some after a pause.
#[derive(Debug)]
struct Chatter {
    hosts: u64,
    /// Flows that it may still start.
    left: u32,
    /// `true` if its flows start at times that no other event shares.
    apart: bool,
}

/// Time of one byte at 1 Gbps. Every event of a network of such links is a multiple of it after the
/// start of some flow, unless congestion control has set its time.
const BYTE: u64 = 8_000;

impl Chatter {
    fn flow(&self, context: &mut AppContext<'_>) -> AppFlow {
        let host = u64::from(context.host().0);
        let step = 1 + context.random().below(self.hosts - 1);
        let dst = u32::try_from((host + step) % self.hosts).unwrap();
        let size = 1 + context.random().below(30_000);
        AppFlow::new(NodeId(dst), Bytes::new(size), CLASS)
    }

    fn say(&mut self, context: &mut AppContext<'_>) {
        if self.left == 0 {
            return;
        }
        self.left -= 1;
        let flow = self.flow(context);
        let mut delay = if context.random().chance(0.3) {
            Duration::from_ps(context.random().below(3_000_000))
        } else {
            Duration::ZERO
        };
        if self.apart {
            // Each flow of each host gets a different remainder.
            let own = u64::from(context.host().0) * 100 + u64::from(self.left) + 1;
            let at = context.now().saturating_add(delay).as_ps() + 1;
            let at = at.next_multiple_of(BYTE) + own;
            delay = Time::from_ps(at).since(context.now());
        }
        context.start_flow_after(delay, &flow).unwrap();
    }
}

impl Application for Chatter {
    fn on_start(&mut self, context: &mut AppContext<'_>) {
        self.say(context);
        self.say(context);
    }

    fn on_flow_finished(&mut self, context: &mut AppContext<'_>, completion: &Completion) {
        if completion.flow.id.0.is_multiple_of(4) {
            self.say(context);
        }
    }

    fn on_flow_received(
        &mut self,
        context: &mut AppContext<'_>,
        _flow: &fabricsim_base::flow::Flow,
        _tag: u64,
    ) {
        let pause = Duration::from_ps(context.random().below(1_000_000));
        if context.random().chance(0.5) {
            context.set_timer(pause, 7);
        } else {
            self.say(context);
        }
    }

    fn on_timer(&mut self, context: &mut AppContext<'_>, _token: u64) {
        self.say(context);
    }
}

fn run(
    scenario: &Scenario,
    threads: usize,
    step: Duration,
    prepare: impl FnOnce(&mut Simulation),
) -> (Vec<Completion>, Time) {
    let mut simulation = Simulation::new(scenario, threads).unwrap();
    prepare(&mut simulation);
    let mut until = Time::ZERO;
    loop {
        until = until.saturating_add(step);
        match simulation.run_until(until) {
            Stop::TimeReached => {}
            stop => {
                assert_eq!(stop, Stop::Finished);
                let counters = simulation.endpoint_counters();
                assert_eq!(counters.delivered, counters.acknowledged);
                return (simulation.take_completions(), simulation.ended());
            }
        }
    }
}

fn chat(simulation: &mut Simulation, hosts: u32, left: u32, apart: bool) {
    for host in 0..hosts {
        let chatter = Chatter {
            hosts: u64::from(hosts),
            left,
            apart,
        };
        simulation.add_application(NodeId(host), chatter).unwrap();
    }
}

fn injected(src: u32, start: u64) -> FlowRequest {
    FlowRequest {
        src: NodeId(src),
        dst: NodeId(1 - src),
        size: Bytes::new(50_000),
        start: Time::from_ps(start),
        class: ClassId(0),
        priority: Priority::new(3),
        src_port: None,
        dst_port: 100,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn threads_steps_and_injected_flows_do_not_change_what_happens(
        left in 1u32..15,
        seed in 0u64..1_000,
        step in 50_000u64..2_000_000,
        starts in prop::collection::vec(0u64..20_000_000, 0..4),
        cc in prop::sample::select(vec!["hpcc", "dcqcn", "dctcp"]),
    ) {
        let topology = r#"kind = "leaf-spine"
            leaves = 2
            hosts_per_leaf = 3
            spines = 2"#;
        let scenario = silent(topology, &format!(r#"
            [cc]
            kind = "{cc}""#));
        let scenario = scenario.with_seed(seed).unwrap();
        let prepare = |simulation: &mut Simulation| {
            chat(simulation, 6, left, false);
            for (&start, src) in starts.iter().zip([0, 1, 0, 1]) {
                simulation.inject(injected(src, start)).unwrap();
            }
        };
        let whole = run(&scenario, 1, Duration::MAX, prepare);
        prop_assert!(whole.0.len() >= 6);
        prop_assert!(whole.0.is_sorted_by_key(|done| (done.finish, done.flow.id)));
        prop_assert_eq!(&run(&scenario, 1, Duration::from_ps(step), prepare), &whole);
        for threads in [2, 8] {
            prop_assert_eq!(&run(&scenario, threads, Duration::MAX, prepare), &whole);
        }
    }

    #[test]
    fn the_same_flows_as_an_open_loop_take_the_same_time(left in 1u32..12, seed in 0u64..1_000) {
        let star = r#"kind = "star"
            hosts = 6
            rate = "1Gbps""#;
        let scenario = silent(star, r#"
            [cc]
            kind = "hpcc""#);
        let scenario = scenario.with_seed(seed).unwrap();
        // At one instant, flows of an open loop start before a free NIC sends its next packet, and
        // before arrivals are processed. Flows of an application start after both.
        let (closed, _) = run(&scenario, 1, Duration::MAX, |simulation| {
            chat(simulation, 6, left, true);
        });
        let mut flows: Vec<_> = closed.iter().map(|done| done.flow).collect();
        flows.sort_by_key(|flow| (flow.request.start, flow.request.src, flow.id));
        let (open, _) = run(&scenario, 1, Duration::MAX, |simulation| {
            for flow in &flows {
                simulation.inject(flow.request).unwrap();
            }
        });
        let times = |completions: &[Completion]| {
            let mut times: Vec<(Time, NodeId, NodeId, Bytes, Time)> = completions
                .iter()
                .map(|done| {
                    let request = done.flow.request;
                    (request.start, request.src, request.dst, request.size, done.finish)
                })
                .collect();
            times.sort_unstable();
            times
        };
        prop_assert_eq!(times(&closed), times(&open));
    }
}
