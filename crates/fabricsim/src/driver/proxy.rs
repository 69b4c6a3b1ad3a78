//! The application at each host that passes the host's events to the driver.

use std::fmt;
use std::sync::{Arc, Mutex};

use fabricsim_base::flow::{Completion, Flow};
use fabricsim_base::id::FlowId;
use fabricsim_base::units::Time;
use fabricsim_core::plugin::{AppContext, Application};

use super::cell::{Cell, lock};
use super::local::LocalHost;
use super::state::State;

/// Passes events of one host to the driver. In steered runs all hosts are on one thread, so no
/// thread waits for the lock.
pub(crate) struct Proxy(pub(crate) Arc<Mutex<Cell>>);

impl fmt::Debug for Proxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Proxy").finish_non_exhaustive()
    }
}

impl Proxy {
    fn hear(&self, context: &mut AppContext<'_>, tell: impl FnOnce(&mut State, Time)) {
        let mut cell = lock(&self.0);
        tell(&mut cell.state, context.now());
        if !cell.state.events.is_empty() {
            let id = context.host();
            cell.call(Some(LocalHost { id, flows: context }));
        }
    }
}

impl Application for Proxy {
    fn on_flow_finished(&mut self, context: &mut AppContext<'_>, completion: &Completion) {
        let id = completion.flow.id;
        self.hear(context, |state, now| state.acknowledged(now, id));
    }

    fn on_flow_received(&mut self, context: &mut AppContext<'_>, flow: &Flow, _tag: u64) {
        self.hear(context, |state, now| state.delivered(now, flow.id));
    }

    fn on_flow_unreachable(&mut self, context: &mut AppContext<'_>, id: FlowId, _tag: u64) {
        self.hear(context, |state, now| state.unreachable(now, id));
    }

    fn on_timer(&mut self, context: &mut AppContext<'_>, token: u64) {
        self.hear(context, |state, now| state.timer(now, token));
    }
}
