//! Skipping of periods in which applications send messages.
//!
//! A step of a ring, or an iteration of training, often begins in the same state of the network as
//! an earlier one. Then the network does the same again, for as long as the applications request
//! the same. So the driver calls the applications with the recorded events of the earlier period,
//! at their times, and compares their requests with the recorded ones. No packet is simulated. If
//! an application requests something else, the network simulates the current period from its
//! beginning. It does what the applications have requested so far, without calling them again.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::attempts::{FastForward, cost_of};
use super::history::{self, History};
use super::{MARGIN, NetworkDriver, Search, all};
use crate::network::applications::{Call, Cause, Shift};
use crate::network::node::Node;
use crate::plugin::{Endpoint, Model};
use fabricsim_base::checkpoint::{Recurrence, Snapshot};
use fabricsim_base::flow::{Completion, Flow};
use fabricsim_base::id::{FlowId, NodeId};
use fabricsim_base::units::{Duration, Time};
use fabricsim_engine::Processes;

/// Largest number of earlier states that are compared with the requests of applications at once.
const CANDIDATES: usize = 8;

/// A period that may repeat now.
#[derive(Debug)]
struct Candidate {
    /// Its first state, among those of the past.
    past: usize,
    /// Its calls, among all of the past.
    calls: Range<usize>,
    found: Recurrence,
    shift: Shift,
}

/// A state to which a repetition may lead.
#[derive(Clone, Copy, Debug)]
struct Goal {
    /// Number of calls before it.
    calls: usize,
    /// The state of the past that it repeats; `None` for the end of the period.
    past: Option<usize>,
}

/// The room for repetitions.
#[derive(Debug)]
struct Limit {
    /// The first time at which something happens that is not part of a period.
    end: Time,
    /// The used share of the periods until a goal that stays is reached, or a counter is full, in
    /// parts of 2^64.
    used: u128,
}

/// What has happened since the beginning of a period that may repeat another one.
#[derive(Debug, Default)]
struct Effects {
    calls: Vec<(usize, Call)>,
    started: BTreeMap<FlowId, Flow>,
    completions: Vec<Completion>,
}

