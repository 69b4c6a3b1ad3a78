//! The pacer of a NIC port: it grants the senders of what arrives there credit, in turns.
//!
//! A flow asks by a number on each packet, and is granted credit up to that number, one grant at a
//! turn, with as much time between two grants of any flows as the first one's bytes take at nearly
//! the port's rate. So what arrives is what the port can take, however many senders there are, and
//! flows share it (`UecPullPacer` of `htsim/sim/uec.cpp` in uet-htsim; EQDS: Olteanu et al., NSDI
//! 2022, section 4).
//!
//! Numbers only grow, so that a grant that is lost is made up for by the next one of its flow. Where
//! no flow asks, those that have what they asked for are granted spare credit, up to a limit.

use std::collections::VecDeque;
use std::collections::hash_map::Entry;

use fabricsim_base::checkpoint::{Checkpointed, Stored};
use fabricsim_base::flow::FlowKey;
use fabricsim_base::id::FlowId;
use fabricsim_base::units::{Bytes, Duration, Rate, Time};
use fabricsim_core::plugin::{CREDIT_BEGINS, CreditRules};
use rustc_hash::FxHashMap;

/// The bytes whose time passes after a grant that adds nothing (`UecPullPacer::doNextEvent`).
const EMPTY_GRANT: Bytes = Bytes::new(1_024);

/// A grant that leaves now.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Grant {
    pub(super) flow: FlowId,
    /// From the receiver to the sender.
    pub(super) key: FlowKey,
    /// The number up to which the flow now has credit.
    pub(super) number: u64,
}

/// What a flow has asked for and was granted.
#[derive(Clone, Copy, Debug, Stored)]
struct Account {
    key: FlowKey,
    /// The highest number that it has asked for (`_highest_pull_target`).
    asked: u64,
    /// The number that it was granted (`_latest_pull`).
    granted: u64,
    /// It is in the queue of those that ask.
    asks: bool,
    /// It is in the queue of those that take spare credit.
    spare: bool,
}

/// The pacer of one NIC port.
#[derive(Checkpointed, Clone, Debug)]
pub(super) struct Pacer {
    #[checkpoint(rebuilt)]
    grant: u64,
    /// The most spare credit of a flow.
    #[checkpoint(rebuilt)]
    spare: u64,
    /// The rate of all grants.
    #[checkpoint(rebuilt)]
    rate: Rate,
    accounts: FxHashMap<FlowId, Account>,
    asking: VecDeque<FlowId>,
    content: VecDeque<FlowId>,
    /// When the next grant may leave; [`Time::MAX`] while nothing waits for that.
    pub(super) next: Time,
}

impl Pacer {
    /// The pacer of a port of `line_rate`.
    pub(super) fn new(rules: &CreditRules, line_rate: Rate) -> Self {
        Self {
            grant: rules.grant.get(),
            spare: line_rate.bytes_in(rules.spare).get(),
            rate: Rate::from_bps_f64(line_rate.as_bps_f64() * rules.rate),
            accounts: FxHashMap::default(),
            asking: VecDeque::new(),
            content: VecDeque::new(),
            next: Time::MAX,
        }
    }

    /// Returns whether nothing is known of `flow`.
    pub(super) fn is_new(&self, flow: FlowId) -> bool {
        !self.accounts.contains_key(&flow)
    }

    /// A packet of `flow` with `key`, which asks for credit up to `number`, has arrived
    /// (`handlePullTarget`). With `urgent` the flow has a turn in any case.
    pub(super) fn ask(&mut self, flow: FlowId, key: &FlowKey, number: u64, urgent: bool) {
        let account = match self.accounts.entry(flow) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => entry.insert(Account {
                key: key.reversed(),
                asked: CREDIT_BEGINS,
                granted: CREDIT_BEGINS,
                asks: false,
                spare: false,
            }),
        };
        account.key = key.reversed();
        let more = number > account.asked;
        account.asked = account.asked.max(number);
        if (more || urgent) && !account.asks {
            account.asks = true;
            self.asking.push_back(flow);
        }
    }

    /// Nothing more of `flow` is awaited.
    pub(super) fn end(&mut self, flow: FlowId) {
        self.accounts.remove(&flow);
    }

    /// Returns whether a grant may leave without waiting for one that left before.
    pub(super) fn is_free(&self) -> bool {
        self.next == Time::MAX
    }

    /// Takes the next turn, which is due at `now` (`UecPullPacer::doNextEvent`): the flow that asks
    /// and has waited longest, else one that takes spare credit. Returns the grant, and sets when the
    /// next one may leave.
    ///
    /// Differs from htsim: a flow that takes spare credit has one place among them, where it has
    /// another one there each time that it has asked in between; and a flow that has arrived in full
    /// gets none.
    pub(super) fn turn(&mut self, now: Time) -> Option<Grant> {
        self.next = Time::MAX;
        let (flow, before, after) = self.next_asking().or_else(|| self.next_content())?;
        let added = match Bytes::new(after - before) {
            Bytes::ZERO => EMPTY_GRANT,
            added => added,
        };
        self.next = now + self.rate.transmission(added).max(Duration::from_ps(1));
        let key = self.accounts.get(&flow)?.key;
        Some(Grant {
            flow,
            key,
            number: after,
        })
    }

    /// Grants the next flow that asks; it, and its numbers before and after. It comes last where it
    /// has not got all.
    fn next_asking(&mut self) -> Option<(FlowId, u64, u64)> {
        while let Some(flow) = self.asking.pop_front() {
            let Some(account) = self.accounts.get_mut(&flow) else {
                continue;
            };
            let before = account.granted;
            account.granted = (before + self.grant).min(account.asked).max(before);
            let after = account.granted;
            if account.asked > after {
                self.asking.push_back(flow);
            } else {
                account.asks = false;
                if !std::mem::replace(&mut account.spare, true) {
                    self.content.push_back(flow);
                }
            }
            return Some((flow, before, after));
        }
        None
    }

    /// Grants spare credit to the next flow that takes some; it, and its numbers before and after.
    fn next_content(&mut self) -> Option<(FlowId, u64, u64)> {
        while let Some(flow) = self.content.pop_front() {
            let Some(account) = self.accounts.get_mut(&flow) else {
                continue;
            };
            let before = account.granted;
            let after = before + self.grant;
            account.granted = after;
            account.spare =
                account.asked <= after && after.saturating_sub(account.asked) < self.spare;
            if account.spare {
                self.content.push_back(flow);
            }
            return Some((flow, before, after));
        }
        None
    }
}

#[cfg(test)]
mod tests;
