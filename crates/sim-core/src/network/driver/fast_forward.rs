//! Skipping of periods in which the state of the network repeats.
//!
//! While the same flows send at constant rates, a network often returns to the same state after
//! some packets, but for the time and the position of the flows. The driver finds such a period in
//! three steps. It cuts epochs just after events of one host until the state of that host repeats;
//! then it takes a [snapshot](Snapshot) of all nodes, and another one a period later. If they are
//! the same state, moved, all further periods are the same as well, until something happens that is
//! not part of the period: a flow starts or comes to its end, a timer expires, or the run stops.
//! The driver moves the state to the last period before that. Results are the same as without, to
//! the last byte, because nothing is estimated.
//!
//! Steps of collectives and iterations of training repeat as well, with the messages of applications
//! ([`messages`]).
//!
//! An attempt costs about as much as the simulation of its packets. So an attempt that fails is
//! followed by many more packets before the next one.

mod attempts;
mod effects;
mod history;
mod messages;
mod periods;

use super::{FlowState, NetworkDriver};
use crate::network::node::Node;
use crate::plugin::Model;
pub(in crate::network) use attempts::FastForward;
use attempts::Phase;
pub use attempts::Skipped;
use fabricsim_base::checkpoint::{Recurrence, SaveError, Snapshot, Writer};
use fabricsim_base::units::{Bytes, Duration, Time};
use fabricsim_engine::{LogicalProcess, Processes};

/// Distance from the end of a message, in bytes, at which its sender is no longer affected by it:
/// more than two packets of any size.
const MARGIN: u64 = 1 << 18;
/// Largest number of periods of a host in a period of the network.
const MOST_PERIODS: u32 = 32;
/// Messages between nodes from the last start or end of a flow to an attempt, for each node: rates
/// and averages of round-trip times need that long to settle.
const CALM: u64 = 1_024;

/// The next step of a search.
pub(super) enum Search {
    /// Nothing is to be done.
    Nothing,
    /// An epoch must end at this time, at the end of which no node is behind.
    Cut(Time),
    /// Nodes that are behind must catch up.
    Synchronize,
    /// The state has been moved.
    Moved,
}

