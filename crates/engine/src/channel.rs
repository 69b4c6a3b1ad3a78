//! Channels between processes, at the sender.

use super::batch::Batch;
use super::message::Message;
use super::spare::Spare;
use fabricsim_base::units::Time;

/// Messages that one process sends in one epoch, with a channel for each of its links.
#[derive(Clone, Debug)]
pub struct SendBuffer<M> {
    pub(super) channels: Vec<Batch<M>>,
    /// The channels with messages, each with the arrival time of its first message.
    pub(super) used: Vec<(u32, Time)>,
    pub(super) spare: Spare<M>,
}

impl<M: Message> SendBuffer<M> {
    /// Returns a buffer with this number of `channels`.
    #[must_use]
    pub fn new(channels: usize) -> Self {
        Self {
            channels: (0..channels).map(|_| Batch::default()).collect(),
            used: Vec::new(),
            spare: Spare::default(),
        }
    }

    /// Sends `message` over `channel`, to arrive at `at`, which must not be before the arrival of
    /// earlier messages on the channel. Returns the copy that will arrive, for last changes.
    ///
    /// # Panics
    /// Panics if there is no such channel.
    #[inline(always)]
    pub fn send(&mut self, channel: usize, at: Time, message: &M) -> &mut M {
        self.lane(channel).send(at, message)
    }

    /// Returns `channel`, to send over it.
    ///
    /// # Panics
    /// Panics if there is no such channel.
    #[inline(always)]
    pub fn lane(&mut self, channel: usize) -> Lane<'_, M> {
        Lane {
            messages: &mut self.channels[channel],
            channel,
            used: &mut self.used,
            spare: &mut self.spare,
        }
    }

    /// Returns the number of messages sent over `channel` in this epoch.
    #[inline(always)]
    pub fn sent(&self, channel: usize) -> usize {
        self.channels.get(channel).map_or(0, Batch::len)
    }

    /// Returns the message that was sent over `channel` after `before` other messages in this
    /// epoch.
    ///
    /// # Panics
    /// Panics if there is no such message.
    #[inline]
    pub fn sent_mut(&mut self, channel: usize, before: usize) -> &mut M {
        &mut self.channels[channel][before]
    }
}

/// One channel of a [`SendBuffer`], looked up once for several consecutive messages.
#[derive(Debug)]
pub struct Lane<'a, M> {
    messages: &'a mut Batch<M>,
    channel: usize,
    used: &'a mut Vec<(u32, Time)>,
    spare: &'a mut Spare<M>,
}

impl<'a, M: Message> Lane<'a, M> {
    /// Lends the channel for one message.
    #[inline(always)]
    pub fn lend(&mut self) -> Lane<'_, M> {
        Lane {
            messages: self.messages,
            channel: self.channel,
            used: self.used,
            spare: self.spare,
        }
    }

    /// Returns the number of messages sent over the channel in this epoch.
    #[inline(always)]
    pub fn sent(&self) -> usize {
        self.messages.len()
    }

    /// [`SendBuffer::send`] over this channel.
    #[inline(always)]
    pub fn send(self, at: Time, message: &M) -> &'a mut M {
        // One check for most messages: a channel without messages has no slot either.
        if !self.messages.has_slot() {
            let Self {
                messages,
                channel,
                used,
                spare,
            } = self;
            return send_into_new_slot(messages, channel, used, spare, at, message);
        }
        debug_assert!(
            self.messages.last().is_none_or(|last| last.arrival() <= at),
            "a channel is sorted by arrival"
        );
        let sent = self.messages.fill(message);
        sent.set_arrival(at);
        sent
    }
}

/// [`Lane::send`] if there is no free slot. Takes its arguments in registers: a [`Lane`] would be
/// built in memory for every message.
#[inline(never)]
fn send_into_new_slot<'a, M: Message>(
    messages: &'a mut Batch<M>,
    channel: usize,
    used: &mut Vec<(u32, Time)>,
    spare: &mut Spare<M>,
    at: Time,
    message: &M,
) -> &'a mut M {
    if messages.is_empty() {
        #[expect(
            clippy::cast_possible_truncation,
            reason = "channels are ports, at most 2^16"
        )]
        used.push((channel as u32, at));
        spare.open(messages);
    }
    let sent = if messages.has_slot() {
        messages.fill(message)
    } else {
        spare.push_into_new_slot(messages, message)
    };
    sent.set_arrival(at);
    sent
}
