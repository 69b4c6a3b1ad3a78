//! The queueing delay and its average (`update_delay`, `update_base_rtt`).

use fabricsim_base::checkpoint::Stored;
use fabricsim_base::units::Duration;

/// Weight of a sample (`_delay_alpha`).
const WEIGHT: f64 = 0.0125;

/// Feedback of the network on a packet.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Cause {
    /// The packet arrived without a mark.
    Acknowledged,
    /// The packet arrived with a mark.
    Marked,
    /// The packet was lost.
    Lost,
}

/// The delay of one flow, in picoseconds.
#[derive(Clone, Copy, Debug, Stored)]
pub(super) struct QueueDelay {
    /// Smallest round-trip time (`_base_rtt`).
    base: Duration,
    /// Average queueing delay (`_avg_delay`).
    average: f64,
}

impl QueueDelay {
    pub(super) const fn new(base: Duration) -> Self {
        Self { base, average: 0.0 }
    }

    pub(super) const fn base(&self) -> Duration {
        self.base
    }

    pub(super) const fn average(&self) -> f64 {
        self.average
    }

    /// Returns `true` if `rtt` is a new minimum, and records it.
    pub(super) fn lowers(&mut self, rtt: Duration) -> bool {
        let lower = rtt < self.base;
        if lower {
            self.base = rtt;
        }
        lower
    }

    /// Records a round-trip time and returns its queueing delay. A long delay without a mark
    /// belongs to a queue that has already drained, so it counts as a quarter of the base
    /// round-trip time.
    pub(super) fn sample(&mut self, rtt: Duration, cause: Cause, target: f64) -> f64 {
        let delay = rtt.as_ps().saturating_sub(self.base.as_ps()) as f64;
        let counted = if cause == Cause::Acknowledged && delay > target {
            0.25 * self.base.as_ps() as f64
        } else {
            delay
        };
        self.average += WEIGHT * (counted - self.average);
        delay
    }

    /// Records a loss, which counts as a delay of `network_rtt`.
    pub(super) fn lose(&mut self, network_rtt: Duration) {
        self.average += WEIGHT * (network_rtt.as_ps() as f64 - self.average);
    }
}
