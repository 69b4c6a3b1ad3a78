//! A simulation inside of another program, which runs it in steps and injects flows.

use crate::support;
use fabricsim::{Scenario, Simulation};
use fabricsim_base::flow::{Completion, FlowRequest};
use fabricsim_base::id::{ClassId, NodeId, PortId};
use fabricsim_base::priority::Priority;
use fabricsim_base::units::{Bytes, Duration, Time};
use fabricsim_core::network::Stop;
use fabricsim_core::plugin::{PathStability, PortStates};
use fabricsim_scenario::kinds::Registry;
use fabricsim_topology::{Arrival, Chooser, NextHopChoice, PolicyContext, RoutingPolicy};

const SCENARIO: &str = r#"
    [topology]
    kind = "leaf-spine"
    leaves = 2
    hosts_per_leaf = 4
    spines = 2
    [[workload]]
    kind = "poisson"
    sizes = "hadoop"
    load = 0.4
    duration = "200us"
    [cc]
    kind = "hpcc""#;

fn simulation(threads: usize) -> Simulation {
    support::simulation(SCENARIO, threads)
}

fn request(src: u32, dst: u32, size: u64, start: Time) -> FlowRequest {
    FlowRequest {
        src: NodeId(src),
        dst: NodeId(dst),
        size: Bytes::new(size),
        start,
        class: ClassId(7),
        priority: Priority::new(3),
        src_port: None,
        dst_port: 100,
    }
}

/// Runs to the end in steps of `step`.
fn run_in_steps(simulation: &mut Simulation, step: Duration) -> Vec<Completion> {
    let mut completions = Vec::new();
    let mut until = Time::ZERO;
    for _ in 0..1_000_000 {
        until += step;
        let stop = simulation.run_until(until);
        assert!(simulation.now() <= until);
        completions.extend(simulation.take_completions());
        if stop == Stop::Finished {
            return completions;
        }
        assert_eq!(stop, Stop::TimeReached);
    }
    panic!("the run does not end");
}

#[test]
fn steps_do_not_change_the_results() {
    same_in_steps(SCENARIO);
}

/// No process listens to the spines for ten epochs, so they run lazily, unless a caller inspects
/// them.
#[test]
fn steps_do_not_change_the_results_where_delays_differ() {
    let delays = r#"spines = 2
        host_delay = "100ns""#;
    let text = SCENARIO.replace("spines = 2", delays);
    same_in_steps(&text);
    let flap = r#"
        [rdma]
        rto_min = "100us"
        [[event]]
        at = "50us"
        kind = "link-down"
        link = [8, 10]
        [[event]]
        at = "120us"
        kind = "link-up"
        link = [8, 10]"#;
    same_in_steps(&format!("{text}{flap}"));
}

fn same_in_steps(text: &str) {
    let mut whole = support::run(text, 1);
    let expected = whole.take_completions();
    assert!(expected.len() > 10);
    for (threads, step) in [
        (1, Duration::from_us(100)),
        (2, Duration::from_us(7)),
        (1, Duration::from_ps(333_333)),
    ] {
        let mut stepped = support::simulation(text, threads);
        assert_eq!(
            run_in_steps(&mut stepped, step),
            expected,
            "steps of {step}"
        );
        assert_eq!(stepped.endpoint_counters(), whole.endpoint_counters());
    }
}

#[test]
fn completions_come_once_and_in_the_order_of_their_finish() {
    let mut simulation = simulation(1);
    let completions = run_in_steps(&mut simulation, Duration::from_us(20));
    let order = |done: &Completion| (done.finish, done.flow.id);
    assert!(completions.is_sorted_by(|a, b| order(a) < order(b)));
    assert_eq!(completions.len() as u64, simulation.flows_finished());
    assert!(simulation.take_completions().is_empty());
}

#[test]
fn a_completion_can_start_the_next_flow() {
    const ROUNDS: usize = 5;
    let think = Duration::from_us(3);
    let mut simulation = simulation(1);
    simulation
        .inject(request(0, 4, 10_000, Time::ZERO))
        .unwrap();
    let mut chain: Vec<Completion> = Vec::new();
    let mut until = Time::ZERO;
    while chain.len() < ROUNDS {
        until += Duration::from_us(1);
        assert_ne!(simulation.run_until(until), Stop::Stalled);
        let ours = |done: &Completion| done.flow.request.class == ClassId(7);
        for done in simulation.take_completions().into_iter().filter(ours) {
            let next = done.finish + think;
            assert!(next >= simulation.now());
            let (src, dst) = (done.flow.request.dst.0, done.flow.request.src.0);
            simulation.inject(request(src, dst, 10_000, next)).unwrap();
            chain.push(done);
        }
    }
    for pair in chain.windows(2) {
        assert_eq!(pair[1].flow.request.start, pair[0].finish + think);
        assert_eq!(pair[1].flow.request.src, pair[0].flow.request.dst);
        assert!(simulation.record(&pair[1]).slowdown() >= 1.0);
    }
}

