//! Streams of computations: the computations of one stream follow one another.

use fabricsim_base::checkpoint::Stored;
use std::collections::{BTreeMap, VecDeque};

/// The busy streams of one rank.
#[derive(Debug, Default, Stored)]
#[checkpoint(plain)]
pub(super) struct Streams {
    /// For each busy stream, the waiting operations, in the order in which they became ready.
    busy: BTreeMap<u16, VecDeque<u32>>,
}

impl Streams {
    /// Returns `true` if `operation` can start now; otherwise it is queued.
    pub(super) fn enter(&mut self, stream: u16, operation: u32) -> bool {
        match self.busy.get_mut(&stream) {
            None => {
                self.busy.insert(stream, VecDeque::new());
                true
            }
            Some(waiting) => {
                waiting.push_back(operation);
                false
            }
        }
    }

    /// Records the end of the computation on `stream`. Returns the operation that starts now.
    pub(super) fn leave(&mut self, stream: u16) -> Option<u32> {
        let next = self.busy.get_mut(&stream)?.pop_front();
        if next.is_none() {
            self.busy.remove(&stream);
        }
        next
    }
}
