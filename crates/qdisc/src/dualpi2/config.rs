//! Settings of DualPI2.

use fabricsim_core::input::ConfigError;
use fabricsim_core::units::Duration;
use serde::{Deserialize, Serialize};

/// Which of the two queues is served when both hold packets.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum DualScheduler {
    /// Weighted round robin by bytes: the classic queue has `c_protection` percent. Linux's.
    #[default]
    Wrr,
    /// The older head, with those of the low-latency queue taken to be `time_shift` older.
    TimeShifted,
}

/// Which delay the controller keeps at its target.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ControlledDelay {
    /// That of the queue with the older head. Linux's.
    #[default]
    Longest,
    /// That of the classic queue (RFC 9332 appendix A.1).
    Classic,
}

/// Settings of [`DualPi2`](super::DualPi2).
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct DualPi2Config {
    /// The delay that the controller aims at.
    pub target: Duration,
    /// Time between two steps of the controller.
    pub tupdate: Duration,
    /// Change of the probability for each second above the target, at each step.
    pub alpha: f64,
    /// Change of the probability for each second that the delay has grown, at each step.
    pub beta: f64,
    /// Marks of the low-latency queue for each unit of the base probability.
    pub coupling: f64,
    /// Packets of the low-latency queue that have waited for longer are marked.
    pub step: Duration,
    /// The probability of these marks grows over this time from 0 to 1.
    pub ramp: Duration,
    /// Which of the queues is served.
    pub scheduler: DualScheduler,
    /// Percent of the bytes that the classic queue gets at least, for [`DualScheduler::Wrr`].
    pub c_protection: u8,
    /// How much older packets of the low-latency queue are taken to be, for
    /// [`DualScheduler::TimeShifted`].
    pub time_shift: Duration,
    /// Which delay is controlled.
    pub delay: ControlledDelay,
    /// Drop packets of both queues when marks do not help, rather than let the queue grow to its limit.
    pub drop_overload: bool,
    /// Packets that both queues hold.
    pub limit: u32,
}

impl Default for DualPi2Config {
    fn default() -> Self {
        Self {
            target: Duration::from_ms(15),
            tupdate: Duration::from_ms(16),
            alpha: 0.16,
            beta: 3.2,
            coupling: 2.0,
            step: Duration::from_ms(1),
            ramp: Duration::ZERO,
            scheduler: DualScheduler::Wrr,
            c_protection: 10,
            time_shift: Duration::from_ms(50),
            delay: ControlledDelay::Longest,
            drop_overload: true,
            limit: 10_000,
        }
    }
}

impl DualPi2Config {
    /// Its keys with their meaning.
    pub const KEYS: &'static [(&'static str, &'static str)] = &[
        (
            "target",
            "delay that the controller aims at (default \"15ms\")",
        ),
        (
            "tupdate",
            "time between two steps of the controller (default \"16ms\")",
        ),
        (
            "alpha",
            "change of the probability for each second above the target, at each step (default 0.16)",
        ),
        (
            "beta",
            "change of the probability for each second that the delay has grown, at each step (default 3.2)",
        ),
        (
            "coupling",
            "marks of the low-latency queue for each unit of the base probability (default 2)",
        ),
        (
            "step",
            "packets of the low-latency queue that have waited for longer are marked (default \"1ms\")",
        ),
        (
            "ramp",
            "time above `step` over which the probability of these marks grows to 1 (default \"0s\")",
        ),
        (
            "scheduler",
            "\"wrr\" shares by bytes, \"time-shifted\" serves the older head (default \"wrr\")",
        ),
        (
            "c_protection",
            "percent of the bytes that the classic queue gets at least, with \"wrr\" (default 10)",
        ),
        (
            "time_shift",
            "how much older packets of the low-latency queue are taken to be, with \"time-shifted\" (default \"50ms\")",
        ),
        (
            "delay",
            "delay that is controlled: \"longest\" of both queues or \"classic\" (default \"longest\")",
        ),
        (
            "drop_overload",
            "drop packets of both queues when marks do not help (default true)",
        ),
        (
            "limit",
            "packets that both queues hold together (default 10000)",
        ),
    ];

    /// # Errors
    /// Numbers out of range.
    pub fn validate(&self) -> Result<(), ConfigError> {
        for (key, value, example) in [("alpha", self.alpha, "0.16"), ("beta", self.beta, "3.2")] {
            if !(value > 0.0 && value.is_finite()) {
                return Err(ConfigError::new(
                    key,
                    format!("a gain of {value} does not control anything"),
                    format!("give a number above 0, such as {example}"),
                ));
            }
        }
        if !(self.coupling >= 1.0 && self.coupling.is_finite()) {
            return Err(ConfigError::new(
                "coupling",
                format!("{} is less than 1", self.coupling),
                "give a number from 1 on, such as 2",
            ));
        }
        if self.tupdate < Duration::from_us(1) {
            return Err(ConfigError::new(
                "tupdate",
                format!("{} is shorter than 1us", self.tupdate),
                "give the time between two steps, such as \"16ms\"",
            ));
        }
        if self.c_protection > 100 {
            return Err(ConfigError::new(
                "c_protection",
                format!("{} is more than 100 percent", self.c_protection),
                "give a number from 0 to 100, such as 10",
            ));
        }
        if self.limit == 0 {
            return Err(ConfigError::new(
                "limit",
                "a queue of 0 packets drops everything",
                "give a number of packets above 0, such as 10000",
            ));
        }
        Ok(())
    }
}
