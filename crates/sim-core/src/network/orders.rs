//! Requests of a steering program to the hosts of a network.

use crate::plugin::AppFlow;
use fabricsim_base::units::Time;

/// The events that a steering program needs at their exact times.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Hearing {
    /// Deliveries and acknowledgements.
    #[default]
    Everything,
    /// Deliveries only: applications receive acknowledgements early, and not in time order.
    Deliveries,
}

/// A request to a host.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Order {
    /// Start a flow at this time, or now if that has passed. The start follows all arrivals and
    /// departures of the host at that time, in the order of requests.
    Flow {
        /// Start time.
        at: Time,
        /// The flow.
        flow: AppFlow,
    },
    /// Set a timer, or move it.
    Timer {
        /// Time at which it expires.
        at: Time,
        /// Token that identifies the timer.
        token: u64,
    },
    /// Cancel a timer.
    CancelTimer {
        /// Token that identifies the timer.
        token: u64,
    },
}
