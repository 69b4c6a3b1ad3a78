//! The engine: conservative windows, one domain at a time.
//!
//! A *domain* is the unit of state and of scheduling. Domains talk over channels, one for each
//! direction of a link, and every message takes at least the *lookahead* to arrive. In the window
//! [t, t + lookahead) no domain can therefore affect another one: each is run alone from the start
//! of the window to its end, with all its state hot in cache, on any thread. At the barrier the
//! halves of the channels are exchanged. Empty time is skipped: t is the least next event of all.
//!
//! The engine knows nothing of networks. What is executed when depends on times, lanes and the
//! order that domains give their own events, never on threads: results are the same for any number.

mod channel;
mod executor;
mod order;
mod timers;

pub use channel::{Inbox, Message, Outbox};
pub use timers::{Timer, Timers};

use crate::units::{Duration, Time};
use channel::{LONGEST_WINDOW_PS, Mailbox, Spare, post};
use executor::{Executor, Parallel, Sequential};

/// Groups for each thread: enough for threads to even out what the groups cost.
const GROUPS_PER_THREAD: usize = 8;

/// A part of the model that is run alone for the length of a window.
pub trait Domain: Send {
    /// What crosses the channels.
    type Message: Message;

    /// When the domain next has something to do by itself; [`Time::MAX`] for never.
    fn next_event(&self) -> Time;

    /// Executes everything due before `end`: the messages of `inbox` and the domain's own events,
    /// in an order that depends on nothing else.
    fn run(
        &mut self,
        end: Time,
        inbox: &mut Inbox<Self::Message>,
        outbox: &mut Outbox<Self::Message>,
    );

    /// Whether the domain holds results that whoever drives the engine should collect.
    fn has_results(&self) -> bool {
        false
    }
}

/// One direction of a link between two domains.
#[derive(Clone, Copy, Debug)]
pub struct Wiring {
    /// The domain at the far end.
    pub domain: u32,
    /// The lane on which the far end hears this one.
    pub lane: u32,
}

#[derive(Debug)]
struct Slot<D: Domain> {
    domain: D,
    index: usize,
    inbox: Inbox<D::Message>,
    outbox: Outbox<D::Message>,
    neighbours: Vec<(u32, u32)>,
    /// The next event of the domain, its channels included.
    next: Time,
    /// The earliest arrival that the domain caused in the last window.
    sent: Time,
}

/// Domains that are run one after the other by one thread, and share their empty buffers.
#[derive(Debug)]
struct Group<D: Domain> {
    slots: Vec<Slot<D>>,
    spare: Spare<D::Message>,
    /// The least next event of all.
    next: Time,
    /// Some domain has results.
    results: bool,
}

/// Domains, their channels and the threads that run them.
///
/// Domains are dealt out to groups in turn, so that hosts and switches are spread evenly; which
/// group a domain is in has no effect on results.
#[derive(Debug)]
pub struct Engine<D: Domain> {
    groups: Vec<Group<D>>,
    count: usize,
    mailboxes: Vec<Mailbox<D::Message>>,
    lookahead: Duration,
    now: Time,
    windows: u64,
    pool: Option<rayon::ThreadPool>,
}

/// Who drives the engine from window to window.
pub trait Driver<D: Domain> {
    /// Called before each window. `next` is the least next event of all domains, [`Time::MAX`] when
    /// nothing is left to happen. Here events from outside are put into the domains. Returns the
    /// window to run, or `None` to stop; it must begin no later than any event, and be no longer
    /// than [`Domains::lookahead`].
    fn before(&mut self, domains: &mut Domains<'_, D>, next: Time) -> Option<Window>;

    /// Called after a window when some domain has results.
    fn collect(&mut self, domains: &mut Domains<'_, D>);
}

/// A span of simulated time that is run between two barriers.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Window {
    /// The first instant.
    pub start: Time,
    /// The first instant that is not in the window.
    pub end: Time,
}

/// The domains as the driver sees them between windows.
#[derive(Debug)]
pub struct Domains<'a, D: Domain> {
    groups: &'a mut [Group<D>],
    mailboxes: &'a [Mailbox<D::Message>],
    /// The half of the mailboxes that the next window reads.
    unread: usize,
    count: usize,
    lookahead: Duration,
}

