//! The congestion-control algorithms of TCP: one file each, and one line in the list below.

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
use fabricsim_core::units::{Bytes, Duration, Rate};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::controller::{Congestion, MarkResponse, TcpAck, TcpCcConfig, TcpController, TcpStart};
use super::ecn::Feedback;
use super::settings::ClassConfig;

pub use cubic::{Cubic, CubicConfig};
pub use dctcp::{TcpDctcp, TcpDctcpConfig};
pub use newreno::{NewReno, NewRenoConfig};
pub use prague::{Prague, PragueConfig};

/// An algorithm in the list.
#[derive(Clone, Copy, Debug)]
pub struct TcpCcEntry {
    /// Its name in a scenario.
    pub name: &'static str,
    /// What it is, in one line.
    pub about: &'static str,
    /// The keys of its table, each with what it means; those of [`ClassConfig::KEYS`] are last.
    pub keys: &'static [(&'static str, &'static str)],
}

/// Where the settings of an algorithm are read from: the table of a scenario.
pub trait CcTable {
    /// Why it cannot be read.
    type Error;

    /// The table as `T`, which has `keys`, each with what it means.
    ///
    /// # Errors
    /// When a key is unknown or a value is none.
    fn settings<T: DeserializeOwned>(
        &mut self,
        keys: &'static [(&'static str, &'static str)],
    ) -> Result<T, Self::Error>;
}

/// `first`, then `second`.
const fn joined<const N: usize>(
    first: &[(&'static str, &'static str)],
    second: &[(&'static str, &'static str)],
) -> [(&'static str, &'static str); N] {
    let mut all = [("", ""); N];
    let mut index = 0;
    while index < N {
        all[index] = if index < first.len() {
            first[index]
        } else {
            second[index - first.len()]
        };
        index += 1;
    }
    all
}

macro_rules! tcp_congestion_controls {
    ($($(#[doc = $about:literal])* $name:literal => $variant:ident($config:ty),)*) => {
        /// An algorithm of TCP and its settings.
        #[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
        #[serde(tag = "kind")]
        pub enum TcpCc {
            $($(#[doc = $about])* #[serde(rename = $name)] $variant($config),)*
        }

        /// Every algorithm of TCP.
        pub const TCP_CONGESTION_CONTROLS: &[TcpCcEntry] = &[$(TcpCcEntry {
            name: $name,
            about: concat!($($about),*),
            keys: &joined::<
                { <$config as TcpCcConfig>::KEYS.len() + ClassConfig::KEYS.len() },
            >(<$config as TcpCcConfig>::KEYS, ClassConfig::KEYS),
        },)*];

        impl TcpCc {
            /// The algorithm called `name` with its default settings.
            #[must_use]
            pub fn by_name(name: &str) -> Option<Self> {
                match name {
                    $($name => Some(Self::$variant(Default::default())),)*
                    _ => None,
                }
            }

            /// The algorithm's name.
            #[must_use]
            pub const fn name(&self) -> &'static str {
                match self {
                    $(Self::$variant(_) => $name,)*
                }
            }

            /// The algorithm called `name` with the settings of `table`; `None` when there is none of that
            /// name.
            ///
            /// # Errors
            /// As [`CcTable::settings`].
            pub fn read<T: CcTable>(name: &str, table: &mut T) -> Option<Result<Self, T::Error>> {
                match name {
                    $($name => {
                        let config = table.settings(<$config as TcpCcConfig>::KEYS);
                        Some(config.map(Self::$variant))
                    })*
                    _ => None,
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

            /// The feedback of marks that the algorithm is made for.
            #[must_use]
            pub fn feedback(&self) -> Feedback {
                match self {
                    $(Self::$variant(config) => config.feedback(),)*
                }
            }

            /// As [`TcpCcConfig::marking`].
            #[must_use]
            pub fn marking(&self, rate: Rate) -> Option<Bytes> {
                match self {
                    $(Self::$variant(config) => config.marking(rate),)*
                }
            }

            /// The algorithm of a connection that is opened now.
            #[must_use]
            pub fn build(&self, start: &TcpStart) -> AnyTcpController {
                match self {
                    $(Self::$variant(config) => AnyTcpController::$variant(config.build(start)),)*
                }
            }
        }

        /// Any algorithm of TCP; one match for each call.
        #[derive(Debug)]
        pub enum AnyTcpController {
            $($(#[doc = $about])* $variant(<$config as TcpCcConfig>::Controller),)*
        }

        impl TcpController for AnyTcpController {
            #[inline]
            fn on_ack(&mut self, ack: &TcpAck) {
                match self {
                    $(Self::$variant(cc) => cc.on_ack(ack),)*
                }
            }

            fn on_congestion(&mut self, congestion: &Congestion) {
                match self {
                    $(Self::$variant(cc) => cc.on_congestion(congestion),)*
                }
            }

            fn on_recovery_exit(&mut self, window: f64) {
                match self {
                    $(Self::$variant(cc) => cc.on_recovery_exit(window),)*
                }
            }

            fn on_idle(&mut self, idle: Duration, restart: Option<f64>) {
                match self {
                    $(Self::$variant(cc) => cc.on_idle(idle, restart),)*
                }
            }

            #[inline]
            fn cwnd(&self) -> f64 {
                match self {
                    $(Self::$variant(cc) => cc.cwnd(),)*
                }
            }

            #[inline]
            fn ssthresh(&self) -> f64 {
                match self {
                    $(Self::$variant(cc) => cc.ssthresh(),)*
                }
            }

            #[inline]
            fn pacing_rate(&self) -> Option<Rate> {
                match self {
                    $(Self::$variant(cc) => cc.pacing_rate(),)*
                }
            }

            #[inline]
            fn codepoint(&self) -> Flags {
                match self {
                    $(Self::$variant(cc) => cc.codepoint(),)*
                }
            }

            #[inline]
            fn mark_response(&self) -> MarkResponse {
                match self {
                    $(Self::$variant(cc) => cc.mark_response(),)*
                }
            }
        }
    };
}

tcp_congestion_controls! {
    /// CUBIC with HyStart (RFC 9438)
    "cubic" => Cubic(CubicConfig),
    /// NewReno (RFC 5681, RFC 6582)
    "newreno" => NewReno(NewRenoConfig),
    /// DCTCP: the share of marked segments (RFC 8257)
    "tcp-dctcp" => Dctcp(TcpDctcpConfig),
    /// Prague: scalable, for low latency, low loss and scalable throughput (L4S)
    "prague" => Prague(PragueConfig),
}

impl Default for TcpCc {
    fn default() -> Self {
        Self::Cubic(CubicConfig::default())
    }
}
