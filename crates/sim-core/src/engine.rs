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
mod timers;

use std::sync::atomic::{AtomicBool, Ordering};

pub use channel::{Flight, Inbox, Message, Outbox};
pub use timers::{Timer, Timers};

use crate::units::{Duration, Time};
use channel::{LONGEST_WINDOW_PS, Mailbox, post};
use executor::{Executor, Parallel, Sequential};

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

/// Domains, their channels and the threads that run them.
#[derive(Debug)]
pub struct Engine<D: Domain> {
    slots: Vec<Slot<D>>,
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
    slots: &'a mut [Slot<D>],
    lookahead: Duration,
}

impl<D: Domain> Domains<'_, D> {
    /// Changes domain `index`, which may move its next event.
    pub fn update<R>(&mut self, index: usize, change: impl FnOnce(&mut D) -> R) -> R {
        let slot = &mut self.slots[index];
        let result = change(&mut slot.domain);
        slot.next = slot.next.min(slot.domain.next_event());
        result
    }

    /// All domains, in their order.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut D> {
        self.slots.iter_mut().map(|slot| &mut slot.domain)
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
        let mailboxes = wiring
            .iter()
            .map(|lanes| Mailbox::new(lanes.len()))
            .collect();
        let slots = domains
            .into_iter()
            .zip(wiring)
            .enumerate()
            .map(|(index, (domain, lanes))| Slot {
                index,
                inbox: Inbox::new(lanes.len()),
                outbox: Outbox::new(lanes.len()),
                neighbours: lanes.iter().map(|w| (w.domain, w.lane)).collect(),
                next: domain.next_event(),
                sent: Time::MAX,
                domain,
            })
            .collect();
        let pool = (threads > 1).then(|| {
            rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .expect("the operating system starts threads")
        });
        Self {
            slots,
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
        self.slots
            .iter()
            .map(|slot| slot.next.min(slot.sent))
            .min()
            .unwrap_or(Time::MAX)
    }

    /// All domains, in their order.
    pub fn domains(&self) -> impl Iterator<Item = &D> {
        self.slots.iter().map(|slot| &slot.domain)
    }

    /// Runs windows until `driver` stops.
    pub fn run(&mut self, driver: &mut (impl Driver<D> + Send)) {
        match self.pool.take() {
            None => self.windows_on(&Sequential, driver),
            Some(pool) => {
                let grain = (self.slots.len() / (8 * pool.current_num_threads())).clamp(1, 16);
                pool.install(|| self.windows_on(&Parallel { grain }, driver));
                self.pool = Some(pool);
            }
        }
    }

    fn windows_on(&mut self, executor: &(impl Executor + Sync), driver: &mut impl Driver<D>) {
        loop {
            let next = self.next_event();
            let mut domains = Domains {
                slots: &mut self.slots,
                lookahead: self.lookahead,
            };
            let Some(window) = driver.before(&mut domains, next) else {
                return;
            };
            debug_assert!(
                window.end.since(window.start) <= self.lookahead,
                "a window fits the lookahead"
            );
            let parity = usize::from(self.windows % 2 == 1);
            let mailboxes = &self.mailboxes;
            let results = AtomicBool::new(false);
            executor.for_each(&mut self.slots, |slot| {
                if slot.step(window, parity, mailboxes) {
                    results.store(true, Ordering::Relaxed);
                }
            });
            self.windows += 1;
            self.now = window.end;
            if results.into_inner() {
                driver.collect(&mut Domains {
                    slots: &mut self.slots,
                    lookahead: self.lookahead,
                });
            }
        }
    }
}

impl<D: Domain> Slot<D> {
    /// Runs one window; whether the domain has results.
    #[inline]
    fn step(&mut self, window: Window, parity: usize, mailboxes: &[Mailbox<D::Message>]) -> bool {
        self.sent = Time::MAX;
        let mailbox = &mailboxes[self.index];
        let mail = mailbox.has_mail(parity ^ 1);
        if mail {
            self.inbox.fetch(mailbox, parity ^ 1);
        } else if self.next >= window.end {
            return false;
        }
        self.inbox.gather(window.start, window.end);
        self.domain
            .run(window.end, &mut self.inbox, &mut self.outbox);
        self.next = self.inbox.settle().min(self.domain.next_event());
        self.sent = post(&mut self.outbox, &self.neighbours, mailboxes, parity);
        self.domain.has_results()
    }
}
