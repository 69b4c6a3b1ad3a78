//! Message passing between processes: messages sent in one epoch are read in the next.
//!
//! A process has one mailbox for messages from its own partition, which only one thread accesses,
//! and one for messages from other partitions.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use super::batch::Batch;
use super::calendar::BLOCK;
use super::channel::SendBuffer;
use super::message::Message;
use super::position::{InBlock, Position};
use fabricsim_base::units::Time;

/// Messages sent over one channel in one epoch.
#[derive(Debug)]
pub(super) struct ChannelBatch<M> {
    pub(super) channel: u32,
    /// Arrival time of the first message, stored here so that the message need not be read.
    pub(super) first: Time,
    pub(super) messages: Batch<M>,
}

/// Mailbox for the messages of a process's neighbors. One half is written while the other, which
/// was written in the previous epoch, is read. Neighbors may be on different threads, so no two
/// mailboxes share a cache line.
#[derive(Debug)]
#[repr(align(128))]
struct Mailbox<M> {
    halves: [Mutex<Vec<ChannelBatch<M>>>; 2],
}

const HELD: &str = "a mailbox is held only for a swap of vectors, which cannot panic";

/// The mailboxes of all processes for messages from other partitions, and one for messages to each
/// other rank.
#[derive(Debug)]
pub(super) struct Mailboxes<M> {
    /// Mailboxes of processes by partition and place, then mailboxes of ranks.
    mailboxes: Vec<Mailbox<M>>,
    /// Number of the first mailbox of each partition.
    first_mailboxes: Vec<u32>,
    /// Number of mailboxes of processes.
    processes: u32,
    /// For each half and each block of processes: one bit for each process with messages.
    ready: [Vec<AtomicU64>; 2],
    /// Index of the first word of each partition in each half of `ready`.
    first_words: Vec<u32>,
}

/// Words in a cache line.
const WORDS_PER_LINE: u32 = 8;

/// The far end of a channel.
#[derive(Clone, Copy, Debug)]
pub(super) struct Neighbor {
    /// Index of the mailbox, or, if the far end is in the sender's partition, index of the process.
    mailbox: u32,
    channel: u32,
    /// The word with the ready bit of the process, or [`OWN_PARTITION`].
    word: u32,
    bit: u8,
}

/// The word of processes in the own partition.
const OWN_PARTITION: u32 = u32::MAX;

const fn bit_of(place: u32) -> u8 {
    (place % BLOCK) as u8
}

impl<M: Message> Mailboxes<M> {
    /// Returns mailboxes for processes in partitions of `sizes`, and for `ranks` ranks.
    pub(super) fn new(sizes: &[u32], ranks: usize) -> Self {
        let (mut words, mut processes) = (0, 0);
        let (mut first_words, mut first_mailboxes) = (Vec::new(), Vec::new());
        for size in sizes {
            first_words.push(words);
            first_mailboxes.push(processes);
            // Each partition's words have their own cache lines.
            words += size.div_ceil(BLOCK).next_multiple_of(WORDS_PER_LINE);
            processes += size;
        }
        let none = || (0..words).map(|_| AtomicU64::new(0)).collect();
        let empty = || [Mutex::new(Vec::new()), Mutex::new(Vec::new())];
        Self {
            mailboxes: (0..processes as usize + ranks)
                .map(|_| Mailbox { halves: empty() })
                .collect(),
            first_mailboxes,
            processes,
            ready: [none(), none()],
            first_words,
        }
    }

    /// Returns the mailbox number of the process at `position`.
    pub(super) fn of_process(&self, position: Position) -> usize {
        let Position { partition, place } = position;
        (self.first_mailboxes[partition as usize] + place) as usize
    }

    /// Returns the number of the mailbox for messages to `rank`.
    pub(super) const fn of_rank(&self, rank: usize) -> usize {
        self.processes as usize + rank
    }

    /// Returns the address of `channel` of the process at `position`, for a sender in partition
    /// `own`.
    pub(super) fn neighbor(&self, position: Position, channel: u32, own: u32) -> Neighbor {
        let Position { partition, place } = position;
        let (mailbox, word) = if partition == own {
            (place, OWN_PARTITION)
        } else {
            let first_word = self.first_words[partition as usize];
            let first = self.first_mailboxes[partition as usize];
            (first + place, first_word + place / BLOCK)
        };
        Neighbor {
            mailbox,
            channel,
            word,
            bit: bit_of(place),
        }
    }

    /// Returns the address of `channel` of the process at `position`, for a sender on another rank.
    pub(super) fn neighbor_from_afar(&self, position: Position, channel: u32) -> Neighbor {
        self.neighbor(position, channel, u32::MAX)
    }

    /// Returns the address of channel number `channel` to `rank`, for a sender on this rank.
    pub(super) fn neighbor_at(&self, rank: u16, channel: u32) -> Neighbor {
        Neighbor {
            mailbox: self.processes + u32::from(rank),
            channel,
            word: 0,
            bit: 0,
        }
    }

    /// Returns the processes of a part of a block that have messages in the half with `parity`, and
    /// clears their bits.
    #[inline]
    pub(super) fn take_ready(&self, parity: usize, partition: usize, part: InBlock) -> u64 {
        let word = &self.ready[parity][self.first_words[partition] as usize + part.block];
        let bits = word.load(Ordering::Relaxed) & part.members;
        if bits != 0 {
            // Atomically, because other threads may set bits at the same time.
            word.fetch_and(!bits, Ordering::Relaxed);
        }
        bits
    }

