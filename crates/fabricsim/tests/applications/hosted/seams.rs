//! Applications as a workload, and observers supplied by a program.

use std::collections::BTreeMap;

use fabricsim::Scenario;
use fabricsim::Simulation;
use fabricsim::outcome::run_to_folder;
use fabricsim_base::flow::{Completion, Flow};
use fabricsim_base::id::{ClassId, NodeId, PortId};
use fabricsim_base::input::{ConfigError, Key, Keys, ValueKind};
use fabricsim_base::priority::Priority;
use fabricsim_base::units::{Bytes, Duration, Time};
use fabricsim_core::network::Stop;
use fabricsim_core::packet::{Packet, PacketKind, PauseChange};
use fabricsim_core::plugin::{Application, DropReason, Hop, Observer};
use fabricsim_scenario::kinds::Registry;
use fabricsim_workload::{
    Expected, HostApplications, Workload, WorkloadContext, WorkloadKind, boxed,
};
use serde::{Deserialize, Serialize};

use crate::hosted::player::{Game, Means, Player, play, whisper};

const GAME: Game = Game {
    ping: Bytes::new(2_000),
    pong: Bytes::new(9_000),
    think: Duration::from_us(2),
    rounds: 5,
    priority: Priority::new(3),
    means: Means::Flows,
};

/// Pairs of hosts that play.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
struct Pairs {
    rounds: u64,
    #[serde(default = "three")]
    priority: Priority,
}

const fn three() -> Priority {
    Priority::new(3)
}

impl Pairs {
    const fn game(&self) -> Game {
        Game {
            rounds: self.rounds,
            priority: self.priority,
            ..GAME
        }
    }
}

impl WorkloadKind for Pairs {
    const NAME: &'static str = "pairs";
    const ABOUT: &'static str = "hosts in pairs that play";
    const KEYS: Keys = &[
        Key::new("rounds", "pings of each pair (required)", ValueKind::COUNT),
        Key::new(
            "priority",
            "priority of all flows (default 3)",
            ValueKind::COUNT,
        ),
    ];
}

impl Workload for Pairs {
    fn users(&self, own: ClassId) -> Vec<(Priority, ClassId)> {
        vec![(self.priority, own)]
    }

    fn set_priority(&mut self, priority: Priority) {
        self.priority = priority;
    }

    fn expected(&self, context: &WorkloadContext) -> Result<Expected, ConfigError> {
        let flows = context.hosts.len() as f64 * self.rounds as f64;
        Ok(Expected {
            flows,
            bytes: flows * (GAME.ping + GAME.pong).as_f64() / 2.0,
        })
    }

    fn applications(
        &self,
        context: &WorkloadContext,
        _class: ClassId,
    ) -> Result<HostApplications, ConfigError> {
        let mut all = HostApplications::new();
        for pair in context.hosts.chunks_exact(2) {
            let [one, other] = [pair[0].id, pair[1].id];
            let pings = Player::new(other, self.game());
            all.push((one, Box::new(pings) as Box<dyn Application>));
            all.push((other, Box::new(Player::new(one, self.game()).replying())));
        }
        Ok(all)
    }
}

fn scenario() -> Scenario {
    let mut registry = Registry::default();
    registry.add_workload::<Pairs>();
    let text = r#"
        [topology]
        kind = "star"
        hosts = 4
        [cc]
        kind = "hpcc"
        [[workload]]
        kind = "pairs"
        rounds = 5"#;
    Scenario::from_toml_with(text, &registry).unwrap()
}

#[test]
fn a_workload_of_applications_has_results_like_any_other() {
    let dir = tempfile::tempdir().unwrap();
    let mut files = Vec::new();
    for threads in [1, 2, 8] {
        let out = dir.path().join(threads.to_string());
        let summary = run_to_folder(&scenario(), &*out, threads, &mut ()).unwrap();
        assert_eq!(summary.flows.finished, 4 * 5);
        assert!(summary.warnings.is_empty(), "{:?}", summary.warnings);
        files.push(std::fs::read_to_string(out.join("fct.csv")).unwrap());
    }
    assert!(files.iter().all(|file| *file == files[0]));
    let first = files[0].lines().nth(1).unwrap();
    assert!(first.contains(&(1u32 << 31).to_string()), "{first}");
}

