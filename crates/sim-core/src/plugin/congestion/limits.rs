//! What a controller says to its sender, in one piece.

use fabricsim_base::units::{Bytes, Rate, Time};

/// What a controller allows until it is told of the next event.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct SendLimits {
    /// As [`CongestionControl::window`](super::CongestionControl::window).
    pub window: Option<Bytes>,
    /// As [`CongestionControl::pacing_rate`](super::CongestionControl::pacing_rate).
    pub rate: Option<Rate>,
    /// As [`CongestionControl::deadline`](super::CongestionControl::deadline).
    pub deadline: Time,
}

impl SendLimits {
    /// Nothing is limited, and no time is set.
    pub const NONE: Self = Self {
        window: None,
        rate: None,
        deadline: Time::MAX,
    };
}

/// What a controller says about a data packet that leaves.
#[derive(Clone, Copy, Debug)]
pub struct Departure {
    /// Bytes of telemetry on the wire.
    pub telemetry: u16,
    /// The rate that the packet is paced at.
    pub rate: Option<Rate>,
    /// What holds from the next packet on.
    pub limits: SendLimits,
}