    /// Delivers all messages in `send_buffer`, to be read in the next round. Returns the earliest
    /// arrival. `own` contains the mailboxes of the sender's partition.
    #[inline]
    pub(super) fn deliver(
        &self,
        send_buffer: &mut SendBuffer<M>,
        neighbors: &[Neighbor],
        own: &mut OwnMailboxes<M>,
        parity: usize,
    ) -> Time {
        let mut earliest = Time::MAX;
        for (channel, first) in send_buffer.used.drain(..) {
            earliest = earliest.min(first);
            let to = neighbors[channel as usize];
            let mut messages = send_buffer.channels[channel as usize].hand_over();
            messages.trim();
            let batch = |messages| ChannelBatch {
                channel: to.channel,
                first,
                messages,
            };
            // Built in each branch: otherwise it would be written to the stack and immediately read
            // back in wider loads, and the processor would wait for the writes.
            if to.word == OWN_PARTITION {
                own.put(to, batch(messages), parity);
            } else {
                self.put(to, batch(messages), parity);
            }
        }
        earliest
    }

    /// Stores `batch` in the half with `parity` of the mailbox of a neighbor in another partition.
    #[inline]
    pub(super) fn put(&self, to: Neighbor, batch: ChannelBatch<M>, parity: usize) {
        let mailbox = &self.mailboxes[to.mailbox as usize];
        mailbox.halves[parity].lock().expect(HELD).push(batch);
        let (word, bit) = (&self.ready[parity][to.word as usize], 1 << to.bit);
        if word.load(Ordering::Relaxed) & bit == 0 {
            word.fetch_or(bit, Ordering::Relaxed);
        }
    }

    /// Calls `look` with the contents of the half with `parity` of mailbox number `mailbox`.
    pub(super) fn show(
        &self,
        mailbox: usize,
        parity: usize,
        look: impl FnOnce(&[ChannelBatch<M>]),
    ) {
        let half = &self.mailboxes[mailbox].halves[parity];
        look(&half.lock().expect(HELD));
    }

    /// Removes all messages to processes. Call it between epochs.
    pub(super) fn clear(&self) {
        for half in self.mailboxes.iter().flat_map(|mailbox| &mailbox.halves) {
            half.lock().expect(HELD).clear();
        }
        for word in self.ready.iter().flatten() {
            word.store(0, Ordering::Relaxed);
        }
    }

    /// Swaps the contents of the half with `parity` of mailbox number `mailbox` with `empty`.
    #[inline]
    pub(super) fn exchange(&self, mailbox: usize, parity: usize, empty: &mut Vec<ChannelBatch<M>>) {
        let half = &self.mailboxes[mailbox].halves[parity];
        std::mem::swap(&mut *half.lock().expect(HELD), empty);
    }
}

/// The mailboxes for messages between processes of the same partition. Only its thread accesses
/// them, so they need no locks, and the processor can load several from memory at the same time.
#[derive(Debug)]
pub(super) struct OwnMailboxes<M> {
    mailboxes: Vec<OwnMailbox<M>>,
    /// For each half and each block of processes: one bit for each process with messages.
    ready: [Vec<u64>; 2],
}

/// Both halves in one cache line.
#[derive(Debug)]
#[repr(align(64))]
struct OwnMailbox<M>([Vec<ChannelBatch<M>>; 2]);

impl<M: Message> OwnMailboxes<M> {
    /// Returns the mailboxes of a partition with `size` processes.
    pub(super) fn new(size: u32) -> Self {
        let words = || vec![0; size.div_ceil(BLOCK) as usize];
        let empty = || OwnMailbox([Vec::new(), Vec::new()]);
        Self {
            mailboxes: (0..size).map(|_| empty()).collect(),
            ready: [words(), words()],
        }
    }

    /// Returns the members of `processes` of a block that have messages in the half with `parity`,
    /// and clears their bits.
    #[inline]
    pub(super) fn take_ready(&mut self, parity: usize, block: usize, processes: u64) -> u64 {
        let ready = &mut self.ready[parity][block];
        let bits = *ready & processes;
        *ready ^= bits;
        bits
    }

    /// Stores `batch` in the half with `parity` of the mailbox of a neighbor.
    #[inline(always)]
    fn put(&mut self, to: Neighbor, batch: ChannelBatch<M>, parity: usize) {
        let place = to.mailbox as usize;
        self.mailboxes[place].0[parity].push(batch);
        self.ready[parity][place / BLOCK as usize] |= 1 << to.bit;
    }

    /// Returns the half with `parity` in the mailbox of the process at `place`.
    #[inline]
    pub(super) fn half(&mut self, place: usize, parity: usize) -> &mut Vec<ChannelBatch<M>> {
        &mut self.mailboxes[place].0[parity]
    }

    /// Removes all messages. Call it between epochs.
    pub(super) fn clear(&mut self) {
        for half in self.mailboxes.iter_mut().flat_map(|mailbox| &mut mailbox.0) {
            half.clear();
        }
        for words in &mut self.ready {
            words.fill(0);
        }
    }

    /// Returns the half with `parity` in the mailbox of the process at `place`, for reading.
    pub(super) fn shown(&self, place: usize, parity: usize) -> &[ChannelBatch<M>] {
        &self.mailboxes[place].0[parity]
    }
}
