//! Matches messages with the operations that receive them.

use std::collections::{BTreeMap, VecDeque};

use fabricsim_core::id::FlowId;

/// Receipts that wait for messages, or messages that wait for receipts, of one sender and tag.
#[derive(Debug)]
enum Slot {
    /// Operations that wait, the first one first.
    Posted(VecDeque<u32>),
    /// One operation that waits.
    One(u32),
    /// Messages that have been delivered, the first one first.
    Arrived(VecDeque<FlowId>),
}

/// The messages of one rank that have not been received, and the operations that wait for messages.
///
/// The k-th receipt of a sender and tag gets the k-th message that is delivered with them.
#[derive(Debug, Default)]
pub(super) struct Mailbox {
    slots: BTreeMap<(u32, u64), Slot>,
}

impl Mailbox {
    /// Takes the message that `operation` receives, if it has been delivered; otherwise the
    /// operation waits.
    pub(super) fn receive(&mut self, from: u32, tag: u64, operation: u32) -> Option<FlowId> {
        let key = (from, tag);
        match self.slots.remove(&key) {
            None => {
                self.slots.insert(key, Slot::One(operation));
                None
            }
            Some(Slot::One(first)) => {
                let posted = VecDeque::from([first, operation]);
                self.slots.insert(key, Slot::Posted(posted));
                None
            }
            Some(Slot::Posted(mut posted)) => {
                posted.push_back(operation);
                self.slots.insert(key, Slot::Posted(posted));
                None
            }
            Some(Slot::Arrived(mut arrived)) => {
                let message = arrived.pop_front();
                if !arrived.is_empty() {
                    self.slots.insert(key, Slot::Arrived(arrived));
                }
                message
            }
        }
    }

    /// Takes the operation that waits for `message`; otherwise the message waits.
    pub(super) fn deliver(&mut self, from: u32, tag: u64, message: FlowId) -> Option<u32> {
        let key = (from, tag);
        match self.slots.remove(&key) {
            None => {
                let arrived = VecDeque::from([message]);
                self.slots.insert(key, Slot::Arrived(arrived));
                None
            }
            Some(Slot::Arrived(mut arrived)) => {
                arrived.push_back(message);
                self.slots.insert(key, Slot::Arrived(arrived));
                None
            }
            Some(Slot::One(operation)) => Some(operation),
            Some(Slot::Posted(mut posted)) => {
                let operation = posted.pop_front();
                if !posted.is_empty() {
                    self.slots.insert(key, Slot::Posted(posted));
                }
                operation
            }
        }
    }

    /// The number of operations that wait, and the first of them by sender and tag.
    pub(super) fn waiting(&self) -> (usize, Option<u32>) {
        let mut count = 0;
        let mut first = None;
        for slot in self.slots.values() {
            let (more, one) = match slot {
                Slot::One(operation) => (1, Some(*operation)),
                Slot::Posted(posted) => (posted.len(), posted.front().copied()),
                Slot::Arrived(_) => (0, None),
            };
            count += more;
            first = first.or(one);
        }
        (count, first)
    }
}
