//! Progress of a rank in its program.

use std::collections::VecDeque;
use std::ops::Range;

use fabricsim_base::checkpoint::Stored;
use fabricsim_base::id::FlowId;
use fabricsim_base::units::Time;
use rustc_hash::FxHashMap;

use super::ended::Ended;
use super::mailbox::Mailbox;
use super::program::{Edge, Program, Receipt};

/// Progress of a collective that has begun.
#[derive(Clone, Copy, Debug, Stored)]
#[checkpoint(plain)]
pub(super) struct SpanState {
    /// Its position among the collectives of the program.
    pub(super) at: usize,
    /// Time at which it began.
    pub(super) start: Time,
    /// The last receipt: time, sender and message.
    pub(super) last: Option<(Time, u32, FlowId)>,
}

/// Progress of a rank in its program. Its size depends on the operations under way, not on the
/// length of the program: no operation that can only be next later has an entry.
#[derive(Debug, Default, Stored)]
#[checkpoint(plain)]
pub(super) struct RankState {
    ended: Ended,
    /// For each operation with some but not all dependencies met, the number of unmet ones.
    partly: FxHashMap<u32, u32>,
    /// The collectives under way, in the order of the program.
    spans: Vec<SpanState>,
    /// Operations that can start, in the order in which they became ready, except for foreseen
    /// receipts if no message waits: the first one, and the next ones.
    first: Option<u32>,
    more: VecDeque<u32>,
    /// Number of receipts of messages of other ranks that could start and have not ended.
    awaited: u32,
    /// Messages that wait for receipts, and receipts that wait for messages and are not foreseen.
    pub(super) mailbox: Mailbox,
}

/// Number of operations for which [`RankState::more`] keeps memory.
const KEPT: usize = 64;

impl RankState {
    /// Returns to the beginning of `program`.
    pub(super) fn reset(&mut self, program: &Program) {
        self.ended = Ended::default();
        for &operation in &program.roots {
            self.get_ready(program, operation);
        }
    }

    /// Returns the next operation that can start.
    pub(super) fn next(&mut self) -> Option<u32> {
        let next = self.first.take()?;
        if !self.more.is_empty() {
            self.first = self.more.pop_front();
        } else if self.more.capacity() > KEPT {
            self.more = VecDeque::new();
        }
        Some(next)
    }

    /// Returns the number of operations of `program` that have not ended.
    pub(super) fn left(&self, program: &Program) -> usize {
        program.len() - self.ended.count()
    }

    /// Returns `true` if all operations of `program` have ended.
    pub(super) const fn is_done(&self, program: &Program) -> bool {
        self.ended.below() as usize == program.records.len()
    }

    /// Returns the numbers in `program` of the collectives under way.
    pub(super) fn begun<'s>(&'s self, program: &'s Program) -> impl Iterator<Item = u32> + 's {
        let instance = |span: &SpanState| program.spans[span.at].instance;
        self.spans.iter().map(instance)
    }

    /// Returns the receipt of a message with the sender and tag `key` if it is foreseen and waits:
    /// the first one that has not ended.
    pub(super) fn awaiting(&self, program: &Program, key: (u32, u64)) -> Option<u32> {
        let mut receipts = program.receipts(key);
        let first = receipts.find(|receipt| !self.ended.contains(receipt.operation))?;
        self.waits(first).then_some(first.operation)
    }

    /// Returns `true` if a foreseen receipt waits for its message.
    pub(super) fn waits(&self, receipt: &Receipt) -> bool {
        let is_ready = receipt.after.is_none_or(|after| self.ended.contains(after));
        is_ready && !self.ended.contains(receipt.operation)
    }

    /// Returns the number of messages of other ranks that receipts wait for.
    pub(super) const fn awaited(&self) -> u32 {
        self.awaited
    }

    fn get_ready(&mut self, program: &Program, operation: u32) {
        let record = &program.records[operation as usize];
        self.awaited += u32::from(record.is_from_another());
        // The message of a foreseen receipt finds it, unless the message was there first.
        if record.is_foreseen() && self.mailbox.is_empty() {
            return;
        }
        match self.first {
            None => self.first = Some(operation),
            Some(_) => self.more.push_back(operation),
        }
    }

    fn met(&mut self, program: &Program, operation: u32) {
        let needs = program.records[operation as usize].needs();
        if needs > 1 {
            let left = self.partly.entry(operation).or_insert(needs);
            *left -= 1;
            if *left > 0 {
                return;
            }
            self.partly.remove(&operation);
        }
        self.get_ready(program, operation);
    }

    /// Records the start of `operation`.
    pub(super) fn started(&mut self, program: &Program, operation: u32) {
        for edge in program.edges(operation) {
            if let Edge::AfterStart(waiting) = edge {
                self.met(program, waiting);
            }
        }
    }

    /// Records the end of `operation` at `now`. Returns the collective that this ends, if any.
    pub(super) fn ended(
        &mut self,
        program: &Program,
        operation: u32,
        now: Time,
    ) -> Option<SpanState> {
        let run = self.ended.insert(operation);
        for edge in program.edges(operation) {
            if let Edge::AfterEnd(waiting) = edge {
                self.met(program, waiting);
            }
        }
        let at = program.span_of(operation)?;
        let span = program.spans[at];
        let place = self.spans.partition_point(|one| one.at < at);
        if operation == span.end {
            return Some(self.spans.remove(place));
        }
        if operation == span.begin {
            let begun = SpanState {
                at,
                start: now,
                last: None,
            };
            self.spans.insert(place, begun);
        }
        let Range { start, end } = run;
        if start <= span.begin && span.end <= end {
            self.met(program, span.end);
        }
        None
    }

    /// Records that a receipt has received `message` of the rank `from` at `now`.
    pub(super) fn received(
        &mut self,
        program: &Program,
        operation: u32,
        last: (Time, u32, FlowId),
    ) {
        let record = &program.records[operation as usize];
        self.awaited -= u32::from(record.is_from_another());
        if let Some(at) = program.span_of(operation)
            && let Ok(place) = self.spans.binary_search_by_key(&at, |span| span.at)
        {
            self.spans[place].last = Some(last);
        }
    }
}
