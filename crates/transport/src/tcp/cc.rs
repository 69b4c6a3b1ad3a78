//! The congestion control laws of TCP: one file each, and one line in the list below.

mod classic_queue;
mod cubic;
mod dctcp;
#[cfg(test)]
mod harness;
mod hystart;
mod newreno;
mod prague;
mod window;

use fabricsim_core::input::ConfigError;
use fabricsim_core::packet::Flags;
use fabricsim_core::units::{Duration, Rate};
use serde::{Deserialize, Serialize};

use super::law::{Congestion, MarkResponse, TcpAck, TcpLaw, TcpLawConfig, TcpStart};

pub use cubic::{Cubic, CubicConfig};
pub use dctcp::{TcpDctcp, TcpDctcpConfig};
pub use newreno::{NewReno, NewRenoConfig};
pub use prague::{Prague, PragueConfig};

/// A law in the list.
#[derive(Clone, Copy, Debug)]
pub struct TcpLawEntry {
    /// Its name in a scenario.
    pub name: &'static str,
    /// What it is, in one line.
    pub about: &'static str,
    /// The keys of its table, each with what it means.
    pub keys: &'static [(&'static str, &'static str)],
}

macro_rules! tcp_laws {
    ($($(#[doc = $about:literal])* $name:literal => $variant:ident($config:ty),)*) => {
        /// A law of TCP and its settings.
        #[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
        #[serde(tag = "kind")]
        pub enum TcpCc {
            $($(#[doc = $about])* #[serde(rename = $name)] $variant($config),)*
        }

        /// Every law of TCP.
        pub const TCP_LAWS: &[TcpLawEntry] = &[$(TcpLawEntry {
            name: $name,
            about: concat!($($about),*),
            keys: <$config as TcpLawConfig>::KEYS,
        },)*];

        impl TcpCc {
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

            /// Refuses values without a meaning.
            ///
            /// # Errors
            /// Names the key, what is wrong and what would be right.
            pub fn validate(&self) -> Result<(), ConfigError> {
                match self {
                    $(Self::$variant(config) => config.validate(),)*
                }
            }

            /// The law of a connection that is opened now.
            #[must_use]
            pub fn build(&self, start: &TcpStart) -> AnyTcpLaw {
                match self {
                    $(Self::$variant(config) => AnyTcpLaw::$variant(config.build(start)),)*
                }
            }
        }

        /// Any law of TCP; one match for each call.
        #[derive(Debug)]
        pub enum AnyTcpLaw {
            $($(#[doc = $about])* $variant(<$config as TcpLawConfig>::Law),)*
        }

        impl TcpLaw for AnyTcpLaw {
            #[inline]
            fn on_ack(&mut self, ack: &TcpAck) {
                match self {
                    $(Self::$variant(law) => law.on_ack(ack),)*
                }
            }

            fn on_congestion(&mut self, congestion: &Congestion) {
                match self {
                    $(Self::$variant(law) => law.on_congestion(congestion),)*
                }
            }

            fn on_recovery_exit(&mut self, window: f64) {
                match self {
                    $(Self::$variant(law) => law.on_recovery_exit(window),)*
                }
            }

            fn on_idle(&mut self, idle: Duration, restart: Option<f64>) {
                match self {
                    $(Self::$variant(law) => law.on_idle(idle, restart),)*
                }
            }

            #[inline]
            fn cwnd(&self) -> f64 {
                match self {
                    $(Self::$variant(law) => law.cwnd(),)*
                }
            }

            #[inline]
            fn ssthresh(&self) -> f64 {
                match self {
                    $(Self::$variant(law) => law.ssthresh(),)*
                }
            }

            #[inline]
            fn pacing_rate(&self) -> Option<Rate> {
                match self {
                    $(Self::$variant(law) => law.pacing_rate(),)*
                }
            }

            #[inline]
            fn codepoint(&self) -> Flags {
                match self {
                    $(Self::$variant(law) => law.codepoint(),)*
                }
            }

            #[inline]
            fn mark_response(&self) -> MarkResponse {
                match self {
                    $(Self::$variant(law) => law.mark_response(),)*
                }
            }
        }
    };
}

tcp_laws! {
    /// CUBIC with HyStart (RFC 9438)
    "cubic" => Cubic(CubicConfig),
    /// NewReno (RFC 5681, RFC 6582)
    "newreno" => NewReno(NewRenoConfig),
    /// DCTCP: the share of marked segments (RFC 8257)
    "dctcp" => Dctcp(TcpDctcpConfig),
    /// Prague: scalable, for low latency, low loss and scalable throughput (L4S)
    "prague" => Prague(PragueConfig),
}

impl Default for TcpCc {
    fn default() -> Self {
        Self::Cubic(CubicConfig::default())
    }
}
