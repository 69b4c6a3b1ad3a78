//! The state that HPCC keeps of a link (HPCC paper, algorithm 1, `MeasureInflight` and
//! `ComputeWind`).

use crate::rate_rule::RateRule;
use fabricsim_base::checkpoint::Stored;

/// Control state that follows the utilization of the busiest link, or of each link.
#[derive(Clone, Copy, Debug, Stored)]
pub(crate) struct Control {
    /// Utilization, averaged over a round trip (U). It starts at 1.
    pub(crate) utilization: f64,
    /// The reference rate (R_c), bit/s.
    pub(crate) reference: f64,
    /// Additive increases since the last multiplicative change (incStage).
    pub(crate) stage: u32,
}

impl Control {
    pub(crate) const fn new(line_rate: f64) -> Self {
        Self {
            utilization: 1.0,
            reference: line_rate,
            stage: 0,
        }
    }

    /// Averages `sample`, measured over `interval_ns`, into the utilization of a base round-trip time
    /// of `rtt` nanoseconds (T).
    #[inline]
    pub(crate) fn observe(&mut self, sample: f64, interval_ns: f64, rtt: f64) {
        let interval = interval_ns.min(rtt);
        if interval <= 0.0 {
            // Entries of two switches at one instant: another path, of which the header did not
            // tell.
            return;
        }
        self.utilization = (self.utilization * (rtt - interval) + sample * interval) / rtt;
    }

    /// The rate and stage that follow from the utilization by `rule`.
    #[inline]
    pub(crate) fn step(&self, rule: &RateRule) -> (f64, u32) {
        rule.step(self.reference, self.stage, self.utilization)
    }
}
