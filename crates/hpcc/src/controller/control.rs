//! Constants of the algorithm.

use fabricsim_base::units::{Bytes, Duration, Rate};
use fabricsim_core::plugin::FlowStart;
use fabricsim_core::plugin::quirks::EntryFormat;

use crate::config::{Form, HpccConfig, Reaction, int_bytes};
use crate::rate_rule::RateRule;
use crate::scale::IntScale;

/// The window for a rate R.
#[derive(Clone, Copy, Debug)]
pub(super) enum WindowRule {
    /// The base window W, scaled by R / line rate.
    Scaled,
    /// The base window W for every rate.
    Fixed,
    /// R x T, the window from which R was computed.
    OfRate,
}

/// Constants shared by all flows from NICs of the same rate.
#[derive(Clone, Debug)]
pub(crate) struct Constants {
    pub(super) format: EntryFormat,
    pub(super) scale: IntScale,
    pub(super) rule: RateRule,
    /// Base round-trip time (T), in nanoseconds.
    pub(super) base_rtt_ns: f64,
    /// Base window in bytes (W = B T, with the rate B of the NIC).
    pub(super) bdp: f64,
    pub(super) reaction: Reaction,
    pub(super) per_hop_rates: bool,
    pub(super) sampled_feedback: bool,
    pub(super) window: WindowRule,
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
            format: quirks.entries,
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
            window: match (config.form, config.fixed_window) {
                (_, true) => WindowRule::Fixed,
                (Form::Rate, false) => WindowRule::Scaled,
                (Form::Window, false) => WindowRule::OfRate,
            },
            line_rate: start.line_rate,
            base_rtt: start.base_rtt,
            full_window: start.bdp,
            mtu: start.mtu,
            telemetry_bytes: int_bytes(start.network.longest_path),
        }
    }

    /// Returns `true` if these constants apply to a flow that begins like `start`.
    pub(super) fn serves(&self, start: &FlowStart<'_>) -> bool {
        (self.line_rate, self.base_rtt, self.full_window, self.mtu)
            == (start.line_rate, start.base_rtt, start.bdp, start.mtu)
    }
}
