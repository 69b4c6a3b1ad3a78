//! Streams of computations: the computations of one stream follow one another.

use fabricsim_base::checkpoint::Stored;
use fabricsim_base::units::{Duration, Time};
use std::collections::{BTreeMap, VecDeque};

/// The busy streams of one rank.
#[derive(Debug, Default, Stored)]
#[checkpoint(plain)]
pub(super) struct Streams {
    /// For each busy stream, the waiting operations, in the order in which they became ready.
    busy: BTreeMap<u16, VecDeque<u32>>,
    /// Time since which some stream has been busy, if one is.
    since: Time,
    /// Time before in which some stream was busy.
    computed: Duration,
}

impl Streams {
    /// Returns `true` if `operation` can start at `now`; otherwise it is queued.
    pub(super) fn enter(&mut self, stream: u16, operation: u32, now: Time) -> bool {
        if self.busy.is_empty() {
            self.since = now;
        }
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

    /// Records the end of the computation on `stream` at `now`. Returns the operation that starts
    /// then.
    pub(super) fn leave(&mut self, stream: u16, now: Time) -> Option<u32> {
        let next = self.busy.get_mut(&stream)?.pop_front();
        if next.is_none() {
            self.busy.remove(&stream);
            if self.busy.is_empty() {
                self.add(now.since(self.since));
            }
        }
        next
    }

    /// Adds a computation on no stream.
    pub(super) fn add(&mut self, span: Duration) {
        self.computed = self.computed + span;
    }

    /// Returns the time since the last call in which some stream was busy. None is busy now.
    pub(super) fn take_computed(&mut self) -> Duration {
        std::mem::take(&mut self.computed)
    }
}
