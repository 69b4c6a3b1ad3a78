//! The disciplines that a scenario can name, with their keys.

mod short_form;

use fabricsim_core::input::{ConfigError, Keys};
use serde::{Deserialize, Serialize};

use crate::codel_queue::CodelConfig;
use crate::dualpi2::DualPi2Config;
use crate::fq_codel::FqCodelConfig;
use crate::red_queue::RedConfig;
use crate::step_marking::StepConfig;
use crate::tail_drop::TailDropConfig;

/// Every kind of discipline: its name in a scenario, what it is in one line, and its keys with their
/// meaning, unit and default.
pub const KINDS: &[(&str, &str, Keys)] = &[
    (
        "shared-buffer",
        "a plain queue that the switch's buffer bounds and algorithms' thresholds mark",
        SharedBufferConfig::KEYS,
    ),
    (
        "tail-drop",
        "a plain queue with a limit",
        TailDropConfig::KEYS,
    ),
    (
        "red",
        "random early detection: marks by the average length",
        RedConfig::KEYS,
    ),
    (
        "step",
        "marks above one threshold of waiting time or length",
        StepConfig::KEYS,
    ),
    (
        "codel",
        "CoDel: keeps the waiting time at a target",
        CodelConfig::KEYS,
    ),
    (
        "fq-codel",
        "a queue with CoDel for each flow, served in turns",
        FqCodelConfig::KEYS,
    ),
    (
        "dualpi2",
        "DualPI2: a queue for L4S and one for other traffic",
        DualPi2Config::KEYS,
    ),
];

/// Settings of a `shared-buffer` queue: it has none.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct SharedBufferConfig {}

impl SharedBufferConfig {
    /// Its keys with their meaning.
    pub const KEYS: Keys = &[];
}

/// A discipline as a scenario describes it: one variant for each name in [`KINDS`], in that order.
///
/// It can also be read from one line in the manner of Linux's `tc`:
///
/// ```
/// use fabricsim_qdisc::DisciplineConfig;
///
/// let single: DisciplineConfig = "fq_codel flows 1".parse()?;
/// assert_eq!(single.name(), "fq-codel");
/// let error = "fq_codel flow 1".parse::<DisciplineConfig>().unwrap_err();
/// assert!(error.message.contains("`flow`"));
/// # Ok::<(), fabricsim_core::input::InputError>(())
/// ```
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum DisciplineConfig {
    /// `shared-buffer`
    SharedBuffer(SharedBufferConfig),
    /// `tail-drop`
    TailDrop(TailDropConfig),
    /// `red`
    Red(RedConfig),
    /// `step`
    Step(StepConfig),
    /// `codel`
    Codel(CodelConfig),
    /// `fq-codel`
    FqCodel(FqCodelConfig),
    /// `dualpi2`
    #[serde(rename = "dualpi2")]
    DualPi2(DualPi2Config),
}

impl DisciplineConfig {
    /// The name of the kind, as in [`KINDS`].
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::SharedBuffer(_) => "shared-buffer",
            Self::TailDrop(_) => "tail-drop",
            Self::Red(_) => "red",
            Self::Step(_) => "step",
            Self::Codel(_) => "codel",
            Self::FqCodel(_) => "fq-codel",
            Self::DualPi2(_) => "dualpi2",
        }
    }

    /// # Errors
    /// Settings that the discipline cannot work with, by key.
    pub fn validate(&self) -> Result<(), ConfigError> {
        match self {
            Self::SharedBuffer(_) => Ok(()),
            Self::TailDrop(config) => config.validate(),
            Self::Red(config) => config.validate(),
            Self::Step(config) => config.validate(),
            Self::Codel(config) => config.validate(),
            Self::FqCodel(config) => config.validate(),
            Self::DualPi2(config) => config.validate(),
        }
    }
}

#[cfg(test)]
mod tests;
