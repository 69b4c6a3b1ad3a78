//! The telemetry of flows whose packets take several paths.

use crate::stack::IntHeader;

/// The most paths whose telemetry is kept.
const MOST_PATHS: usize = 64;

/// The last telemetry of each path but the one of the last acknowledgement.
///
/// Differs from the paper: HPCC's flows have one path, and its sender compares an acknowledgement
/// with the one before. Counters of two paths have nothing to do with one another, so each is
/// compared with the last one of its own path, and the flow has one rate for all of them.
#[derive(Clone, Debug)]
pub(crate) struct OtherPaths<S> {
    records: Vec<S>,
    /// The position of the record that is given up for the next one.
    next_victim: usize,
}

impl<S> Default for OtherPaths<S> {
    fn default() -> Self {
        Self {
            records: Vec::new(),
            next_victim: 0,
        }
    }
}

impl<S: IntHeader> OtherPaths<S> {
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
