//! How messages come from one domain to another: what is sent in one window is read in the next.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use super::agenda::BLOCK;
use super::batch::Batch;
use super::channel::{Message, Outbox};
use super::placement::Place;
use crate::units::Time;

/// What was sent over one channel in one window.
#[derive(Debug)]
pub(super) struct Parcel<M> {
    pub(super) lane: u32,
    /// When the first message arrives: known without a look at it.
    pub(super) first: Time,
    pub(super) messages: Batch<M>,
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
            words += size.div_ceil(BLOCK).next_multiple_of(WORDS_PER_LINE);
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
            word: self.first_words[group as usize] + place / BLOCK,
            bit: 1 << (place % BLOCK),
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
            let mut messages = std::mem::take(&mut outbox.lanes[lane as usize]);
            messages.trim();
            let parcel = Parcel {
                lane: to.lane,
                first: messages.first().map_or(Time::MAX, Message::arrival),
                messages,
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

    /// Exchanges what stands in the half with `parity` of the mailbox of `domain` for `empty`.
    #[inline]
    pub(super) fn exchange(&self, domain: usize, parity: usize, empty: &mut Vec<Parcel<M>>) {
        let half = &self.mailboxes[domain].halves[parity];
        std::mem::swap(&mut *half.lock().expect(HELD), empty);
    }
}
