//! State of a switch's ports that is available to routing.

use super::port::Port;
use crate::plugin::{Model, PortStates, Qdisc};
use fabricsim_base::id::PortId;
use fabricsim_base::priority::Priority;
use fabricsim_base::units::Bytes;

/// The ports of a switch.
pub(super) struct SwitchPorts<'a, M: Model>(pub(super) &'a [Port<M::Queue>]);

impl<M: Model> Clone for SwitchPorts<'_, M> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<M: Model> Copy for SwitchPorts<'_, M> {}

impl<M: Model> PortStates for SwitchPorts<'_, M> {
    fn queued(&self, port: PortId) -> Bytes {
        self.0[port.index()].queue.bytes()
    }

    fn is_paused(&self, port: PortId, priority: Priority) -> bool {
        self.0[port.index()].egress.paused.contains(priority)
    }

    fn is_up(&self, port: PortId) -> bool {
        !self.0[port.index()].egress.is_down()
    }
}
