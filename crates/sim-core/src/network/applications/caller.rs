//! The actions of an application in a callback.

use super::Due;
use super::state::AppState;
use crate::plugin::{AppActions, AppFlow, PortFactor, StartError};
use fabricsim_base::flow::{Connection, FlowKey};
use fabricsim_base::id::{ClassId, FlowId, NodeId};
use fabricsim_base::priority::Priority;
use fabricsim_base::units::{Bytes, Time};

/// An application during a call.
pub(super) struct Caller<'a> {
    pub(super) now: Time,
    pub(super) application: usize,
    pub(super) state: &'a mut AppState,
}

impl AppActions for Caller<'_> {
    fn start_flow(&mut self, at: Time, flow: &AppFlow) -> Result<FlowId, StartError> {
        let routes = self.state.check(at, flow)?;
        let number = self.state.number()?;
        if let Some(connection) = &flow.connection {
            self.state.streams.ask(connection.id, flow.size);
        }
        if at <= self.now {
            return self.state.start(self.now, &routes, number, flow);
        }
        let (id, port) = number;
        let due = Due::Flow(id, *flow, port);
        self.state.ask(at, self.application, due);
        Ok(id)
    }

    fn connect(
        &mut self,
        dst: NodeId,
        class: ClassId,
        priority: Priority,
        dst_port: u16,
    ) -> Result<Connection, StartError> {
        let least = AppFlow {
            priority,
            dst_port,
            ..AppFlow::new(dst, Bytes::new(1), class)
        };
        self.state.check(self.now, &least)?;
        let (id, src_port) = self.state.number()?;
        let key = FlowKey {
            src: self.state.host,
            dst,
            src_port,
            dst_port,
        };
        Ok(Connection {
            id,
            key,
            ends: None,
            class,
            priority,
        })
    }

    fn set_timer(&mut self, at: Time, token: u64) {
        self.cancel_timer(token);
        let at = at.max(self.now);
        let key = self.state.ask(at, self.application, Due::Timer(token));
        self.state.timers.insert((self.application, token), key);
    }

    fn cancel_timer(&mut self, token: u64) -> bool {
        let timer = (self.application, token);
        let Some(key) = self.state.timers.remove(&timer) else {
            return false;
        };
        self.state.due.remove(&key);
        self.state.news.pending -= 1;
        self.state.changed = true;
        true
    }

    fn slow_ports(&mut self, factor: PortFactor) -> bool {
        self.state.ports.slow(self.application, factor)
    }
}
