//! User settings of PowerTCP and theta-PowerTCP.

use fabricsim_base::input::{ConfigError, Keys};
use fabricsim_base::settings;
use fabricsim_base::units::Rate;
use fabricsim_core::plugin::{
    CcConfig, CcContext, FlowStart, Quirks, TelemetryId, default_min_rate,
};

use crate::config::{INT, Reaction, int_bytes};

settings! {
    /// The `[cc]` table of `kind = "powertcp"`.
    pub struct PowerTcpConfig {
        /// Weight of a new window.
        ///
        /// It is γ in the paper.
        #[range(above 0.0, to 1.0)]
        #[refused(
            "a weight of {value} is not between 0 and 1",
            "give a number above 0 and up to 1, such as 0.9"
        )]
        pub gamma: f64 = 0.9,
        /// Added at each change.
        ///
        /// The paper has β, which is this rate times τ / 8. Flows that share a link keep a queue of
        /// the sum of their β.
        #[note("(default \"600Mbps\" for each 100 Gbps of NIC rate)")]
        pub additive_increase: Option<Rate> = none,
        /// Lowest rate.
        #[note("(default \"1Gbps\", at most a hundredth of the NIC rate); flows that do not fit a link at that rate queue up")]
        pub min_rate: Option<Rate> = none,
    }
}

settings! {
    /// The `[cc]` table of `kind = "theta-powertcp"`.
    pub struct ThetaPowerTcpConfig {
        /// Weight of a new window.
        ///
        /// It is γ in the paper.
        #[range(above 0.0, to 1.0)]
        #[refused(
            "a weight of {value} is not between 0 and 1",
            "give a number above 0 and up to 1, such as 0.7"
        )]
        pub gamma: f64 = 0.7,
        /// Added at each change.
        ///
        /// The paper has β, which is this rate times τ / 8.
        #[note("(default \"600Mbps\" for each 100 Gbps of NIC rate)")]
        pub additive_increase: Option<Rate> = none,
        /// Lowest rate.
        #[note("(default \"1Gbps\", at most a hundredth of the NIC rate); flows that do not fit a link at that rate queue up")]
        pub min_rate: Option<Rate> = none,
        /// Round-trip times up to this many base round-trip times count as without a queue.
        #[range(from 1.0)]
        #[refused(
            "round-trip times of {value} base round-trip times do not exist",
            "give a number from 1 upwards, such as 1.05"
        )]
        pub rtt_allowance: f64 = 1.05,
        /// Times at which the window is updated.
        pub reaction: Reaction = "per-ack",
    }
}

/// Additive increase as a share of the NIC rate. The authors' simulator adds 150 Mbps at 25 Gbps.
const INCREASE: f64 = 6e-3;

fn increase(set: Option<Rate>, nic_rate: Rate) -> Rate {
    let share = || Rate::from_bps_f64((nic_rate.as_bps_f64() * INCREASE).round());
    set.unwrap_or_else(share)
}

fn least(set: Option<Rate>, nic_rate: Rate, quirks: &Quirks) -> Rate {
    set.unwrap_or_else(|| default_min_rate(nic_rate, quirks))
}

/// Implements the methods common to both configurations.
macro_rules! common {
    ($config:ty) => {
        impl $config {
            /// Returns the additive increase of a flow.
            pub(super) fn increase(&self, start: &FlowStart<'_>) -> Rate {
                increase(self.additive_increase, start.default_nic_rate())
            }

            /// Returns the lowest rate of a flow.
            pub(super) fn least(&self, start: &FlowStart<'_>) -> Rate {
                let quirks = &start.network.quirks;
                least(self.min_rate, start.default_nic_rate(), quirks)
            }

            /// Sets the additive increase and the lowest rate if they are absent.
            fn filled(&self, network: &CcContext) -> Self {
                let nic_rate = network.nic_rate;
                Self {
                    additive_increase: Some(increase(self.additive_increase, nic_rate)),
                    min_rate: Some(least(self.min_rate, nic_rate, &network.quirks)),
                    ..self.clone()
                }
            }
        }
    };
}

common!(PowerTcpConfig);
common!(ThetaPowerTcpConfig);

impl CcConfig for PowerTcpConfig {
    const KEYS: Keys = Self::KEYS;

    const TELEMETRY: Option<TelemetryId> = Some(INT);

    fn validate(&self) -> Result<(), ConfigError> {
        self.validate_ranges()
    }

    fn resolved(&self, network: &CcContext) -> Self {
        self.filled(network)
    }

    fn telemetry_bytes(&self, network: &CcContext) -> u16 {
        int_bytes(network.longest_path)
    }

    fn lowest_rate(&self) -> Option<Rate> {
        self.min_rate
    }
}

impl CcConfig for ThetaPowerTcpConfig {
    const KEYS: Keys = Self::KEYS;

    fn validate(&self) -> Result<(), ConfigError> {
        self.validate_ranges()
    }

    fn resolved(&self, network: &CcContext) -> Self {
        self.filled(network)
    }

    fn lowest_rate(&self) -> Option<Rate> {
        self.min_rate
    }
}
