//! The limits that a controller sets for its sender, passed as one value.

use fabricsim_base::units::{Bytes, Rate, Time};

/// The limits that hold until the controller receives the next event.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct SendLimits {
    /// Like [`CongestionControl::window`](super::CongestionControl::window).
    pub window: Option<Bytes>,
    /// Like [`CongestionControl::pacing_rate`](super::CongestionControl::pacing_rate).
    pub rate: Option<Rate>,
    /// Like [`CongestionControl::deadline`](super::CongestionControl::deadline).
    pub deadline: Time,
}

impl SendLimits {
    /// No limits and no deadline.
    pub const NONE: Self = Self {
        window: None,
        rate: None,
        deadline: Time::MAX,
    };
}

/// The controller's decisions about a departing data packet.
#[derive(Clone, Copy, Debug)]
pub struct Departure {
    /// Bytes of telemetry on the wire.
    pub telemetry: u16,
    /// The pacing rate of the packet.
    pub rate: Option<Rate>,
    /// The limits from the next packet on.
    pub limits: SendLimits,
}