impl<R> NetworkDriver<'_, R> {
    /// Takes the next step of the search for periods with messages. Returns `None` if the driver
    /// may look for periods without messages instead. `start` is the time of the next event.
    pub(super) fn search_messages<M: Model>(
        &mut self,
        processes: &mut Processes<'_, Node<M>>,
        forward: &mut FastForward,
        start: Time,
    ) -> Option<Search> {
        self.state.applications.as_ref()?;
        let mut history = forward.history.take()?;
        let search = self.step_messages(processes, forward, &mut history, start);
        if history.is_refused {
            history::record(processes, false);
        } else {
            forward.history = Some(history);
        }
        search
    }

    fn step_messages<M: Model>(
        &mut self,
        processes: &mut Processes<'_, Node<M>>,
        forward: &mut FastForward,
        history: &mut History,
        start: Time,
    ) -> Option<Search> {
        let now = self.state.ran;
        while history.ahead.front().is_some_and(|&at| at < now) {
            history.ahead.pop_front();
        }
        if !history.ahead.is_empty() {
            return None;
        }
        let unreachable = self.state.unreachable.len() as u64;
        let era = (self.state.numbered + unreachable, self.changed);
        if history.era != era || !history.records {
            history.begin(era);
            history.records = true;
            history::record(processes, true);
        }
        if history.due.is_none() && history.may_look(forward, processes.messages()) {
            history.find_instant(processes, self.state.finished);
        }
        let due = history.due?;
        if start < due {
            let is_near = start.saturating_add(processes.longest_epoch()) >= due;
            return Some(if is_near {
                Search::Cut(due)
            } else {
                Search::Nothing
            });
        }
        if processes.may_run_lazily() && self.state.level < now {
            return Some(Search::Synchronize);
        }
        history.due = None;
        Some(self.look_back(processes, forward, history, now.max(due)))
    }

    /// Compares the state of the network with earlier ones, and skips the periods that repeat.
    fn look_back<M: Model>(
        &mut self,
        processes: &mut Processes<'_, Node<M>>,
        forward: &mut FastForward,
        history: &mut History,
        now: Time,
    ) -> Search {
        history.collect(processes);
        let refuse = |forward: &mut FastForward, history: &mut History, name: String| {
            *forward.skipped.refused.entry(name).or_default() += 1;
            history.is_refused = true;
            Search::Nothing
        };
        let (sample, bytes) = match history.sample(processes, now) {
            Ok(sample) => sample,
            Err(refused) => return refuse(forward, history, refused.name),
        };
        let nodes = processes.count();
        history.pay(cost_of(nodes, bytes));
        let is_known = history.past.iter().any(|past| past.sample == sample);
        if !is_known && !history.may_look(forward, processes.messages()) {
            return Search::Nothing;
        }
        let snapshot = match all(processes, now) {
            Ok(snapshot) => snapshot,
            Err(refused) => return refuse(forward, history, refused.name),
        };
        history.pay(cost_of(nodes, snapshot.len()));
        let candidates = candidates(processes, history, (sample, &snapshot));
        self.repeat(processes, forward, history, (sample, snapshot, candidates))
    }

    /// Repeats `candidates` from the state `snapshot` on, as often as the applications request the
    /// same, and then loads the state that they lead to.
    fn repeat<M: Model>(
        &mut self,
        processes: &mut Processes<'_, Node<M>>,
        forward: &mut FastForward,
        history: &mut History,
        (mut sample, mut snapshot, mut candidates): (u64, Snapshot, Vec<Candidate>),
    ) -> Search {
        let from = snapshot.now();
        let untils = candidates.iter().map(|own| own.found.until);
        let mut limit = Limit {
            end: (self.until.min(self.control_plane.next_change()))
                .min(self.source.next_start().unwrap_or(Time::MAX))
                .min(untils.min().unwrap_or(Time::MAX))
                .min(Time::HORIZON),
            used: 0,
        };
        loop {
            let now = snapshot.now();
            let goal = |own: &Candidate| self.goal(history, own, (now, &limit), own.calls.len());
            let goals = candidates.iter().map(goal).enumerate();
            let goals: Vec<_> = goals
                .filter_map(|(index, goal)| Some((index, goal?)))
                .collect();
            if goals.is_empty() {
                break;
            }
            let mut effects = Effects::default();
            let (index, made) = effects.repeat(processes, history, (&candidates, goals), now);
            let own = &candidates[index];
            let reached = self.reached(history, own, (&snapshot, &limit), made);
            let calls = reached.as_ref().map_or(0, |(goal, _)| goal.calls);
            let left = effects.calls.split_off(calls);
            let at = reached.as_ref().map_or(now, |(_, state)| state.now());
            self.settle_calls(processes, effects, (&left, at), history);
            let is_whole = left.is_empty();
            history.ahead = left.iter().map(|(_, call)| call.at).collect();
            foresee(processes, left);
            if let Some((goal, state)) = reached {
                snapshot = state;
                match goal.past {
                    Some(past) => sample = history.past[past].sample,
                    None if is_whole => {
                        let found = candidates[index].found.clone();
                        limit.used += share(&found);
                        candidates.iter_mut().for_each(|own| own.shift.add(&found));
                        continue;
                    }
                    None => {}
                }
            }
            break;
        }
        let now = snapshot.now();
        if now > from {
            forward.skipped.jumps += 1;
            history.pays_off();
        }
        let is_moved = now > from || !history.ahead.is_empty();
        if is_moved {
            self.move_to(processes, forward, (from, &snapshot));
        }
        history.store(sample, snapshot);
        if is_moved {
            Search::Moved
        } else {
            Search::Nothing
        }
    }

    /// Returns the last state to which a repetition of `own` from `now` on may lead after at most
    /// `most` calls.
    fn goal(
        &self,
        history: &History,
        own: &Candidate,
        (now, limit): (Time, &Limit),
        most: usize,
    ) -> Option<Goal> {
        if limit.used + share(&own.found) > 1 << 64 {
            return None;
        }
        let from = history.past[own.past].snapshot.now();
        let may_end = |calls: usize, length: Duration| {
            let calls = &history.calls[own.calls.start..][..calls];
            let ends = calls.iter().rev();
            let last = ends
                .map(|(_, call)| call)
                .find(|call| !call.finished().is_empty());
            let arrives = now.saturating_add(length);
            let health = &self.state.health;
            let is_well = |last: &Call| !health.is_due_within(now + last.at.since(from), arrives);
            arrives < limit.end
                && health.is_short(own.found.period, self.stall_after)
                && last.is_some_and(is_well)
        };
        let calls = own.calls.len();
        if most >= calls && may_end(calls, own.found.period) {
            return Some(Goal { calls, past: None });
        }
        let later = history.past.iter().enumerate().skip(own.past + 1).rev();
        let goals = later.map(|(index, past)| {
            let calls = past.calls - own.calls.start;
            let past = past.snapshot.now().since(from);
            (index, calls, past)
        });
        let mut goals = goals.filter(|&(_, calls, _)| calls <= most);
        let (past, calls, _) = goals.find(|&(_, calls, length)| may_end(calls, length))?;
        let past = Some(past);
        Some(Goal { calls, past })
    }

    /// Returns the last state to which the first `made` calls of a repetition of `own` have led
    /// from the state `snapshot`, if it can be told.
    fn reached(
        &self,
        history: &History,
        own: &Candidate,
        (snapshot, limit): (&Snapshot, &Limit),
        made: usize,
    ) -> Option<(Goal, Snapshot)> {
        let mut most = made;
        loop {
            let goal = self.goal(history, own, (snapshot.now(), limit), most)?;
            let state = match goal.past {
                None => {
                    let mut state = snapshot.clone();
                    state.advance(&own.found, 1);
                    Some(state)
                }
                Some(past) => {
                    let begun = &history.past[own.past].snapshot;
                    let past = &history.past[past].snapshot;
                    past.after_again((begun, snapshot), &own.shift.flows)
                }
            };
            if let Some(state) = state {
                return Some((goal, state));
            }
            most = goal.calls.checked_sub(1)?;
        }
    }

    /// Records the results of calls: the activity of applications, and the flows that have ended
    /// before `at`. The network still simulates the calls that are `left`.
    fn settle_calls<M: Model>(
        &mut self,
        processes: &mut Processes<'_, Node<M>>,
        effects: Effects,
        (left, at): (&[(usize, Call)], Time),
        history: &mut History,
    ) {
        let hosts = effects.calls.iter().chain(left).map(|&(host, _)| host);
        let hosts: BTreeSet<usize> = hosts.collect();
        let mut news = Vec::new();
        for host in hosts {
            let own = processes.update(host, |node| match node {
                Node::Host(host) => host.take_app_news(),
                Node::Switch(_) => None,
            });
            news.extend(own.flatten());
        }
        let from = self.state.completions.len();
        let ended = effects.completions.into_iter();
        self.state
            .completions
            .extend(ended.filter(|done| done.finish < at));
        self.settle(from, news);
        history.append(effects.calls);
    }
}

