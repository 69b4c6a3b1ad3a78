//! What happens between windows: flows are handed to their hosts, completions are collected.

use super::change::apply;
use super::deadlock;
use super::node::Node;
use super::switch::Switch;
use super::{Directory, Overload, Progress, Room, Stop, Watch};
use crate::engine::{Domains, Driver, Lag, Window};
use crate::flow::{Completion, Flow, FlowRequest, FlowSource};
use crate::id::{FlowId, NodeId, PortId};
use crate::plugin::{Endpoint, Model};
use crate::units::{Bytes, Duration, Time};

/// How many windows pass between two looks at the watchers, if that many have had something to do.
const WATCH_WINDOWS: u64 = 256;
/// How many times domains are run between two looks, if that is sooner.
const WATCH_STEPS: u64 = 1_000_000;
/// A port that is paused for longer is suspected of a deadlock.
const LONG_PAUSE: Duration = Duration::from_ms(1);

/// Drives a network to `until`.
pub(super) struct NetworkDriver<'a, R> {
    pub(super) until: Time,
    pub(super) source: &'a mut dyn FlowSource,
    pub(super) directory: &'a mut dyn Directory<R>,
    pub(super) state: &'a mut FlowState,
    pub(super) stall_after: Duration,
    pub(super) room: Room,
    pub(super) wiring: &'a [Vec<(NodeId, PortId)>],
    pub(super) watch: &'a mut dyn Watch,
    pub(super) stop: Stop,
    /// When the network last changed, or what the run had reached before.
    pub(super) changed: Time,
}

/// Brings all nodes to an instant up to which the others have come.
pub(super) struct CatchUp(pub(super) Option<Time>);

impl<M: Model> Driver<Node<M>> for CatchUp {
    fn before(&mut self, domains: &mut Domains<'_, Node<M>>, _next: Time) -> Option<Window> {
        let end = self.0.take().filter(|_| domains.may_lag())?;
        Some(Window {
            start: end,
            end,
            lag: Lag::Forbidden,
        })
    }

    /// What lags are switches, where no flow ends.
    fn collect(&mut self, _domains: &mut Domains<'_, Node<M>>) {}
}

/// What is known of flows outside the hosts; it lives as long as the network.
#[derive(Debug, Default)]
pub(super) struct FlowState {
    pub(super) started: u64,
    pub(super) finished: u64,
    /// Flows between hosts that no route connects.
    pub(super) unreachable: Vec<FlowRequest>,
    /// Completions in the order of (finish, flow), not yet collected by the user.
    pub(super) completions: Vec<Completion>,
    /// When the sum of acknowledged bytes last changed, as far as the watcher has seen.
    pub(super) progress_at: Time,
    pub(super) acknowledged: Bytes,
    pub(super) schedule: WatchSchedule,
    /// Everything before has happened everywhere, also where domains may lag.
    pub(super) level: Time,
    /// The end of the last window.
    pub(super) ran: Time,
}

/// When to look at all domains: not more often than what they do is worth.
#[derive(Debug, Default)]
pub(super) struct WatchSchedule {
    windows: u64,
    steps: u64,
    due: bool,
}

impl WatchSchedule {
    /// Whether the window that comes now was to be looked at.
    fn looks_now(&mut self) -> bool {
        std::mem::take(&mut self.due)
    }

    /// Whether to look after the window that comes now, in a network of `count` domains that have
    /// been run for `steps` windows in sum.
    fn looks_next(&mut self, steps: u64, count: usize) -> bool {
        self.windows += 1;
        let run = steps - self.steps;
        if run >= WATCH_STEPS || self.windows >= WATCH_WINDOWS && run >= count as u64 {
            self.windows = 0;
            self.steps = steps;
            self.due = true;
        }
        self.due
    }
}

impl<R> NetworkDriver<'_, R> {
    /// Hands the flows that start before an instant to their hosts; whether there was room for them.
    fn inject<M: Model>(&mut self, domains: &mut Domains<'_, Node<M>>, before: Time) -> bool {
        while self.source.next_start().is_some_and(|start| start < before) {
            let live = self.live();
            if live >= self.room.live_flows {
                self.stop = Stop::Overloaded(Overload::Flows(live));
                return false;
            }
            let Some(mut request) = self.source.next_flow() else {
                return true;
            };
            if live == 0 {
                // Nothing could move before: the wait for progress begins now.
                self.state.progress_at = request.start;
            }
            let id = FlowId(
                u32::try_from(self.state.started).expect("fewer than 2^32 flows in one run"),
            );
            self.state.started += 1;
            let Some((path, nic)) = self.directory.resolve(id, &mut request) else {
                self.state.unreachable.push(request);
                continue;
            };
            domains.update(request.src.index(), |node| match node {
                Node::Host(host) => host.add_flow(Flow { id, request, path }, nic),
                Node::Switch(_) => unreachable!("the directory resolves hosts only"),
            });
        }
        true
    }

    /// The next time before which everything must have happened, because somebody will look.
    fn look_at(&self) -> Time {
        self.until.min(self.directory.next_change())
    }

    /// The window in which domains that lag behind do what they have left to do before `end`, when
    /// somebody will look. All others have done it.
    fn catch_up<M: Model>(&mut self, domains: &Domains<'_, Node<M>>, end: Time) -> Option<Window> {
        if !domains.may_lag() || self.state.level >= end {
            return None;
        }
        self.state.level = end;
        Some(Window {
            start: end,
            end,
            lag: Lag::Forbidden,
        })
    }