impl<R> NetworkDriver<'_, R> {
    /// Takes the next step of the search for periods. `start` is the time of the next event.
    pub(super) fn search<M: Model>(
        &mut self,
        processes: &mut Processes<'_, Node<M>>,
        start: Time,
    ) -> Search {
        let Some(mut forward) = self.state.forward.take() else {
            return Search::Nothing;
        };
        let search = (self.search_messages(processes, &mut forward, start))
            .unwrap_or_else(|| self.step(processes, &mut forward, start));
        self.state.forward = Some(forward);
        search
    }

    /// Returns `true` if applications were called for events that the network has yet to reach. Then
    /// their state does not fit the state of the network, so the run cannot stop.
    pub(super) fn is_ahead(&self) -> bool {
        let forward = self.state.forward.as_ref();
        let history = forward.and_then(|forward| forward.history.as_ref());
        let last = history.and_then(|history| history.ahead.back());
        last.is_some_and(|&last| last >= self.state.ran)
    }

    fn step<M: Model>(
        &mut self,
        processes: &mut Processes<'_, Node<M>>,
        forward: &mut FastForward,
        start: Time,
    ) -> Search {
        let messages = processes.messages();
        let FlowState {
            finished, settled, ..
        } = *self.state;
        let (ahead, _) = forward.ahead();
        let flows = (self.state.started(), finished, settled, ahead);
        if flows != forward.flows {
            forward.flows = flows;
            forward.since = messages;
            forward.phase = Phase::Idle;
        }
        let calm_at = forward.since + CALM * processes.count() as u64;
        if messages < calm_at || self.state.has_ended() {
            return Search::Nothing;
        }
        let mut now = self.state.ran;
        if let Some(at) = forward.phase.next().filter(|&at| now < at) {
            if start < at {
                // Only the epoch at the end of which the snapshot is taken must be cut.
                let is_near = start.saturating_add(processes.longest_epoch()) >= at;
                return if is_near {
                    Search::Cut(at)
                } else {
                    Search::Nothing
                };
            }
            // Nothing happens before that time.
            now = at;
        }
        let is_idle = matches!(forward.phase, Phase::Idle);
        if !is_idle && processes.may_run_lazily() && self.state.level < self.state.ran {
            return Search::Synchronize;
        }
        match std::mem::take(&mut forward.phase) {
            Phase::Idle if !forward.may_begin(messages) => Search::Nothing,
            Phase::Idle => {
                let hosts = processes.iter().enumerate();
                let hosts = hosts.filter(|(_, node)| node.host().is_some());
                let hosts = hosts.map(|(index, node)| (LogicalProcess::next_event(node), index));
                let Some((_, host)) = hosts.min() else {
                    return Search::Nothing;
                };
                (forward.begun, forward.costs) = (messages, 0);
                forward.look_at_host(processes, host, start, (0, None))
            }
            Phase::Host {
                host,
                anchors,
                first,
                ..
            } => self.compare_host(processes, forward, (start, now), (host, anchors, first)),
            Phase::Network {
                first,
                period,
                periods,
                known,
            } => {
                let next = (Some(first), period, periods + 1, known);
                self.compare(processes, forward, now, next)
            }
            Phase::Again { period, .. } => {
                self.compare(processes, forward, now, (None, period, 0, true))
            }
        }
    }

    /// Takes a snapshot of a host and compares it with an earlier one. `anchors` is the number of
    /// snapshots so far.
    fn compare_host<M: Model>(
        &mut self,
        processes: &mut Processes<'_, Node<M>>,
        forward: &mut FastForward,
        (start, now): (Time, Time),
        (host, anchors, first): (usize, u32, Option<Snapshot>),
    ) -> Search {
        let messages = processes.messages();
        let own = match one(processes, host, now) {
            Ok(own) => own,
            Err(refused) => {
                forward.pay(processes.count(), 0);
                forward.fails(messages, &refused.name);
                return Search::Nothing;
            }
        };
        forward.pay(processes.count(), own.len());
        let first = first.unwrap_or_else(|| own.clone());
        if own.recurs(&first, 0).is_some() {
            let period = own.now().since(first.now());
            return self.compare(processes, forward, now, (None, period, 0, false));
        }
        if forward.cost(messages) > forward.most() {
            forward.fails(messages, "the state of a host does not repeat");
            return Search::Nothing;
        }
        // The first state may be one that never comes back, so later ones take its place, each
        // after twice as many events (Brent, BIT 20, 1980).
        let first = if anchors.is_power_of_two() {
            own
        } else {
            first
        };
        forward.look_at_host(processes, host, start, (anchors + 1, Some(first)))
    }

    /// Takes a snapshot of the network and compares it with the first one, `periods` periods ago.
    /// Moves the state if it is the same.
    fn compare<M: Model>(
        &mut self,
        processes: &mut Processes<'_, Node<M>>,
        forward: &mut FastForward,
        now: Time,
        (first, period, periods, known): (Option<Snapshot>, Duration, u32, bool),
    ) -> Search {
        let messages = processes.messages();
        let snapshot = match all(processes, now) {
            Ok(snapshot) => snapshot,
            Err(refused) => {
                forward.fails(messages, &refused.name);
                return Search::Nothing;
            }
        };
        forward.pay(processes.count(), snapshot.len());
        let found = first
            .as_ref()
            .and_then(|first| snapshot.recurs(first, MARGIN));
        if let Some(found) = found {
            return self.jump(processes, forward, &snapshot, &found);
        }
        if periods == MOST_PERIODS {
            forward.fails(messages, "the state of the network does not repeat");
            return Search::Nothing;
        }
        // After a disturbance, the first state may be one that has not settled.
        let first = first.filter(|_| !known).unwrap_or(snapshot);
        let periods = if first.now() == now { 0 } else { periods };
        forward.phase = Phase::Network {
            first,
            period,
            periods,
            known,
        };
        forward.phase.next().map_or(Search::Nothing, Search::Cut)
    }

    /// Skips as many periods as are left before the next event that is not part of the period.
    fn jump<M: Model>(
        &mut self,
        processes: &mut Processes<'_, Node<M>>,
        forward: &mut FastForward,
        snapshot: &Snapshot,
        found: &Recurrence,
    ) -> Search {
        let messages = processes.messages();
        let next_flow = self.source.next_start().unwrap_or(Time::MAX);
        let end = (self.until.min(self.control_plane.next_change()))
            .min(next_flow)
            .min(forward.ahead().1)
            .min(found.until)
            .min(Time::HORIZON);
        // An epoch is left before the end, which sets the time of the engine.
        let left = end.just_before().since(snapshot.now());
        let room = left.as_ps() / found.period.as_ps();
        let is_short = found.period <= self.state.health.step();
        let mut periods = if found.progresses && is_short {
            room.min(found.most)
        } else {
            0
        };
        // The last period before a jump ends shows progress, so checks for progress within the
        // jump find nothing else than later ones. A check within the last period would.
        let arrives = |periods| snapshot.now() + found.period.saturating_mul(periods);
        while periods > 0
            && (self.state.health).is_due_within(arrives(periods - 1), arrives(periods))
        {
            periods -= 1;
        }
        if periods == 0 {
            forward.fails(messages, "nothing is left to skip");
            return Search::Nothing;
        }
        let now = arrives(periods);
        let mut moved = snapshot.clone();
        moved.advance(found, periods);
        self.move_to(processes, forward, (snapshot.now(), &moved));
        forward.skipped.jumps += 1;
        forward.enough = forward.enough.max(2 * forward.cost(messages));
        forward.lost = 0;
        (forward.begun, forward.costs) = (messages, 0);
        forward.phase = Phase::Again {
            at: now.max(end) + found.period,
            period: found.period,
        };
        Search::Moved
    }

    /// Moves the network to a later state that it would have reached from its state at `from`.
    fn move_to<M: Model>(
        &mut self,
        processes: &mut Processes<'_, Node<M>>,
        forward: &mut FastForward,
        (from, moved): (Time, &Snapshot),
    ) {
        let now = moved.now();
        let before = packet_hops(processes);
        let loaded = processes.load(
            &mut moved.read(),
            |index| format!("node {index}"),
            Node::load,
        );
        loaded.expect("a state that was just written can be read");
        forward.skipped.packet_hops += packet_hops(processes) - before;
        forward.skipped.time = forward.skipped.time + now.since(from);
        (self.state.ran, self.state.level) = (now, now);
        if let Some(looked) = self.state.health.pass(now) {
            // Flows have made progress since then, by any number.
            self.state.progress_at = looked;
            self.state.acknowledged = Bytes::new(u64::MAX);
            self.state.vain_looks = 0;
        }
    }
}

/// Returns the relative form of the host `index` and of the packets in transit to it.
fn one<M: Model>(
    processes: &Processes<'_, Node<M>>,
    index: usize,
    now: Time,
) -> Result<Snapshot, SaveError> {
    let mut out = Writer::relative(now);
    processes.save_one(index, &mut out, Node::save);
    out.finish_relative()
}

/// Returns the relative form of all nodes and of the packets in transit.
fn all<M: Model>(processes: &Processes<'_, Node<M>>, now: Time) -> Result<Snapshot, SaveError> {
    let mut out = Writer::relative(now);
    processes.save(&mut out, Node::save);
    out.finish_relative()
}

/// Returns the number of packet-hops of all nodes.
fn packet_hops<M: Model>(processes: &Processes<'_, Node<M>>) -> u64 {
    let counters = processes.iter().map(|node| node.counters().packet_hops);
    counters.sum()
}
