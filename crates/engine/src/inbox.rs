//! Messages in transit to a process, in the form that the process reads.

mod checkpoint;
mod gathering;
mod grouped;
mod input;
mod keys;

use std::collections::VecDeque;

use super::batch::Batch;
use super::mailboxes::{ChannelBatch, Mailboxes};
use super::message::Message;
use super::spare::Spare;
use fabricsim_base::units::{Duration, Time};
pub use grouped::{Group, Grouped, Groups};
use input::Channel;
use keys::{
    Grouping, MOST_CARRIED_IN_ALL, TIME_SHIFT, carried_place_of, channel_of, place_of, span_of,
};

/// The longest epoch, and the longest time by which a process may be behind: both fit the time bits
/// of a key.
pub(super) const LONGEST_SPAN: Duration = Duration::from_ps((1 << (63 - TIME_SHIFT)) - 1);

/// Maximum number of channels of a process.
pub(super) const MOST_CHANNELS: usize = 1 << 16;

/// Maximum number of messages of an input that are carried over to the next epoch.
const MOST_CARRIED: usize = 4;

/// The messages in transit to one process, with the due messages of this epoch.
#[derive(Debug)]
pub struct Inbox<M> {
    channels: Vec<Channel<M>>,
    /// Channels with unread messages.
    active: Vec<u32>,
    /// Messages that were sent in time for an epoch but arrive after it, and their channels. They
    /// are copied out of their buffers, so that the buffers can be reused while they are still in
    /// the cache.
    carried: Vec<M>,
    carried_channels: Vec<u32>,
    /// Buffers that were read completely in this epoch.
    emptied: Vec<Batch<M>>,
    /// An empty buffer, to be swapped with a full one.
    batches: Vec<ChannelBatch<M>>,
    /// Keys of the due messages, after leading zeros, which sorting needs and which count as read.
    keys: Vec<u64>,
    /// Memory for sorting, if messages have their own order.
    ordered: Vec<(u64, u64)>,
    position: usize,
    /// Presence of groups in `keys`.
    grouping: Grouping,
    /// Number of sorted lists from which `keys` were gathered.
    sources: usize,
    base: Time,
    /// The earliest arrival of all messages in transit.
    first: Time,
}

impl<M: Message> Inbox<M> {
    pub(super) fn new(channels: usize) -> Self {
        Self {
            channels: (0..channels)
                .map(|_| Channel {
                    current: Batch::default(),
                    cursor: 0,
                    rest: VecDeque::new(),
                })
                .collect(),
            active: Vec::new(),
            carried: Vec::new(),
            carried_channels: Vec::new(),
            emptied: Vec::new(),
            batches: Vec::new(),
            keys: Vec::new(),
            ordered: Vec::new(),
            position: 0,
            grouping: Grouping::None,
            sources: 0,
            base: Time::ZERO,
            first: Time::MAX,
        }
    }

    /// Fetches the messages in the half with `parity` of mailbox number `own`. Only pointers move;
    /// messages stay in their buffers.
    pub(super) fn fetch(
        &mut self,
        mailboxes: &Mailboxes<M>,
        own: usize,
        parity: usize,
        spare: &mut Spare<M>,
    ) {
        let mut batches = std::mem::take(&mut self.batches);
        mailboxes.exchange(own, parity, &mut batches);
        self.accept(&mut batches, spare);
        self.batches = batches;
    }

    /// Receives all `batches`.
    #[inline]
    pub(super) fn accept(&mut self, batches: &mut Vec<ChannelBatch<M>>, spare: &mut Spare<M>) {
        let mut earliest = self.first;
        for batch in &mut *batches {
            earliest = earliest.min(batch.first);
            let input = batch.channel;
            if self.channels[input as usize].accept(&mut batch.messages, spare) {
                self.active.push(input);
            }
        }
        batches.clear();
        self.first = earliest;
    }

    /// Returns the earliest arrival of all messages in transit.
    #[inline]
    pub(super) const fn first(&self) -> Time {
        self.first
    }

    /// Swaps the memory for keys, which all processes of a partition share, one after the other.
    #[inline]
    pub(super) const fn exchange_keys(&mut self, keys: &mut Vec<u64>) {
        std::mem::swap(&mut self.keys, keys);
        self.position = 0;
    }

    /// Returns the arrival time of the next due message, or [`Time::MAX`] if no more messages are
    /// due in this epoch.
    #[inline]
    #[must_use]
    pub fn next_time(&self) -> Time {
        self.time_of(0)
    }

    /// Returns the arrival time of the due message with `before` due messages before it, or
    /// [`Time::MAX`] if there are fewer.
    #[inline]
    pub(super) fn time_of(&self, before: usize) -> Time {
        match self.keys.get(self.position + before) {
            Some(key) => Time::from_ps(self.base.as_ps() + span_of(*key)),
            None => Time::MAX,
        }
    }

    /// Returns the number of unread messages that are due in this epoch.
    #[inline]
    #[must_use]
    pub fn due(&self) -> usize {
        self.keys.len() - self.position
    }

    /// Returns the next due message.
    #[inline]
    #[must_use]
    pub fn peek(&self) -> Option<&M> {
        let key = *self.keys.get(self.position)?;
        let channel = &self.channels[channel_of(key)];
        match (channel.current.slot(place_of(key)), carried_place_of(key)) {
            (Some(message), _) => Some(message),
            (None, Some(place)) => self.carried.get(place),
            (None, None) => channel.first(),
        }
    }

