//! Settings of DualPI2.

use fabricsim_base::input::{ConfigError, Keys};
use fabricsim_base::units::Duration;
use fabricsim_base::{choices, settings};

use crate::discipline_config::{DisciplineConfig, DisciplineKind};
use crate::short_form::{ShortForm, ShortOption};

choices! {
    /// Chooses the queue to serve if both have packets.
    pub enum DualScheduler {
        /// Weighted round robin by bytes, as in Linux: the classic queue has `c_protection`
        /// percent.
        Wrr = "wrr" ("shares by bytes"),
        /// Serves the older head, after adding `time_shift` to the age of the low-latency head.
        TimeShifted = "time-shifted" ("serves the older head"),
    }
}

choices! {
    /// Delay that the controller keeps at its target.
    pub enum ControlledDelay {
        /// The delay of the queue with the older head, as in Linux.
        Longest = "longest" ("of both queues"),
        /// The delay of the classic queue (RFC 9332 appendix A.1).
        Classic = "classic",
    }
}

settings! {
    /// Settings of [`DualPi2`](super::DualPi2).
    pub struct DualPi2Config {
        /// Delay that the controller aims at.
        pub target: Duration = "15ms",
        /// Time between two steps of the controller.
        #[range(from "1us")]
        #[refused(
            "{value} is shorter than 1us",
            "give the time between two steps, such as \"16ms\""
        )]
        pub tupdate: Duration = "16ms",
        /// Change of the probability for each second above the target, at each step.
        #[range(above 0.0)]
        #[refused(NO_GAIN, "give a number above 0, such as 0.16")]
        pub alpha: f64 = 0.16,
        /// Change of the probability for each second that the delay has grown, at each step.
        #[range(above 0.0)]
        #[refused(NO_GAIN, "give a number above 0, such as 3.2")]
        pub beta: f64 = 3.2,
        /// Marks of the low-latency queue for each unit of the base probability.
        #[range(from 1.0)]
        #[refused("{value} is less than 1", "give a number from 1 on, such as 2")]
        pub coupling: f64 = 2.0,
        /// Packets of the low-latency queue that have waited for longer are marked.
        pub step: Duration = "1ms",
        /// Time above `step` over which the probability of these marks grows to 1.
        pub ramp: Duration = "0s",
        /// Rule that selects the queue to serve when both hold packets.
        pub scheduler: DualScheduler = "wrr",
        /// Percent of the bytes that the classic queue gets at least, with "wrr".
        #[range(to 100)]
        #[refused(
            "{value} is more than 100 percent",
            "give a number from 0 to 100, such as 10"
        )]
        pub c_protection: u8 = 10,
        /// Time by which packets of the low-latency queue are taken to be older, with
        /// "time-shifted".
        pub time_shift: Duration = "50ms",
        /// Delay that is controlled.
        pub delay: ControlledDelay = "longest",
        /// Drop packets of both queues when marks do not help.
        ///
        /// Otherwise the queue grows to its limit.
        pub drop_overload: bool = true,
        /// Packets that both queues hold together.
        #[range(from 1)]
        #[refused(
            "a queue of 0 packets drops everything",
            "give a number of packets above 0, such as 10000"
        )]
        pub limit: u32 = 10000,
    }
}

/// The error message for gains.
const NO_GAIN: &str = "a gain of {value} does not control anything";

impl DisciplineKind for DualPi2Config {
    const NAME: &'static str = "dualpi2";
    const ABOUT: &'static str = "DualPI2: a queue for L4S and one for other traffic";
    const KEYS: Keys = Self::KEYS;
    const SHORT_FORMS: &'static [ShortForm] = &[ShortForm::new(
        "dualpi2",
        &[
            ShortOption::key("limit", "10000"),
            ShortOption::key("target", "15ms"),
            ShortOption::key("tupdate", "16ms"),
            ShortOption::key("alpha", "0.16"),
            ShortOption::key("beta", "3.2"),
            ShortOption::key("coupling", "2").named("coupling_factor|coupling"),
            ShortOption::key("step", "1ms").named("step_thresh|step"),
            ShortOption::key("ramp", "400us"),
            ShortOption::key("c_protection", "10%"),
            ShortOption::key("scheduler", "wrr"),
            ShortOption::key("time_shift", "50ms"),
            ShortOption::key("delay", "longest"),
            ShortOption::fixed("drop_on_overload", "drop_overload", "true"),
            ShortOption::fixed("overflow", "drop_overload", "false"),
        ],
    )];

    fn validate(&self) -> Result<(), ConfigError> {
        self.validate_ranges()
    }

    fn into_config(self) -> DisciplineConfig {
        DisciplineConfig::DualPi2(self)
    }
}
