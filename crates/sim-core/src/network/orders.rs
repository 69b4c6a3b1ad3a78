//! What whoever steers a network asks of its hosts.

use crate::plugin::AppFlow;
use fabricsim_base::units::Time;

/// What whoever steers wants to hear of at the exact time.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Hearing {
    /// Deliveries and acknowledgements.
    #[default]
    Everything,
    /// Deliveries alone: applications hear of acknowledgements early, and not in the order of time.
    Deliveries,
}

/// What whoever steers asks of a host.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Order {
    /// To start a flow at this time, or now when that has passed: after what arrives at the host and
    /// what it sends at that instant, in the order of asking.
    Flow {
        /// The start.
        at: Time,
        /// The flow.
        flow: AppFlow,
    },
    /// To set a timer, or to move it.
    Timer {
        /// When it goes off.
        at: Time,
        /// Its token.
        token: u64,
    },
    /// To cancel a timer.
    CancelTimer {
        /// Its token.
        token: u64,
    },
}
