//! The skipped parts of a run.

use std::collections::BTreeMap;

use fabricsim_base::units::Time;
use fabricsim_core::network::Skipped;
use serde::Serialize;

/// The parts of a run that were skipped because the state of the network repeated.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SkippedSummary {
    /// Skipped time, in nanoseconds of simulated time.
    pub skipped_ns: f64,
    /// Share of the simulated time that was skipped, 0 to 1.
    pub skipped_share: f64,
    /// Skipped packet-hops; `packet_hops` includes them.
    pub skipped_packet_hops: u64,
    /// Share of the packet-hops that was skipped, 0 to 1.
    pub skipped_packet_hops_share: f64,
    /// Number of jumps.
    pub jumps: u64,
    /// Number of attempts that found no period, by reason.
    pub refused: BTreeMap<String, u64>,
}

impl SkippedSummary {
    /// Returns the most frequent reason of failed attempts, and the number of these attempts.
    ///
    /// A reason that is the path of a type means that the state of this type has no relative form.
    #[must_use]
    pub fn main_reason(&self) -> Option<(&str, u64)> {
        let reasons = self
            .refused
            .iter()
            .map(|(reason, &count)| (&**reason, count));
        // The first one of equals.
        reasons.rev().max_by_key(|&(_, count)| count)
    }

    /// Summarizes `skipped` for a run that ended at `ended` after `packet_hops`.
    pub(super) fn new(skipped: &Skipped, ended: Time, packet_hops: u64) -> Self {
        let share = |part: f64, whole: f64| if whole > 0.0 { part / whole } else { 0.0 };
        let skipped_ns = skipped.time.as_ps() as f64 / 1e3;
        Self {
            skipped_ns,
            skipped_share: share(skipped_ns, ended.as_ps() as f64 / 1e3),
            skipped_packet_hops: skipped.packet_hops,
            skipped_packet_hops_share: share(skipped.packet_hops as f64, packet_hops as f64),
            jumps: skipped.jumps,
            refused: skipped.refused.clone(),
        }
    }
}
