//! A closed loop next to a workload: the next request starts exactly the think time after the
//! completion of the request before.

use crate::support;
use fabricsim::Simulation;
use fabricsim_base::flow::Completion;
use fabricsim_base::id::NodeId;
use fabricsim_base::units::{Bytes, Duration, Time};
use fabricsim_core::network::Stop;
use fabricsim_core::plugin::{AppContext, AppFlow, Application};

use crate::hosted::player::CLASS;

const THINK: Duration = Duration::from_ps(2_345_679);

/// Keeps one request open.
#[derive(Debug)]
struct Requester {
    left: u32,
}

impl Requester {
    fn request(&mut self, context: &mut AppContext<'_>) {
        if self.left > 0 {
            self.left -= 1;
            let dst = NodeId((context.host().0 + 1 + self.left % 7) % 8);
            let flow = AppFlow::new(dst, Bytes::new(20_000), CLASS);
            context.start_flow(&flow).unwrap();
        }
    }
}

impl Application for Requester {
    fn on_start(&mut self, context: &mut AppContext<'_>) {
        self.request(context);
    }

    fn on_flow_finished(&mut self, context: &mut AppContext<'_>, completion: &Completion) {
        if completion.flow.request.class == CLASS {
            context.set_timer(THINK, 0);
        }
    }

    fn on_timer(&mut self, context: &mut AppContext<'_>, _token: u64) {
        self.request(context);
    }
}

#[test]
fn from_a_completion_to_the_next_start_it_is_the_think_time_to_the_picosecond() {
    let text = r#"
        [topology]
        kind = "leaf-spine"
        leaves = 2
        hosts_per_leaf = 4
        spines = 2
        [cc]
        kind = "hpcc"
        [[workload]]
        kind = "poisson"
        sizes = "hadoop"
        load = 0.5
        duration = "300us"
    "#;
    let scenario = support::scenario(text);
    for threads in [1, 3] {
        let mut simulation = Simulation::new(&scenario, threads).unwrap();
        for host in 0..8 {
            let requester = Requester { left: 20 };
            simulation.add_application(NodeId(host), requester).unwrap();
        }
        assert_eq!(simulation.run_until(Time::MAX), Stop::Finished);
        let completions = simulation.take_completions();
        for host in (0..8).map(NodeId) {
            let mut own: Vec<&Completion> = completions
                .iter()
                .filter(|done| (done.flow.request.src, done.flow.request.class) == (host, CLASS))
                .collect();
            own.sort_by_key(|done| done.flow.request.start);
            assert_eq!(own.len(), 20);
            assert_eq!(own[0].flow.request.start, Time::ZERO);
            for pair in own.windows(2) {
                assert_eq!(pair[1].flow.request.start, pair[0].finish + THINK);
            }
        }
    }
}
