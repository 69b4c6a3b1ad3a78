//! Skipping of periods in which applications send messages.
//!
//! A step of a ring, or an iteration of training, often begins in the same state of the network as
//! an earlier one. Then the network does the same again, for as long as the applications request
//! the same. So the driver calls the applications with the recorded events of the earlier period,
//! at their times, and compares their requests with the recorded ones. No packet is simulated. If
//! an application requests something else, the driver returns to the last recorded state of the
//! period, and the network does what the applications have requested since, without calling them
//! again.

use std::collections::BTreeSet;

use super::attempts::{FastForward, cost_of};
use super::effects::{Effects, foresee};
use super::history::{self, History};
use super::periods::{Goal, Period, periods};
use super::{MARGIN, NetworkDriver, Search, all};
use crate::network::applications::Call;
use crate::network::node::Node;
use crate::plugin::Model;
use fabricsim_base::checkpoint::Snapshot;
use fabricsim_base::units::{Duration, Time};
use fabricsim_engine::Processes;

/// Largest number of repetitions before the driver reports the progress of the run.
const MOST_REPETITIONS: u32 = 256;

/// The room for repetitions.
#[derive(Debug)]
struct Limit {
    /// The first time at which something happens that is not part of a period.
    end: Time,
    /// The used share of the periods until a goal that stays is reached, or a counter is full, in
    /// parts of 2^64.
    used: u128,
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
        let may_look = history.may_look(forward, processes.messages());
        let ended = self.state.finished;
        if history.era != era || history.records != may_look || history.is_silent(ended) {
            history.begin(era, ended, may_look);
            history::record(processes, may_look);
        }
        if may_look && history.due.is_none() {
            history.find_instant(processes, ended);
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
        if !history.collect(processes) {
            history.records = false;
            return Search::Nothing;
        }
        let snapshot = match all(processes, now) {
            Ok(snapshot) => snapshot,
            Err(refused) => {
                let count = forward.skipped.refused.entry(refused.name).or_default();
                *count += 1;
                history.is_refused = true;
                return Search::Nothing;
            }
        };
        let nodes = processes.count();
        history.pay(cost_of(nodes, snapshot.len()));
        history.store(snapshot.clone());
        let periods = periods(processes, history);
        self.repeat(processes, forward, history, (snapshot, periods))
    }

    /// Repeats `periods` from the state `snapshot` on, as often as the applications request the same,
    /// and then loads the state that they lead to.
    fn repeat<M: Model>(
        &mut self,
        processes: &mut Processes<'_, Node<M>>,
        forward: &mut FastForward,
        history: &mut History,
        (mut snapshot, mut periods): (Snapshot, Vec<Period>),
    ) -> Search {
        let from = snapshot.now();
        let untils = periods.iter().map(|own| own.found.until);
        let mut limit = Limit {
            end: (self.until.min(self.control_plane.next_change()))
                .min(self.source.next_start().unwrap_or(Time::MAX))
                .min(untils.min().unwrap_or(Time::MAX))
                .min(Time::HORIZON),
            used: 0,
        };
        // All repetitions but the last one are of the same period.
        let mut only = None;
        for _ in 0..MOST_REPETITIONS {
            let now = snapshot.now();
            let goal = |own: &Period| self.goal(history, own, (now, &limit), own.calls.len());
            let goals = periods.iter().map(goal).enumerate();
            let goals: Vec<_> = goals
                .filter_map(|(index, goal)| Some((index, goal?)))
                .collect();
            if goals.is_empty() {
                break;
            }
            let mut effects = Effects::default();
            let (index, made) = effects.repeat(processes, history, (&periods, goals), now);
            let own = &periods[index];
            let is_again = only.is_none_or(|only| only == own.past);
            let goal = self.reach_goal(history, own, (&mut snapshot, &limit), (made, is_again));
            limit.used += own.share();
            let left = effects.calls.split_off(goal.map_or(0, |goal| goal.calls));
            self.settle_calls(processes, effects, (&left, snapshot.now()), history);
            let is_whole = goal.is_some_and(|goal| goal.past == history.past.len() - 1);
            if !left.is_empty() || !is_whole || !is_again {
                history.ahead = left.iter().map(|(_, call)| call.at).collect();
                foresee(processes, left);
                break;
            }
            let (past, found) = (own.past, own.found.clone());
            if only.is_none() {
                // A state that was another one, moved, may not be any more.
                let moved = &history.past;
                periods.retain(|own| {
                    let again = snapshot.recurs(&moved[own.past].snapshot, MARGIN);
                    own.past == past || again.is_some_and(|again| again.most > 0)
                });
            }
            only = Some(past);
            periods.iter_mut().for_each(|own| own.shift.add(&found));
        }
        let now = snapshot.now();
        if now > from {
            forward.skipped.jumps += 1;
            history.pays_off();
        }
        if now == from && history.ahead.is_empty() {
            return Search::Nothing;
        }
        self.move_to(processes, forward, (from, &snapshot));
        history.ended = self.state.finished;
        if now > from {
            history.store(snapshot);
        }
        Search::Moved
    }

    /// Returns the last state to which a repetition of `own` from `now` on may lead after at most
    /// `most` calls.
    fn goal(
        &self,
        history: &History,
        own: &Period,
        (now, limit): (Time, &Limit),
        most: usize,
    ) -> Option<Goal> {
        if limit.used + own.share() > 1 << 64 {
            return None;
        }
        let from = history.past[own.past].snapshot.now();
        let may_end = |calls: usize, length: Duration| {
            let calls = history.calls[own.calls.start..][..calls].iter().rev();
            let mut ends = calls.filter(|(_, call)| !call.finished().is_empty());
            let arrives = now.saturating_add(length);
            let health = &self.state.health;
            // A check for progress in between finds some, and so does the next one.
            let is_well = |last: &Call| !health.is_due_within(now + last.at.since(from), arrives);
            arrives < limit.end
                && health.is_short(own.found.period, self.stall_after)
                && ends.next().is_some_and(|(_, last)| is_well(last))
        };
        let later = history.past.iter().enumerate().skip(own.past + 1).rev();
        let goals = later.map(|(index, past)| (index, past.calls - own.calls.start, past));
        let mut goals = goals.filter(|&(_, calls, _)| calls <= most.min(own.calls.len()));
        let (past, calls, _) =
            goals.find(|(_, calls, past)| may_end(*calls, past.snapshot.now().since(from)))?;
        Some(Goal { calls, past })
    }

    /// Moves `snapshot` to the last state to which the first `made` calls of a repetition of `own`
    /// lead, if it can be told. `is_again` is `true` if only this period has been repeated so far.
    fn reach_goal(
        &self,
        history: &History,
        own: &Period,
        (snapshot, limit): (&mut Snapshot, &Limit),
        (made, is_again): (usize, bool),
    ) -> Option<Goal> {
        let mut most = made;
        loop {
            let goal = self.goal(history, own, (snapshot.now(), limit), most)?;
            if is_again && goal.past == history.past.len() - 1 {
                snapshot.advance(&own.found, 1);
                return Some(goal);
            }
            let begun = &history.past[own.past].snapshot;
            let past = &history.past[goal.past].snapshot;
            if let Some(state) = past.after_again((begun, snapshot), &own.shift.flows) {
                *snapshot = state;
                return Some(goal);
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
            let own = processes.update(host, |node| node.host_mut()?.take_app_news());
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
