//! A connection that carries messages of applications at both sides.

use std::collections::VecDeque;

use fabricsim_base::checkpoint::Stored;
use fabricsim_base::flow::{Completion, Flow, StreamPlace};
use fabricsim_base::units::{Bytes, Time};
use fabricsim_core::plugin::{Received, Unfinished};

use super::{Connection, State};

/// The messages that one side of a connection sends.
#[derive(Debug, Default, Stored)]
#[checkpoint(absolute)]
pub(in crate::tcp) struct Messages {
    /// Messages that are not fully acknowledged, in order, each with its first byte.
    waiting: VecDeque<(Flow, u64)>,
    /// End of the last message.
    end: u64,
    /// Bytes retransmitted by the end of the last completed message.
    retransmitted: u64,
    /// Bytes of the other side that have been reported.
    reported: u64,
}

impl Messages {
    fn first_end(&self) -> u64 {
        let first = self.waiting.front();
        first.map_or(u64::MAX, |(flow, from)| from + flow.request.size.get())
    }
}

impl Connection {
    /// Queues `flow` after the previous messages. It is sent when the connection is open.
    pub(in crate::tcp) fn send_message(&mut self, flow: &Flow, place: StreamPlace) {
        self.messages.waiting.push_back((*flow, place.from));
        self.messages.end = place.end(flow.request.size);
        if self.handshake.state != State::SynSent {
            self.sender.write(flow.request.size.get());
        }
    }

    /// Sends the queued messages, because the connection is open now.
    pub(in crate::tcp) fn send_messages(&mut self) {
        self.sender.write(self.messages.end);
    }

    /// Returns `true` if a message has been acknowledged or more bytes have been delivered.
    #[cold]
    pub(super) fn stream_moves(&self) -> bool {
        self.sender.acknowledged() >= self.messages.first_end()
            || self.receiver.delivered() > self.messages.reported
    }

    /// Appends all fully acknowledged messages to `done`. Returns the data received since the last
    /// call.
    pub(in crate::tcp) fn take_messages(
        &mut self,
        now: Time,
        done: &mut Vec<Completion>,
    ) -> Option<Received> {
        let acknowledged = self.sender.acknowledged();
        let messages = &mut self.messages;
        while messages.first_end() <= acknowledged
            && let Some((flow, _)) = messages.waiting.pop_front()
        {
            done.push(Completion {
                flow,
                finish: now,
                retransmitted: Bytes::new(self.sender.retransmitted - messages.retransmitted),
            });
            messages.retransmitted = self.sender.retransmitted;
        }
        let until = self.receiver.delivered();
        (until > std::mem::replace(&mut messages.reported, until)).then_some(Received::Stream {
            connection: self.id,
            until,
        })
    }

    /// Returns the first message that is not fully acknowledged, with its acknowledged payload
    /// bytes.
    pub(in crate::tcp) fn first_message(&self) -> Option<(&Flow, Bytes)> {
        let (flow, from) = self.messages.waiting.front()?;
        let acknowledged = self.sender.acknowledged().saturating_sub(*from);
        Some((flow, Bytes::new(acknowledged)))
    }

    /// Returns the messages that are not fully acknowledged, in order.
    pub(in crate::tcp) fn unfinished_messages(&self) -> impl Iterator<Item = Unfinished> {
        let acknowledged = self.sender.acknowledged();
        let waiting = self.messages.waiting.iter().enumerate();
        waiting.map(move |(index, (flow, from))| {
            let acknowledged = Bytes::new(acknowledged.saturating_sub(*from));
            let reason = if index == 0 {
                self.waits_for()
            } else {
                format!("the messages before it on connection {}", self.id)
            };
            Unfinished::new(flow, acknowledged.min(flow.request.size), reason)
        })
    }
}
