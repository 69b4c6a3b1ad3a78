//! Ports without traffic, for routing without a network.

use fabricsim_core::id::PortId;
use fabricsim_core::packet::Priority;
use fabricsim_core::plugin::PortStates;
use fabricsim_core::units::Bytes;

/// The ports of a switch through which nothing goes.
pub(super) struct Idle;

impl PortStates for Idle {
    fn queued(&self, _port: PortId) -> Bytes {
        Bytes::ZERO
    }

    fn is_paused(&self, _port: PortId, _priority: Priority) -> bool {
        false
    }

    fn is_up(&self, _port: PortId) -> bool {
        true
    }
}
