//! Messages, timers and events of a program that drives a simulation.

use std::collections::{HashMap, VecDeque};

use fabricsim_base::id::{FlowId, NodeId};
use fabricsim_base::limits::MAX_TIMERS_AT_ONCE;
use fabricsim_base::units::Time;
use fabricsim_core::network::{Hearing, Order};
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use super::local::LocalStart;
use super::rules::MessageRules;
use super::{Event, EventKind, Message};

/// Condition under which a run returns because of events.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) enum Pausing {
    /// The run returns at each event.
    AtEvents,
    /// The run returns at this instant, because the driver has requested it.
    Now,
    /// The run does not return: events are passed to the driver, or kept.
    #[default]
    Never,
}

/// A message in progress.
#[derive(Clone, Copy, Debug)]
struct UnderWay {
    message: Message,
    delivered: bool,
    acknowledged: bool,
}

/// The shared state without the driver, which borrows it during a call.
pub(crate) struct State {
    pub(super) rules: MessageRules,
    /// The host that keeps all timers of the program.
    pub(super) keeper: NodeId,
    pub(crate) pausing: Pausing,
    pub(crate) hearing: Hearing,
    /// Events that the program has not received yet.
    pub(crate) events: VecDeque<Event>,
    pub(super) orders: VecDeque<(NodeId, Order)>,
    /// Messages by key that have been ordered but have no number yet.
    pub(super) ordered: FxHashMap<u64, Message>,
    under_way: FxHashMap<FlowId, UnderWay>,
    timers: FxHashSet<u64>,
    next_key: u64,
    /// The last instant with an event, and the number of its events.
    crowd: (Time, u32),
}

impl State {
    pub(super) fn new(rules: MessageRules, keeper: NodeId) -> Self {
        Self {
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
        }
    }

    /// Queues the order for `message` to start at `at`.
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

    /// Starts `message` now at the host of the application that is being called.
    pub(super) fn start(&mut self, message: &Message, now: Time, host: &mut dyn LocalStart) {
        let key = self.key();
        match host.start(&message.flow(key)) {
            Ok(id) => self.add(id, message),
            Err(_) => self.tell(now, EventKind::Unreachable(*message)),
        }
    }

    pub(super) fn add(&mut self, id: FlowId, message: &Message) {
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

    /// Records that flow `id` has been delivered.
    pub(super) fn delivered(&mut self, at: Time, id: FlowId) {
        if let Some(own) = self.under_way.get_mut(&id) {
            own.delivered = true;
            let own = *own;
            self.tell(at, EventKind::Delivered(own.message));
            self.forget(id, &own);
        }
    }

    /// Records that flow `id` has been fully acknowledged.
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

    /// Records that no route led to the destination of flow `id`.
    pub(super) fn unreachable(&mut self, at: Time, id: FlowId) {
        if let Some(own) = self.under_way.remove(&id) {
            self.tell(at, EventKind::Unreachable(own.message));
        }
    }

    /// Records that the timer `token` has fired.
    pub(super) fn timer(&mut self, at: Time, token: u64) {
        if self.timers.remove(&token) {
            self.tell(at, EventKind::Timer(token));
        }
    }

    /// Returns `true` if one instant has so many events that the driver probably never ends.
    pub(super) const fn is_crowded(&self) -> bool {
        self.crowd.1 > MAX_TIMERS_AT_ONCE
    }
}
