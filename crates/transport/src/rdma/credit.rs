//! The credit pacer of a NIC port: it grants credit to the senders of arriving packets, round
//! robin.
//!
//! A flow requests credit by a number in each packet, and gets credit up to that number, one grant
//! per turn. After each grant, the pacer waits for the time that the granted bytes take at nearly
//! the port's rate. So packets arrive at a rate that the port can handle, regardless of the number
//! of senders, and flows share it (`UecPullPacer` of `htsim/sim/uec.cpp` in uet-htsim; EQDS:
//! Olteanu et al., NSDI 2022, section 4).
//!
//! Numbers only grow, so the next grant of a flow makes up for a lost one. If no flow requests
//! credit, flows with all their requested credit get spare credit, up to a limit.

use std::collections::VecDeque;
use std::collections::hash_map::Entry;

use fabricsim_base::checkpoint::{Checkpointed, Stored};
use fabricsim_base::flow::FlowKey;
use fabricsim_base::id::FlowId;
use fabricsim_base::units::{Bytes, Duration, Rate, Time};
use fabricsim_core::plugin::{CREDIT_BEGINS, CreditRules};
use rustc_hash::FxHashMap;

/// The pacer waits for the time of this many bytes after an empty grant
/// (`UecPullPacer::doNextEvent`).
const EMPTY_GRANT: Bytes = Bytes::new(1_024);

/// A grant that leaves now.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Grant {
    pub(super) flow: FlowId,
    /// Key from the receiver to the sender.
    pub(super) key: FlowKey,
    /// The number up to which the flow now has credit.
    pub(super) number: u64,
}

/// The requested and granted credit of a flow.
#[derive(Clone, Copy, Debug, Stored)]
#[checkpoint(absolute)]
struct Account {
    key: FlowKey,
    /// The highest requested number (`_highest_pull_target`).
    asked: u64,
    /// The granted number (`_latest_pull`).
    granted: u64,
    /// The flow is in the queue of requesting flows.
    asks: bool,
    /// The flow is in the queue for spare credit.
    spare: bool,
}

/// The credit pacer of one NIC port.
#[derive(Checkpointed, Clone, Debug)]
#[checkpoint(absolute)]
pub(super) struct Pacer {
    #[checkpoint(rebuilt)]
    grant: u64,
    /// Maximum spare credit of a flow.
    #[checkpoint(rebuilt)]
    spare: u64,
    /// Total rate of all grants.
    #[checkpoint(rebuilt)]
    rate: Rate,
    accounts: FxHashMap<FlowId, Account>,
    asking: VecDeque<FlowId>,
    content: VecDeque<FlowId>,
    /// Time of the next grant, or [`Time::MAX`] if no grant waits.
    pub(super) next: Time,
}

impl Pacer {
    /// Returns the pacer of a port with `line_rate`.
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

    /// Returns `true` if `flow` is unknown.
    pub(super) fn is_new(&self, flow: FlowId) -> bool {
        !self.accounts.contains_key(&flow)
    }

    /// Processes the credit request up to `number` in an arriving packet of `flow` with `key`
    /// (`handlePullTarget`). If `urgent`, the flow always gets a turn.
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

    /// Removes `flow`, because no more packets are expected.
    pub(super) fn end(&mut self, flow: FlowId) {
        self.accounts.remove(&flow);
    }

    /// Returns `true` if a grant may leave without waiting for a previous one.
    pub(super) fn is_free(&self) -> bool {
        self.next == Time::MAX
    }

    /// Takes the next turn, which is due at `now` (`UecPullPacer::doNextEvent`): the requesting
    /// flow that has waited longest or, if there is none, the next flow for spare credit. Returns
    /// the grant, and sets the time of the next one.
    ///
    /// Differs from htsim: a flow has at most one place in the queue for spare credit; in htsim, it
    /// gets another place with each request in between. A flow that has arrived in full gets no
    /// spare credit.
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

    /// Grants credit to the next requesting flow. Returns the flow, and its numbers before and
    /// after. If its request is not yet satisfied, it moves to the end of the queue.
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

    /// Grants spare credit to the next flow. Returns the flow, and its numbers before and after.
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
