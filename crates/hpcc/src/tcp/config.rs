//! User settings of HPCC inside TCP.

use fabricsim_base::input::{ConfigError, Keys};
use fabricsim_base::units::{Duration, Rate};
use fabricsim_base::{choices, settings};
use fabricsim_core::plugin::{CcConfig, CcContext, ProbeForm, Quirks, TelemetryId, Transport};

use crate::config::INT;
use crate::rate_rule::RateRule;

choices! {
    /// Pacing of segments.
    pub enum Pacing {
        /// All segments that fit in the window leave at once, as from a software stack.
        Off = "off" ("bursts, as in software"),
        /// Segments are paced at W / T, which may be less than the smallest window per T.
        On = "on" ("at W / T"),
    }
}

choices! {
    /// Reaction of the window to a loss.
    pub enum OnLoss {
        /// None, because the telemetry already reported the queue that caused the loss.
        Keep = "keep" ("telemetry reports the queue"),
        /// Halve the reference of the rule, once per recovery episode or timeout.
        Halve = "halve",
    }
}

settings! {
    /// The `[cc]` table of `kind = "tcp-hpcc"`.
    pub struct TcpHpccConfig {
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
        /// This is maxStage in the paper. After it, the window follows the utilization again.
        pub max_stage: u32 = 0,
        /// Added at each change.
        ///
        /// The paper has W_AI, which is this rate times T / 8.
        #[note("(default \"50Mbps\" for each 100 Gbps of NIC rate)")]
        pub additive_increase: Option<Rate> = none,
        /// Base round-trip time.
        ///
        /// This is T in the paper. The first and largest window is the data that the NIC sends in
        /// T.
        #[range(above "0s")]
        #[refused(
            "windows of a base round-trip time of {value} hold nothing",
            "give a time above zero, such as \"15us\""
        )]
        #[note("(default: the time that `[rdma] base_rtt` gives, else the largest of all pairs of hosts)")]
        pub base_rtt: Option<Duration> = none,
        /// Smallest window in segments.
        #[range(from 1)]
        #[refused("without it no packet would ever be sent", "give a number from 1 upwards")]
        pub min_window: u32 = 2,
        /// Packet that gathers the telemetry, once per round trip.
        pub probe: ProbeForm = "packet",
        /// Pacing of segments.
        pub pacing: Pacing = "off",
        /// Effect of a loss on the window.
        pub on_loss: OnLoss = "keep",
    }
}

impl CcConfig for TcpHpccConfig {
    const KEYS: Keys = Self::KEYS;

    const TRANSPORT: Transport = Transport::Tcp;

    const TELEMETRY: Option<TelemetryId> = Some(INT);

    fn validate(&self) -> Result<(), ConfigError> {
        self.validate_ranges()
    }

    /// Sets the additive increase if it is absent, and the base round-trip time if the network has
    /// one.
    fn resolved(&self, network: &CcContext) -> Self {
        let known = Some(network.base_rtt).filter(|&rtt| rtt > Duration::ZERO);
        Self {
            additive_increase: Some(self.increase(network.nic_rate, &network.quirks)),
            base_rtt: self.base_rtt.or(known),
            ..self.clone()
        }
    }
}

impl TcpHpccConfig {
    /// Returns the additive increase of a connection from a NIC of `nic_rate`.
    pub(super) fn increase(&self, nic_rate: Rate, quirks: &Quirks) -> Rate {
        let increase = || RateRule::default_increase(nic_rate, quirks);
        self.additive_increase.unwrap_or_else(increase)
    }
}
