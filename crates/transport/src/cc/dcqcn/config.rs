//! User settings of DCQCN, and the default values of its two forms.

use fabricsim_base::input::{ConfigError, Keys};
use fabricsim_base::units::{Bytes, Duration, Rate};
use fabricsim_base::{choices, settings};
use fabricsim_core::plugin::{CcConfig, CcContext, MarkingThresholds, Quirks, default_min_rate};

use super::super::paced_rate::{WindowKeys, bytes_at, share_of};

/// Minimum of the byte counter. A smaller counter would elapse with every packet.
const LEAST_COUNTER: Bytes = Bytes::new(10_000);

choices! {
    /// Form of DCQCN to run, which also determines the default values.
    pub enum ParameterSet {
        /// The algorithm of NIC vendors, with their values (HPCC paper, section 5.1).
        Vendor = "vendor",
        /// The algorithm of the DCQCN paper, with its values.
        Paper = "paper" ("SIGCOMM 2015"),
    }
}

settings! {
    /// The `[cc]` table of `kind = "dcqcn"`.
    pub struct DcqcnConfig {
        /// Algorithm and values that are not set.
        pub parameters: ParameterSet = "vendor",
        /// Interval at which the estimate of congestion is updated.
        ///
        /// In the paper's form, the estimate decays after this time without a notification.
        #[range(from "100ns")]
        #[refused(
            "a timer must not expire more often than every 100ns",
            "give a longer time, such as \"50us\""
        )]
        #[note("(default \"1us\"; paper: K, \"55us\")")]
        pub alpha_timer: Option<Duration> = none,
        /// Interval at which the rate may fall.
        ///
        /// In the paper's form, this is the minimum time between two notifications of a flow.
        #[range(from "100ns")]
        #[refused(
            "a timer must not expire more often than every 100ns",
            "give a longer time, such as \"50us\""
        )]
        #[note("(default \"4us\"; paper: N, \"50us\")")]
        pub decrease_timer: Option<Duration> = none,
        /// Interval at which the rate grows.
        #[range(from "100ns")]
        #[refused(
            "a timer must not expire more often than every 100ns",
            "give a longer time, such as \"50us\""
        )]
        #[note("(default \"300us\"; paper: T, \"55us\")")]
        pub increase_timer: Option<Duration> = none,
        /// With "paper": bytes sent after which the rate grows too.
        #[note("(B, \"10MB\"; \"0B\": none)")]
        pub byte_counter: Option<Bytes> = none,
        /// Weight of a new observation of congestion.
        #[range(above 0.0, to 1.0)]
        #[refused(
            "a weight of {value} is not between 0 and 1",
            "give a number above 0 and up to 1, such as 0.00390625"
        )]
        pub g: f64 = 0.00390625,
        /// Estimate of congestion before the first mark.
        #[range(from 0.0, to 1.0)]
        #[refused(
            "an estimate of {value} is not between 0 and 1",
            "give a number from 0 to 1, such as 1"
        )]
        pub initial_alpha: f64 = 1.0,
        /// Increases towards the target before the target grows.
        #[note("(default 1; paper: F, 5)")]
        pub fast_recovery: Option<u32> = none,
        /// Growth of the target.
        #[note("(default \"20Mbps\" for each 100 Gbps; paper: R_AI, \"40Mbps\")")]
        pub additive_increase: Option<Rate> = none,
        /// Growth after that.
        #[note("(default \"200Mbps\" for each 100 Gbps; paper: R_HAI, \"200Mbps\")")]
        pub hyper_increase: Option<Rate> = none,
        /// Lower the target at every decrease.
        ///
        /// Otherwise only the first decrease after an increase lowers it, to the rate.
        #[note("(default false; paper: true)")]
        pub clamp: Option<bool> = none,
        /// Lowest rate.
        #[note("(default \"1Gbps\", paper: \"100Mbps\", at most a hundredth of the NIC rate); flows that do not fit a link at that rate queue up")]
        pub min_rate: Option<Rate> = none,
        /// Limit the bytes in flight to a bandwidth-delay product, DCQCN+w.
        pub window: bool = false,
        /// Keep that window as it is when the rate changes.
        pub fixed_window: bool = false,
    }
}

/// All values that depend on the form, with defaults filled in.
#[derive(Clone, Copy, Debug)]
pub(super) struct Values {
    pub(super) alpha_timer: Duration,
    pub(super) decrease_timer: Duration,
    pub(super) increase_timer: Duration,
    pub(super) byte_counter: Bytes,
    pub(super) fast_recovery: u32,
    pub(super) additive_increase: Rate,
    pub(super) hyper_increase: Rate,
    pub(super) clamp: bool,
    pub(super) min_rate: Rate,
}

