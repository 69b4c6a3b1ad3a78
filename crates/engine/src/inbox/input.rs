//! One input channel of a process.

use std::collections::VecDeque;

use crate::batch::Batch;
use crate::message::Message;
use crate::spare::Spare;

/// A channel at its reader: messages in the order of arrival.
#[derive(Debug)]
pub(super) struct Channel<M> {
    pub(super) current: Batch<M>,
    pub(super) cursor: usize,
    /// Messages that arrive after the ones of `current`: the batches of several epochs, if the link
    /// delay is longer than an epoch.
    pub(super) rest: VecDeque<Batch<M>>,
}

impl<M: Message> Channel<M> {
    /// Receives the batch `fresh` and leaves an empty one. Returns `true` if the channel has no
    /// other batch.
    #[inline]
    pub(super) fn accept(&mut self, fresh: &mut Batch<M>, spare: &mut Spare<M>) -> bool {
        let only = self.is_read();
        if only {
            // A completely read batch has given up its buffer at the end of the epoch.
            self.cursor = 0;
            std::mem::swap(&mut self.current, fresh);
        } else {
            self.accept_behind(std::mem::take(fresh), spare);
        }
        only
    }

    /// Appends another batch. Small batches are merged, so that their buffers are filled.
    #[inline(never)]
    fn accept_behind(&mut self, fresh: Batch<M>, spare: &mut Spare<M>) {
        match self.rest.back_mut() {
            Some(last) if last.room() >= fresh.len() => {
                last.extend(&fresh);
                spare.recycle(fresh);
            }
            _ => self.rest.push_back(fresh),
        }
    }

    /// Returns `true` if the current batch has been read completely.
    #[inline]
    pub(super) fn is_read(&self) -> bool {
        self.cursor >= self.current.len()
    }

    /// Moves on to the next batch if the current one has been read completely and there is another
    /// one. Returns the buffer of the read batch.
    #[inline]
    pub(super) fn turn_if_read(&mut self) -> Option<Batch<M>> {
        // Links with a delay of at most an epoch have one batch at a time.
        if self.is_read() { self.turn() } else { None }
    }

    #[inline(never)]
    fn turn(&mut self) -> Option<Batch<M>> {
        let next = self.rest.pop_front()?;
        self.cursor = 0;
        Some(std::mem::replace(&mut self.current, next))
    }

    /// Copies the remaining messages to `carried` if they are at most `most` at the end of a partly
    /// read batch. Returns `true` if it has copied them.
    pub(super) fn carry(&self, most: usize, carried: &mut Vec<M>) -> bool {
        let left = self.current.len() - self.cursor;
        let few = self.cursor > 0 && self.rest.is_empty() && left <= most;
        if few {
            carried.extend_from_slice(&self.current[self.cursor..]);
        }
        few
    }

    /// Returns the first unread message.
    #[inline]
    pub(super) fn first(&self) -> Option<&M> {
        let next = || self.rest.front().and_then(|batch| batch.first());
        self.current.get(self.cursor).or_else(next)
    }
}
