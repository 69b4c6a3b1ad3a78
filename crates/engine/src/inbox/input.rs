//! One input channel of a process.

use std::collections::VecDeque;

use crate::batch::Batch;
use crate::message::Message;
use crate::spare::Spare;

/// A channel as its reader sees it: messages in order of arrival.
#[derive(Debug)]
pub(super) struct Channel<M> {
    pub(super) current: Batch<M>,
    pub(super) cursor: usize,
    /// Messages that arrive after those of `current`: the batches of several epochs, on links whose
    /// delay is longer than an epoch.
    pub(super) rest: VecDeque<Batch<M>>,
}

impl<M: Message> Channel<M> {
    /// Moves the batch `fresh` in and leaves an empty one; whether it is the only batch of the channel.
    #[inline]
    pub(super) fn accept(&mut self, fresh: &mut Batch<M>, spare: &mut Spare<M>) -> bool {
        let only = self.is_read();
        if only {
            // What has been read to its end has given its buffer away when the epoch ended.
            self.cursor = 0;
            std::mem::swap(&mut self.current, fresh);
        } else {
            self.accept_behind(std::mem::take(fresh), spare);
        }
        only
    }

    /// Small batches are put together, so that their buffers are filled.
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

    /// Returns whether the current batch has been read to its end.
    #[inline]
    pub(super) fn is_read(&self) -> bool {
        self.cursor >= self.current.len()
    }

    /// Goes on to the next batch, where the current one has been read to its end and another one
    /// follows; the buffer of the former.
    #[inline]
    pub(super) fn turn_if_read(&mut self) -> Option<Batch<M>> {
        // Links that take no longer than an epoch have one batch at a time.
        if self.is_read() { self.turn() } else { None }
    }

    #[inline(never)]
    fn turn(&mut self) -> Option<Batch<M>> {
        let next = self.rest.pop_front()?;
        self.cursor = 0;
        Some(std::mem::replace(&mut self.current, next))
    }

    /// Copies the messages that are left to `carried`, where they are up to `most` at the end of a
    /// batch that has been read so far; whether it has.
    pub(super) fn carry(&self, most: usize, carried: &mut Vec<M>) -> bool {
        let left = self.current.len() - self.cursor;
        let few = self.cursor > 0 && self.rest.is_empty() && left <= most;
        if few {
            carried.extend_from_slice(&self.current[self.cursor..]);
        }
        few
    }

    /// The first message that has not been read.
    #[inline]
    pub(super) fn first(&self) -> Option<&M> {
        let next = || self.rest.front().and_then(|batch| batch.first());
        self.current.get(self.cursor).or_else(next)
    }
}
