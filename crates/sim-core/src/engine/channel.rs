//! Channels between domains: what is sent in one window is read in the next.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::units::Time;

/// What crosses a channel.
pub trait Message: Copy + Send + std::fmt::Debug {
    /// Whether messages that arrive at one instant are ordered by [`Self::order`] before their lanes.
    const ORDERED: bool = false;

    /// The place among messages that arrive at one instant.
    #[inline]
    fn order(&self) -> u64 {
        0
    }
}

/// A message and when it arrives.
#[derive(Clone, Copy, Debug)]
pub struct Flight<M> {
    /// Arrival at the receiving domain.
    pub at: Time,
    /// What arrives.
    pub message: M,
}

/// What one domain sends in one window, a lane for each of its links.
#[derive(Clone, Debug)]
pub struct Outbox<M> {
    lanes: Vec<Vec<Flight<M>>>,
    used: Vec<u32>,
    earliest: Time,
}

impl<M> Outbox<M> {
    pub(super) fn new(lanes: usize) -> Self {
        Self {
            lanes: (0..lanes).map(|_| Vec::new()).collect(),
            used: Vec::new(),
            earliest: Time::MAX,
        }
    }

    /// An outbox of `lanes` lanes that nobody empties, to drive a domain by hand.
    #[must_use]
    pub fn detached(lanes: usize) -> Self {
        Self::new(lanes)
    }

    /// Sends `message` over `lane`, to arrive at `at`, which must not be before what was sent over
    /// the lane earlier. Returns the message in its place, for last changes.
    #[inline]
    pub fn send(&mut self, lane: usize, at: Time, message: M) -> &mut M {
        let flights = &mut self.lanes[lane];
        if flights.is_empty() {
            #[expect(
                clippy::cast_possible_truncation,
                reason = "lanes are ports, at most 2^16"
            )]
            self.used.push(lane as u32);
            self.earliest = self.earliest.min(at);
        }
        debug_assert!(
            flights.last().is_none_or(|last| last.at <= at),
            "a channel is sorted by arrival"
        );
        flights.push(Flight { at, message });
        &mut flights.last_mut().expect("just pushed").message
    }

    /// Takes what was sent over `lane`.
    pub fn take(&mut self, lane: usize) -> Vec<Flight<M>> {
        std::mem::take(&mut self.lanes[lane])
    }
}

/// The halves of all channels that end in one domain.
#[derive(Debug)]
struct Mail<M> {
    lanes: Vec<Vec<Flight<M>>>,
    filled: Vec<u32>,
}

impl<M> Mail<M> {
    fn new(lanes: usize) -> Self {
        Self {
            lanes: (0..lanes).map(|_| Vec::new()).collect(),
            filled: Vec::new(),
        }
    }
}

/// Where the neighbours of a domain leave their messages: one half is written while the other one,
/// written in the window before, is read.
#[derive(Debug)]
pub(super) struct Mailbox<M> {
    halves: [Mutex<Mail<M>>; 2],
    filled: [AtomicBool; 2],
}

const HELD: &str = "a mailbox is held only for a swap of vectors, which cannot panic";

impl<M> Mailbox<M> {
    pub(super) fn new(lanes: usize) -> Self {
        Self {
            halves: [Mutex::new(Mail::new(lanes)), Mutex::new(Mail::new(lanes))],
            filled: [AtomicBool::new(false), AtomicBool::new(false)],
        }
    }

    /// Whether the half with `parity` has mail.
    #[inline]
    pub(super) fn has_mail(&self, parity: usize) -> bool {
        self.filled[parity].load(Ordering::Relaxed)
    }

    /// Puts the flights of a channel into the half with `parity`; `flights` is left empty.
    pub(super) fn put(&self, parity: usize, lane: usize, flights: &mut Vec<Flight<M>>) {
        let mut mail = self.halves[parity].lock().expect(HELD);
        debug_assert!(
            mail.lanes[lane].is_empty(),
            "mail is fetched in every window"
        );
        std::mem::swap(&mut mail.lanes[lane], flights);
        #[expect(
            clippy::cast_possible_truncation,
            reason = "lanes are ports, at most 2^16"
        )]
        mail.filled.push(lane as u32);
        self.filled[parity].store(true, Ordering::Relaxed);
    }
}

/// A channel as its reader sees it: flights in order of arrival.
#[derive(Debug)]
struct Lane<M> {
    current: Vec<Flight<M>>,
    cursor: usize,
    next: Vec<Flight<M>>,
}

impl<M: Message> Lane<M> {
    fn accept(&mut self, fresh: &mut Vec<Flight<M>>) {
        if self.cursor == self.current.len() {
            self.current.clear();
            self.cursor = 0;
            std::mem::swap(&mut self.current, fresh);
        } else if self.next.is_empty() {
            std::mem::swap(&mut self.next, fresh);
        } else {
            self.next.append(fresh);
        }
    }

    /// Steps over the flight that was just read.
    #[inline]
    fn advance(&mut self) {
        self.cursor += 1;
        if self.cursor == self.current.len() && !self.next.is_empty() {
            self.current.clear();
            self.cursor = 0;
            std::mem::swap(&mut self.current, &mut self.next);
        }
    }

