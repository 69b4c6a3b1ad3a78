//! State that a program which drives a simulation shares with its applications at the hosts.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use fabricsim_core::id::{FlowId, NodeId};
use fabricsim_core::limits::MAX_TIMERS_AT_ONCE;
use fabricsim_core::network::{Desk, Hearing, Order, Overload, Step};
use fabricsim_core::plugin::StartError;
use fabricsim_core::units::Time;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use super::actions::{Actions, LocalHost, LocalStart, MessageRules};
use super::{Driver, Event, EventKind, Message};

/// Whether a run comes back with each event.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) enum Pausing {
    /// It does.
    AtEvents,
    /// It does at this instant: the driver has said so.
    Now,
    /// Events are handed to the driver, or kept.
    #[default]
    Never,
}

/// A message that is under way.
#[derive(Clone, Copy, Debug)]
struct UnderWay {
    message: Message,
    delivered: bool,
    acknowledged: bool,
}

/// Everything but the driver itself, which is called with it.
pub(crate) struct State {
    pub(super) rules: MessageRules,
    /// The host whose application keeps the timers.
    keeper: NodeId,
    pub(crate) pausing: Pausing,
    pub(crate) hearing: Hearing,
    /// Events that nobody has heard of.
    pub(crate) events: VecDeque<Event>,
    orders: VecDeque<(NodeId, Order)>,
    /// By key: messages that have been ordered and have no number yet.
    ordered: FxHashMap<u64, Message>,
    under_way: FxHashMap<FlowId, UnderWay>,
    timers: FxHashSet<u64>,
    next_key: u64,
    /// The last instant with an event, and how many it has had.
    crowd: (Time, u32),
}

/// The state and the driver, if there is one.
pub(crate) struct Cell {
    pub(crate) state: State,
    pub(crate) driver: Option<Box<dyn Driver>>,
}

/// A panic of a driver ends the run, and leaves the state as it is.
pub(crate) fn lock(cell: &Mutex<Cell>) -> MutexGuard<'_, Cell> {
    cell.lock().unwrap_or_else(PoisonError::into_inner)
}

impl State {
    /// Puts the order for `message` to start at `at` among the others.
    pub(super) fn order(&mut self, message: &Message, at: Time) {
        let key = self.key();
        self.ordered.insert(key, *message);
        let flow = message.flow(key);
        self.orders
            .push_back((message.src, Order::Flow { at, flow }));
    }

    fn key(&mut self) -> u64 {
        self.next_key += 1;
        self.next_key
    }

    /// Starts `message` now at the host whose application is being called.
    pub(super) fn start(&mut self, message: &Message, now: Time, host: &mut dyn LocalStart) {
        let key = self.key();
        match host.start(&message.flow(key)) {
            Ok(id) => self.add(id, message),
            Err(_) => self.tell(now, EventKind::Unreachable(*message)),
        }
    }

    fn add(&mut self, id: FlowId, message: &Message) {
        let under_way = UnderWay {
            message: *message,
            delivered: false,
            acknowledged: false,
        };
        self.under_way.insert(id, under_way);
    }

    pub(super) fn set_timer(&mut self, at: Time, token: u64) {
        self.timers.insert(token);
        (self.orders).push_back((self.keeper, Order::Timer { at, token }));
    }

    pub(super) fn cancel_timer(&mut self, token: u64) -> bool {
        let was_set = self.timers.remove(&token);
        if was_set {
            (self.orders).push_back((self.keeper, Order::CancelTimer { token }));
        }
        was_set
    }

    fn tell(&mut self, at: Time, kind: EventKind) {
        debug_assert!(self.crowd.0 <= at, "events are in the order of time");
        self.crowd = match self.crowd {
            (time, count) if time == at => (at, count.saturating_add(1)),
            _ => (at, 1),
        };
        self.events.push_back(Event { at, kind });
    }