    /// Lets the network change at `now`, when everything before has happened everywhere.
    fn change<M: Model<Routing = R>>(&mut self, domains: &mut Domains<'_, Node<M>>, now: Time) {
        for change in self.directory.change() {
            apply(domains, now, change);
        }
        self.changed = now;
        self.state.progress_at = self.state.progress_at.max(now);
    }

    /// Whether the run may go on; looks at all hosts, so it is asked only now and then.
    fn watch<M: Model>(&mut self, domains: &mut Domains<'_, Node<M>>, now: Time) -> bool {
        let mut acknowledged = Bytes::ZERO;
        let mut packet_hops = 0;
        let mut paused_since = Time::MAX;
        let mut overloaded = None;
        domains.for_each(|node| match node {
            Node::Host(host) => {
                let waiting = host.endpoint().waiting_answers();
                if waiting > self.room.waiting_answers {
                    overloaded = overloaded.or(Some(Overload::Answers {
                        host: host.id(),
                        waiting,
                    }));
                }
                acknowledged += host.endpoint().counters().acknowledged;
                packet_hops += host.counters().packet_hops;
            }
            Node::Switch(switch) => {
                packet_hops += switch.counters().packet_hops;
                paused_since = paused_since.min(switch.paused_since());
            }
        });
        if let Some(overload) = overloaded {
            self.stop = Stop::Overloaded(overload);
            return false;
        }
        if self.directory.next_change() == Time::MAX
            && paused_since < now
            && now.since(paused_since) >= LONG_PAUSE
            && self.is_deadlocked(domains)
        {
            self.stop = Stop::Deadlocked;
            return false;
        }
        let live = self.live();
        if acknowledged != self.state.acknowledged || live == 0 {
            self.state.acknowledged = acknowledged;
            self.state.progress_at = now;
        } else if self.directory.next_change() == Time::MAX
            && now.since(self.state.progress_at) >= self.stall_after
        {
            // What is still to change may be a repair.
            self.stop = self.stuck(domains);
            return false;
        }
        let progress = Progress {
            now,
            started: self.state.started,
            finished: self.state.finished,
            acknowledged,
            packet_hops,
        };
        if self.watch.proceed(&progress) {
            true
        } else {
            self.stop = Stop::Interrupted;
            false
        }
    }

    /// Why nothing moves.
    fn stuck<M: Model>(&self, domains: &Domains<'_, Node<M>>) -> Stop {
        if self.is_deadlocked(domains) {
            Stop::Deadlocked
        } else {
            Stop::Stalled
        }
    }

    fn is_deadlocked<M: Model>(&self, domains: &Domains<'_, Node<M>>) -> bool {
        let switches: Vec<&Switch<M>> = domains
            .iter()
            .filter_map(|node| match node {
                Node::Host(_) => None,
                Node::Switch(switch) => Some(&**switch),
            })
            .collect();
        !deadlock::find(&switches, self.wiring).is_empty()
    }

    fn live(&self) -> u64 {
        self.state.started - self.state.finished - self.state.unreachable.len() as u64
    }
}

impl<M: Model> Driver<Node<M>> for NetworkDriver<'_, M::Routing> {
    fn before(&mut self, domains: &mut Domains<'_, Node<M>>, next: Time) -> Option<Window> {
        let next_flow = self.source.next_start();
        if next_flow.is_none() && self.live() == 0 {
            self.stop = Stop::Finished;
            return self.catch_up(domains, self.state.ran);
        }
        let next_flow = next_flow.unwrap_or(Time::MAX);
        let mut start = next.min(next_flow);
        // Domains may lag behind again when one change has been made and the next one is due.
        loop {
            let look_at = self.look_at();
            if start >= look_at
                && look_at < Time::HORIZON
                && let Some(window) = self.catch_up(domains, look_at)
            {
                return Some(window);
            }
            let change = self.directory.next_change();
            if start < change || change >= self.until.min(Time::HORIZON) {
                start = start.min(change);
                break;
            }
            self.change(domains, change);
            start = domains.next_event().min(next_flow);
        }
        if start == Time::MAX {
            self.stop = self.stuck(domains);
            return None;
        }
        if start >= Time::HORIZON {
            self.stop = Stop::Horizon;
            return self.catch_up(domains, self.state.ran);
        }
        if start >= self.until {
            self.stop = Stop::TimeReached;
            return None;
        }
        if self.state.schedule.looks_now() && !self.watch(domains, start) {
            return None;
        }
        let end = start
            .saturating_add(domains.lookahead())
            .min(self.look_at());
        if !self.inject(domains, end) {
            return None;
        }
        self.state.ran = end;
        let looks = self
            .state
            .schedule
            .looks_next(domains.steps(), domains.count());
        let lag = if end == self.look_at() || looks {
            self.state.level = end;
            Lag::Forbidden
        } else {
            Lag::Allowed
        };
        Some(Window { start, end, lag })
    }

    fn collect(&mut self, domains: &mut Domains<'_, Node<M>>) {
        let from = self.state.completions.len();
        let completions = &mut self.state.completions;
        domains.for_each_result(|node| {
            if let Node::Host(host) = node {
                completions.extend(host.drain_completions());
            }
        });
        self.state.finished += (self.state.completions.len() - from) as u64;
        self.state.completions[from..].sort_unstable_by_key(|done| (done.finish, done.flow.id));
        self.watch.completed(&mut self.state.completions);
    }
}
