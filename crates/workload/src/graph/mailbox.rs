//! Matches messages with the operations that receive them.

use std::collections::VecDeque;
use std::collections::hash_map::Entry;

use fabricsim_base::checkpoint::Stored;
use fabricsim_base::id::FlowId;
use rustc_hash::FxHashMap;

/// The sender and the tag of a message.
pub(super) type Key = (u32, u64);

/// Receipts that wait for messages, or messages that wait for receipts, of one sender and tag.
#[derive(Debug, Stored)]
#[checkpoint(plain)]
enum Slot {
    /// Waiting operations, the first one first.
    Posted(VecDeque<u32>),
    /// One waiting operation, without an allocation.
    One(u32),
    /// Delivered messages, the first one first.
    Arrived(VecDeque<FlowId>),
}

/// The delivered messages of one rank that have not been received, and the operations that wait for
/// messages and are not foreseen.
///
/// The k-th receipt of a sender and tag receives the k-th message that is delivered with them.
#[derive(Debug, Default, Stored)]
#[checkpoint(plain)]
pub(super) struct Mailbox {
    slots: FxHashMap<Key, Slot>,
}

impl Mailbox {
    /// Returns `true` if nothing waits.
    pub(super) fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// Returns the message of a foreseen receipt, if it has been delivered.
    pub(super) fn take(&mut self, from: u32, tag: u64) -> Option<FlowId> {
        let Entry::Occupied(mut slot) = self.slots.entry((from, tag)) else {
            return None;
        };
        let Slot::Arrived(arrived) = slot.get_mut() else {
            return None;
        };
        let message = arrived.pop_front();
        if arrived.is_empty() {
            slot.remove();
        }
        message
    }

    /// Returns the message that `operation` receives, if it has been delivered; otherwise the
    /// operation waits.
    pub(super) fn receive(&mut self, from: u32, tag: u64, operation: u32) -> Option<FlowId> {
        let key = (from, tag);
        let mut slot = match self.slots.entry(key) {
            Entry::Vacant(free) => {
                free.insert(Slot::One(operation));
                return None;
            }
            Entry::Occupied(slot) => slot,
        };
        match slot.get_mut() {
            Slot::One(first) => {
                let posted = VecDeque::from([*first, operation]);
                slot.insert(Slot::Posted(posted));
                None
            }
            Slot::Posted(posted) => {
                posted.push_back(operation);
                None
            }
            Slot::Arrived(_) => self.take(from, tag),
        }
    }

    /// Returns the operation that waits for `message`; if there is none, the message waits.
    pub(super) fn deliver(&mut self, from: u32, tag: u64, message: FlowId) -> Option<u32> {
        let key = (from, tag);
        let mut slot = match self.slots.entry(key) {
            Entry::Vacant(free) => {
                free.insert(Slot::Arrived(VecDeque::from([message])));
                return None;
            }
            Entry::Occupied(slot) => slot,
        };
        match slot.get_mut() {
            Slot::Arrived(arrived) => {
                arrived.push_back(message);
                None
            }
            Slot::One(operation) => {
                let operation = *operation;
                slot.remove();
                Some(operation)
            }
            Slot::Posted(posted) => {
                let operation = posted.pop_front();
                if posted.is_empty() {
                    slot.remove();
                }
                operation
            }
        }
    }

    /// Returns the number of waiting operations, and the first of them by sender and tag.
    pub(super) fn waiting(&self) -> (usize, Option<(Key, u32)>) {
        let mut count = 0;
        let mut first: Option<(Key, u32)> = None;
        for (&key, slot) in &self.slots {
            let (more, one) = match slot {
                Slot::One(operation) => (1, Some(*operation)),
                Slot::Posted(posted) => (posted.len(), posted.front().copied()),
                Slot::Arrived(_) => (0, None),
            };
            count += more;
            if let Some(operation) = one
                && first.is_none_or(|(least, _)| key < least)
            {
                first = Some((key, operation));
            }
        }
        (count, first)
    }
}
