//! Simulations that cannot be saved, and files that are no checkpoints.

use crate::support;
use fabricsim::checkpoint::Checkpoint;
use fabricsim::driver::Message;
use fabricsim::{Scenario, Simulation};
use fabricsim_base::checkpoint::Checkpointed;
use fabricsim_base::flow::Flow;
use fabricsim_base::id::{ClassId, NodeId};
use fabricsim_base::units::{Bytes, Time};
use fabricsim_core::packet::Packet;
use fabricsim_core::plugin::{AppContext, AppFlow, Application, Hop, Observer};

const STAR: &str = r#"
    [topology]
    kind = "star"
    hosts = 4
    [cc]
    kind = "hpcc"
    [[workload]]
    kind = "permutation"
    size = "300KB"
"#;
const AT: Time = Time::from_ns(9_000);

fn star() -> Scenario {
    support::scenario(STAR)
}

/// Sends a ball back, `left` times.
#[derive(Checkpointed, Debug)]
#[checkpoint(plain)]
struct Player {
    #[checkpoint(rebuilt)]
    other: NodeId,
    left: u32,
}

impl Player {
    fn play(&mut self, context: &mut AppContext<'_>) {
        if self.left > 0 {
            self.left -= 1;
            let ball = AppFlow::new(self.other, Bytes::new(1_000), ClassId(1));
            context.start_flow(&ball).unwrap();
        }
    }
}

impl Application for Player {
    fn on_start(&mut self, context: &mut AppContext<'_>) {
        if self.other == NodeId(1) {
            self.play(context);
        }
    }

    fn on_flow_received(&mut self, context: &mut AppContext<'_>, flow: &Flow, _tag: u64) {
        if flow.request.class == ClassId(1) {
            self.play(context);
        }
    }

    fabricsim_base::saves_state!();
}

fn with_players() -> Simulation {
    let mut simulation = Simulation::new(&star(), 1).unwrap();
    for (host, other) in [(0, 1), (1, 0)] {
        let other = NodeId(other);
        let player = Player { other, left: 20 };
        simulation.add_application(NodeId(host), player).unwrap();
    }
    simulation
}

#[test]
fn applications_of_a_program_go_on_where_they_say_how() {
    let mut whole = with_players();
    whole.run_until(Time::MAX);
    let mut simulation = with_players();
    simulation.run_until(AT);
    let checkpoint = simulation.snapshot().unwrap();
    let mut again = with_players();
    again.resume(&checkpoint).unwrap();
    let left = |simulation: &Simulation| -> Vec<u32> {
        let players = simulation.applications::<Player>();
        players.map(|(_, player)| player.left).collect()
    };
    assert_eq!(left(&again), left(&simulation));
    assert!(left(&again).iter().all(|&left| left > 0 && left < 20));
    again.run_until(Time::MAX);
    assert_eq!(again.take_completions(), whole.take_completions());
    assert_eq!(left(&again), [0, 0]);

    // Without them the state does not fit.
    let refused = Simulation::restore(&star(), 1, &checkpoint).expect_err("two are missing");
    let text = refused.to_string();
    assert!(
        text.contains("it has 2 entries, and there are 0 here"),
        "{text}"
    );
    // Neither does it fit a simulation that has run.
    let refused = simulation.resume(&checkpoint).expect_err("it has run");
    assert!(refused.to_string().contains("has run already"), "{refused}");
}

#[derive(Debug)]
struct Silent;
impl Application for Silent {}

#[derive(Debug)]
struct Watcher;
impl Observer<()> for Watcher {
    fn on_dequeue(&mut self, _node: NodeId, _hop: &Hop, _packet: &Packet<()>) {}
}

