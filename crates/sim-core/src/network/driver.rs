//! Work between epochs: hands flows to their hosts, and collects completions.

mod fast_forward;
mod flow_state;
mod look;
mod reach;
mod report;
mod synchronize;
mod watch_schedule;

use super::applications::AppNews;
use super::change::{apply, tell_hosts};
use super::health::Finding;
use super::node::Node;
use super::switch::Switch;
use super::{NetworkControl, Overload, Progress, Room, RunCallback, Stop, deadlock};
use crate::plugin::{Endpoint, Model};
use fabricsim_base::checkpoint::{Reader, Stored, Writer};
use fabricsim_base::flow::{FlowRequest, FlowSource};
use fabricsim_base::id::{FlowId, NodeId, PortId};
use fabricsim_base::limits::FIRST_APP_FLOW;
use fabricsim_base::ranks::{ALIKE, gather};
use fabricsim_base::units::{Bytes, Duration, Time};
use fabricsim_engine::{Driver, Epoch, Execution, Processes};

use fast_forward::Search;
pub use fast_forward::Skipped;
pub(super) use flow_state::FlowState;
use look::{ended, look};
use report::{Report, take_results};
pub(super) use synchronize::Synchronize;

/// A port that is paused for longer is checked for a deadlock.
const LONG_PAUSE: Duration = Duration::from_ms(1);
/// Number of checks that found events, but no progress, before a run ends as stalled. With timeouts
/// of a second, a flow with lost packets has had several timeouts by then.
const VAIN_LOOKS: u32 = 8;

/// Drives a network to `until`.
pub(super) struct NetworkDriver<'a, R> {
    pub(super) until: Time,
    pub(super) source: &'a mut dyn FlowSource,
    pub(super) control_plane: &'a mut dyn NetworkControl<R>,
    pub(super) state: &'a mut FlowState,
    pub(super) stall_after: Duration,
    pub(super) room: Room,
    pub(super) wiring: &'a [Vec<(NodeId, PortId)>],
    pub(super) callback: &'a mut dyn RunCallback,
    pub(super) stop: Stop,
    /// Time of the last change of the network, or the time that the previous run had reached.
    pub(super) changed: Time,
}

