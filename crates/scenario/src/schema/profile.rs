//! The key `profile`.

use fabricsim_core::plugin::Fidelity;
use serde::{Deserialize, Serialize};

/// Whose quirks a simulation takes over.
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

/// Whose arithmetic a simulation under `profile` uses.
pub(crate) const fn fidelity(profile: Option<Profile>) -> Fidelity {
    match profile {
        None => Fidelity::Exact,
        Some(Profile::Ns3Hpcc) => Fidelity::Published,
    }
}
