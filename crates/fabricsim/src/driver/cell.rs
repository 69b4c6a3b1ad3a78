//! The state that a driving program shares with its applications at the hosts.

use std::sync::{Mutex, MutexGuard, PoisonError};

use fabricsim_base::id::{FlowId, NodeId};
use fabricsim_base::units::Time;
use fabricsim_core::network::{Desk, Overload, Step};
use fabricsim_core::plugin::StartError;

use super::Driver;
use super::actions::Actions;
use super::local::LocalHost;
use super::rules::MessageRules;
use super::state::{Pausing, State};

/// The state and the driver, if there is one.
pub(crate) struct Cell {
    pub(crate) state: State,
    pub(crate) driver: Option<Box<dyn Driver>>,
}

/// Locks `cell`. A panic of a driver ends the run but leaves the state valid, so poisoning is
/// ignored.
pub(crate) fn lock(cell: &Mutex<Cell>) -> MutexGuard<'_, Cell> {
    cell.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Cell {
    pub(crate) fn new(rules: MessageRules, keeper: NodeId) -> Self {
        Self {
            state: State::new(rules, keeper),
            driver: None,
        }
    }

    /// Passes the pending events to the driver, if there is one. Its messages from `host` start at
    /// once.
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

/// The cell as the network's source of orders.
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
        // The number is an error only if the run ends because no numbers are left: impossible
        // messages were rejected before they were ordered.
        if let Ok(id) = number {
            state.add(id, &message);
        }
    }
}
