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

mod agenda;
mod batch;
mod channel;
mod domains;
mod executor;
mod group;
mod inbox;
mod interrupt;
mod order;
mod placement;
mod post;
mod probe;
mod threads;
mod timers;

pub use channel::{Message, Outbox};
pub use domains::Domains;
pub use inbox::Inbox;
pub use interrupt::Interrupt;
pub use probe::Probe;
pub use threads::{Crew, MOST_THREADS, Threads, ThreadsError};
pub use timers::{Timer, Timers};

use crate::units::{Duration, Time};
use executor::{Executor, Parallel, Sequential};
use group::{Group, Slot, Span, earliest};
use inbox::{LONGEST_SPAN, MOST_LANES};
use placement::Place;
use post::Post;

/// Groups of domains for each thread: enough for threads to even out what the groups cost. A group is
/// what a thread takes on at once.
pub const GROUPS_PER_THREAD: usize = 8;

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

    /// What a window of the domain costs, compared with others.
    fn weight(&self) -> u64 {
        1
    }

    /// Whether the domain may be run later than others when nobody can hear from it earlier. Results
    /// of such a domain come late, too.
    fn may_lag(&self) -> bool {
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
    /// The least time that a message takes.
    pub delay: Duration,
}

/// Domains, their channels and the threads that run them.
///
/// Which group a domain is in has no effect on results.
#[derive(Debug)]
pub struct Engine<D: Domain> {
    groups: Vec<Group<D>>,
    /// Where each domain is.
    places: Vec<Place>,
    post: Post<D::Message>,
    /// Some domains may lag behind others.
    lags: bool,
    lookahead: Duration,
    now: Time,
    windows: u64,
    threads: Threads,
    interrupt: Interrupt,
    /// A window was left half done.
    broken: bool,
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
    /// Whether domains may lag.
    pub lag: Lag,
}

/// Whether some domains may be left behind at the end of a window.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Lag {
    /// Those that nobody can hear from in the next window, for the sake of speed.
    Allowed,
    /// None: everything before the end of the window happens, because somebody will look.
    Forbidden,
}

