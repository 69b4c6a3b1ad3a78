//! The congestion control laws that a scenario can name. A new law is one file and one line here:
//! from the line follow parsing, did-you-mean, `fabricsim list`, dispatch and the conformance tests.

use fabricsim_core::input::ConfigError;
use fabricsim_core::plugin::{
    Ack, CongestionControl, FlowStart, LawConfig, LawContext, LawFactory, Loss,
};
use fabricsim_core::units::{Bytes, Rate, Time};
use fabricsim_hpcc::{HpccConfig, IntHeader};
use fabricsim_transport::cc::LineRateConfig;
use serde::Serialize;

use crate::document::{Document, Section};
use crate::error::Error;

/// What a law reads in acknowledgements.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Needs {
    /// Nothing that switches write.
    Nothing,
    /// In-band network telemetry: an entry of each hop.
    Int,
}

/// A law in the registry.
#[derive(Clone, Copy, Debug)]
pub struct LawEntry {
    /// Its name in a scenario.
    pub name: &'static str,
    /// What it is, in one line.
    pub about: &'static str,
    /// The keys of its table, each with what it means.
    pub keys: &'static [(&'static str, &'static str)],
    /// What it reads.
    pub needs: Needs,
}

macro_rules! congestion_controls {
    ($($(#[doc = $about:literal])* $name:literal: $needs:ident => $variant:ident($config:ty),)*) => {
        /// The `[cc]` table: a law and its settings.
        #[derive(Clone, Debug, PartialEq, Serialize)]
        #[serde(tag = "kind")]
        pub enum CcConfig {
            $($(#[doc = $about])* #[serde(rename = $name)] $variant($config),)*
        }

        /// Every law, in the order of the registry.
        pub const LAWS: &[LawEntry] = &[$(LawEntry {
            name: $name,
            about: concat!($($about),*),
            keys: <$config as LawConfig>::KEYS,
            needs: Needs::$needs,
        },)*];

        impl CcConfig {
            /// The law called `name` with its default settings.
            #[must_use]
            pub fn by_name(name: &str) -> Option<Self> {
                match name {
                    $($name => Some(Self::$variant(Default::default())),)*
                    _ => None,
                }
            }

            /// The law's name.
            #[must_use]
            pub const fn name(&self) -> &'static str {
                match self {
                    $(Self::$variant(_) => $name,)*
                }
            }

            pub(crate) fn read<'a>(document: &Document<'a>, mut section: Section<'a>) -> Result<Self, Error> {
                let kind = document.kind(&mut section, &[$($name),*])?;
                let config = match kind {
                    $($name => Self::$variant(document.settings(&section, <$config as LawConfig>::KEYS)?),)*
                    _ => unreachable!("`kind` answers with one of the names it was given"),
                };
                config.validate().map_err(|error| document.refuse(&section, error))?;
                Ok(config)
            }

            /// Refuses values without a meaning.
            ///
            /// # Errors
            /// Names the key, what is wrong and what would be right.
            pub fn validate(&self) -> Result<(), ConfigError> {
                match self {
                    $(Self::$variant(config) => config.validate(),)*
                }
            }

            /// The settings with every default filled in.
            #[must_use]
            pub fn resolved(&self, context: &LawContext<'_>) -> Self {
                match self {
                    $(Self::$variant(config) => Self::$variant(config.resolved(context)),)*
                }
            }

            /// Bytes of telemetry on a full data packet.
            #[must_use]
            pub fn telemetry_bytes(&self, context: &LawContext<'_>) -> u16 {
                match self {
                    $(Self::$variant(config) => config.telemetry_bytes(context),)*
                }
            }

            /// The factory of the laws.
            #[must_use]
            pub fn laws(&self, context: &LawContext<'_>) -> AnyLaws {
                match self {
                    $(Self::$variant(config) => AnyLaws::$variant(config.laws(context)),)*
                }
            }
        }

        /// The factory of any law.
        #[derive(Clone, Debug)]
        pub enum AnyLaws {
            $($(#[doc = $about])* $variant(<$config as LawConfig>::Laws),)*
        }

        /// Any law; one match for each call.
        #[derive(Debug)]
        pub enum AnyLaw<H: IntHeader> {
            $($(#[doc = $about])* $variant(<<$config as LawConfig>::Laws as LawFactory<H>>::Law),)*
        }

        impl<H: IntHeader> LawFactory<H> for AnyLaws {
            type Law = AnyLaw<H>;

            fn build(&self, start: &FlowStart) -> AnyLaw<H> {
                match self {
                    $(Self::$variant(laws) => AnyLaw::$variant(LawFactory::<H>::build(laws, start)),)*
                }
            }
        }

        impl<H: IntHeader> CongestionControl<H> for AnyLaw<H> {
            #[inline]
            fn prepare(&mut self, header: &mut H) -> u16 {
                match self {
                    $(Self::$variant(law) => law.prepare(header),)*
                }
            }

            #[inline]
            fn on_ack(&mut self, ack: &Ack<'_, H>) {
                match self {
                    $(Self::$variant(law) => law.on_ack(ack),)*
                }
            }

            #[inline]
            fn window(&self) -> Option<Bytes> {
                match self {
                    $(Self::$variant(law) => CongestionControl::<H>::window(law),)*
                }
            }

            #[inline]
            fn pacing_rate(&self) -> Option<Rate> {
                match self {
                    $(Self::$variant(law) => CongestionControl::<H>::pacing_rate(law),)*
                }
            }

            #[inline]
            fn retimes(&self) -> bool {
                match self {
                    $(Self::$variant(law) => CongestionControl::<H>::retimes(law),)*
                }
            }

            fn on_loss(&mut self, loss: &Loss) {
                match self {
                    $(Self::$variant(law) => CongestionControl::<H>::on_loss(law, loss),)*
                }
            }

            #[inline]
            fn deadline(&self) -> Time {
                match self {
                    $(Self::$variant(law) => CongestionControl::<H>::deadline(law),)*
                }
            }

            fn on_timer(&mut self, now: Time) {
                match self {
                    $(Self::$variant(law) => CongestionControl::<H>::on_timer(law, now),)*
                }
            }
        }
    };
}

congestion_controls! {
    /// HPCC on in-band telemetry (SIGCOMM 2019)
    "hpcc": Int => Hpcc(HpccConfig),
    /// line rate for ever, with a fixed window: no congestion control
    "line-rate": Nothing => LineRate(LineRateConfig),
}

impl CcConfig {
    /// What the law reads in acknowledgements.
    #[must_use]
    pub fn needs(&self) -> Needs {
        LAWS.iter()
            .find(|law| law.name == self.name())
            .map_or(Needs::Nothing, |law| law.needs)
    }
}
