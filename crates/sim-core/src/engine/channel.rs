//! Channels between domains: what is sent in one window is read in the next.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use super::agenda::BLOCK;
use super::order::WindowSort;
use super::placement::Place;
use crate::units::{Duration, Time};

/// What crosses a channel.
pub trait Message: Copy + Send + Sync + std::fmt::Debug {
    /// Whether messages that arrive at one instant are ordered by [`Self::order`] before their lanes.
    const ORDERED: bool = false;

    /// When the message arrives, as [`Self::set_arrival`] has set it.
    fn arrival(&self) -> Time;

    /// Remembers when the message arrives.
    fn set_arrival(&mut self, at: Time);

    /// The place among messages that arrive at one instant.
    #[inline]
    fn order(&self) -> u64 {
        0
    }

    /// Any value that takes a look at each cache line of the message. It is asked for when a window
    /// begins, for all messages that are due, so that the memory is fetched while nobody waits for it.
    #[inline]
    fn touch(&self) -> u64 {
        0
    }
}

/// What one domain sends in one window, a lane for each of its links.
#[derive(Clone, Debug)]
pub struct Outbox<M> {
    lanes: Vec<Vec<M>>,
    used: Vec<u32>,
    earliest: Time,
    pub(super) spare: Spare<M>,
}

/// Buffers that have been read to the end. The last one read is the first one written again, while
/// its memory is still in the cache: that is worth a fifth of the time of a packet-hop.
pub(super) type Spare<M> = Vec<Vec<M>>;

/// Empty buffers that are kept; more are given back to the allocator.
const MOST_SPARE: usize = 1_024;

#[inline]
fn recycle<M>(spare: &mut Spare<M>, mut messages: Vec<M>) {
    if spare.len() < MOST_SPARE && messages.capacity() > 0 {
        messages.clear();
        spare.push(messages);
    }
}

impl<M: Message> Outbox<M> {
    pub(super) fn new(lanes: usize) -> Self {
        Self {
            lanes: (0..lanes).map(|_| Vec::new()).collect(),
            used: Vec::new(),
            earliest: Time::MAX,
            spare: Vec::new(),
        }
    }

    /// Sends `message` over `lane`, to arrive at `at`, which must not be before what was sent over
    /// the lane earlier. Returns the copy that will arrive, for last changes.
    ///
    /// # Panics
    /// When there is no such lane.
    #[inline]
    pub fn send(&mut self, lane: usize, at: Time, message: &M) -> &mut M {
        if self.lanes[lane].is_empty() {
            self.open(lane, at);
        }
        let messages = &mut self.lanes[lane];
        debug_assert!(
            messages.last().is_none_or(|last| last.arrival() <= at),
            "a channel is sorted by arrival"
        );
        messages.extend_from_slice(std::slice::from_ref(message));
        let sent = messages.last_mut().expect("just sent");
        sent.set_arrival(at);
        sent
    }

    /// Prepares the lane for its first message of the window.
    fn open(&mut self, lane: usize, at: Time) {
        #[expect(
            clippy::cast_possible_truncation,
            reason = "lanes are ports, at most 2^16"
        )]
        self.used.push(lane as u32);
        self.earliest = self.earliest.min(at);
        if let Some(spare) = self.spare.pop() {
            self.lanes[lane] = spare;
        }
    }
}

/// What was sent over one channel in one window.
#[derive(Debug)]
struct Parcel<M> {
    lane: u32,
    messages: Vec<M>,
}

/// Where the neighbours of a domain leave their messages: one half is written while the other one,
/// written in the window before, is read. Neighbours may be on different threads, so two mailboxes
/// share no cache line.
#[derive(Debug)]
#[repr(align(128))]
struct Mailbox<M> {
    halves: [Mutex<Vec<Parcel<M>>>; 2],
}

const HELD: &str = "a mailbox is held only for a swap of vectors, which cannot panic";

/// The mailboxes of all domains.
#[derive(Debug)]
pub(super) struct Post<M> {
    mailboxes: Vec<Mailbox<M>>,
    /// For each half, and each block of domains: a bit for each one that has mail.
    announced: [Vec<AtomicU64>; 2],
    /// Where the words of each group begin.
    first_words: Vec<u32>,
}

/// Words in a cache line.
const WORDS_PER_LINE: u32 = 8;

/// The far end of a lane.
#[derive(Clone, Copy, Debug)]
pub(super) struct Neighbour {
    domain: u32,
    lane: u32,
    /// Where mail for the domain is announced.
    word: u32,
    bit: u64,
}