#[test]
fn a_finished_simulation_goes_on_when_a_flow_is_injected() {
    let mut simulation = simulation(1);
    assert_eq!(simulation.run_until(Time::MAX), Stop::Finished);
    let before = simulation.flows_finished();
    let start = simulation.now() + Duration::from_ms(1);
    simulation.inject(request(3, 1, 1_000, start)).unwrap();
    assert_eq!(simulation.run_until(Time::MAX), Stop::Finished);
    assert_eq!(simulation.flows_finished(), before + 1);
    let last = simulation.take_completions().pop().unwrap();
    assert_eq!(last.flow.request.start, start);
}

#[test]
fn time_does_not_go_back() {
    let mut simulation = simulation(1);
    let start = Time::ZERO + Duration::from_ms(20);
    simulation.inject(request(3, 1, 1_000, start)).unwrap();
    let now = Time::ZERO + Duration::from_ms(10);
    for until in [now, Time::ZERO + Duration::from_ms(5)] {
        assert_eq!(simulation.run_until(until), Stop::TimeReached);
        assert_eq!(simulation.now(), now);
    }
}

#[test]
fn flows_that_cannot_be_are_refused() {
    let mut simulation = simulation(1);
    let long = request(0, 1, 1_000_000, Time::ZERO);
    simulation.inject(long).unwrap();
    let now = Time::ZERO + Duration::from_us(10);
    assert_eq!(simulation.run_until(now), Stop::TimeReached);
    assert_eq!(simulation.now(), now);
    let past = Time::from_ps(now.as_ps() - 1);
    let mut refused = |request: FlowRequest, why: &str| {
        let message = simulation.inject(request).unwrap_err().to_string();
        assert!(message.starts_with("cannot inject the flow: "), "{message}");
        assert!(message.contains(why), "{message}");
    };
    refused(request(0, 1, 10, past), "it starts at");
    refused(request(8, 1, 10, now), "its source, node 8, is not a host");
    refused(
        request(1, 9, 10, now),
        "its destination, node 9, is not a host",
    );
    refused(request(0, 1_000, 10, now), "node 1000, is not a host");
    refused(request(2, 2, 10, now), "host 2 sends to itself");
    refused(request(0, 1, 0, now), "it has no bytes");
    let control = FlowRequest {
        priority: Priority::new(0),
        ..request(0, 1, 10, now)
    };
    refused(control, "its priority is 0");
    simulation.inject(request(0, 1, 10, now)).unwrap();
}

/// Sends the packets of a switch to the next hops in turns.
#[derive(Debug)]
struct InTurns;

impl RoutingPolicy for InTurns {
    fn name(&self) -> &'static str {
        "in-turns"
    }

    fn about(&self) -> &'static str {
        "each packet takes the next of the equal next hops"
    }

    fn path_stability(&self) -> PathStability {
        PathStability::PerPacket
    }

    fn chooser(&self, at: &PolicyContext) -> Chooser {
        Chooser::new(Turn(at.switch.index()))
    }
}

#[derive(Debug)]
struct Turn(usize);

impl NextHopChoice for Turn {
    fn choose(&mut self, _: &Arrival<'_>, hops: &[PortId], ports: &dyn PortStates) -> usize {
        assert!(hops.iter().all(|&port| ports.is_up(port)));
        self.0 += 1;
        self.0 % hops.len()
    }
}

fn in_turns(more: &str) -> Result<Scenario, fabricsim::Error> {
    let mut registry = Registry::default();
    registry.add_routing_policy(InTurns);
    let routing = r#"
        [routing]
        policy = "in-turns"
        [rdma]
        recovery = "selective""#;
    Scenario::from_toml_with(&format!("{SCENARIO}\n{routing}\n{more}"), &registry)
}

#[test]
fn packets_of_a_flow_can_take_all_paths_and_selective_recovery_sends_none_again() {
    let run = |threads| {
        let mut simulation = Simulation::new(&in_turns("").unwrap(), threads).unwrap();
        for src in 0..4 {
            simulation
                .inject(request(src, src + 4, 1_000_000, Time::ZERO))
                .unwrap();
        }
        let stop = simulation.run_until(Time::ZERO + Duration::from_ms(1_000));
        assert_eq!(stop, Stop::Finished);
        simulation.take_completions()
    };
    let done = run(1);
    assert!(done.len() > 4);
    assert_eq!(done, run(2));
    let again: u64 = done.iter().map(|flow| flow.retransmitted.get()).sum();
    assert_eq!(again, 0, "nothing is lost, so nothing is retransmitted");
}

#[test]
fn a_path_is_not_put_together_from_packets_of_many() {
    let query = |aggregation: &str| {
        in_turns(&format!(
            r#"
                [[query]]
                value = "switch-id"
                aggregation = "{aggregation}""#
        ))
    };
    let refused = query("static").unwrap_err().to_string();
    assert!(
        refused.contains("`in-turns` sends each packet on its own path"),
        "{refused}"
    );
}

#[test]
fn probes_of_many_paths_are_not_compared() {
    let beside = |cc: &str| {
        in_turns(&format!(
            r#"
                [[workload]]
                kind = "permutation"
                size = "1MB"
                cc = {{ kind = "{cc}" }}"#
        ))
    };
    let refused = beside("tcp-hpcc").unwrap_err().to_string();
    assert!(
        refused.contains("`tcp-hpcc` compares probes of one path"),
        "{refused}"
    );
    assert!(beside("cubic").is_ok());
}
