//! The telemetry of flows whose packets take several paths.

use fabricsim_base::checkpoint::Stored;
use fabricsim_base::units::Time;

use crate::stack::IntHeader;

/// The most paths whose telemetry is kept.
const MOST_PATHS: usize = 64;

/// The last telemetry of each path but the one of the last acknowledgement.
///
/// Differs from the paper: HPCC's flows have one path, and its sender compares an acknowledgement
/// with the one before. Counters of two paths have nothing to do with one another, so each is
/// compared with the last one of its own path, and the flow has one rate for all of them.
///
/// Such a comparison spans as much time as the flow's packets take to come round to the path again,
/// and those of several paths overlap. The average over a round trip (U in the paper) therefore
/// weighs each by the time since the acknowledgement before it, which is what it spans on one path:
/// by their own spans, the last few of many paths would be all that counts.
#[derive(Clone, Debug, Stored)]
pub(crate) struct OtherPaths<S> {
    records: Vec<S>,
    /// The position of the record that is given up for the next one.
    next_victim: usize,
    /// Time of the last acknowledgement that gave a sample.
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
    /// Returns the nanoseconds that a sample of an acknowledgement which arrives `now` stands for,
    /// where it spans `interval_ns` on its own path: those since the sample before it, of any path.
    pub(crate) fn weight_ns(&mut self, now: Time, interval_ns: f64) -> f64 {
        match self.sampled_at.replace(now) {
            Some(before) => now.since(before).as_ps() as f64 / 1_000.0,
            None => interval_ns,
        }
    }

    /// Puts the record of the path of `stack` in the place of `previous`, which is kept, and
    /// returns true. When there is none, `stack` becomes the first one.
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