#[test]
fn a_server_that_is_not_there_is_named_in_a_warning() {
    let dir = tempfile::tempdir().unwrap();
    let lonely = boxed(Lonely {});
    let scenario = scenario().with_workloads(vec![lonely]).unwrap();
    let summary = run_to_folder(&scenario, dir.path(), 1, &mut ()).unwrap();
    assert_eq!(
        summary.warnings,
        [
            "all flows have finished, but the application at host0 (node 0) waits for 5 pongs from host 1"
        ]
    );
    assert_eq!(summary.flows.finished, 1);
}

/// A client without a server.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
struct Lonely {}

impl WorkloadKind for Lonely {
    const NAME: &'static str = "lonely";
    const ABOUT: &'static str = "a client without a server";
    const KEYS: Keys = &[];
}

impl Workload for Lonely {
    fn users(&self, own: ClassId) -> Vec<(Priority, ClassId)> {
        vec![(Priority::new(3), own)]
    }

    fn expected(&self, _context: &WorkloadContext) -> Result<Expected, ConfigError> {
        Ok(Expected::default())
    }

    fn applications(
        &self,
        _context: &WorkloadContext,
        _class: ClassId,
    ) -> Result<HostApplications, ConfigError> {
        let client = Player::new(NodeId(1), GAME);
        Ok(vec![(NodeId(0), Box::new(client))])
    }
}

/// Counts the observed events.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
struct Counts {
    started: Vec<u32>,
    completed: u64,
    arrived: u64,
    payload: u64,
    left: BTreeMap<u16, u64>,
    queued: u64,
    dropped: u64,
    pauses: u64,
}

impl Observer<()> for Counts {
    fn on_start(&mut self, _now: Time, _node: NodeId, flow: &Flow) {
        self.started.push(flow.id.0);
    }

    fn on_arrival(&mut self, _now: Time, _node: NodeId, packet: &Packet<()>) {
        self.arrived += 1;
        if packet.kind() == PacketKind::Data {
            self.payload += packet.payload_bytes().get();
        }
    }

    fn on_completion(&mut self, _node: NodeId, _completion: &Completion) {
        self.completed += 1;
    }

    fn on_dequeue(&mut self, _node: NodeId, hop: &Hop, _packet: &Packet<()>) {
        *self.left.entry(hop.port.0).or_default() += 1;
    }

    fn on_queue_change(&mut self, _now: Time, _node: NodeId, _port: PortId, _queue: Bytes) {
        self.queued += 1;
    }

    fn on_drop(&mut self, _now: Time, _node: NodeId, _reason: DropReason, _packet: &Packet<()>) {
        self.dropped += 1;
    }

    fn on_pause(
        &mut self,
        _now: Time,
        _node: NodeId,
        _port: PortId,
        _priority: Priority,
        _change: PauseChange,
    ) {
        self.pauses += 1;
    }
}

#[test]
fn observers_of_a_program_see_every_event_on_any_number_of_threads() {
    let topology = r#"kind = "star"
        hosts = 9"#;
    let more = r#"
        [[workload]]
        kind = "incast"
        fan_in = 8
        size = "500KB"
        at = "0s"
        [cc]
        kind = "dcqcn"
        [switch]
        buffer = "1MB""#;
    let run = |threads: usize| {
        let mut simulation = Simulation::new(&whisper("", topology, more), threads).unwrap();
        simulation.observe(|_node| Counts::default());
        play(&mut simulation, 0, 1, GAME);
        assert_eq!(simulation.run_until(Time::MAX), Stop::Finished);
        let seen: Vec<Counts> = simulation
            .observers::<Counts>()
            .map(|(_, counts)| counts.clone())
            .collect();
        assert_eq!(simulation.observers::<()>().count(), 0);
        let sum = |part: fn(&Counts) -> u64| seen.iter().map(part).sum::<u64>();
        assert_eq!(sum(|node| node.completed), simulation.flows_finished());
        assert_eq!(
            sum(|node| node.started.len() as u64),
            simulation.flows_started()
        );
        let endpoints = simulation.endpoint_counters();
        assert_eq!(sum(|node| node.payload), endpoints.arrived.get());
        // Dropped and retransmitted packets may still be on their way when the last flow ends.
        assert!(sum(|node| node.left.values().sum()) >= sum(|node| node.arrived));
        assert!(sum(|node| node.queued) > 1_000 && sum(|node| node.pauses) > 10);
        seen
    };
    let one = run(1);
    assert!(one[0].started.contains(&(1 << 31)));
    assert_eq!(one.len(), 10);
    for threads in [2, 8] {
        assert_eq!(run(threads), one);
    }
}
