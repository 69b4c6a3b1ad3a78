//! Message passing between processes: messages sent in one epoch are read in the next.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use super::batch::Batch;
use super::calendar::BLOCK;
use super::channel::SendBuffer;
use super::message::Message;
use super::placement::Position;
use crate::units::Time;

/// Messages sent over one channel in one epoch.
#[derive(Debug)]
pub(super) struct ChannelBatch<M> {
    pub(super) channel: u32,
    /// Arrival time of the first message, known without reading the message.
    pub(super) first: Time,
    pub(super) messages: Batch<M>,
}

/// Mailbox in which the neighbors of a process leave their messages: one half is written while the
/// other, written in the previous epoch, is read. Neighbors may be on different threads, so two
/// mailboxes share no cache line.
#[derive(Debug)]
#[repr(align(128))]
struct Mailbox<M> {
    halves: [Mutex<Vec<ChannelBatch<M>>>; 2],
}

const HELD: &str = "a mailbox is held only for a swap of vectors, which cannot panic";

/// The mailboxes of all processes.
#[derive(Debug)]
pub(super) struct Mailboxes<M> {
    mailboxes: Vec<Mailbox<M>>,
    /// For each half, and each block of processes: a bit for each one that has messages.
    ready: [Vec<AtomicU64>; 2],
    /// Index of the first word of each partition in each half of `ready`.
    first_words: Vec<u32>,
}

/// Words in a cache line.
const WORDS_PER_LINE: u32 = 8;

/// The far end of a channel.
#[derive(Clone, Copy, Debug)]
pub(super) struct Neighbor {
    process: u32,
    channel: u32,
    /// where messages for the process are flagged.
    word: u32,
    bit: u64,
}

impl<M: Message> Mailboxes<M> {
    /// For processes at `positions`, in partitions of `sizes`.
    pub(super) fn new(positions: &[Position], sizes: &[u32]) -> Self {
        let mut words = 0;
        let mut first_words = Vec::new();
        for size in sizes {
            first_words.push(words);
            // A partition's words are on cache lines of their own.
            words += size.div_ceil(BLOCK).next_multiple_of(WORDS_PER_LINE);
        }
        let none = || (0..words).map(|_| AtomicU64::new(0)).collect();
        let empty = || [Mutex::new(Vec::new()), Mutex::new(Vec::new())];
        Self {
            mailboxes: positions
                .iter()
                .map(|_| Mailbox { halves: empty() })
                .collect(),
            ready: [none(), none()],
            first_words,
        }
    }

    /// `channel` of `process`, as its neighbor there sees it.
    pub(super) fn neighbor(&self, positions: &[Position], process: u32, channel: u32) -> Neighbor {
        let Position { partition, place } = positions[process as usize];
        Neighbor {
            process,
            channel,
            word: self.first_words[partition as usize] + place / BLOCK,
            bit: 1 << (place % BLOCK),
        }
    }

    /// The processes of a block that have messages in the half with `parity`, which are told only
    /// once.
    #[inline]
    pub(super) fn take_ready(&self, parity: usize, partition: usize, block: usize) -> u64 {
        let word = &self.ready[parity][self.first_words[partition] as usize + block];
        let bits = word.load(Ordering::Relaxed);
        if bits != 0 {
            word.store(0, Ordering::Relaxed);
        }
        bits
    }

    /// Says again that `processes` of a block have messages in the half with `parity`.
    pub(super) fn put_ready(&self, parity: usize, partition: usize, block: usize, processes: u64) {
        let word = &self.ready[parity][self.first_words[partition] as usize + block];
        word.fetch_or(processes, Ordering::Relaxed);
    }

    /// Hands over everything in `send_buffer`, to be read in the next epoch; the earliest arrival.
    #[inline]
    pub(super) fn deliver(
        &self,
        send_buffer: &mut SendBuffer<M>,
        neighbors: &[Neighbor],
        parity: usize,
    ) -> Time {
        for (channel, first) in send_buffer.used.drain(..) {
            let to = neighbors[channel as usize];
            let mut messages = std::mem::take(&mut send_buffer.channels[channel as usize]);
            messages.trim();
            let batch = ChannelBatch {
                channel: to.channel,
                first,
                messages,
            };
            let mailbox = &self.mailboxes[to.process as usize];
            mailbox.halves[parity].lock().expect(HELD).push(batch);
            let word = &self.ready[parity][to.word as usize];
            if word.load(Ordering::Relaxed) & to.bit == 0 {
                word.fetch_or(to.bit, Ordering::Relaxed);
            }
        }
        std::mem::replace(&mut send_buffer.earliest, Time::MAX)
    }

    /// Shows what stands in the half with `parity` of the mailbox of `process` to `look`.
    pub(super) fn show(
        &self,
        process: usize,
        parity: usize,
        look: impl FnOnce(&[ChannelBatch<M>]),
    ) {
        let half = &self.mailboxes[process].halves[parity];
        look(&half.lock().expect(HELD));
    }

    /// Exchanges what stands in the half with `parity` of the mailbox of `process` for `empty`.
    #[inline]
    pub(super) fn exchange(&self, process: usize, parity: usize, empty: &mut Vec<ChannelBatch<M>>) {
        let half = &self.mailboxes[process].halves[parity];
        std::mem::swap(&mut *half.lock().expect(HELD), empty);
    }
}
