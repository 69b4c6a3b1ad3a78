//! Channels between processes, as those see them who send.

use super::batch::Batch;
use super::message::Message;
use crate::units::Time;

/// Messages that one process sends in one epoch, with a channel for each of its links.
#[derive(Clone, Debug)]
pub struct SendBuffer<M> {
    pub(super) channels: Vec<Batch<M>>,
    /// The channels that have messages, and when the first one of each arrives.
    pub(super) used: Vec<(u32, Time)>,
    pub(super) earliest: Time,
    pub(super) spare: Spare<M>,
}

/// Buffers that have been read to the end. The last one read is the first one written again, while
/// its memory is still in the cache: that is worth a fifth of the time of a packet-hop.
pub(super) type Spare<M> = Vec<Batch<M>>;

/// Empty buffers that are kept; more are given back to the allocator.
const MOST_SPARE: usize = 1_024;
/// The same for large ones.
const MOST_LARGE_SPARE: usize = 64;

#[inline]
pub(super) fn recycle<M: Message>(spare: &mut Spare<M>, mut messages: Batch<M>) {
    let most = if messages.is_large() {
        MOST_LARGE_SPARE
    } else {
        MOST_SPARE
    };
    if spare.len() < most && messages.has_room() {
        messages.clear();
        spare.push(messages);
    }
}

impl<M: Message> SendBuffer<M> {
    pub(super) fn new(channels: usize) -> Self {
        Self {
            channels: (0..channels).map(|_| Batch::default()).collect(),
            used: Vec::new(),
            earliest: Time::MAX,
            spare: Vec::new(),
        }
    }

    /// Sends `message` over `channel`, to arrive at `at`, which must not be before what was sent
    /// over the channel earlier. Returns the copy that will arrive, for last changes.
    ///
    /// # Panics
    /// When there is no such channel.
    #[inline(always)]
    pub fn send(&mut self, channel: usize, at: Time, message: &M) -> &mut M {
        // One look at the channel for most messages.
        if self.channels[channel].is_empty() {
            return self.send_first(channel, at, message);
        }
        let messages = &mut self.channels[channel];
        debug_assert!(
            messages.last().is_none_or(|last| last.arrival() <= at),
            "a channel is sorted by arrival"
        );
        let sent = messages.push(message);
        sent.set_arrival(at);
        sent
    }

    #[inline(never)]
    fn send_first(&mut self, channel: usize, at: Time, message: &M) -> &mut M {
        self.open(channel, at);
        let sent = self.channels[channel].push(message);
        sent.set_arrival(at);
        sent
    }

    /// Prepares the channel for its first message of the epoch.
    #[inline]
    fn open(&mut self, channel: usize, at: Time) {
        #[expect(
            clippy::cast_possible_truncation,
            reason = "channels are ports, at most 2^16"
        )]
        self.used.push((channel as u32, at));
        self.earliest = self.earliest.min(at);
        if let Some(spare) = self.spare.pop() {
            self.channels[channel] = spare;
        }
    }
}