/// Returns the periods that end in the state `snapshot`, which began in the same state. The
/// shortest one is the first.
fn candidates<M: Model>(
    processes: &Processes<'_, Node<M>>,
    history: &History,
    (sample, snapshot): (u64, &Snapshot),
) -> Vec<Candidate> {
    let known = history.past.iter().enumerate().rev();
    let mut candidates = Vec::new();
    for (index, past) in known.filter(|(_, past)| past.sample == sample) {
        let Some(found) = snapshot.recurs(&past.snapshot, MARGIN) else {
            continue;
        };
        let calls = past.calls..history.calls.len();
        candidates.push(Candidate {
            past: index,
            calls,
            shift: Shift {
                time: found.period,
                flows: found.flows.clone(),
            },
            found,
        });
        if candidates.len() == CANDIDATES {
            break;
        }
    }
    let is_whole = |node: &Node<M>| match node {
        Node::Host(host) => {
            let flows = host.endpoint().unfinished();
            flows.iter().all(|flow| history.live.contains_key(&flow.id))
        }
        Node::Switch(_) => true,
    };
    if !candidates.is_empty() && !processes.iter().all(is_whole) {
        candidates.clear();
    }
    candidates
}

/// Returns the share of all periods that one of `found` uses up, in parts of 2^64.
fn share(found: &Recurrence) -> u128 {
    (1 << 64) / u128::from(found.most.max(1))
}

