//! Telemetry of flows that send packets over several paths.

use fabricsim_base::checkpoint::Stored;
use fabricsim_base::units::Time;

use crate::stack::IntHeader;

/// Maximum number of paths with stored telemetry.
const MOST_PATHS: usize = 64;

/// The last telemetry of each path, except the path of the last acknowledgement.
///
/// Differs from the paper: a flow of the paper has one path, so its sender compares each
/// acknowledgement with the previous one. Counters of different paths are unrelated, so we compare
/// each acknowledgement with the last one of its own path. The flow has one rate for all paths.
///
/// Such a comparison spans the time until the flow uses the path again, so the spans of several
/// paths overlap. The average over a round trip (U in the paper) therefore weights each sample by
/// the time since the previous acknowledgement, which equals the span if there is one path. If
/// weighted by their own spans, only the last few samples of many paths would count.
#[derive(Clone, Debug, Stored)]
#[checkpoint(absolute)]
pub(crate) struct OtherPaths<S> {
    records: Vec<S>,
    /// Index of the record that the next new path replaces.
    next_victim: usize,
    /// Time of the last acknowledgement with a sample.
    sampled_at: Option<Time>,
}

impl<S> Default for OtherPaths<S> {
    fn default() -> Self {
        Self {
            records: Vec::new(),
            next_victim: 0,
            sampled_at: None,
        }
    }
}

impl<S: IntHeader> OtherPaths<S> {
    /// Returns the weight in nanoseconds of a sample that arrives `now`: the time since the
    /// previous sample of any path. `interval_ns`, the sample's span on its own path, is the weight
    /// of the first sample.
    pub(crate) fn weight_ns(&mut self, now: Time, interval_ns: f64) -> f64 {
        match self.sampled_at.replace(now) {
            Some(before) => now.since(before).as_ps() as f64 / 1_000.0,
            None => interval_ns,
        }
    }

    /// Exchanges `previous` for the record of the path of `stack` and returns `true`. If there is
    /// no such record, stores `previous`, sets it to `stack`, and returns `false`.
    pub(crate) fn swap_in(&mut self, previous: &mut S, stack: &S) -> bool {
        let known = (self.records.iter_mut()).find(|record| stack.same_path(record));
        if let Some(record) = known {
            std::mem::swap(previous, record);
            return true;
        }
        let kept = std::mem::replace(previous, *stack);
        if self.records.len() < MOST_PATHS {
            self.records.push(kept);
        } else {
            self.records[self.next_victim] = kept;
            self.next_victim = (self.next_victim + 1) % MOST_PATHS;
        }
        false
    }
}
