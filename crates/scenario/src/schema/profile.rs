//! The key `profile`.

use fabricsim_core::plugin::Quirks;
use serde::{Deserialize, Serialize};

/// Simulator to be reproduced with its quirks.
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

/// Returns where a simulation under `profile` follows the reference simulator. This is the one
/// place in which the name of a profile becomes knobs.
pub(crate) const fn quirks(profile: Option<Profile>) -> &'static Quirks {
    match profile {
        None => &Quirks::EXACT,
        Some(Profile::Ns3Hpcc) => &Quirks::PUBLISHED,
    }
}
