//! Messages on their way to a process, as that process sees them.

mod checkpoint;
mod input;

use std::collections::VecDeque;

use super::arrival_order::ArrivalOrder;
use super::batch::Batch;
use super::channel::{Spare, recycle};
use super::mailboxes::{ChannelBatch, Mailboxes};
use super::message::Message;
use super::order::EpochSort;
use crate::units::{Duration, Time};
use input::Channel;

/// A key orders a message that is due: 36 bits of time since the start of the epoch, 16 bits of
/// input, and 12 bits of place among the carried messages, all ones for those in the buffer of
/// their input.
const CHANNEL_SHIFT: u32 = 12;
const TIME_SHIFT: u32 = 28;
const IN_CHANNEL: u64 = (1 << CHANNEL_SHIFT) - 1;

/// The longest epoch, and the longest that a process may be behind: both fit the time of a key.
pub(super) const LONGEST_SPAN: Duration = Duration::from_ps((1 << (63 - TIME_SHIFT)) - 1);

/// The most channels of a process.
pub(super) const MOST_CHANNELS: usize = 1 << 16;

/// Bytes of due messages that are prefetched when an epoch begins. Anything beyond this would have
/// left the cache before it is read.
const LOOKED_AT_BYTES: usize = 512 << 10;

/// The most messages of a input that are carried over to the next epoch.
const MOST_CARRIED: usize = 4;
/// The most that are carried in all: those that a key can tell apart.
const MOST_CARRIED_IN_ALL: usize = (1 << CHANNEL_SHIFT) - 1;

/// The messages on their way to one process, and those of them that are due in this epoch.
#[derive(Debug)]
pub struct Inbox<M> {
    channels: Vec<Channel<M>>,
    /// Channels with messages that have not been read.
    active: Vec<u32>,
    /// Messages that were sent in time for an epoch but arrive after it, and their channels. They
    /// are copied out of their buffers, so that these can be written again while they are in the
    /// cache.
    carried: Vec<M>,
    carried_channels: Vec<u32>,
    /// Buffers that have been read to the end in this epoch.
    emptied: Vec<Batch<M>>,
    /// An empty buffer, to be exchanged with a full one.
    batches: Vec<ChannelBatch<M>>,
    keys: Vec<u64>,
    sorting: EpochSort,
    /// Room to sort in, where messages have an order of their own.
    ordered: Vec<(u64, u64)>,
    position: usize,
    base: Time,
    /// The earliest arrival of all that is under way.
    first: Time,
    touched: u64,
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
            sorting: EpochSort::default(),
            ordered: Vec::new(),
            position: 0,
            base: Time::ZERO,
            first: Time::MAX,
            touched: 0,
        }
    }

    /// Fetches what stands in the half with `parity` of mailbox number `own`: pointers move, messages
    /// stay where they are.
    pub(super) fn fetch(
        &mut self,
        mailboxes: &Mailboxes<M>,
        own: usize,
        parity: usize,
        spare: &mut Spare<M>,
    ) {
        mailboxes.exchange(own, parity, &mut self.batches);
        for batch in self.batches.drain(..) {
            let ChannelBatch {
                channel: input,
                first,
                messages,
            } = batch;
            self.first = self.first.min(first);
            let channel = &mut self.channels[input as usize];
            if channel.cursor == channel.current.len() {
                self.active.push(input);
            }
            channel.accept(messages, spare);
        }
    }

    /// The earliest arrival of all that is under way.
    #[inline]
    pub(super) const fn first(&self) -> Time {
        self.first
    }

    /// Orders the messages that arrive in [start, end) by (time, input), or where `O` says so by
    /// (time, place, input).
    pub(super) fn gather<O: ArrivalOrder<M>>(&mut self, start: Time, end: Time) {
        self.base = start;
        self.keys.clear();
        self.position = 0;
        let carried = self.carried.iter().zip(&self.carried_channels).zip(0..);
        for ((message, &input), place) in carried {
            let at = message.arrival();
            if at < end {
                self.keys.push(key(at, start, input, place));
                if O::BY_PLACE {
                    self.ordered
                        .push((key(at, start, input, place), O::place(message)));
                }
            }
        }
        let mut sources = self.keys.len();
        for &input in &self.active {
            let before = self.keys.len();
            let channel = &self.channels[input as usize];
            let current = &channel.current[channel.cursor..];
            let due = gather_due(
                &mut self.keys,
                current,
                input,
                start,
                end,
                &mut self.touched,
            );
            if due == current.len() && !channel.rest.is_empty() {
                for batch in &channel.rest {
                    let touched = &mut self.touched;
                    let due = gather_due(&mut self.keys, batch, input, start, end, touched);
                    if due < batch.len() {
                        break;
                    }
                }
            }
            if O::BY_PLACE {
                let fresh = &self.keys[before..];
                let messages = current
                    .iter()
                    .chain(channel.rest.iter().flat_map(|rest| &**rest));
                let ordered = fresh.iter().zip(messages);
                self.ordered
                    .extend(ordered.map(|(&key, message)| (key, O::place(message))));
            }
            sources += usize::from(self.keys.len() > before);
        }
        if O::BY_PLACE {
            self.ordered
                .sort_unstable_by_key(|&(key, order)| (key >> TIME_SHIFT, order, key));
            self.keys.clear();
            self.keys.extend(self.ordered.drain(..).map(|(key, _)| key));
        } else if sources > 1 {
            let limit = end.since(start).as_ps() << TIME_SHIFT;
            self.sorting.sort(&mut self.keys, limit);
        }
    }

    /// Returns when the next due message arrives, or [`Time::MAX`] when no more are due in this
    /// epoch.
    #[inline]
    #[must_use]
    pub fn next_time(&self) -> Time {
        self.time_of(0)
    }

    /// Returns when the message arrives that is due after `before` others, or [`Time::MAX`] when
    /// fewer are due in this epoch.
    #[inline]
    pub(super) fn time_of(&self, before: usize) -> Time {
        match self.keys.get(self.position + before) {
            Some(key) => Time::from_ps(self.base.as_ps() + (key >> TIME_SHIFT)),
            None => Time::MAX,
        }
    }

    /// Returns how many messages are due in this epoch and have not been read.
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
                let input = &self.channels[channel_of(key)];
                input.current.get(input.cursor)
            }
        }
    }

    /// The messages that arrive before `end`, those of each channel in the order of arrival.
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

    /// Hands the next due message and its input to `read`. Call it only after
    /// [`next_time`](Self::next_time) has named a time.
    #[inline]
    pub fn read<R>(&mut self, read: impl FnOnce(usize, &M) -> R) -> R {
        let key = self.keys[self.position];
        self.position += 1;
        let input = channel_of(key);
        let channel = &mut self.channels[input];
        let message = match place_of(key) {
            None => &channel.current[channel.cursor],
            Some(place) => &self.carried[place],
        };
        let result = read(input, message);
        if place_of(key).is_none()
            && let Some(read) = channel.advance()
        {
            self.emptied.push(read);
        }
        result
    }

    /// Takes back everything that is under way on `input` and shows it to `lost`. Call it between
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
        let first = left.filter_map(Channel::first).chain(carried).min();
        self.first = first.unwrap_or(Time::MAX);
    }

    /// Forgets what has been read, which is everything before `end`.
    pub(super) fn settle(&mut self, end: Time, spare: &mut Spare<M>) {
        for emptied in self.emptied.drain(..) {
            recycle(spare, emptied);
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
        let Self {
            channels,
            active,
            carried,
            carried_channels,
            ..
        } = self;
        active.retain(|&index| {
            let input = &mut channels[index as usize];
            if let Some(at) = input.first() {
                earliest = earliest.min(at);
                let left = &input.current[input.cursor..];
                let room = MOST_CARRIED_IN_ALL.saturating_sub(carried.len());
                if input.cursor == 0
                    || !input.rest.is_empty()
                    || left.len() > MOST_CARRIED.min(room)
                {
                    return true;
                }
                carried.extend_from_slice(left);
                carried_channels.resize(carried.len(), index);
            }
            input.cursor = 0;
            recycle(spare, std::mem::take(&mut input.current));
            false
        });
        self.first = earliest;
    }
}

