//! A hop between two switches.

use fabricsim_base::id::PortId;

/// A hop from one switch to a neighbor.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hop {
    /// The neighbor's index among the switches.
    pub(super) to: u32,
    /// The port to the neighbor.
    pub(super) port: PortId,
}