impl<R> NetworkDriver<'_, R> {
    /// Lets hosts with applications find paths.
    pub(super) fn share_routes(&self) {
        if let Some(applications) = &self.state.applications
            && !applications.has_resolver()
        {
            applications.set_resolver(self.control_plane.resolver());
        }
    }

    /// Records the activity of the applications of a host.
    pub(super) fn follow(&mut self, news: AppNews) {
        self.state.by_applications += news.started;
        self.state.pending = self.state.pending.saturating_add_signed(news.pending);
        self.state.settled = self.state.settled.max(news.last);
        for request in news.unreachable {
            let before =
                |other: &FlowRequest| (other.start, other.src) <= (request.start, request.src);
            let place = self.state.unreachable.partition_point(before);
            self.control_plane.on_unreachable(place, &request);
            self.state.unreachable.insert(place, request);
        }
        if let Some(overload) = news.overload {
            let first = self.state.overload.get_or_insert(overload);
            *first = overload.min(*first);
        }
    }

    /// Returns the reason if applications make the run end.
    fn applications_overload(&self) -> Option<Overload> {
        self.state.applications.as_ref()?;
        let live = self.live();
        let crowded = live > self.room.live_flows;
        (self.state.overload).or_else(|| crowded.then_some(Overload::Flows(live)))
    }

    /// Hands flows that start before `before` to their hosts. Returns `false` if there is no room.
    fn inject<M: Model>(&mut self, processes: &mut Processes<'_, Node<M>>, before: Time) -> bool {
        while self.source.next_start().is_some_and(|start| start < before) {
            let live = self.live();
            if live >= self.room.live_flows {
                self.stop = Stop::Overloaded(Overload::Flows(live));
                return false;
            }
            if self.state.applications.is_some() && self.state.numbered >= FIRST_APP_FLOW.into() {
                self.stop = Stop::Overloaded(Overload::FlowNumbers(None));
                return false;
            }
            let Some(mut request) = self.source.next_flow() else {
                return true;
            };
            if live == 0 {
                // There was nothing to wait for before, so the wait for progress begins now.
                self.state.progress_at = request.start;
                self.state.vain_looks = 0;
            }
            let id = FlowId(
                u32::try_from(self.state.numbered).expect("fewer than 2^32 flows in one run"),
            );
            self.state.numbered += 1;
            let Some(found) = self.control_plane.resolve(id, &mut request) else {
                self.state.settled = self.state.settled.max(request.start);
                self.state.unreachable.push(request);
                continue;
            };
            self.note_flow(processes, &request);
            processes.update(request.src.index(), |node| {
                let host = node.host_mut();
                let host = host.expect("the control_plane resolves hosts only");
                host.add_flow(found.flow(id, request), found.nic);
            });
        }
        true
    }

    /// Returns the next time before which all events must be executed: the next check or change, or
    /// the end of the run at `over`.
    fn look_at(&self, over: Time) -> Time {
        self.until
            .min(self.control_plane.next_change())
            .min(self.state.health.due())
            .min(over)
    }

    /// Returns the time at which the run is over, or [`Time::MAX`] while flows are left. The run is
    /// over if all flows except endless ones have ended and applications have no pending requests.
    /// One lookahead is added for events that may happen in the same epoch as the end of the last
    /// flow, so the result does not depend on epochs.
    fn over_at(&self, next_flow: Option<Time>, lookahead: Duration) -> Time {
        if next_flow.is_none() && self.state.has_ended() && self.state.pending == 0 {
            self.state.settled.saturating_add(lookahead)
        } else {
            Time::MAX
        }
    }

    /// Returns the epoch in which lazy processes catch up to `end`, before a check or a change.
    fn synchronize<M: Model>(
        &mut self,
        processes: &Processes<'_, Node<M>>,
        end: Time,
    ) -> Option<Epoch> {
        if !processes.may_run_lazily() || self.state.level >= end {
            return None;
        }
        self.state.level = end;
        self.state.health.forget();
        Some(Epoch {
            start: end,
            end,
            execution: Execution::Eager,
        })
    }

    /// Applies the changes of the network at `now`, after all earlier events.
    fn change<M: Model<Routing = R>>(&mut self, processes: &mut Processes<'_, Node<M>>, now: Time) {
        for change in self.control_plane.change() {
            apply(processes, now, change);
        }
        if let Some(applications) = &self.state.applications {
            applications.set_resolver(self.control_plane.resolver());
            tell_hosts(processes, now);
        }
        self.changed = now;
        self.forget_rates();
        self.state.progress_at = self.state.progress_at.max(now);
        self.state.vain_looks = 0;
        self.state.health.forget();
    }

    /// Performs the due check for progress. Returns `false` if the run must end.
    fn is_well<M: Model>(&mut self, processes: &mut Processes<'_, Node<M>>) -> bool {
        let now = self.state.health.due();
        let finding = (self.state.health.found()).unwrap_or_else(|| look(processes, &self.room));
        let Finding {
            acknowledged,
            paused_since,
            overload,
            ..
        } = finding;
        if let Some(overload) = overload {
            self.stop = Stop::Overloaded(overload);
            return false;
        }
        if self.state.health.looked(finding) {
            self.state.vain_looks += 1;
        }
        if self.control_plane.next_change() == Time::MAX
            && paused_since < now
            && now.since(paused_since) >= LONG_PAUSE
            && self.is_deadlocked(processes)
        {
            self.stop = Stop::Deadlocked;
            return false;
        }
        if acknowledged != self.state.acknowledged || self.live() == 0 {
            self.state.acknowledged = acknowledged;
            self.state.progress_at = now;
            self.state.vain_looks = 0;
        } else if self.control_plane.next_change() == Time::MAX
            && now > self.state.progress_at
            && now.since(self.state.progress_at) >= self.stall_after
            && self.state.vain_looks >= VAIN_LOOKS
        {
            // Flows with timers have had several chances. A pending change may be a repair.
            self.stop = self.stuck(processes);
            return false;
        }
        true
    }

    /// Reports the progress to the callback. Returns `false` if the run must end.
    fn tell<M: Model>(&mut self, processes: &mut Processes<'_, Node<M>>, now: Time) -> bool {
        let mut progress = Progress {
            now,
            started: self.state.started(),
            finished: self.state.finished,
            acknowledged: Bytes::ZERO,
            packet_hops: 0,
        };
        processes.for_each(|node| {
            if let Some(host) = node.host() {
                progress.acknowledged += host.endpoint().counters().acknowledged;
            }
            progress.packet_hops += node.counters().packet_hops;
        });
        let all = (progress.acknowledged, progress.packet_hops);
        let all = gather(processes.ranks(), all);
        progress.acknowledged = all.iter().map(|rank| rank.0).sum();
        progress.packet_hops = all.iter().map(|rank| rank.1).sum();
        let all = gather(processes.ranks(), self.callback.proceed(&progress));
        if all.into_iter().all(|proceed| proceed) {
            true
        } else {
            self.stop = Stop::Interrupted;
            false
        }
    }

    /// Returns the reason why there is no progress.
    fn stuck<M: Model>(&self, processes: &Processes<'_, Node<M>>) -> Stop {
        if self.is_deadlocked(processes) {
            Stop::Deadlocked
        } else {
            Stop::Stalled
        }
    }

    fn is_deadlocked<M: Model>(&self, processes: &Processes<'_, Node<M>>) -> bool {
        let switches = processes.iter().filter_map(Node::switch);
        let switches: Vec<&Switch<M>> = switches.collect();
        !deadlock::find(&switches, self.wiring, processes.ranks()).is_empty()
    }

    fn live(&self) -> u64 {
        self.state.started() - self.state.finished
    }
}

