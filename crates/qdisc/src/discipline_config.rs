//! The disciplines that a scenario can name, with their keys.

mod short_form;

use fabricsim_base::input::{ConfigError, Keys};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize, Serializer};

use crate::aqm::AqmConfig;
use crate::codel_queue::CodelConfig;
use crate::dualpi2::DualPi2Config;
use crate::fq_codel::FqCodelConfig;
use crate::red_queue::RedConfig;
use crate::step_marking::StepConfig;
use crate::tail_drop::TailDropConfig;

/// The table of a discipline in a scenario.
pub trait DisciplineKind: DeserializeOwned + 'static {
    /// The name of the kind in scenarios.
    const NAME: &'static str;
    /// One line about it.
    const ABOUT: &'static str;
    /// Its keys, each with meaning, unit and default.
    const KEYS: Keys;

    /// Returns the table as a discipline of any kind.
    fn into_config(self) -> DisciplineConfig;
}

/// Takes each kind of discipline by its type.
pub trait DisciplineVisitor {
    /// Takes the kind `K`.
    fn visit<K: DisciplineKind>(&mut self);
}

/// The settings of a discipline with its kind in front.
#[derive(Serialize)]
struct Tagged<'a, T> {
    kind: &'static str,
    #[serde(flatten)]
    settings: &'a T,
}

/// Makes the list of kinds, one line each.
macro_rules! kinds {
    ($($variant:ident($config:ty) = $name:literal, $about:literal;)*) => {
        $(impl DisciplineKind for $config {
            const NAME: &'static str = $name;
            const ABOUT: &'static str = $about;
            const KEYS: Keys = Self::KEYS;

            fn into_config(self) -> DisciplineConfig {
                DisciplineConfig::$variant(self)
            }
        })*

        /// Every kind of discipline: its name in a scenario, what it is in one line, and its keys
        /// with their meaning, unit and default.
        pub const KINDS: &[(&str, &str, Keys)] = &[$(($name, $about, <$config>::KEYS)),*];

        /// Shows every kind of discipline to `visitor`, in the order of [`KINDS`].
        pub fn visit_kinds(visitor: &mut impl DisciplineVisitor) {
            $(visitor.visit::<$config>();)*
        }

        impl Serialize for DisciplineConfig {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                match self {
                    $(Self::$variant(settings) => {
                        Tagged { kind: $name, settings }.serialize(serializer)
                    })*
                    Self::Aqm(config) => config.serialize(serializer),
                }
            }
        }

        impl DisciplineConfig {
            /// The name of the kind, as in [`KINDS`].
            #[must_use]
            pub fn name(&self) -> &'static str {
                match self {
                    $(Self::$variant(_) => $name,)*
                    Self::Aqm(config) => config.name(),
                }
            }

            /// # Errors
            /// Settings that the discipline cannot work with, by key.
            pub fn validate(&self) -> Result<(), ConfigError> {
                match self {
                    $(Self::$variant(config) => config.validate(),)*
                    Self::Aqm(config) => config.validate(),
                }
            }
        }
    };
}

kinds! {
    SharedBuffer(SharedBufferConfig) = "shared-buffer", "a plain queue that the switch's buffer bounds and algorithms' thresholds mark";
    TailDrop(TailDropConfig) = "tail-drop", "a plain queue with a limit";
    Red(RedConfig) = "red", "random early detection: marks by the average length";
    Step(StepConfig) = "step", "marks above one threshold of waiting time or length";
    Codel(CodelConfig) = "codel", "CoDel: keeps the waiting time at a target";
    FqCodel(FqCodelConfig) = "fq-codel", "a queue with CoDel for each flow, served in turns";
    DualPi2(DualPi2Config) = "dualpi2", "DualPI2: a queue for L4S and one for other traffic";
}

/// Settings of a `shared-buffer` queue: it has none.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct SharedBufferConfig {}

impl SharedBufferConfig {
    /// Its keys.
    pub const KEYS: Keys = &[];

    #[expect(
        clippy::unused_self,
        clippy::unnecessary_wraps,
        reason = "as other kinds have it"
    )]
    const fn validate(&self) -> Result<(), ConfigError> {
        Ok(())
    }
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
/// # Ok::<(), fabricsim_base::input::InputError>(())
/// ```
#[derive(Clone, Debug, Deserialize, PartialEq)]
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
    /// A rule from outside, which a program has added.
    #[serde(skip)]
    Aqm(AqmConfig),
}

impl DisciplineConfig {
    /// Returns whether the queue has no limit but the switch's shared buffer.
    #[must_use]
    pub const fn needs_shared_buffer(&self) -> bool {
        matches!(self, Self::SharedBuffer(_))
    }

    /// The queues among which it spreads flows; 0 for one queue without that.
    #[must_use]
    pub fn flow_queues(&self) -> u64 {
        match self {
            Self::FqCodel(config) => config.flows.into(),
            _ => 0,
        }
    }
}

#[cfg(test)]
mod tests;