impl<D: Domain> Domains<'_, D> {
    /// Changes domain `index`, which may move its next event.
    pub fn update<R>(&mut self, index: usize, change: impl FnOnce(&mut D) -> R) -> R {
        let groups = self.groups.len();
        let group = &mut self.groups[index % groups];
        let slot = &mut group.slots[index / groups];
        let result = change(&mut slot.domain);
        slot.next = slot.next.min(slot.domain.next_event());
        group.next = group.next.min(slot.next);
        result
    }

    /// Takes back every message that is on its way to domain `index` over `lane`, as if it had never
    /// been sent, and shows it to `lost`.
    pub fn recall(&mut self, index: usize, lane: usize, mut lost: impl FnMut(&mut D, &D::Message)) {
        let groups = self.groups.len();
        let Group {
            slots, spare, next, ..
        } = &mut self.groups[index % groups];
        let Slot {
            domain,
            inbox,
            next: own,
            ..
        } = &mut slots[index / groups];
        if self.mailboxes[index].has_mail(self.unread) {
            inbox.fetch(&self.mailboxes[index], self.unread, spare);
        }
        let arrival = inbox.recall(lane, |message| lost(domain, message));
        *own = arrival.min(domain.next_event());
        // It may be too early for the group now, which costs a window in which nothing happens.
        *next = (*next).min(*own);
    }

    /// The least next event over all domains.
    #[must_use]
    pub fn next_event(&self) -> Time {
        let next = self.groups.iter().map(|group| group.next).min();
        next.unwrap_or(Time::MAX)
    }

    /// Calls `visit` with each domain, in their order.
    pub fn for_each(&mut self, mut visit: impl FnMut(&mut D)) {
        let groups = self.groups.len();
        for index in 0..self.count {
            visit(&mut self.groups[index % groups].slots[index / groups].domain);
        }
    }

    /// All domains, in their order.
    pub fn iter(&self) -> impl Iterator<Item = &D> {
        let groups = self.groups.len();
        (0..self.count).map(move |index| &self.groups[index % groups].slots[index / groups].domain)
    }

    /// The longest window: no message sent in it can arrive in it.
    #[must_use]
    pub const fn lookahead(&self) -> Duration {
        self.lookahead
    }
}

impl<D: Domain> Engine<D> {
    /// An engine over `domains`. `wiring[i]` lists the links of domain `i` in the order of its
    /// lanes; every message takes at least `lookahead`. With `threads` above one a pool is started.
    ///
    /// # Panics
    /// When `lookahead` is zero or the threads cannot be started.
    #[must_use]
    pub fn new(
        domains: Vec<D>,
        wiring: Vec<Vec<Wiring>>,
        lookahead: Duration,
        threads: usize,
    ) -> Self {
        assert!(
            lookahead > Duration::ZERO,
            "a window needs links with a delay"
        );
        assert_eq!(domains.len(), wiring.len(), "every domain has its wiring");
        let mailboxes = wiring.iter().map(|_| Mailbox::new()).collect();
        let count = domains.len();
        let wanted = if threads > 1 {
            GROUPS_PER_THREAD * threads
        } else {
            1
        };
        let mut groups: Vec<Group<D>> = (0..wanted.clamp(1, count.max(1)))
            .map(|_| Group {
                slots: Vec::new(),
                spare: Vec::new(),
                next: Time::MAX,
                results: false,
            })
            .collect();
        let dealt = groups.len();
        for (index, (domain, lanes)) in domains.into_iter().zip(wiring).enumerate() {
            let group = &mut groups[index % dealt];
            group.next = group.next.min(domain.next_event());
            group.slots.push(Slot {
                index,
                inbox: Inbox::new(lanes.len()),
                outbox: Outbox::new(lanes.len()),
                neighbours: lanes.iter().map(|w| (w.domain, w.lane)).collect(),
                next: domain.next_event(),
                sent: Time::MAX,
                domain,
            });
        }
        let pool = (threads > 1).then(|| {
            rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .expect("the operating system starts threads")
        });
        Self {
            groups,
            count,
            mailboxes,
            lookahead: lookahead.min(Duration::from_ps(LONGEST_WINDOW_PS - 1)),
            now: Time::ZERO,
            windows: 0,
            pool,
        }
    }