impl<M: Message> Post<M> {
    /// For domains at `places`, in groups of `sizes`.
    pub(super) fn new(places: &[Place], sizes: &[u32]) -> Self {
        let mut words = 0;
        let mut first_words = Vec::new();
        for size in sizes {
            first_words.push(words);
            // A group's words are on cache lines of their own.
            words += size.div_ceil(BLOCK as u32).next_multiple_of(WORDS_PER_LINE);
        }
        let none = || (0..words).map(|_| AtomicU64::new(0)).collect();
        let empty = || [Mutex::new(Vec::new()), Mutex::new(Vec::new())];
        Self {
            mailboxes: places.iter().map(|_| Mailbox { halves: empty() }).collect(),
            announced: [none(), none()],
            first_words,
        }
    }

    /// `lane` of `domain`, as its neighbour there sees it.
    pub(super) fn neighbour(&self, places: &[Place], domain: u32, lane: u32) -> Neighbour {
        let Place { group, place } = places[domain as usize];
        Neighbour {
            domain,
            lane,
            word: self.first_words[group as usize] + place / BLOCK as u32,
            bit: 1 << (place as usize % BLOCK),
        }
    }

    /// The domains of a block that have mail in the half with `parity`, which are told only once.
    #[inline]
    pub(super) fn take_announced(&self, parity: usize, group: usize, block: usize) -> u64 {
        let word = &self.announced[parity][self.first_words[group] as usize + block];
        let bits = word.load(Ordering::Relaxed);
        if bits != 0 {
            word.store(0, Ordering::Relaxed);
        }
        bits
    }

    /// Hands over everything in `outbox`, to be read in the next window; the earliest arrival.
    #[inline]
    pub(super) fn deliver(
        &self,
        outbox: &mut Outbox<M>,
        neighbours: &[Neighbour],
        parity: usize,
    ) -> Time {
        for lane in outbox.used.drain(..) {
            let to = neighbours[lane as usize];
            let parcel = Parcel {
                lane: to.lane,
                messages: std::mem::take(&mut outbox.lanes[lane as usize]),
            };
            let mailbox = &self.mailboxes[to.domain as usize];
            mailbox.halves[parity].lock().expect(HELD).push(parcel);
            let word = &self.announced[parity][to.word as usize];
            if word.load(Ordering::Relaxed) & to.bit == 0 {
                word.fetch_or(to.bit, Ordering::Relaxed);
            }
        }
        std::mem::replace(&mut outbox.earliest, Time::MAX)
    }
}

/// A channel as its reader sees it: messages in order of arrival.
#[derive(Debug)]
struct Lane<M> {
    current: Vec<M>,
    cursor: usize,
    next: Vec<M>,
}

impl<M: Message> Lane<M> {
    #[inline]
    fn accept(&mut self, mut fresh: Vec<M>, spare: &mut Spare<M>) {
        if self.cursor == self.current.len() {
            self.cursor = 0;
            recycle(spare, std::mem::replace(&mut self.current, fresh));
        } else if self.next.is_empty() {
            recycle(spare, std::mem::replace(&mut self.next, fresh));
        } else {
            self.next.append(&mut fresh);
            recycle(spare, fresh);
        }
    }

    /// Steps over the message that was just read.
    #[inline]
    fn advance(&mut self) {
        self.cursor += 1;
        if self.cursor == self.current.len() && !self.next.is_empty() {
            self.current.clear();
            self.cursor = 0;
            std::mem::swap(&mut self.current, &mut self.next);
        }
    }

    #[inline]
    fn first(&self) -> Option<Time> {
        self.current.get(self.cursor).map(Message::arrival)
    }
}

/// A key orders a message that is due: 36 bits of time since the start of the window, 16 bits of lane,
/// and 12 bits of place among the carried messages, all ones for those in the buffer of their lane.
const LANE_SHIFT: u32 = 12;
const TIME_SHIFT: u32 = 28;
const IN_LANE: u64 = (1 << LANE_SHIFT) - 1;

/// The longest window, and the longest that a domain may lag behind: both fit the time of a key.
pub(super) const LONGEST_SPAN: Duration = Duration::from_ps((1 << (63 - TIME_SHIFT)) - 1);

/// The most lanes of a domain.
pub(super) const MOST_LANES: usize = 1 << 16;

/// The most messages of a lane that are carried over to the next window.
const MOST_CARRIED: usize = 4;

