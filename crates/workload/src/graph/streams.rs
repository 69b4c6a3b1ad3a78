//! Streams of computations: those of one stream follow one another.

use fabricsim_base::checkpoint::Stored;
use std::collections::{BTreeMap, VecDeque};

/// The streams of one rank on which something computes.
#[derive(Debug, Default, Stored)]
pub(super) struct Streams {
    /// Those that wait behind the one that computes, in the order in which they could start.
    busy: BTreeMap<u16, VecDeque<u32>>,
}

impl Streams {
    /// Returns whether `operation` can start now; otherwise it waits for its turn.
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

    /// The computation on `stream` has ended; returns the one that starts now.
    pub(super) fn leave(&mut self, stream: u16) -> Option<u32> {
        let next = self.busy.get_mut(&stream)?.pop_front();
        if next.is_none() {
            self.busy.remove(&stream);
        }
        next
    }
}
