//! From utilization to rate (HPCC paper, algorithm 1, `MeasureInflight` and `ComputeWind`).

use fabricsim_core::plugin::FlowStart;
use fabricsim_core::plugin::quirks::IntFormat;
use fabricsim_core::units::{Bytes, Duration, Rate};

use crate::config::{Form, HpccConfig, Reaction, int_bytes};
use crate::rate_rule::RateRule;
use crate::stack::IntScale;

/// Constants shared by flows over NICs of the same rate.
#[derive(Clone, Debug)]
pub(crate) struct Constants {
    pub(super) format: IntFormat,
    pub(super) scale: IntScale,
    pub(super) rule: RateRule,
    /// T in nanoseconds.
    pub(super) base_rtt_ns: f64,
    /// W = B T in bytes, with B the rate of the NIC.
    pub(super) bdp: f64,
    pub(super) reaction: Reaction,
    pub(super) per_hop_rates: bool,
    pub(super) sampled_feedback: bool,
    pub(super) form: Form,
    pub(super) line_rate: Rate,
    pub(super) base_rtt: Duration,
    pub(super) full_window: Bytes,
    pub(super) mtu: Bytes,
    pub(super) telemetry_bytes: u16,
}

impl Constants {
    pub(super) fn new(config: &HpccConfig, start: &FlowStart<'_>) -> Self {
        let quirks = &start.network.quirks;
        let nic_rate = start.default_nic_rate();
        let base_rtt_ns = quirks.base_rtt.cut(start.base_rtt).as_ps() as f64 / 1_000.0;
        Self {
            format: quirks.int,
            scale: IntScale::new(start.network),
            rule: RateRule {
                eta: config.eta,
                max_stage: config.max_stage,
                additive_increase: config.additive_increase(nic_rate, quirks).as_bps_f64(),
                min_rate: match config.form {
                    Form::Rate => config.min_rate(nic_rate, quirks).as_bps_f64(),
                    Form::Window => start.mtu.as_f64() * 8e9 / base_rtt_ns,
                },
                max_rate: start.line_rate.as_bps_f64(),
                unit: quirks.rates,
            },
            base_rtt_ns,
            bdp: start.bdp.as_f64(),
            reaction: config.reaction,
            per_hop_rates: config.per_hop_rates,
            sampled_feedback: config.sampled_feedback,
            form: config.form,
            line_rate: start.line_rate,
            base_rtt: start.base_rtt,
            full_window: start.bdp,
            mtu: start.mtu,
            telemetry_bytes: int_bytes(start.network.longest_path),
        }
    }

    /// Returns whether a flow that begins like `start` has these constants.
    pub(super) fn serves(&self, start: &FlowStart<'_>) -> bool {
        (self.line_rate, self.base_rtt, self.full_window, self.mtu)
            == (start.line_rate, start.base_rtt, start.bdp, start.mtu)
    }
}

/// Control state that follows the utilization of the busiest link, or of each link.
#[derive(Clone, Copy, Debug)]
pub(super) struct Control {
    /// Utilization, averaged over a round trip (U). It starts at 1.
    pub(super) utilization: f64,
    /// The reference rate (R_c), bit/s.
    pub(super) reference: f64,
    /// Additive increases since the last multiplicative change (incStage).
    pub(super) stage: u32,
}

impl Control {
    pub(super) const fn new(line_rate: f64) -> Self {
        Self {
            utilization: 1.0,
            reference: line_rate,
            stage: 0,
        }
    }

    /// Averages `sample`, measured over `interval_ns`, into the utilization.
    #[inline]
    pub(super) fn observe(&mut self, sample: f64, interval_ns: f64, constants: &Constants) {
        let rtt = constants.base_rtt_ns;
        let interval = interval_ns.min(rtt);
        if interval <= 0.0 {
            // Entries of two switches at one instant: another path, of which the header did not
            // tell.
            return;
        }
        self.utilization = (self.utilization * (rtt - interval) + sample * interval) / rtt;
    }

    /// The rate and stage that follow from the utilization.
    #[inline]
    pub(super) fn step(&self, constants: &Constants) -> (f64, u32) {
        constants
            .rule
            .step(self.reference, self.stage, self.utilization)
    }
}
