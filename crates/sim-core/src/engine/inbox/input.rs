//! One input channel of a process.

use std::collections::VecDeque;

use crate::engine::batch::Batch;
use crate::engine::channel::{Spare, recycle};
use crate::engine::message::Message;
use crate::units::Time;

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
    #[inline]
    pub(super) fn accept(&mut self, fresh: Batch<M>, spare: &mut Spare<M>) {
        if self.cursor == self.current.len() {
            self.cursor = 0;
            recycle(spare, std::mem::replace(&mut self.current, fresh));
        } else {
            self.accept_behind(fresh, spare);
        }
    }

    /// Small batches are put together, so that their buffers are filled.
    fn accept_behind(&mut self, fresh: Batch<M>, spare: &mut Spare<M>) {
        match self.rest.back_mut() {
            Some(last) if last.room() >= fresh.len() => {
                last.extend(&fresh);
                recycle(spare, fresh);
            }
            _ => self.rest.push_back(fresh),
        }
    }

    /// Steps over the message that was just read; the buffer that has been read to its end, when
    /// others follow.
    #[inline]
    pub(super) fn advance(&mut self) -> Option<Batch<M>> {
        self.cursor += 1;
        // Links that take no longer than an epoch have one batch at a time.
        if self.cursor < self.current.len() || self.rest.is_empty() {
            return None;
        }
        self.turn()
    }

    /// Goes on to the next batch; the buffer that has been read to its end.
    #[inline(never)]
    fn turn(&mut self) -> Option<Batch<M>> {
        let next = self.rest.pop_front()?;
        self.cursor = 0;
        Some(std::mem::replace(&mut self.current, next))
    }

    #[inline]
    pub(super) fn first(&self) -> Option<Time> {
        self.current.get(self.cursor).map(Message::arrival)
    }
}
