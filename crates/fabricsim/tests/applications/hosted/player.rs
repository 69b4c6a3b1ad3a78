//! Two hosts that send flows back and forth.

use crate::support;
use fabricsim::{Scenario, Simulation};
use fabricsim_base::flow::Connection;
use fabricsim_base::flow::{Completion, Flow};
use fabricsim_base::id::{ClassId, FlowId, NodeId};
use fabricsim_base::priority::Priority;
use fabricsim_base::units::{Bytes, Duration, Time};
use fabricsim_core::plugin::{AppContext, AppFlow, Application};

/// The flow class of all flows between players.
pub(crate) const CLASS: ClassId = ClassId(9);

/// Means by which players send.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Means {
    /// Each ping and pong is a flow of its own.
    Flows,
    /// Both sides send messages on one connection.
    Connection,
}

/// Parameters of the exchange between a pair of hosts.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Game {
    pub(crate) ping: Bytes,
    pub(crate) pong: Bytes,
    /// Time from the arrival of a pong to the next ping.
    pub(crate) think: Duration,
    pub(crate) rounds: u64,
    pub(crate) priority: Priority,
    pub(crate) means: Means,
}

/// Something that a player has seen.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Seen {
    Started(FlowId, Time),
    Received(FlowId, Time, u64),
    Finished(FlowId, Time),
}

/// One player of a pair. The tag of a flow is the number of its round.
#[derive(Debug)]
pub(crate) struct Player {
    other: NodeId,
    pings: bool,
    game: Game,
    connection: Option<Connection>,
    pub(crate) seen: Vec<Seen>,
    /// Received pongs.
    pub(crate) rounds: u64,
}

impl Player {
    /// Returns the player who pings `other`.
    pub(crate) const fn new(other: NodeId, game: Game) -> Self {
        Self {
            other,
            pings: true,
            game,
            connection: None,
            seen: Vec::new(),
            rounds: 0,
        }
    }

    /// Makes this the player who replies.
    pub(crate) const fn replying(mut self) -> Self {
        self.pings = false;
        self
    }

    fn send(&mut self, context: &mut AppContext<'_>, tag: u64) {
        let size = if self.pings {
            self.game.ping
        } else {
            self.game.pong
        };
        let flow = match &self.connection {
            Some(connection) => AppFlow::on(connection, size),
            None => AppFlow {
                priority: self.game.priority,
                ..AppFlow::new(self.other, size, CLASS)
            },
        };
        let flow = flow.with_tag(tag);
        // The game is over if there is no route.
        if let Ok(id) = context.start_flow(&flow) {
            self.seen.push(Seen::Started(id, context.now()));
        }
    }
}

impl Application for Player {
    fn on_start(&mut self, context: &mut AppContext<'_>) {
        if self.pings {
            if self.game.means == Means::Connection {
                let connection = context.connect(self.other, CLASS, self.game.priority, 100);
                self.connection = Some(connection.unwrap());
            }
            self.send(context, 0);
        }
    }

    fn on_flow_finished(&mut self, context: &mut AppContext<'_>, completion: &Completion) {
        assert_eq!(completion.finish, context.now());
        assert_eq!(completion.flow.request.src, context.host());
        if completion.flow.request.class == CLASS {
            let id = completion.flow.id;
            self.seen.push(Seen::Finished(id, context.now()));
        }
    }

    fn on_flow_received(&mut self, context: &mut AppContext<'_>, flow: &Flow, tag: u64) {
        assert_eq!(flow.request.dst, context.host());
        if flow.request.class != CLASS || flow.request.src != self.other {
            return;
        }
        let now = context.now();
        self.seen.push(Seen::Received(flow.id, now, tag));
        if !self.pings {
            self.connection = flow.reply_connection();
            self.send(context, tag);
            return;
        }
        self.rounds += 1;
        if self.rounds < self.game.rounds {
            context.set_timer(self.game.think, self.rounds);
        }
    }

    fn on_timer(&mut self, context: &mut AppContext<'_>, token: u64) {
        self.send(context, token);
    }

    fn waits_for(&self) -> Option<String> {
        let left = self.game.rounds - self.rounds;
        (self.pings && left > 0).then(|| format!("{left} pongs from host {}", self.other))
    }
}

/// Returns a scenario of the network `topology` in which every host first sends one byte. `root`
/// holds the keys outside of tables.
pub(crate) fn whisper(root: &str, topology: &str, more: &str) -> Scenario {
    let workload = r#"
        [[workload]]
        kind = "permutation"
        size = "1B"
    "#;
    let text = format!("{root}\n[topology]\n{topology}\n{workload}{more}");
    support::scenario(&text)
}

/// Returns a scenario of the network `topology` in which only applications send.
pub(crate) fn silent(topology: &str, more: &str) -> Scenario {
    let scenario = whisper("", topology, more);
    scenario.with_workloads(Vec::new()).unwrap()
}

/// Adds a pair of players. Host `one` begins.
pub(crate) fn play(simulation: &mut Simulation, one: u32, other: u32, game: Game) {
    for (host, peer) in [(one, other), (other, one)] {
        let player = Player {
            pings: host == one,
            ..Player::new(NodeId(peer), game)
        };
        simulation.add_application(NodeId(host), player).unwrap();
    }
}

/// Returns everything that the players of each host have seen.
pub(crate) fn seen(simulation: &Simulation) -> Vec<(NodeId, Vec<Seen>)> {
    let players = simulation.applications::<Player>();
    players
        .map(|(host, player)| (host, player.seen.clone()))
        .collect()
}
