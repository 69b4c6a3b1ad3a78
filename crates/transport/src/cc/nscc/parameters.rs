//! Constants that depend on the network (`initNsccParams`).

use fabricsim_base::units::{Duration, Rate};
use fabricsim_core::plugin::FlowStart;

use super::{NsccConfig, REFERENCE_RTT_NS, default_target};

/// Bandwidth-delay product of the reference in bytes: 100 Gbps and 12 us.
const REFERENCE_PRODUCT: f64 = 12.5 * REFERENCE_RTT_NS as f64;
/// A shorter delay does not count as a queue, in picoseconds.
const EMPTY_DELAY: f64 = 1e6;

/// The constants of one flow. Windows are in bytes; times given as numbers are in picoseconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Parameters {
    /// Target of the queueing delay (`_target_Qdelay`).
    pub(super) target: Duration,
    pub(super) target_ps: f64,
    /// Delay above which quick adapt applies (`_qa_threshold`).
    pub(super) quick_adapt_delay: f64,
    /// Share of the largest window: one half to the power of `_qa_gate`.
    pub(super) quick_adapt_share: f64,
    /// Strength of the proportional increase (`_alpha`).
    pub(super) proportional_increase: f64,
    /// Growth per acknowledged byte in the fair increase (`_fi`).
    pub(super) fair_increase: f64,
    /// Strength of the fast increase (`_fi_scale`).
    pub(super) fast_increase: f64,
    /// Constant growth at each adjustment (`_eta`).
    pub(super) steady_increase: f64,
    /// Strength of the multiplicative decrease (`_gamma`).
    pub(super) gamma: f64,
    pub(super) empty_delay: f64,
    /// Time and bytes after which an adjustment is due (`_adjust_period_threshold`,
    /// `_adjust_bytes_threshold`).
    pub(super) adjust_period: Duration,
    pub(super) adjust_bytes: f64,
    /// Smallest window, which is one packet (`_min_cwnd`).
    pub(super) least: f64,
    /// Largest window in bandwidth-delay products.
    products: f64,
    line_rate: Rate,
}

impl Parameters {
    pub(super) fn new(config: &NsccConfig, start: &FlowStart<'_>) -> Self {
        let known = Some(start.network.base_rtt).filter(|&rtt| rtt > Duration::ZERO);
        let network_rtt = known.unwrap_or(start.base_rtt);
        let overflow = start.network.overflow;
        let target = (config.target_delay).unwrap_or_else(|| default_target(network_rtt, overflow));
        let target_ps = target.as_ps() as f64;
        let product = start.line_rate.bytes_in(network_rtt).as_f64();
        let mss = start.mtu.as_f64();
        let scale = product / REFERENCE_PRODUCT;
        let delay_scale = target_ps / (REFERENCE_RTT_NS as f64 * 1_000.0);
        Self {
            target,
            target_ps,
            quick_adapt_delay: 4.0 * target_ps,
            quick_adapt_share: 0.5_f64.powi(i32::try_from(config.quick_adapt_gate).unwrap_or(31)),
            proportional_increase: 4.0 * mss * scale * delay_scale / target_ps,
            fair_increase: 5.0 * mss * scale,
            fast_increase: 0.25 * scale,
            steady_increase: 0.15 * mss * scale,
            gamma: config.gamma,
            empty_delay: EMPTY_DELAY,
            adjust_period: network_rtt,
            adjust_bytes: 8.0 * mss,
            least: mss,
            products: config.max_window_bdp,
            line_rate: start.line_rate,
        }
    }

    /// Returns the largest window of a path with `base_rtt`.
    pub(super) fn most(&self, base_rtt: Duration) -> f64 {
        let product = self.line_rate.bytes_in(base_rtt).as_f64();
        (self.products * product).max(self.least)
    }
}
