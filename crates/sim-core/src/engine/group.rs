//! Domains that are run one after the other, window by window.

use super::agenda::{Agenda, BLOCK};
use super::channel::{Outbox, Spare};
use super::inbox::Inbox;
use super::post::{Neighbour, Post};
use super::{Domain, Interrupt, Lag, Probe, Window};
use crate::units::{Duration, Time};

/// A window, as it is to be run.
#[derive(Clone, Copy)]
pub(super) struct Span<'a> {
    pub(super) window: Window,
    /// The half of mailboxes that is written.
    pub(super) parity: usize,
    pub(super) interrupt: &'a Interrupt,
}

/// Messages that a domain takes in before it is seen whether the run is to end.
const MOST_AT_ONCE: usize = 1 << 14;
/// How far a domain is run without a look.
const LONGEST_AT_ONCE: Duration = Duration::from_ms(1);

#[derive(Debug)]
pub(super) struct Slot<D: Domain> {
    pub(super) domain: D,
    pub(super) index: usize,
    pub(super) inbox: Inbox<D::Message>,
    pub(super) outbox: Outbox<D::Message>,
    pub(super) neighbours: Vec<Neighbour>,
    /// How far the domain may lag behind the others: what it sends travels for that much longer than
    /// the lookahead.
    pub(super) slack: Duration,
}

impl<D: Domain> Slot<D> {
    /// Runs the domain to the end of the window, part by part, until the run is interrupted.
    #[cold]
    fn run_in_parts(&mut self, span: Span<'_>) {
        let end = span.window.end;
        while !span.interrupt.is_raised() {
            let next = self.inbox.next_time().min(self.domain.next_event());
            if next >= end {
                return;
            }
            // At least all that is due at one instant is done.
            let crowded = self.inbox.time_of(MOST_AT_ONCE);
            let part = next
                .saturating_add(LONGEST_AT_ONCE)
                .min(crowded.max(next.saturating_add(Duration::from_ps(1))))
                .min(end);
            self.domain.run(part, &mut self.inbox, &mut self.outbox);
        }
    }
}

/// Domains that are run one after the other by one thread, and share their empty buffers.
#[derive(Debug)]
pub(super) struct Group<D: Domain> {
    pub(super) number: usize,
    pub(super) slots: Vec<Slot<D>>,
    pub(super) agenda: Agenda,
    /// How far some of its domains may lag behind at most.
    pub(super) most_slack: Duration,
    /// The earliest arrival that its domains have caused in the last window.
    pub(super) sent: Time,
    pub(super) spare: Spare<D::Message>,
    /// Domains with results, as positions in `slots`.
    pub(super) results: Vec<u32>,
    /// How often its domains have been run.
    pub(super) steps: u64,
    /// How many messages they were to take in.
    pub(super) messages: u64,
}

/// The least next event of all domains in `groups`.
pub(super) fn earliest<D: Domain>(groups: &[Group<D>]) -> Time {
    let next = groups
        .iter()
        .map(|group| group.agenda.earliest().min(group.sent));
    next.min().unwrap_or(Time::MAX)
}

impl<D: Domain> Group<D> {
    pub(super) const fn new(number: usize) -> Self {
        Self {
            number,
            slots: Vec::new(),
            agenda: Agenda::new(),
            most_slack: Duration::ZERO,
            sent: Time::MAX,
            spare: Vec::new(),
            results: Vec::new(),
            steps: 0,
            messages: 0,
        }
    }

    pub(super) fn push(&mut self, slot: Slot<D>) {
        let next = slot.domain.next_event();
        self.agenda.push(next.saturating_add(slot.slack));
        self.most_slack = self.most_slack.max(slot.slack);
        self.slots.push(slot);
    }

    /// Runs one window.
    ///
    /// Windows go through the domains forwards and backwards in turn: what was written last is then
    /// read first, as long as it is in the cache.
    pub(super) fn step(
        &mut self,
        span: Span<'_>,
        post: &Post<D::Message>,
        probe: &mut (impl Probe + ?Sized),
    ) {
        let Span {
            window,
            parity,
            interrupt,
        } = span;
        self.sent = Time::MAX;
        self.results.clear();
        // The agenda has what may be put off; where nothing may, all that could have been is looked at.
        let before = match window.lag {
            Lag::Allowed => window.end,
            Lag::Forbidden => window.end.saturating_add(self.most_slack),
        };
        let blocks = self.agenda.blocks();
        for turn in 0..blocks {
            let block = if parity == 0 { turn } else { blocks - 1 - turn };
            let mail = post.take_announced(parity ^ 1, self.number, block);
            let mut due = self.agenda.due(block, before) | mail;
            if due == 0 {
                continue;
            }
            while due != 0 {
                if interrupt.is_raised() {
                    return;
                }
                let bit = if parity == 0 {
                    due.trailing_zeros()
                } else {
                    u64::BITS - 1 - due.leading_zeros()
                };
                due &= !(1 << bit);
                let place = block * BLOCK as usize + bit as usize;
                let index = self.slots[place].index;
                probe.domain_begins(index);
                self.step_one(place, span, mail >> bit & 1 != 0, post);
                probe.domain_ends(index);
            }
            self.agenda.settle(block);
        }
    }

    /// Runs one domain for one window.
    #[inline]
    fn step_one(&mut self, place: usize, span: Span<'_>, mail: bool, post: &Post<D::Message>) {
        let Span { window, parity, .. } = span;
        let slot = &mut self.slots[place];
        if mail {
            slot.inbox
                .fetch(post, slot.index, parity ^ 1, &mut self.spare);
        }
        let first = slot.inbox.first().min(slot.domain.next_event());
        let needed = match window.lag {
            Lag::Allowed => first.saturating_add(slot.slack),
            Lag::Forbidden => first,
        };
        if needed >= window.end {
            self.agenda.set(place, first.saturating_add(slot.slack));
            return;
        }
        self.steps += 1;
        slot.inbox.gather(first.min(window.start), window.end);
        self.messages += slot.inbox.due() as u64;
        std::mem::swap(&mut slot.outbox.spare, &mut self.spare);
        if slot.inbox.due() <= MOST_AT_ONCE && window.end.since(first) <= LONGEST_AT_ONCE {
            slot.domain
                .run(window.end, &mut slot.inbox, &mut slot.outbox);
        } else {
            slot.run_in_parts(span);
        }
        std::mem::swap(&mut slot.outbox.spare, &mut self.spare);
        slot.inbox.settle(window.end, &mut self.spare);
        let next = slot.inbox.first().min(slot.domain.next_event());
        self.agenda.set(place, next.saturating_add(slot.slack));
        let sent = post.deliver(&mut slot.outbox, &slot.neighbours, parity);
        self.sent = self.sent.min(sent);
        if slot.domain.has_results() {
            #[expect(
                clippy::cast_possible_truncation,
                reason = "domains are numbered by u32"
            )]
            self.results.push(place as u32);
        }
    }
}