/// The messages on their way to one domain, and those of them that are due in this window.
#[derive(Debug)]
pub struct Inbox<M> {
    lanes: Vec<Lane<M>>,
    /// Lanes with messages that have not been read.
    active: Vec<u32>,
    /// Messages that were sent in time for a window but arrive after it, and their lanes. They are
    /// copied out of their buffers, so that these can be written again while they are in the cache.
    carried: Vec<M>,
    carried_lanes: Vec<u32>,
    /// An empty buffer, to be exchanged with a full one.
    parcels: Vec<Parcel<M>>,
    keys: Vec<u64>,
    sorting: WindowSort,
    /// Room to sort in, where messages have an order of their own.
    ordered: Vec<(u64, u64)>,
    position: usize,
    base: Time,
    /// The earliest arrival of all that is under way.
    first: Time,
    touched: u64,
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
            carried: Vec::new(),
            carried_lanes: Vec::new(),
            parcels: Vec::new(),
            keys: Vec::new(),
            sorting: WindowSort::default(),
            ordered: Vec::new(),
            position: 0,
            base: Time::ZERO,
            first: Time::MAX,
            touched: 0,
        }
    }

    /// Fetches what stands in the half with `parity` of the mailbox of domain `own`: pointers move,
    /// messages stay where they are.
    pub(super) fn fetch(
        &mut self,
        post: &Post<M>,
        own: usize,
        parity: usize,
        spare: &mut Spare<M>,
    ) {
        let mailbox = &post.mailboxes[own];
        std::mem::swap(
            &mut *mailbox.halves[parity].lock().expect(HELD),
            &mut self.parcels,
        );
        for Parcel { lane, messages } in self.parcels.drain(..) {
            self.first = self.first.min(messages[0].arrival());
            let channel = &mut self.lanes[lane as usize];
            if channel.first().is_none() {
                self.active.push(lane);
            }
            channel.accept(messages, spare);
        }
    }

    /// The earliest arrival of all that is under way.
    #[inline]
    pub(super) const fn first(&self) -> Time {
        self.first
    }

    /// Orders the messages that arrive in [start, end) by (time, lane).
    pub(super) fn gather(&mut self, start: Time, end: Time) {
        self.base = start;
        self.keys.clear();
        self.position = 0;
        let carried = self.carried.iter().zip(&self.carried_lanes).zip(0..);
        for ((message, &lane), place) in carried {
            let at = message.arrival();
            if at < end {
                self.keys.push(key(at, start, lane, place));
                if M::ORDERED {
                    self.ordered
                        .push((key(at, start, lane, place), message.order()));
                }
            }
        }
        let mut sources = self.keys.len();
        for &lane in &self.active {
            let before = self.keys.len();
            let channel = &self.lanes[lane as usize];
            let current = &channel.current[channel.cursor..];
            let due = gather_due(&mut self.keys, current, lane, start, end, &mut self.touched);
            if due == current.len() {
                let next = &channel.next[..];
                gather_due(&mut self.keys, next, lane, start, end, &mut self.touched);
            }
            if M::ORDERED {
                let fresh = &self.keys[before..];
                let messages = current.iter().chain(&channel.next);
                let ordered = fresh.iter().zip(messages);
                self.ordered
                    .extend(ordered.map(|(&key, message)| (key, message.order())));
            }
            sources += usize::from(self.keys.len() > before);
        }
        if M::ORDERED {
            self.ordered
                .sort_unstable_by_key(|&(key, order)| (key >> TIME_SHIFT, order, key));
            self.keys.clear();
            self.keys.extend(self.ordered.drain(..).map(|(key, _)| key));
        } else if sources > 1 {
            let limit = end.since(start).as_ps() << TIME_SHIFT;
            self.sorting.sort(&mut self.keys, limit);
        }
    }

    /// When the next due message arrives, or [`Time::MAX`] when no more are due in this window.
    #[inline]
    #[must_use]
    pub fn next_time(&self) -> Time {
        match self.keys.get(self.position) {
            Some(key) => Time::from_ps(self.base.as_ps() + (key >> TIME_SHIFT)),
            None => Time::MAX,
        }
    }

    /// How many messages are due in this window and have not been read.
    #[inline]
    #[must_use]
    pub fn due(&self) -> usize {
        self.keys.len() - self.position
    }

    /// The next due message.
    #[inline]
    #[must_use]
    pub fn peek(&self) -> Option<&M> {
        let key = *self.keys.get(self.position)?;
        match place_of(key) {
            Some(place) => self.carried.get(place),
            None => {
                let lane = &self.lanes[lane_of(key)];
                lane.current.get(lane.cursor)
            }
        }
    }

    /// Hands the next due message and its lane to `read`. Call it only after
    /// [`next_time`](Self::next_time) has named a time.
    #[inline]
    pub fn read<R>(&mut self, read: impl FnOnce(usize, &M) -> R) -> R {
        let key = self.keys[self.position];
        self.position += 1;
        let lane = lane_of(key);
        let channel = &mut self.lanes[lane];
        let message = match place_of(key) {
            None => &channel.current[channel.cursor],
            Some(place) => &self.carried[place],
        };
        let result = read(lane, message);
        if place_of(key).is_none() {
            channel.advance();
        }
        result
    }

    /// Takes back everything that is under way on `lane` and shows it to `lost`. Call it between
    /// windows.
    pub(super) fn recall(&mut self, lane: usize, mut lost: impl FnMut(&M)) {
        let mut kept = 0;
        for place in 0..self.carried.len() {
            if self.carried_lanes[place] as usize == lane {
                lost(&self.carried[place]);
            } else {
                self.carried[kept] = self.carried[place];
                self.carried_lanes[kept] = self.carried_lanes[place];
                kept += 1;
            }
        }
        self.carried.truncate(kept);
        self.carried_lanes.truncate(kept);
        let channel = &mut self.lanes[lane];
        let under_way = channel.current[channel.cursor..].iter();
        under_way.chain(&channel.next).for_each(lost);
        channel.current.clear();
        channel.next.clear();
        channel.cursor = 0;
        self.active.retain(|&active| active as usize != lane);
        let left = self.active.iter().map(|&lane| &self.lanes[lane as usize]);
        let carried = self.carried.iter().map(Message::arrival);
        let first = left.filter_map(Lane::first).chain(carried).min();
        self.first = first.unwrap_or(Time::MAX);
    }

    /// Forgets what has been read, which is everything before `end`.
    pub(super) fn settle(&mut self, end: Time, spare: &mut Spare<M>) {
        let mut earliest = Time::MAX;
        let mut kept = 0;
        for place in 0..self.carried.len() {
            let at = self.carried[place].arrival();
            if at >= end {
                earliest = earliest.min(at);
                self.carried[kept] = self.carried[place];
                self.carried_lanes[kept] = self.carried_lanes[place];
                kept += 1;
            }
        }
        self.carried.truncate(kept);
        self.carried_lanes.truncate(kept);
        let Self {
            lanes,
            active,
            carried,
            carried_lanes,
            ..
        } = self;
        active.retain(|&index| {
            let lane = &mut lanes[index as usize];
            if let Some(at) = lane.first() {
                earliest = earliest.min(at);
                let left = &lane.current[lane.cursor..];
                let room = (IN_LANE as usize).saturating_sub(carried.len());
                if lane.cursor == 0 || !lane.next.is_empty() || left.len() > MOST_CARRIED.min(room)
                {
                    return true;
                }
                carried.extend_from_slice(left);
                carried_lanes.resize(carried.len(), index);
            }
            lane.cursor = 0;
            recycle(spare, std::mem::take(&mut lane.current));
            false
        });
        self.first = earliest;
    }
}

#[inline]
fn key(at: Time, start: Time, lane: u32, place: u64) -> u64 {
    at.since(start).as_ps() << TIME_SHIFT | u64::from(lane) << LANE_SHIFT | place
}

#[inline]
const fn lane_of(key: u64) -> usize {
    (key >> LANE_SHIFT & 0xffff) as usize
}

/// The place of a carried message.
#[inline]
const fn place_of(key: u64) -> Option<usize> {
    let place = key & IN_LANE;
    if place == IN_LANE {
        None
    } else {
        Some(place as usize)
    }
}

/// Adds the keys of the `messages` of `lane` that arrive before `end`; how many.
#[inline]
fn gather_due<M: Message>(
    keys: &mut Vec<u64>,
    messages: &[M],
    lane: u32,
    start: Time,
    end: Time,
    touched: &mut u64,
) -> usize {
    let before = keys.len();
    let due = messages.iter().map_while(|message| {
        let at = message.arrival();
        (at < end).then(|| {
            *touched ^= message.touch();
            key(at, start, lane, IN_LANE)
        })
    });
    keys.extend(due);
    keys.len() - before
}
