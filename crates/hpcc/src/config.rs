//! What a user can set of HPCC, and the factory of its algorithms.

use std::sync::{Arc, OnceLock};

use fabricsim_core::input::{ConfigError, Keys};
use fabricsim_core::plugin::{
    CcConfig, CcContext, ControllerFactory, Fidelity, FlowStart, default_min_rate,
};
use fabricsim_core::units::Rate;
use fabricsim_core::{choices, settings};

use crate::controller::{Constants, Hpcc};
use crate::rate_rule::RateRule;
use crate::stack::{IntHeader, IntScale};

choices! {
    /// When the rate follows the telemetry.
    pub enum Reaction {
        /// At every acknowledgement, relative to a reference that changes once per round trip.
        PerAck = "per-ack",
        /// Once per round trip.
        PerRtt = "per-rtt",
    }
}

choices! {
    /// Which of the two quantities is computed, and which follows.
    pub enum Form {
        /// A rate R; the window is W x R / line rate. The published simulator.
        Rate = "rate" ("the published code"),
        /// A window W; packets are paced at W / T. The paper, section 3.3. The same up to clamping: the
        /// window is at least one packet, the rate has no floor of its own.
        Window = "window" ("the paper"),
    }
}

settings! {
    /// The `[cc]` table of `kind = "hpcc"`.
    pub struct HpccConfig {
        /// Target utilization of the busiest link.
        ///
        /// It is η in the paper.
        #[range(above 0.0, to 1.0)]
        #[refused(
            "a target utilization of {value} is not between 0 and 1",
            "give the share of the link that may be used, such as 0.95"
        )]
        pub eta: f64 = 0.95,
        /// Additive increases in a row before a multiplicative change.
        ///
        /// It is maxStage in the paper: after it the rate follows the utilization again.
        pub max_stage: u32 = 0,
        /// Added at each change.
        ///
        /// In the paper W_AI, which is this times T / 8.
        #[note("(default \"50Mbps\" for each 100 Gbps of NIC rate)")]
        pub additive_increase: Option<Rate> = none,
        /// Lowest rate.
        #[note("(default \"1Gbps\", at most a hundredth of the NIC rate); flows that do not fit a link at that rate queue up")]
        pub min_rate: Option<Rate> = none,
        /// When the rate follows the telemetry.
        pub reaction: Reaction = "per-ack",
        /// Keep a rate for each hop and use the lowest.
        pub per_hop_rates: bool = false,
        /// Skip empty queues between round trips.
        pub sampled_feedback: bool = false,
        /// Which quantity is computed.
        pub form: Form = "rate",
    }
}

impl CcConfig for HpccConfig {
    const KEYS: Keys = Self::MEANINGS;

    type Factory = HpccFactory;

    fn validate(&self) -> Result<(), ConfigError> {
        self.validate_ranges()
    }

    /// Fills in the additive increase and the lowest rate.
    fn resolved(&self, context: &CcContext<'_>) -> Self {
        self.filled_in(context.nic_rate, context.fidelity)
    }

    fn telemetry_bytes(&self, context: &CcContext<'_>) -> u16 {
        int_bytes(context.longest_path)
    }

    fn lowest_rate(&self) -> Option<Rate> {
        self.min_rate
    }

    fn factory(&self, context: &CcContext<'_>) -> HpccFactory {
        HpccFactory {
            config: self.clone(),
            nic_rate: context.nic_rate,
            fidelity: context.fidelity,
            scale: IntScale::new(context),
            telemetry_bytes: self.telemetry_bytes(context),
            constants: Arc::default(),
        }
    }
}

impl HpccConfig {
    /// The configuration of a flow whose NIC has `nic_rate`.
    fn filled_in(&self, nic_rate: Rate, fidelity: Fidelity) -> Self {
        let increase = || RateRule::default_increase(nic_rate, fidelity);
        let floor = || default_min_rate(nic_rate, fidelity);
        Self {
            additive_increase: Some(self.additive_increase.unwrap_or_else(increase)),
            min_rate: Some(self.min_rate.unwrap_or_else(floor)),
            ..self.clone()
        }
    }
}

/// The published INT header: two bytes and five hops of eight, charged whole; longer paths need more
/// hops.
const fn int_bytes(longest_path: u16) -> u16 {
    let hops = if longest_path < 5 { 5 } else { longest_path };
    2 + 8 * hops
}

/// Makes the algorithm of each flow.
#[derive(Clone, Debug)]
pub struct HpccFactory {
    config: HpccConfig,
    /// The most common rate of NICs.
    nic_rate: Rate,
    /// Whose arithmetic to use.
    pub(crate) fidelity: Fidelity,
    /// What the telemetry means.
    pub(crate) scale: IntScale,
    /// What the telemetry takes on the wire.
    pub(crate) telemetry_bytes: u16,
    /// Those of the first flow.
    pub(crate) constants: Arc<OnceLock<Arc<Constants>>>,
}

impl HpccFactory {
    /// The settings of a flow whose NIC has `line_rate`. The published script has one set for all.
    pub(crate) fn config_for(&self, line_rate: Rate) -> HpccConfig {
        let nic_rate = match self.fidelity {
            Fidelity::Exact => line_rate,
            Fidelity::Published => self.nic_rate,
        };
        self.config.filled_in(nic_rate, self.fidelity)
    }
}

impl<S: IntHeader> ControllerFactory<S> for HpccFactory {
    type Controller = Hpcc<S>;

    fn build(&self, start: &FlowStart) -> Hpcc<S> {
        Hpcc::new(self, start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn context(nic_rate: Rate, fidelity: Fidelity) -> CcContext<'static> {
        CcContext {
            nic_rate,
            link_rates: &[],
            base_rtt: fabricsim_core::units::Duration::ZERO,
            longest_path: 5,
            seed: 1,
            fidelity,
        }
    }

    #[test]
    fn defaults_scale_with_the_nic() {
        let config = HpccConfig::default();
        let papers = config.resolved(&context(Rate::from_gbps(100), Fidelity::Exact));
        assert_eq!(papers.additive_increase, Some(Rate::from_mbps(50)));
        assert_eq!(papers.min_rate, Some(Rate::from_gbps(1)));
        let script = config.resolved(&context(Rate::from_gbps(100), Fidelity::Published));
        assert_eq!(script.additive_increase, Some(Rate::from_mbps(40)));
        let slow = config.resolved(&context(Rate::from_gbps(10), Fidelity::Exact));
        assert_eq!(slow.min_rate, Some(Rate::from_mbps(100)));
    }

    #[test]
    fn an_impossible_target_is_refused() {
        for eta in [0.0, -1.0, 1.5, f64::NAN] {
            let config = HpccConfig {
                eta,
                ..HpccConfig::default()
            };
            assert_eq!(config.validate().map_err(|e| e.key), Err("eta"));
        }
    }
}
