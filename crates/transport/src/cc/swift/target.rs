//! The target delay (Swift paper, section 3.5).

use fabricsim_base::units::Duration;
use fabricsim_core::plugin::FlowStart;

use super::SwiftConfig;

/// The target delay of one flow, in picoseconds. It is higher for longer paths, and for smaller
/// windows because these indicate many flows at one link.
#[derive(Clone, Copy, Debug)]
pub(super) struct TargetDelay {
    /// Base target plus the share of the switches on the path.
    fixed: f64,
    /// Maximum that flow scaling adds.
    range: f64,
    /// Flow scaling adds `slope / sqrt(cwnd) + offset`.
    slope: f64,
    offset: f64,
}

impl TargetDelay {
    pub(super) fn new(config: &SwiftConfig, start: &FlowStart<'_>) -> Self {
        let base = config.base_target.unwrap_or(start.base_rtt).as_ps() as f64;
        // Without a flow, assume the longest path.
        let switches = (start.flow).map_or(start.network.longest_path, |flow| flow.path.switches);
        let hops = f64::from(switches) * config.hop_scaling.as_ps() as f64;
        let range = config.fs_range.map(|range| range.as_ps() as f64);
        let range = range.unwrap_or(5.0 * base);
        let [small, large] =
            [config.fs_min_cwnd, config.fs_max_cwnd].map(|cwnd| cwnd.sqrt().recip());
        let slope = range / (small - large);
        Self {
            fixed: base + hops,
            range,
            slope,
            offset: -slope * large,
        }
    }

    /// Returns the target for a window of `cwnd` packets.
    #[inline]
    pub(super) fn at(&self, cwnd: f64) -> f64 {
        let scaling = self.slope / cwnd.sqrt() + self.offset;
        self.fixed + scaling.min(self.range).max(0.0)
    }

    /// Returns the target for the smallest window.
    pub(super) fn longest(&self) -> Duration {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a positive time; larger ones saturate"
        )]
        let ps = (self.fixed + self.range) as u64;
        Duration::from_ps(ps)
    }
}
