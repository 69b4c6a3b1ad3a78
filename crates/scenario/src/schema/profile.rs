//! The key `profile`.

use fabricsim_core::plugin::Quirks;
use serde::{Deserialize, Serialize};

/// Simulator to reproduce with its quirks.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub enum Profile {
    /// The published HPCC simulator (on ns-3.17): times truncated to nanoseconds, its quantized INT
    /// header, its headroom, its ECMP hash over next hops in descending order, its script's
    /// defaults.
    #[serde(rename = "ns3-hpcc")]
    Ns3Hpcc,
}

impl Profile {
    /// The names of all profiles.
    pub const NAMES: &'static [&'static str] = &["ns3-hpcc"];
}

/// Returns the deviations of a simulation under `profile`, with which it reproduces the reference
/// simulator. Only this function maps the name of a profile to individual quirks.
pub(crate) const fn quirks(profile: Option<Profile>) -> &'static Quirks {
    match profile {
        None => &Quirks::EXACT,
        Some(Profile::Ns3Hpcc) => &Quirks::PUBLISHED,
    }
}