    /// Flow `id` has been delivered.
    pub(super) fn delivered(&mut self, at: Time, id: FlowId) {
        if let Some(own) = self.under_way.get_mut(&id) {
            own.delivered = true;
            let own = *own;
            self.tell(at, EventKind::Delivered(own.message));
            self.forget(id, &own);
        }
    }

    /// Flow `id` has been acknowledged in full.
    pub(super) fn acknowledged(&mut self, at: Time, id: FlowId) {
        if let Some(own) = self.under_way.get_mut(&id) {
            own.acknowledged = true;
            let own = *own;
            if self.hearing == Hearing::Everything {
                self.tell(at, EventKind::Acknowledged(own.message));
            }
            self.forget(id, &own);
        }
    }

    fn forget(&mut self, id: FlowId, own: &UnderWay) {
        if own.delivered && own.acknowledged {
            self.under_way.remove(&id);
        }
    }

    /// No route has led to the destination of flow `id`.
    pub(super) fn unreachable(&mut self, at: Time, id: FlowId) {
        if let Some(own) = self.under_way.remove(&id) {
            self.tell(at, EventKind::Unreachable(own.message));
        }
    }

    /// The timer `token` has gone off.
    pub(super) fn timer(&mut self, at: Time, token: u64) {
        if self.timers.remove(&token) {
            self.tell(at, EventKind::Timer(token));
        }
    }
}

impl Cell {
    pub(crate) fn new(rules: MessageRules, keeper: NodeId) -> Self {
        Self {
            state: State {
                rules,
                keeper,
                pausing: Pausing::Never,
                hearing: Hearing::Everything,
                events: VecDeque::new(),
                orders: VecDeque::new(),
                ordered: HashMap::with_hasher(FxBuildHasher),
                under_way: HashMap::with_hasher(FxBuildHasher),
                timers: FxHashSet::default(),
                next_key: 0,
                crowd: (Time::ZERO, 0),
            },
            driver: None,
        }
    }

    /// Hands the events that nobody has heard of to the driver, if there is one. At `host` its
    /// messages start at once.
    pub(super) fn call(&mut self, mut host: Option<LocalHost<'_>>) {
        let Some(driver) = &mut self.driver else {
            return;
        };
        while self.state.pausing != Pausing::Now
            && let Some(event) = self.state.events.pop_front()
        {
            let host = host.as_mut().map(LocalHost::again);
            let mut actions = Actions::new(event.at, &mut self.state, host);
            driver.on_event(&event, &mut actions);
            if self.state.is_crowded() {
                return;
            }
        }
    }
}

impl State {
    const fn is_crowded(&self) -> bool {
        self.crowd.1 > MAX_TIMERS_AT_ONCE
    }
}

/// The cell as the network asks it for orders.
pub(crate) struct OrderDesk<'a>(pub(crate) &'a Mutex<Cell>);

impl Desk for OrderDesk<'_> {
    fn next_step(&mut self, _now: Time) -> Step {
        let mut cell = lock(self.0);
        if cell.state.orders.is_empty() && !cell.state.events.is_empty() {
            cell.call(None);
        }
        let state = &mut cell.state;
        if let Some((host, order)) = state.orders.pop_front() {
            return Step::Order(host, order);
        }
        if state.is_crowded() {
            return Step::End(Overload::EndlessTimers(state.keeper));
        }
        match state.pausing {
            Pausing::AtEvents if !state.events.is_empty() => Step::Pause,
            Pausing::Now => Step::Pause,
            Pausing::AtEvents | Pausing::Never => Step::Proceed,
        }
    }

    fn on_number(&mut self, tag: u64, number: Result<FlowId, StartError>) {
        let state = &mut lock(self.0).state;
        let Some(message) = state.ordered.remove(&tag) else {
            return;
        };
        // What is impossible was refused before it was ordered, and a host that is out of numbers
        // ends the run.
        if let Ok(id) = number {
            state.add(id, &message);
        }
    }
}
