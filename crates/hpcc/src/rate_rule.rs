//! Computes the next rate from a utilization.

use fabricsim_base::units::Rate;
use fabricsim_core::plugin::Quirks;
use fabricsim_core::plugin::quirks::RateUnit;

/// Rule that derives a rate from the utilization of the busiest link (HPCC paper, algorithm 1,
/// `ComputeWind`), regardless of where the utilization was measured. Rates are in bit/s.
#[derive(Clone, Copy, Debug)]
pub struct RateRule {
    /// Target utilization (η in the paper).
    pub eta: f64,
    /// Consecutive additive increases before the rate follows the utilization again (maxStage).
    pub max_stage: u32,
    /// Rate added at each step.
    pub additive_increase: f64,
    /// Lowest rate.
    pub min_rate: f64,
    /// Highest rate; it has precedence over a larger `min_rate`.
    pub max_rate: f64,
    /// Resolution of rates.
    pub unit: RateUnit,
}

impl RateRule {
    /// Returns the default additive increase for NICs of `nic_rate` ([`Quirks::increase_share`]):
    /// 50 Mbps at 100 Gbps in the papers (W_AI = 80 bytes).
    #[must_use]
    pub fn default_increase(nic_rate: Rate, quirks: &Quirks) -> Rate {
        Rate::from_bps_f64(nic_rate.as_bps_f64() * quirks.increase_share)
    }

    /// Returns the rate and stage after one step at `utilization` (U), from the rate `reference`
    /// (R_c in the paper) and `stage` (incStage).
    #[inline]
    #[must_use]
    pub fn step(&self, reference: f64, stage: u32, utilization: f64) -> (f64, u32) {
        let load = utilization / self.eta;
        let (rate, stage) = if load >= 1.0 || stage >= self.max_stage {
            let scaled = self.unit.cut(reference / load);
            (scaled + self.additive_increase, 0)
        } else {
            (reference + self.additive_increase, stage + 1)
        };
        // On an idle path the load is zero and the quotient may be infinite or NaN. Then the rate
        // is the highest.
        let bounded = if rate < self.max_rate {
            rate.max(self.min_rate).min(self.max_rate)
        } else {
            self.max_rate
        };
        (bounded, stage)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Algorithm 1, line 12: the rate follows the utilization from U = η on, not only above it.
    #[test]
    fn a_link_at_its_target_is_followed() {
        let rule = RateRule {
            eta: 0.5,
            max_stage: 5,
            additive_increase: 1e9,
            min_rate: 1e8,
            max_rate: 100e9,
            unit: RateUnit::Fraction,
        };
        assert_eq!(rule.step(40e9, 3, 0.5), (41e9, 0));
        assert_eq!(rule.step(40e9, 3, 0.499), (41e9, 4));
    }
}
