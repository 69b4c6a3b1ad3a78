//! User settings of HPCC.

use fabricsim_base::input::{ConfigError, Keys};
use fabricsim_base::units::Rate;
use fabricsim_base::{choices, settings};
use fabricsim_core::plugin::{CcConfig, CcContext, Quirks, TelemetryId, default_min_rate};

use crate::rate_rule::RateRule;

/// In-band network telemetry: one entry per hop. Controllers without access to the header read it
/// as an [`IntView`](crate::IntView).
pub const INT: TelemetryId =
    TelemetryId::own_slot("int", |network| int_bytes(network.longest_path));

choices! {
    /// Time at which the telemetry updates the rate.
    pub enum Reaction {
        /// At every acknowledgement, relative to a reference that changes once per round trip.
        PerAck = "per-ack",
        /// Once per round trip.
        PerRtt = "per-rtt",
    }
}

choices! {
    /// The quantity that the algorithm computes, rate or window. It determines the other one.
    pub enum Form {
        /// A rate R; the window is W x R / line rate. This is the form of the published simulator.
        Rate = "rate" ("the published code"),
        /// A window W; packets are paced at W / T (section 3.3 of the paper). Both forms agree
        /// except for clamping: here the window is at least one packet, and the rate has no lower
        /// limit of its own.
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
        /// This is maxStage in the paper. After it, the rate follows the utilization again.
        pub max_stage: u32 = 0,
        /// Added at each change.
        ///
        /// The paper has W_AI, which is this rate times T / 8.
        #[note("(default \"50Mbps\" for each 100 Gbps of NIC rate)")]
        pub additive_increase: Option<Rate> = none,
        /// Lowest rate.
        #[note("(default \"1Gbps\", at most a hundredth of the NIC rate); flows that do not fit a link at that rate queue up")]
        pub min_rate: Option<Rate> = none,
        /// Times at which the rate is updated from the telemetry.
        pub reaction: Reaction = "per-ack",
        /// Keep a rate for each hop and use the lowest.
        pub per_hop_rates: bool = false,
        /// Skip empty queues between round trips.
        pub sampled_feedback: bool = false,
        /// Quantity that is computed.
        pub form: Form = "rate",
        /// Units of telemetry under `profile = "ns3-hpcc"`, in multiples of 128 bytes sent and of 80 bytes of a queue.
        ///
        /// INT_MULTI in the published simulator.
        #[range(from 1, to 1000000)]
        #[note("(default 1 for each 25 Gbps of NIC rate)")]
        pub int_multiple: Option<u32> = none,
        /// Keep the window at one bandwidth-delay product when the rate changes.
        pub fixed_window: bool = false,
    }
}

impl CcConfig for HpccConfig {
    const KEYS: Keys = Self::KEYS;

    const TELEMETRY: Option<TelemetryId> = Some(INT);

    fn validate(&self) -> Result<(), ConfigError> {
        self.validate_ranges()?;
        match (self.form, self.fixed_window) {
            (Form::Window, true) => Err(ConfigError::new(
                "fixed_window",
                "the form \"window\" computes a window, which cannot stay as it is",
                "write `form = \"rate\"`, or leave `fixed_window` out",
            )),
            _ => Ok(()),
        }
    }

    /// Sets the additive increase and the lowest rate if they are absent.
    fn resolved(&self, network: &CcContext) -> Self {
        let (nic_rate, quirks) = (network.nic_rate, &network.quirks);
        Self {
            additive_increase: Some(self.additive_increase(nic_rate, quirks)),
            min_rate: Some(self.min_rate(nic_rate, quirks)),
            ..self.clone()
        }
    }

    fn telemetry_bytes(&self, network: &CcContext) -> u16 {
        int_bytes(network.longest_path)
    }

    fn lowest_rate(&self) -> Option<Rate> {
        self.min_rate
    }
}

impl HpccConfig {
    /// Returns the additive increase of a flow from a NIC of `nic_rate`.
    pub(crate) fn additive_increase(&self, nic_rate: Rate, quirks: &Quirks) -> Rate {
        let increase = || RateRule::default_increase(nic_rate, quirks);
        self.additive_increase.unwrap_or_else(increase)
    }

    /// Returns the lowest rate of a flow from a NIC of `nic_rate`.
    pub(crate) fn min_rate(&self, nic_rate: Rate, quirks: &Quirks) -> Rate {
        let floor = || default_min_rate(nic_rate, quirks);
        self.min_rate.unwrap_or_else(floor)
    }
}

/// Returns the bytes of telemetry in a data packet, for a network with at most `longest_path`
/// switches on a path. This is the published INT header: two bytes plus five hops of eight bytes,
/// always counted in full. Longer paths need more hops.
#[must_use]
pub const fn int_bytes(longest_path: u16) -> u16 {
    let hops = if longest_path < 5 { 5 } else { longest_path };
    2 + 8 * hops
}

#[cfg(test)]
mod tests {
    use super::*;

    fn context(nic_rate: Rate, quirks: Quirks) -> CcContext {
        CcContext {
            quirks,
            ..CcContext::of_nics(nic_rate)
        }
    }

    #[test]
    fn defaults_scale_with_the_nic() {
        let config = HpccConfig::default();
        let papers = config.resolved(&context(Rate::from_gbps(100), Quirks::EXACT));
        assert_eq!(papers.additive_increase, Some(Rate::from_mbps(50)));
        assert_eq!(papers.min_rate, Some(Rate::from_gbps(1)));
        let script = config.resolved(&context(Rate::from_gbps(100), Quirks::PUBLISHED));
        assert_eq!(script.additive_increase, Some(Rate::from_mbps(40)));
        let slow = config.resolved(&context(Rate::from_gbps(10), Quirks::EXACT));
        assert_eq!(slow.min_rate, Some(Rate::from_mbps(100)));
    }

    #[test]
    fn a_computed_window_cannot_be_fixed() {
        let config = HpccConfig {
            form: Form::Window,
            fixed_window: true,
            ..HpccConfig::default()
        };
        assert_eq!(config.validate().map_err(|e| e.key), Err("fixed_window"));
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