impl<M: Model> Driver<Node<M>> for NetworkDriver<'_, M::Routing> {
    fn before(&mut self, processes: &mut Processes<'_, Node<M>>, next: Time) -> Option<Epoch> {
        let is_ahead = self.is_ahead();
        if let Some(overload) = self.applications_overload()
            && !is_ahead
        {
            self.stop = Stop::Overloaded(overload);
            return None;
        }
        // Everything that can end the epoch or the run: flows, the end of the run and the horizon.
        let lookahead = processes.lookahead();
        let next_flow = self.source.next_start();
        let over = self.over_at(next_flow, lookahead);
        let next_flow = next_flow.unwrap_or(Time::MAX);
        let last = self.until.min(over).min(Time::HORIZON);
        let mut start = next.min(next_flow);
        // Lazy processes must catch up before each change or check, so this loops.
        loop {
            let look_at = self.look_at(over);
            if start >= look_at
                && look_at < Time::HORIZON
                && let Some(epoch) = self.synchronize(processes, look_at)
            {
                return Some(epoch);
            }
            let (change, look) = (self.control_plane.next_change(), self.state.health.due());
            if start.min(change) == Time::MAX {
                break; // no event is left, so no check is needed
            }
            if start >= look && look < last && look <= change {
                if !self.is_well(processes) {
                    self.changed = look;
                    return None;
                }
            } else if start >= change && change < last {
                self.change(processes, change);
                start = processes.next_event().min(next_flow);
            } else {
                break;
            }
        }
        // No change or check is due before `start`, so if the run ends, this is why.
        start = start.min(self.control_plane.next_change());
        if start >= over.min(self.until) && over < Time::MAX {
            self.changed = self.changed.max(over.min(self.until));
            self.stop = ended(processes);
            return None;
        }
        if start == Time::MAX {
            self.stop = self.stuck(processes);
            return None;
        }
        if start >= Time::HORIZON {
            self.stop = Stop::Horizon;
            return self.synchronize(processes, self.state.ran);
        }
        if start >= self.until {
            self.stop = Stop::TimeReached;
            return None;
        }
        let (steps, messages) = (processes.steps(), processes.messages());
        if (self.state.schedule).is_due(steps, messages, processes.count())
            && !is_ahead
            && !self.tell(processes, start)
        {
            return None;
        }
        let cut = match self.search(processes, start) {
            Search::Nothing => Time::MAX,
            Search::Cut(at) => at,
            Search::Synchronize => return self.synchronize(processes, self.state.ran),
            Search::Moved => {
                let next = processes.next_event();
                return self.before(processes, next);
            }
        };
        self.next_epoch(processes, start, (over, cut))
    }

    fn collect(&mut self, processes: &mut Processes<'_, Node<M>>) {
        let from = self.state.completions.len();
        let news = take_results(processes, &mut self.state.completions);
        self.settle(from, news);
    }

    fn report(&mut self, processes: &mut Processes<'_, Node<M>>, out: &mut Writer) {
        let mut report = Report::default();
        report.news = take_results(processes, &mut report.completions);
        if let Some(applications) = &self.state.applications {
            report.leaving = applications.take_leaving();
        }
        if !report.is_empty() {
            report.store(out);
        }
    }

    fn take_reports(&mut self, reports: &mut [Reader<'_>], has_results: bool) {
        let from = self.state.completions.len();
        let mut news = Vec::new();
        for input in reports.iter_mut().filter(|input| !input.rest().is_empty()) {
            let report = Report::fetch(input);
            let report = report.expect(ALIKE);
            self.state.completions.extend(report.completions);
            news.extend(report.news);
            if let Some(applications) = &self.state.applications {
                applications.welcome(&report.leaving);
            }
        }
        if has_results {
            self.settle(from, news);
        }
    }
}
