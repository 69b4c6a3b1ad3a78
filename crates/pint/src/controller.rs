//! The algorithm of the sender: HPCC's rule (HPCC paper, algorithm 1, `ComputeWind`) with the
//! utilization from a digest (PINT, section 4.3, example 3).

use std::sync::Arc;

use fabricsim_base::checkpoint::Checkpointed;
use fabricsim_base::units::{Bytes, Rate};
use fabricsim_core::plugin::{
    Ack, CcConfig, CongestionControl, ControllerFactory, FlowStart, TelemetryCarrier, scaled_window,
};
use fabricsim_hpcc::{RateRule, Round};

use crate::config::PintConfig;
use crate::digest::HasDigest;
use crate::log_code::LogCode;
use crate::sampling::Sampling;

/// Constants shared by all flows from NICs of the same rate.
#[derive(Clone, Debug)]
struct Constants {
    rule: RateRule,
    code: LogCode,
    line_rate: Rate,
    /// The window at line rate (W).
    full_window: Bytes,
    has_window: bool,
    fixed_window: bool,
    telemetry_bytes: u16,
}

impl Constants {
    fn new(config: &PintConfig, start: &FlowStart<'_>) -> Self {
        let quirks = &start.network.quirks;
        let nic_rate = start.default_nic_rate();
        Self {
            rule: RateRule {
                eta: config.eta,
                max_stage: config.max_stage,
                additive_increase: config.additive_increase(nic_rate, quirks).as_bps_f64(),
                min_rate: config.min_rate(nic_rate, quirks).as_bps_f64(),
                max_rate: start.line_rate.as_bps_f64(),
                unit: quirks.rates,
            },
            code: config.code(quirks),
            line_rate: start.line_rate,
            full_window: start.bdp,
            has_window: config.window,
            fixed_window: config.fixed_window,
            telemetry_bytes: config.telemetry_bytes(start.network),
        }
    }

    /// Returns `true` if these constants apply to a flow that begins like `start`.
    fn serves(&self, start: &FlowStart<'_>) -> bool {
        (self.line_rate, self.full_window) == (start.line_rate, start.bdp)
    }
}

/// HPCC-PINT for one flow. The switches already average the utilization, so the sender does not
/// average it again. An ACK without a digest changes nothing.
#[derive(Checkpointed, Clone, Debug)]
#[checkpoint(absolute)]
pub struct HpccPint {
    #[checkpoint(rebuilt)]
    constants: Arc<Constants>,
    sampling: Sampling,
    /// Reference rate in bit/s (R_c).
    reference: f64,
    /// Additive increases since the last multiplicative change (incStage).
    stage: u32,
    /// The `snd_nxt` at the last commit of the reference, or 0 before the first digest.
    last_update_seq: u64,
    rate: Rate,
    window: Bytes,
    /// `true` if the last acknowledgement set a rate, even if it did not change.
    updated: bool,
}

impl<H: HasDigest> ControllerFactory<H> for PintConfig {
    type Controller = HpccPint;

    fn build(&self, start: &FlowStart<'_>) -> HpccPint {
        HpccPint::new(self, start)
    }
}

impl HpccPint {
    pub(crate) fn new(config: &PintConfig, start: &FlowStart<'_>) -> Self {
        let constants = start.shared(
            |first: &Constants| first.serves(start),
            || Constants::new(config, start),
        );
        let network = start.network;
        Self {
            reference: constants.rule.max_rate,
            constants,
            sampling: match network.carrier {
                TelemetryCarrier::Switch => Sampling::BySwitches,
                TelemetryCarrier::Sender => Sampling::new(
                    config.digest_fraction,
                    network.quirks.sampling,
                    network.seed,
                    start.id,
                ),
            },
            stage: 0,
            last_update_seq: 0,
            rate: start.line_rate,
            window: start.bdp,
            updated: false,
        }
    }

    /// Updates the rate from the digest `code`. The reference changes only at a new round.
    #[inline]
    fn update(&mut self, code: u16, round: Round) {
        let constants = &*self.constants;
        let utilization = constants.code.decode(code);
        let (rate, stage) = constants.rule.step(self.reference, self.stage, utilization);
        self.rate = Rate::from_bps_f64(rate);
        if !constants.fixed_window {
            self.window = scaled_window(constants.full_window, self.rate, constants.line_rate);
        }
        if round == Round::New {
            (self.reference, self.stage) = (rate, stage);
        }
        self.updated = true;
    }
}

impl<H: HasDigest> CongestionControl<H> for HpccPint {
    #[inline]
    fn prepare(&mut self, header: &mut H) -> u16 {
        if self.sampling.next_packet() {
            header.carry_digest();
            self.constants.telemetry_bytes
        } else {
            0
        }
    }

    fn on_ack(&mut self, ack: &Ack<'_, H>) {
        self.updated = false;
        let Some(code) = ack.telemetry.digest() else {
            return;
        };
        if !self.sampling.next_ack() {
            return;
        }
        let round = Round::of(ack.cumulative, self.last_update_seq);
        if self.last_update_seq == 0 {
            // The first digest belongs to the first round trip, in which the rate had no effect
            // yet.
            self.last_update_seq = ack.next_seq;
            return;
        }
        self.update(code, round);
        if round == Round::New {
            self.last_update_seq = self.last_update_seq.max(ack.next_seq);
        }
    }

    #[inline]
    fn window(&self) -> Option<Bytes> {
        self.constants.has_window.then_some(self.window)
    }

    #[inline]
    fn pacing_rate(&self) -> Option<Rate> {
        Some(self.rate)
    }

    #[inline]
    fn reschedules(&self) -> bool {
        self.updated
    }

    fabricsim_base::saves_state!();
}

#[cfg(test)]
mod tests;