    /// Returns the messages that arrive before `end`; the messages of each channel are in the order
    /// of arrival.
    pub(super) fn before(&self, end: Time) -> impl Iterator<Item = &M> + Clone {
        let carried = self.carried.iter();
        let carried = carried.filter(move |message| message.arrival() < end);
        let active = self.active.iter();
        let unread = active.flat_map(move |&input| {
            let channel = &self.channels[input as usize];
            let current = channel.current[channel.cursor..].iter();
            let rest = channel.rest.iter().flat_map(|rest| &**rest);
            (current.chain(rest)).take_while(move |message| message.arrival() < end)
        });
        carried.chain(unread)
    }

    /// Passes the next due message and its input to `read`. Call it only after
    /// [`next_time`](Self::next_time) has returned a time.
    #[inline]
    pub fn read<R>(&mut self, read: impl FnOnce(usize, &M) -> R) -> R {
        let key = self.keys[self.position];
        self.position += 1;
        let message = message(&mut self.channels, &self.carried, &mut self.emptied, key);
        read(channel_of(key), message)
    }

    /// Passes the due messages that arrive before `end` and not after `last` to `read`, each with
    /// its time and its input. `read` returns the new value of `last`. Returns the number of
    /// messages.
    #[inline(always)]
    pub fn read_through(
        &mut self,
        end: Time,
        mut last: Time,
        mut read: impl FnMut(Time, usize, &M) -> Time,
    ) -> u64 {
        let base = self.base.as_ps();
        let mut position = self.position;
        while let Some(&key) = self.keys.get(position) {
            let at = Time::from_ps(base + span_of(key));
            if at > last || at >= end {
                break;
            }
            position += 1;
            let message = message(&mut self.channels, &self.carried, &mut self.emptied, key);
            last = read(at, channel_of(key), message);
        }
        let before = std::mem::replace(&mut self.position, position);
        (position - before) as u64
    }

    /// Recalls all messages in transit on `input` and passes them to `lost`. Call it between
    /// epochs.
    pub(super) fn recall(&mut self, input: usize, mut lost: impl FnMut(&M)) {
        let mut kept = 0;
        for place in 0..self.carried.len() {
            if self.carried_channels[place] as usize == input {
                lost(&self.carried[place]);
            } else {
                self.carried[kept] = self.carried[place];
                self.carried_channels[kept] = self.carried_channels[place];
                kept += 1;
            }
        }
        self.carried.truncate(kept);
        self.carried_channels.truncate(kept);
        let channel = &mut self.channels[input];
        let under_way = channel.current[channel.cursor..].iter();
        let rest = channel.rest.iter().flat_map(|rest| &**rest);
        under_way.chain(rest).for_each(lost);
        channel.current.clear();
        channel.rest.clear();
        channel.cursor = 0;
        self.active.retain(|&active| active as usize != input);
        let left = self
            .active
            .iter()
            .map(|&input| &self.channels[input as usize]);
        let carried = self.carried.iter().map(Message::arrival);
        let left = left.filter_map(Channel::first).map(Message::arrival);
        let first = left.chain(carried).min();
        self.first = first.unwrap_or(Time::MAX);
    }

    /// Removes all messages. Call it between epochs.
    pub(super) fn clear(&mut self) {
        for channel in &mut self.channels {
            channel.current.clear();
            channel.rest.clear();
            channel.cursor = 0;
        }
        self.active.clear();
        self.carried.clear();
        self.carried_channels.clear();
        self.first = Time::MAX;
    }

    /// Removes the read messages, which are all messages before `end`.
    pub(super) fn settle(&mut self, end: Time, spare: &mut Spare<M>) {
        for emptied in self.emptied.drain(..) {
            spare.recycle(emptied);
        }
        let mut earliest = Time::MAX;
        let mut kept = 0;
        for place in 0..self.carried.len() {
            let at = self.carried[place].arrival();
            if at >= end {
                earliest = earliest.min(at);
                self.carried[kept] = self.carried[place];
                self.carried_channels[kept] = self.carried_channels[place];
                kept += 1;
            }
        }
        self.carried.truncate(kept);
        self.carried_channels.truncate(kept);
        let mut left = 0;
        for place in 0..self.active.len() {
            let number = self.active[place];
            let input = &mut self.channels[number as usize];
            // Usually all of it has been read.
            if !input.is_read() || !input.rest.is_empty() {
                if let Some(read) = input.turn_if_read() {
                    spare.recycle(read);
                }
                if let Some(first) = input.first() {
                    earliest = earliest.min(first.arrival());
                }
                let room = MOST_CARRIED_IN_ALL.saturating_sub(self.carried.len());
                if input.carry(MOST_CARRIED.min(room), &mut self.carried) {
                    self.carried_channels.resize(self.carried.len(), number);
                } else {
                    self.active[left] = number;
                    left += 1;
                    continue;
                }
            }
            input.cursor = 0;
            spare.recycle(std::mem::take(&mut input.current));
        }
        self.active.truncate(left);
        self.first = earliest;
    }
}

/// Returns the message of `key`.
#[inline(always)]
fn message<'a, M: Message>(
    channels: &'a mut [Channel<M>],
    carried: &'a [M],
    emptied: &mut Vec<Batch<M>>,
    key: u64,
) -> &'a M {
    let channel = &mut channels[channel_of(key)];
    let place = place_of(key);
    if channel.current.slot(place).is_none() {
        return message_elsewhere(channel, carried, emptied, key);
    }
    channel.current.at(place)
}

/// Returns the message of `key`, which was carried over or is the next one of `channel`.
#[inline(never)]
fn message_elsewhere<'a, M: Message>(
    channel: &'a mut Channel<M>,
    carried: &'a [M],
    emptied: &mut Vec<Batch<M>>,
    key: u64,
) -> &'a M {
    if let Some(place) = carried_place_of(key) {
        return &carried[place];
    }
    if let Some(read) = channel.turn_if_read() {
        emptied.push(read);
    }
    let place = channel.cursor;
    channel.cursor += 1;
    channel.current.at(place)
}
