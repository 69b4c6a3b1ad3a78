//! The queueing delay and its average (`update_delay`, `update_base_rtt`).

use fabricsim_base::checkpoint::Stored;
use fabricsim_base::units::Duration;

/// Weight of a sample (`_delay_alpha`).
const WEIGHT: f64 = 0.0125;

/// What the network says of a packet.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Cause {
    /// It has arrived without a mark.
    Acknowledged,
    /// It has arrived with a mark.
    Marked,
    /// It is lost.
    Lost,
}

/// The delay of one flow, in picoseconds.
#[derive(Clone, Copy, Debug, Stored)]
pub(super) struct QueueDelay {
    /// `_base_rtt`.
    base: Duration,
    /// `_avg_delay`.
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

    /// Returns whether `rtt` is below the smallest, which it then is.
    pub(super) fn lowers(&mut self, rtt: Duration) -> bool {
        let lower = rtt < self.base;
        if lower {
            self.base = rtt;
        }
        lower
    }

    /// Takes a round-trip time in, and returns its queueing delay. A long delay without a mark is
    /// that of a queue that has gone: it counts as a quarter of the base round-trip time.
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

    /// A loss: it counts as a delay of `network_rtt`.
    pub(super) fn lose(&mut self, network_rtt: Duration) {
        self.average += WEIGHT * (network_rtt.as_ps() as f64 - self.average);
    }
}
