//! The memory of an inbox that is about to be read.

use super::Inbox;
use crate::message::Message;
use fabricsim_base::prefetch::{prefetch, prefetch_all};

/// The most messages of a channel that are asked for: a link that takes many epochs has more on the
/// way than is due in one.
const MOST_OF_A_CHANNEL: usize = 128;

impl<M> Inbox<M> {
    /// Asks for the memory of what the inbox itself holds.
    #[inline]
    pub(crate) fn prefetch(&self) {
        prefetch(&self.active);
        prefetch(&self.carried);
        prefetch(&self.first);
    }

    /// Asks for the memory of its channels.
    #[inline]
    pub(crate) fn prefetch_channels(&self) {
        prefetch_all(&self.channels);
    }
}

impl<M: Message> Inbox<M> {
    /// Returns how many messages have been taken in and not been read, without those that wait behind
    /// the current batch of their channel.
    pub(crate) fn taken_in(&self) -> usize {
        let active = self.active.iter();
        let channels = active.map(|&input| &self.channels[input as usize]);
        let unread = channels.map(|channel| channel.current.len() - channel.cursor);
        self.carried.len() + unread.sum::<usize>()
    }

    /// Asks for the first and the last message of each active channel, which are read first when what
    /// is due is gathered: the requests for all channels overlap.
    #[inline]
    pub(super) fn prefetch_ends(&self) {
        for &input in &self.active {
            let channel = &self.channels[input as usize];
            let unread = &channel.current[channel.cursor..];
            if let [first, ..] = unread {
                first.prefetch();
                first.prefetch_rest();
            }
            if let [.., last] = unread {
                last.prefetch();
            }
        }
    }

    /// Asks for the carried message number `turn` and the messages of the active channel of that
    /// number. Returns whether there is either.
    #[inline]
    pub(crate) fn prefetch_messages(&self, turn: usize) -> bool {
        if let Some(carried) = self.carried.get(turn) {
            carried.prefetch();
            carried.prefetch_rest();
        }
        let Some(&input) = self.active.get(turn) else {
            return turn < self.carried.len();
        };
        let channel = &self.channels[input as usize];
        let unread = &channel.current[channel.cursor..];
        let next = &unread[..unread.len().min(MOST_OF_A_CHANNEL)];
        for message in next {
            message.prefetch();
            message.prefetch_rest();
        }
        if let Some(last) = next.last() {
            last.prefetch_end();
        }
        true
    }
}
