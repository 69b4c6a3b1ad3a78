//! Progress of a rank in its program.

use std::collections::VecDeque;

use fabricsim_base::checkpoint::Stored;
use fabricsim_base::id::FlowId;
use fabricsim_base::units::Time;

use super::program::{Edge, Program};

/// Progress of a collective.
#[derive(Clone, Copy, Debug, Stored)]
pub(super) struct SpanState {
    /// Operations that have not ended.
    left: u32,
    /// Time at which it began; `Time::MAX` before that, and after its end has been recorded.
    pub(super) start: Time,
    /// The last receipt: time, sender and message.
    pub(super) last: Option<(Time, u32, FlowId)>,
}

/// Progress of a rank in its program: 4 bytes for each operation.
#[derive(Debug, Default, Stored)]
pub(super) struct RankState {
    /// For each operation, the number of dependencies for which it still waits.
    needs: Vec<u32>,
    pub(super) spans: Vec<SpanState>,
    /// Operations that can start, in the order in which they became ready.
    pub(super) ready: VecDeque<u32>,
    /// Operations that have not ended.
    pub(super) left: usize,
}

impl RankState {
    /// Returns to the beginning of `program`.
    pub(super) fn reset(&mut self, program: &Program) {
        self.needs.clear();
        self.needs.extend_from_slice(&program.needs);
        self.spans.clear();
        self.spans
            .extend(program.spans.iter().map(|span| SpanState {
                left: span.inner(),
                start: Time::MAX,
                last: None,
            }));
        self.left = program.len();
        let ready = (0u32..).zip(&self.needs).filter(|(_, needs)| **needs == 0);
        self.ready.extend(ready.map(|(operation, _)| operation));
    }

    fn met(&mut self, operation: u32) {
        let needs = &mut self.needs[operation as usize];
        *needs -= 1;
        if *needs == 0 {
            self.ready.push_back(operation);
        }
    }

    /// Records the start of `operation`.
    pub(super) fn started(&mut self, program: &Program, operation: u32) {
        for edge in program.edges(operation) {
            if let Edge::AfterStart(waiting) = edge {
                self.met(waiting);
            }
        }
    }

    /// Records the end of `operation`. Returns the position of the collective if this ends one.
    pub(super) fn ended(&mut self, program: &Program, operation: u32, now: Time) -> Option<usize> {
        self.left -= 1;
        for edge in program.edges(operation) {
            if let Edge::AfterEnd(waiting) = edge {
                self.met(waiting);
            }
        }
        let at = program.span_of(operation)?;
        let span = program.spans[at];
        if operation == span.end {
            return Some(at);
        }
        let state = &mut self.spans[at];
        if operation == span.begin {
            state.start = now;
        } else {
            state.left -= 1;
        }
        if state.left == 0 {
            self.met(span.end);
        }
        None
    }
}