    /// The end of the last window: everything before it has happened.
    #[must_use]
    pub const fn now(&self) -> Time {
        self.now
    }

    /// Windows run so far.
    #[must_use]
    pub const fn windows(&self) -> u64 {
        self.windows
    }

    /// The least next event over all domains.
    #[must_use]
    pub fn next_event(&self) -> Time {
        self.groups
            .iter()
            .map(|group| group.next)
            .min()
            .unwrap_or(Time::MAX)
    }

    /// All domains, in their order.
    pub fn domains(&self) -> impl Iterator<Item = &D> {
        let groups = self.groups.len();
        (0..self.count).map(move |index| &self.groups[index % groups].slots[index / groups].domain)
    }

    /// Runs windows until `driver` stops.
    pub fn run(&mut self, driver: &mut (impl Driver<D> + Send)) {
        match self.pool.take() {
            None => self.windows_on(&Sequential, driver),
            Some(pool) => {
                pool.install(|| self.windows_on(&Parallel, driver));
                self.pool = Some(pool);
            }
        }
    }

    fn windows_on(&mut self, executor: &(impl Executor + Sync), driver: &mut impl Driver<D>) {
        loop {
            let next = self.next_event();
            let Some(window) = driver.before(&mut self.between(), next) else {
                return;
            };
            debug_assert!(
                window.end.since(window.start) <= self.lookahead,
                "a window fits the lookahead"
            );
            let parity = usize::from(self.windows % 2 == 1);
            let mailboxes = &self.mailboxes;
            executor.for_each(&mut self.groups, |group| {
                group.step(window, parity, mailboxes)
            });
            self.windows += 1;
            self.now = window.end;
            if self.groups.iter().any(|group| group.results) {
                driver.collect(&mut self.between());
            }
        }
    }

    fn between(&mut self) -> Domains<'_, D> {
        Domains {
            groups: &mut self.groups,
            mailboxes: &self.mailboxes,
            unread: usize::from(self.windows.is_multiple_of(2)),
            count: self.count,
            lookahead: self.lookahead,
        }
    }
}

impl<D: Domain> Group<D> {
    /// Runs one window.
    fn step(&mut self, window: Window, parity: usize, mailboxes: &[Mailbox<D::Message>]) {
        self.next = Time::MAX;
        self.results = false;
        let mut visit = |slot: &mut Slot<D>| {
            self.results |= slot.step(window, parity, mailboxes, &mut self.spare);
            self.next = self.next.min(slot.next).min(slot.sent);
        };
        if parity == 0 {
            self.slots.iter_mut().for_each(&mut visit);
        } else {
            self.slots.iter_mut().rev().for_each(&mut visit);
        }
    }
}

impl<D: Domain> Slot<D> {
    /// Runs one window; whether the domain has results.
    #[inline]
    fn step(
        &mut self,
        window: Window,
        parity: usize,
        mailboxes: &[Mailbox<D::Message>],
        spare: &mut Spare<D::Message>,
    ) -> bool {
        self.sent = Time::MAX;
        let mailbox = &mailboxes[self.index];
        let mail = mailbox.has_mail(parity ^ 1);
        if mail {
            self.inbox.fetch(mailbox, parity ^ 1, spare);
        } else if self.next >= window.end {
            return false;
        }
        self.inbox.gather(window.start, window.end);
        std::mem::swap(&mut self.outbox.spare, spare);
        self.domain
            .run(window.end, &mut self.inbox, &mut self.outbox);
        std::mem::swap(&mut self.outbox.spare, spare);
        self.next = self.inbox.settle(window.end, spare).min(self.domain.next_event());
        self.sent = post(&mut self.outbox, &self.neighbours, mailboxes, parity);
        self.domain.has_results()
    }
}