    fn first(&self) -> Option<Time> {
        self.current.get(self.cursor).map(|flight| flight.at)
    }
}

/// Bits of a key that hold the lane; the rest holds the time since the start of the window.
const LANE_BITS: u32 = 24;

/// The longest window whose times fit a key.
pub(super) const LONGEST_WINDOW_PS: u64 = 1 << (64 - LANE_BITS);

/// The messages on their way to one domain, and those of them that are due in this window.
#[derive(Debug)]
pub struct Inbox<M> {
    lanes: Vec<Lane<M>>,
    /// Lanes with flights that have not been read, ascending.
    active: Vec<u32>,
    spare: Mail<M>,
    keys: Vec<u64>,
    /// Room to sort in, where messages have an order of their own.
    ordered: Vec<(u64, u64)>,
    position: usize,
    base: Time,
}

impl<M: Message> Inbox<M> {
    pub(super) fn new(lanes: usize) -> Self {
        Self {
            lanes: (0..lanes)
                .map(|_| Lane {
                    current: Vec::new(),
                    cursor: 0,
                    next: Vec::new(),
                })
                .collect(),
            active: Vec::new(),
            spare: Mail::new(lanes),
            keys: Vec::new(),
            ordered: Vec::new(),
            position: 0,
            base: Time::ZERO,
        }
    }

    /// Fetches the half with `parity`: pointers move, flights stay where they are.
    pub(super) fn fetch(&mut self, mailbox: &Mailbox<M>, parity: usize) {
        std::mem::swap(
            &mut *mailbox.halves[parity].lock().expect(HELD),
            &mut self.spare,
        );
        mailbox.filled[parity].store(false, Ordering::Relaxed);
        for lane in self.spare.filled.drain(..) {
            let index = lane as usize;
            if self.lanes[index].first().is_none() {
                self.active.push(lane);
            }
            self.lanes[index].accept(&mut self.spare.lanes[index]);
        }
    }

    /// Orders the flights that arrive in [start, end) by (time, lane).
    pub(super) fn gather(&mut self, start: Time, end: Time) {
        self.base = start;
        self.keys.clear();
        self.position = 0;
        let mut sources = 0;
        for &lane in &self.active {
            let before = self.keys.len();
            let channel = &self.lanes[lane as usize];
            for flight in channel.current[channel.cursor..]
                .iter()
                .chain(&channel.next)
            {
                if flight.at >= end {
                    break;
                }
                let key = (flight.at.since(start).as_ps() << LANE_BITS) | u64::from(lane);
                self.keys.push(key);
                if M::ORDERED {
                    self.ordered.push((key, flight.message.order()));
                }
            }
            sources += usize::from(self.keys.len() > before);
        }
        if M::ORDERED {
            self.ordered
                .sort_unstable_by_key(|&(key, order)| (key >> LANE_BITS, order, key));
            self.keys.clear();
            self.keys.extend(self.ordered.drain(..).map(|(key, _)| key));
        } else if sources > 1 {
            self.keys.sort_unstable();
        }
    }

    /// When the next due message arrives, or [`Time::MAX`] when no more are due in this window.
    #[inline]
    #[must_use]
    pub fn next_time(&self) -> Time {
        match self.keys.get(self.position) {
            Some(key) => Time::from_ps(self.base.as_ps() + (key >> LANE_BITS)),
            None => Time::MAX,
        }
    }

    /// The next due message.
    #[inline]
    #[must_use]
    pub fn peek(&self) -> Option<&M> {
        let key = self.keys.get(self.position)?;
        let lane = &self.lanes[lane_of(*key)];
        lane.current.get(lane.cursor).map(|flight| &flight.message)
    }

    /// Hands the next due message and its lane to `read`. Call it only after
    /// [`next_time`](Self::next_time) has named a time.
    #[inline]
    pub fn read<R>(&mut self, read: impl FnOnce(usize, &M) -> R) -> R {
        let key = self.keys[self.position];
        self.position += 1;
        let lane = lane_of(key);
        let channel = &mut self.lanes[lane];
        let result = read(lane, &channel.current[channel.cursor].message);
        channel.advance();
        result
    }

    /// Forgets lanes that are read to the end; the earliest arrival among the others.
    pub(super) fn settle(&mut self) -> Time {
        let mut earliest = Time::MAX;
        let lanes = &self.lanes;
        self.active
            .retain(|&lane| match lanes[lane as usize].first() {
                Some(at) => {
                    earliest = earliest.min(at);
                    true
                }
                None => false,
            });
        earliest
    }
}

#[inline]
const fn lane_of(key: u64) -> usize {
    (key & ((1 << LANE_BITS) - 1)) as usize
}

/// Hands over everything in `outbox` to the mailboxes of the neighbours; the earliest arrival.
pub(super) fn post<M>(
    outbox: &mut Outbox<M>,
    neighbours: &[(u32, u32)],
    mailboxes: &[Mailbox<M>],
    parity: usize,
) -> Time {
    for lane in outbox.used.drain(..) {
        let (domain, far_lane) = neighbours[lane as usize];
        mailboxes[domain as usize].put(parity, far_lane as usize, &mut outbox.lanes[lane as usize]);
    }
    std::mem::replace(&mut outbox.earliest, Time::MAX)
}