impl Effects {
    /// Calls the applications with the events of those of the periods `candidates` that have `goals`,
    /// from `now` on, for as long as they request the same as in one of them. Returns this one, and
    /// the number of calls that have repeated its calls.
    fn repeat<M: Model>(
        &mut self,
        processes: &mut Processes<'_, Node<M>>,
        history: &History,
        (candidates, mut goals): (&[Candidate], Vec<(usize, Goal)>),
        now: Time,
    ) -> (usize, usize) {
        let begins = |own: &Candidate| history.past[own.past].snapshot.now();
        let mut next = 0;
        loop {
            let (first, _) = goals[0];
            if let Some(&(index, _)) = goals.iter().find(|(_, goal)| goal.calls == next) {
                return (index, next);
            }
            let own = &candidates[first];
            let (host, recorded) = &history.calls[own.calls.start + next];
            let at = now + recorded.at.since(begins(own));
            let node = NodeId(u32::try_from(*host).expect("nodes are numbered by 32 bits"));
            let cause = own.shift.cause(node, &recorded.cause);
            let Some(call) = self.call(processes, history, (*host, at), cause) else {
                debug_assert!(false, "the network has done the same");
                return (first, next);
            };
            goals.retain(|&(index, _)| {
                let own = &candidates[index];
                let (other, recorded) = &history.calls[own.calls.start + next];
                other == host
                    && recorded.at.since(begins(own)) == at.since(now)
                    && own.shift.repeats(&recorded.made, &call.made)
            });
            self.calls.push((*host, call));
            if goals.is_empty() {
                return (first, next);
            }
            next += 1;
        }
    }

    /// Calls the applications of `host` at `at`.
    fn call<M: Model>(
        &mut self,
        processes: &mut Processes<'_, Node<M>>,
        history: &History,
        (host, at): (usize, Time),
        cause: Cause,
    ) -> Option<Call> {
        let mut ended = Vec::new();
        if let Cause::Network { finished, .. } = &cause {
            for &(id, retransmitted) in finished {
                let flow = self.started.get(&id).or_else(|| history.live.get(&id))?;
                ended.push(Completion {
                    flow: *flow,
                    finish: at,
                    retransmitted,
                });
            }
        }
        let event = match cause {
            Cause::Due => None,
            Cause::Network { received, .. } => Some((&ended[..], received)),
        };
        let made = processes.update(host, |node| match node {
            Node::Host(host) => host.call_only(at, event),
            Node::Switch(_) => None,
        });
        let made = made.flatten()?;
        for (flow, _) in &made.starts {
            self.started.insert(flow.id, *flow);
        }
        self.completions.append(&mut ended);
        Some(Call { at, cause, made })
    }
}

/// Lets the hosts do what was requested in `calls` when the network reaches their times.
fn foresee<M: Model>(processes: &mut Processes<'_, Node<M>>, calls: Vec<(usize, Call)>) {
    for (host, call) in calls {
        processes.update(host, |node| {
            if let Node::Host(host) = node
                && let Some(applications) = host.own_applications_mut()
            {
                applications.foresee(call);
            }
        });
    }
}