impl<D: Domain> Engine<D> {
    /// An engine over `domains`. `wiring[i]` lists the links of domain `i` in the order of its
    /// lanes.
    ///
    /// # Panics
    /// When a link has no delay, or a domain has more than 65,536 lanes.
    #[must_use]
    pub fn new(domains: Vec<D>, wiring: Vec<Vec<Wiring>>, threads: &Threads) -> Self {
        assert_eq!(domains.len(), wiring.len(), "every domain has its wiring");
        let delays = wiring.iter().flatten().map(|lane| lane.delay);
        let lookahead = delays.min().unwrap_or(LONGEST_SPAN).min(LONGEST_SPAN);
        assert!(
            lookahead > Duration::ZERO,
            "a window needs links with a delay"
        );
        let wanted = match threads.count() {
            1 => 1,
            count => GROUPS_PER_THREAD * count,
        };
        let (places, sizes) = placement::place(&domains, &wiring, wanted);
        let mut groups: Vec<Group<D>> = (0..sizes.len()).map(Group::new).collect();
        let post = Post::new(&places, &sizes);
        let mut lags = false;
        let mut slots: Vec<Slot<D>> = Vec::with_capacity(domains.len());
        for (index, (domain, lanes)) in domains.into_iter().zip(wiring).enumerate() {
            assert!(
                lanes.len() <= MOST_LANES,
                "a domain has at most 65,536 lanes"
            );
            let shortest = lanes.iter().map(|lane| lane.delay).min();
            let slack = match shortest {
                Some(delay) if domain.may_lag() => delay.min(LONGEST_SPAN) - lookahead,
                _ => Duration::ZERO,
            };
            lags |= slack > Duration::ZERO;
            let far_ends = lanes.iter();
            slots.push(Slot {
                index,
                inbox: Inbox::new(lanes.len()),
                outbox: Outbox::new(lanes.len()),
                neighbours: far_ends
                    .map(|far| post.neighbour(&places, far.domain, far.lane))
                    .collect(),
                slack,
                domain,
            });
        }
        slots.sort_by_key(|slot| places[slot.index]);
        for slot in slots {
            groups[places[slot.index].group as usize].push(slot);
        }
        Self {
            groups,
            places,
            post,
            lags,
            lookahead,
            now: Time::ZERO,
            windows: 0,
            threads: threads.clone(),
            interrupt: Interrupt::default(),
            broken: false,
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

    /// When something happens next.
    #[must_use]
    pub fn next_event(&self) -> Time {
        earliest(&self.groups)
    }

    /// All domains, in their order.
    pub fn domains(&self) -> impl Iterator<Item = &D> {
        let places = self.places.iter();
        places.map(|at| &self.groups[at.group as usize].slots[at.place as usize].domain)
    }

    /// Domain `index`.
    #[must_use]
    pub fn domain(&self, index: usize) -> &D {
        let Place { group, place } = self.places[index];
        &self.groups[group as usize].slots[place as usize].domain
    }

    /// Changes domain `index` between two runs, which may move its next event.
    pub fn update<R>(&mut self, index: usize, change: impl FnOnce(&mut D) -> R) -> R {
        self.between().update(index, change)
    }

    /// Lets `interrupt` end the runs to come.
    pub fn set_interrupt(&mut self, interrupt: Interrupt) {
        self.interrupt = interrupt;
    }

    /// Whether a run was interrupted. A window may have been left half done, so nothing more is run.
    #[must_use]
    pub const fn is_broken(&self) -> bool {
        self.broken
    }

    /// Runs windows until `driver` stops, or the run is interrupted.
    pub fn run(&mut self, driver: &mut (impl Driver<D> + Send)) {
        match self.threads.pool().cloned() {
            None => self.windows_on(driver, |groups, span, post| {
                Sequential.for_each(groups, |group| group.step(span, post, &mut ()));
            }),
            Some(pool) => pool.install(|| {
                self.windows_on(driver, |groups, span, post| {
                    Parallel.for_each(groups, |group| group.step(span, post, &mut ()));
                });
            }),
        }
    }

    /// Like [`run`](Self::run), on the calling thread alone, and tells `probe` what it does.
    pub fn run_probed(&mut self, driver: &mut impl Driver<D>, probe: &mut (impl Probe + ?Sized)) {
        self.windows_on(driver, |groups, span, post| {
            probe.window_begins();
            for group in groups {
                group.step(span, post, probe);
            }
            probe.window_ends();
        });
    }

    /// Runs windows until `driver` stops; `step` runs one window of all groups.
    fn windows_on(
        &mut self,
        driver: &mut impl Driver<D>,
        mut step: impl FnMut(&mut [Group<D>], Span<'_>, &Post<D::Message>),
    ) {
        let interrupt = self.interrupt.clone();
        while !self.broken {
            let next = self.next_event();
            let Some(window) = driver.before(&mut self.between(), next) else {
                return;
            };
            debug_assert!(
                window.end.since(window.start) <= self.lookahead,
                "a window fits the lookahead"
            );
            let span = Span {
                window,
                parity: usize::from(self.windows % 2 == 1),
                interrupt: &interrupt,
            };
            step(&mut self.groups, span, &self.post);
            if interrupt.is_raised() {
                self.broken = true;
            } else {
                self.windows += 1;
                self.now = window.end;
            }
            if self.groups.iter().any(|group| !group.results.is_empty()) {
                driver.collect(&mut self.between());
            }
        }
    }

    fn between(&mut self) -> Domains<'_, D> {
        Domains {
            groups: &mut self.groups,
            post: &self.post,
            unread: usize::from(self.windows.is_multiple_of(2)),
            places: &self.places,
            lags: self.lags,
            lookahead: self.lookahead,
        }
    }
}
