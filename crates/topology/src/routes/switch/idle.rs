//! Ports without traffic, for routing without a network.

use fabricsim_base::id::PortId;
use fabricsim_base::priority::Priority;
use fabricsim_base::units::Bytes;
use fabricsim_core::plugin::PortStates;

/// The ports of a switch without any traffic.
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
