//! The control state of HPCC for one link (HPCC paper, algorithm 1, `MeasureInflight` and
//! `ComputeWind`).

use crate::rate_rule::RateRule;
use fabricsim_base::checkpoint::Stored;

/// Control state that follows the utilization of the busiest link, or of one link each.
#[derive(Clone, Copy, Debug, Stored)]
#[checkpoint(absolute)]
pub(crate) struct Control {
    /// Utilization, averaged over a round trip (U). Its initial value is 1.
    pub(crate) utilization: f64,
    /// Reference rate in bit/s (R_c).
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

    /// Includes `sample`, measured over `interval_ns`, in the average utilization. `rtt` is the
    /// base round-trip time (T) in nanoseconds.
    #[inline]
    pub(crate) fn observe(&mut self, sample: f64, interval_ns: f64, rtt: f64) {
        let interval = interval_ns.min(rtt);
        if interval <= 0.0 {
            // Two switches wrote these entries at the same instant: the path changed, but the
            // header cannot tell.
            return;
        }
        self.utilization = (self.utilization * (rtt - interval) + sample * interval) / rtt;
    }

    /// Returns the rate and stage that `rule` derives from the utilization.
    #[inline]
    pub(crate) fn step(&self, rule: &RateRule) -> (f64, u32) {
        rule.step(self.reference, self.stage, self.utilization)
    }
}
