//! A way between two switches.

use fabricsim_base::id::PortId;

/// A way from one switch to another.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hop {
    /// The neighbor's index among the switches.
    pub(super) to: u32,
    /// The port that leads there.
    pub(super) port: PortId,
}