#[test]
fn what_has_no_way_into_a_checkpoint_is_named() {
    let refused = |prepare: &dyn Fn(&mut Simulation)| {
        let mut simulation = Simulation::new(&star(), 1).unwrap();
        prepare(&mut simulation);
        simulation.run_until(AT);
        let refused = simulation
            .snapshot()
            .expect_err("it is refused")
            .to_string();
        // The refused attempt leaves the simulation intact.
        simulation.run_until(Time::MAX);
        refused
    };
    let application = refused(&|simulation| {
        simulation.add_application(NodeId(2), Silent).unwrap();
    });
    assert!(
        application.starts_with("the checkpoint: the application results::"),
        "{application}"
    );
    assert!(
        application.ends_with("Silent cannot be saved"),
        "{application}"
    );
    let observer = refused(&|simulation| simulation.observe(|_| Watcher));
    assert!(
        observer.contains("the observer") && observer.contains("Watcher"),
        "{observer}"
    );
    let driven = refused(&|simulation| {
        let message = Message::new(NodeId(0), NodeId(1), Bytes::new(10));
        simulation.send(&message).unwrap();
    });
    assert!(driven.contains("drives event by event"), "{driven}");
}

#[test]
fn other_settings_are_refused_by_name() {
    let mut simulation = Simulation::new(&star(), 1).unwrap();
    simulation.run_until(AT);
    let checkpoint = simulation.snapshot().unwrap();
    for (before, now, wanted) in [
        ("300KB", "400KB", "`workload.0.size` was"),
        ("hosts = 4", "hosts = 5", "`topology.hosts` was"),
        (
            r#""hpcc""#,
            r#""dcqcn""#,
            "its packets in flight carry different telemetry",
        ),
        ("[topology]", "seed = 9\n[topology]", "seed` was 1"),
        (
            "[cc]",
            r#"
                [run]
                stop_at = "1us"
                [cc]"#,
            "`run.stop_at` is before 9us",
        ),
    ] {
        let other = support::scenario(&STAR.replace(before, now));
        let refused = Simulation::restore(&other, 1, &checkpoint).expect_err(now);
        let text = refused.to_string();
        assert!(text.contains(wanted), "{text}");
    }
}

#[test]
fn a_file_that_has_been_altered_is_refused() {
    let mut simulation = Simulation::new(&star(), 1).unwrap();
    simulation.run_until(AT);
    let bytes = simulation.snapshot().unwrap().to_bytes();
    assert!(Checkpoint::from_bytes(&bytes).is_ok());
    let refused = |bytes: &[u8]| {
        Checkpoint::from_bytes(bytes)
            .map(drop)
            .map_err(|e| e.to_string())
    };
    // Truncated at any length, or longer.
    for end in (0..bytes.len()).step_by(97).chain([bytes.len() - 1]) {
        assert!(refused(&bytes[..end]).is_err(), "{end}");
    }
    let mut longer = bytes.clone();
    longer.push(0);
    assert!(refused(&longer).is_err());
    // Any single byte.
    for place in (0..bytes.len()).step_by(31) {
        let mut altered = bytes.clone();
        altered[place] ^= 1 << (place % 8);
        let text = refused(&altered).expect_err("it has been altered");
        assert!(
            text.contains("altered") || text.contains("not a checkpoint"),
            "{text}"
        );
    }
    let text = refused(b"flow,src,dst\n").expect_err("it is a table");
    assert_eq!(text, "the checkpoint: it is not a checkpoint of fabricsim");
}

#[test]
fn forks_go_their_own_ways() {
    let mut simulation = Simulation::new(&star(), 1).unwrap();
    simulation.run_until(AT);
    let mut fork = simulation.fork(2).unwrap();
    let mut other = simulation.fork(1).unwrap();
    let flow = fabricsim_base::flow::FlowRequest {
        src: NodeId(0),
        dst: NodeId(3),
        size: Bytes::new(50_000),
        start: Time::from_ns(12_000),
        class: ClassId(0),
        priority: fabricsim_base::priority::Priority::new(3),
        src_port: None,
        dst_port: 100,
    };
    other.inject(flow).unwrap();
    for simulation in [&mut simulation, &mut fork, &mut other] {
        simulation.run_until(Time::MAX);
    }
    let done = simulation.take_completions();
    assert_eq!(fork.take_completions(), done);
    assert_eq!(other.take_completions().len(), done.len() + 1);
}