impl Values {
    fn vendor(nic_rate: Rate, quirks: &Quirks) -> Self {
        Self {
            alpha_timer: Duration::from_us(1),
            decrease_timer: Duration::from_us(4),
            increase_timer: Duration::from_us(300),
            byte_counter: Bytes::ZERO,
            fast_recovery: 1,
            additive_increase: share_of(nic_rate, 2e-4),
            hyper_increase: share_of(nic_rate, 2e-3),
            clamp: false,
            min_rate: default_min_rate(nic_rate, quirks),
        }
    }

    /// Returns the values from the paper's text and its table of parameters. Unstated values (R_HAI
    /// and the lowest rate) are from the authors' simulator.
    fn paper(nic_rate: Rate) -> Self {
        Self {
            alpha_timer: Duration::from_us(55),
            decrease_timer: Duration::from_us(50),
            increase_timer: Duration::from_us(55),
            byte_counter: Bytes::new(10_000_000),
            fast_recovery: 5,
            additive_increase: Rate::from_mbps(40),
            hyper_increase: Rate::from_mbps(200),
            clamp: true,
            min_rate: Rate::from_mbps(100).min(share_of(nic_rate, 0.01)),
        }
    }
}

impl DcqcnConfig {
    /// Returns the values of a flow from a NIC of `nic_rate`.
    pub(super) fn values(&self, nic_rate: Rate, quirks: &Quirks) -> Values {
        let set = match self.parameters {
            ParameterSet::Vendor => Values::vendor(nic_rate, quirks),
            ParameterSet::Paper => Values::paper(nic_rate),
        };
        Values {
            alpha_timer: self.alpha_timer.unwrap_or(set.alpha_timer),
            decrease_timer: self.decrease_timer.unwrap_or(set.decrease_timer),
            increase_timer: self.increase_timer.unwrap_or(set.increase_timer),
            byte_counter: self.byte_counter.unwrap_or(set.byte_counter),
            fast_recovery: self.fast_recovery.unwrap_or(set.fast_recovery),
            additive_increase: self.additive_increase.unwrap_or(set.additive_increase),
            hyper_increase: self.hyper_increase.unwrap_or(set.hyper_increase),
            clamp: self.clamp.unwrap_or(set.clamp),
            min_rate: self.min_rate.unwrap_or(set.min_rate),
        }
    }

    pub(super) const fn window_keys(&self) -> WindowKeys {
        WindowKeys {
            window: self.window,
            fixed_window: self.fixed_window,
        }
    }

    fn refuse_byte_counter(&self) -> Result<(), ConfigError> {
        let Some(bytes) = self.byte_counter else {
            return Ok(());
        };
        if self.parameters == ParameterSet::Vendor {
            return Err(ConfigError::new(
                "byte_counter",
                "the vendors' form of DCQCN grows by its timer alone",
                "add `parameters = \"paper\"`, or leave the key out",
            ));
        }
        if bytes != Bytes::ZERO && bytes < LEAST_COUNTER {
            return Err(ConfigError::new(
                "byte_counter",
                format!("a counter of {bytes} would come up with every packet"),
                "give at least \"10KB\", such as \"10MB\", or \"0B\" for none",
            ));
        }
        Ok(())
    }
}

impl CcConfig for DcqcnConfig {
    const KEYS: Keys = Self::KEYS;

    fn validate(&self) -> Result<(), ConfigError> {
        self.validate_ranges()?;
        self.window_keys().validate()?;
        self.refuse_byte_counter()
    }

    fn resolved(&self, network: &CcContext) -> Self {
        let values = self.values(network.nic_rate, &network.quirks);
        Self {
            alpha_timer: Some(values.alpha_timer),
            decrease_timer: Some(values.decrease_timer),
            increase_timer: Some(values.increase_timer),
            byte_counter: match self.parameters {
                ParameterSet::Vendor => None,
                ParameterSet::Paper => Some(values.byte_counter),
            },
            fast_recovery: Some(values.fast_recovery),
            additive_increase: Some(values.additive_increase),
            hyper_increase: Some(values.hyper_increase),
            clamp: Some(values.clamp),
            min_rate: Some(values.min_rate),
            ..self.clone()
        }
    }

    fn lowest_rate(&self) -> Option<Rate> {
        self.min_rate
    }

    /// The vendors' form marks from 100 to 400 KB per 25 Gbps, up to a fifth of the packets (HPCC
    /// paper, section 5.1). The DCQCN paper marks from 5 to 200 KB at 40 Gbps, up to a hundredth.
    fn marking(&self, nic_rate: Rate) -> Option<MarkingThresholds> {
        Some(match self.parameters {
            ParameterSet::Vendor => MarkingThresholds {
                kmin: bytes_at(nic_rate, 32_000),
                kmax: bytes_at(nic_rate, 128_000),
                pmax: 0.2,
            },
            ParameterSet::Paper => MarkingThresholds {
                kmin: bytes_at(nic_rate, 1_000),
                kmax: bytes_at(nic_rate, 40_000),
                pmax: 0.01,
            },
        })
    }
}