#[inline]
fn key(at: Time, start: Time, input: u32, place: u64) -> u64 {
    at.since(start).as_ps() << TIME_SHIFT | u64::from(input) << CHANNEL_SHIFT | place
}

#[inline]
const fn channel_of(key: u64) -> usize {
    (key >> CHANNEL_SHIFT & 0xffff) as usize
}

/// The place of a carried message.
#[inline]
const fn place_of(key: u64) -> Option<usize> {
    let place = key & IN_CHANNEL;
    if place == IN_CHANNEL {
        None
    } else {
        Some(place as usize)
    }
}

/// Adds the keys of the `messages` of `input` that arrive before `end`; how many.
#[inline]
fn gather_due<M: Message>(
    keys: &mut Vec<u64>,
    messages: &[M],
    input: u32,
    start: Time,
    end: Time,
    touched: &mut u64,
) -> usize {
    // In order of arrival, and mostly all of them are due. A number that is known beforehand spares
    // the check of the room for every key.
    let due = match messages.last() {
        Some(last) if last.arrival() < end => messages.len(),
        _ => messages.partition_point(|message| message.arrival() < end),
    };
    let near = LOOKED_AT_BYTES / size_of::<M>();
    let near = near.saturating_sub(keys.len()).min(due);
    let key_of = |message: &M| key(message.arrival(), start, input, IN_CHANNEL);
    keys.extend(messages[..near].iter().map(|message| {
        *touched ^= message.touch();
        key_of(message)
    }));
    if near < due {
        keys.extend(messages[near..due].iter().map(key_of));
    }
    due
}
