//! The stream of a connection: the messages that are not fully acknowledged.
//!
//! Each message begins with a new packet, and a packet takes as many sequence numbers as the
//! MTU has bytes. The last packet of a message leaves some of them unused ("padding"). So sequence
//! numbers divided by the MTU count packets, like the PSN of a queue pair.

use std::collections::VecDeque;

use fabricsim_base::checkpoint::{Kind, LoadError, Reader, Stored, Writer};
use fabricsim_base::flow::{Completion, Flow, StreamPlace, numbers_of};
use fabricsim_base::id::FlowId;
use fabricsim_base::units::{Bytes, Duration, Time};

use super::RdmaSender;

/// A message.
#[derive(Clone, Copy, Debug)]
struct Message {
    flow: Flow,
    from: u64,
    /// Padding of all previous messages.
    padding: u64,
}

impl Message {
    /// Returns the number after the message's last byte.
    const fn end(&self) -> u64 {
        self.from + self.flow.request.size.get()
    }

    /// Returns `true` if byte `seq` is in the message.
    const fn has(&self, seq: u64) -> bool {
        self.from <= seq && seq < self.end()
    }
}

/// The messages of a connection.
#[derive(Clone, Debug)]
pub(super) struct Stream {
    mtu: u64,
    /// Messages that are not fully acknowledged, in order.
    messages: VecDeque<Message>,
    /// Padding of all messages.
    padding: u64,
    /// Index of the message of the packet that was sent last, or of another one.
    recent: usize,
}

/// Stores padding and starts relative to the first message: only differences of padding have an
/// effect, and the starts move together if they move. The numbers of messages move like positions,
/// because a host numbers its flows upwards.
impl Stored for Stream {
    fn store(&self, out: &mut Writer) {
        let Self {
            mtu,
            messages,
            padding,
            recent: _,
        } = self;
        let before = messages.front().map_or(*padding, |first| first.padding);
        let first = messages.front().map(|first| first.flow.request.start);
        let kind = out.declare(Kind::Record);
        first.store(out);
        out.declare(Kind::Plain);
        mtu.store(out);
        (padding - before).store(out);
        out.number(messages.len());
        for Message {
            flow,
            from,
            padding,
        } in messages
        {
            (padding - before).store(out);
            out.in_flow(numbers_of(flow.request.src), |out| {
                out.declare(Kind::Sequence);
                flow.id.0.store(out);
            });
            out.declare(Kind::Goal);
            from.store(out);
            out.declare(Kind::Plain);
            let start = flow.request.start;
            start.since(first.unwrap_or(start)).store(out);
            let mut flow = *flow;
            (flow.id, flow.request.start) = (FlowId(0), Time::ZERO);
            flow.store(out);
        }
        out.declare(kind);
    }

    fn fetch(input: &mut Reader<'_>) -> Result<Self, LoadError> {
        let first: Option<Time> = Stored::fetch(input)?;
        let (mtu, padding) = Stored::fetch(input)?;
        let count = input.length()?;
        let mut messages = VecDeque::with_capacity(count);
        for _ in 0..count {
            let (padding, id, from) = Stored::fetch(input)?;
            let after = Duration::fetch(input)?;
            let mut flow = Flow::fetch(input)?;
            flow.id = FlowId(id);
            flow.request.start = first.unwrap_or(Time::ZERO) + after;
            messages.push_back(Message {
                flow,
                from,
                padding,
            });
        }
        Ok(Self {
            mtu,
            messages,
            padding,
            recent: 0,
        })
    }
}

impl Stream {
    pub(super) const fn new(mtu: Bytes) -> Self {
        Self {
            mtu: mtu.get(),
            messages: VecDeque::new(),
            padding: 0,
            recent: 0,
        }
    }

    /// Adds a message at `place`. Returns the sequence number after it.
    fn write(&mut self, flow: &Flow, place: StreamPlace) -> u64 {
        let message = Message {
            flow: *flow,
            from: place.from,
            padding: self.padding,
        };
        let next = message.end().next_multiple_of(self.mtu);
        self.padding += next - message.end();
        self.messages.push_back(message);
        next
    }

    /// Returns the index of the message that contains byte `seq`, and the message. It is usually the
    /// first one, or near the last packet; a search would miss the cache in a long queue.
    #[inline]
    fn at(&self, seq: u64) -> Option<(usize, &Message)> {
        for index in [0, self.recent, self.recent + 1] {
            if let Some(message) = self.messages.get(index)
                && message.has(seq)
            {
                return Some((index, message));
            }
        }
        if seq >= self.messages.back()?.end() {
            return None;
        }
        self.search(seq)
    }

    /// Same as [`Self::at`], for any message.
    #[inline(never)]
    fn search(&self, seq: u64) -> Option<(usize, &Message)> {
        let after = self.messages.partition_point(|message| message.from <= seq);
        let index = after.checked_sub(1)?;
        let message = &self.messages[index];
        message.has(seq).then_some((index, message))
    }

    /// Returns the bytes from `seq`, which is sent now, to the end of its message.
    pub(super) fn left_at(&mut self, seq: u64) -> u64 {
        let Some((index, message)) = self.at(seq) else {
            return 0;
        };
        let left = message.end() - seq;
        self.recent = index;
        left
    }

    /// Returns the padding below `seq`, the first byte of an unacknowledged packet.
    fn padding_below(&self, seq: u64) -> u64 {
        self.at(seq)
            .map_or(self.padding, |(_, message)| message.padding)
    }

    /// Returns the payload bytes of the packets from `from` to `to`, all of them unacknowledged.
    pub(super) fn payload(&self, from: u64, to: u64) -> u64 {
        (to - from) - (self.padding_below(to) - self.padding_below(from))
    }

    /// Returns the end of the first message that is not fully acknowledged.
    fn first_end(&self) -> u64 {
        let first = self.messages.front();
        first.map_or(u64::MAX, Message::end)
    }
}

impl<L> RdmaSender<L> {
    /// Turns this into the sender of a connection without messages.
    pub(in crate::rdma) fn into_stream(mut self, mtu: Bytes) -> Self {
        self.stream = Some(Box::new(Stream::new(mtu)));
        self.written = 0;
        self.target = u64::MAX;
        self
    }

    /// Sends `flow`, at `place` in the stream, after the previous messages.
    pub(in crate::rdma) fn write(&mut self, flow: &Flow, place: StreamPlace) {
        if let Some(stream) = &mut self.stream {
            self.written = stream.write(flow, place);
            self.target = stream.first_end();
        }
    }

    /// Returns `true` if this is the sender of a connection.
    pub(in crate::rdma) const fn is_stream(&self) -> bool {
        self.stream.is_some()
    }

    /// Appends all fully acknowledged messages to `done`.
    #[cold]
    pub(in crate::rdma) fn complete_messages(&mut self, now: Time, done: &mut Vec<Completion>) {
        let Some(stream) = &mut self.stream else {
            return;
        };
        while stream.first_end() <= self.acknowledged
            && let Some(message) = stream.messages.pop_front()
        {
            stream.recent = stream.recent.saturating_sub(1);
            done.push(Completion {
                flow: message.flow,
                finish: now,
                retransmitted: Bytes::new(std::mem::take(&mut self.retransmitted)),
            });
        }
        self.target = stream.first_end();
    }

    /// Returns the flow, or the first message that is not fully acknowledged, with its acknowledged
    /// payload bytes.
    pub(in crate::rdma) fn first_flow(&self) -> Option<(Flow, Bytes)> {
        match &self.stream {
            None => Some((self.flow, Bytes::new(self.acknowledged))),
            Some(stream) => {
                let first = stream.messages.front()?;
                let acknowledged = self.acknowledged.saturating_sub(first.from);
                Some((first.flow, Bytes::new(acknowledged)))
            }
        }
    }

    /// Calls `visit` for each flow of this sender in stream order, with its acknowledged payload
    /// bytes.
    pub(in crate::rdma) fn for_each_flow(&self, mut visit: impl FnMut(&Flow, Bytes)) {
        let Some(stream) = &self.stream else {
            visit(&self.flow, Bytes::new(self.acknowledged));
            return;
        };
        for message in &stream.messages {
            let acknowledged = self.acknowledged.saturating_sub(message.from);
            let size = message.flow.request.size.get();
            visit(&message.flow, Bytes::new(acknowledged.min(size)));
        }
    }
}

#[cfg(test)]
mod tests {
    use fabricsim_base::flow::{FlowRequest, PathInfo};
    use fabricsim_base::id::{ClassId, FlowId, NodeId};
    use fabricsim_base::priority::Priority;
    use fabricsim_base::units::Rate;

    use super::*;

    fn message(id: u32, size: u64) -> Flow {
        let request = FlowRequest {
            src: NodeId(0),
            dst: NodeId(1),
            size: Bytes::new(size),
            start: Time::ZERO,
            class: ClassId(0),
            priority: Priority::new(3),
            src_port: Some(1),
            dst_port: 2,
        };
        let path = PathInfo {
            base_rtt: Duration::from_us(4),
            bottleneck: Rate::from_gbps(100),
            switches: 1,
        };
        Flow::new(FlowId(id), request, path)
    }

    #[test]
    fn each_message_begins_with_a_packet_of_its_own() {
        let mut stream = Stream::new(Bytes::new(1_000));
        let mut from = 0;
        for (id, size) in [(0, 10), (1, 2_500), (2, 1_000)] {
            let connection = FlowId(9);
            from = stream.write(&message(id, size), StreamPlace { connection, from });
        }
        assert_eq!(from, 5_000);
        assert_eq!(
            [0, 1_000, 2_000, 3_000, 4_000].map(|seq| stream.left_at(seq)),
            [10, 2_500, 1_500, 500, 1_000]
        );
        assert_eq!(stream.payload(0, 5_000), 3_510);
        assert_eq!(stream.payload(0, 3_000), 2_010);
        assert_eq!(stream.payload(3_000, 4_000), 500);
        stream.messages.pop_front();
        assert_eq!(stream.payload(1_000, 5_000), 3_500);
        stream.messages.clear();
        assert_eq!(stream.payload(5_000, 5_000), 0);
        assert_eq!(stream.first_end(), u64::MAX);
    }

    /// Messages of 1, 2, .. packets, the last one short by 7 bytes each; packets are sent in order,
    /// in the opposite order, and with gaps.
    #[test]
    fn packets_of_a_long_queue_are_found_in_any_order() {
        let mut stream = Stream::new(Bytes::new(1_000));
        let (mut from, mut left) = (0, Vec::new());
        for id in 0..20_u32 {
            let packets = u64::from(id % 5 + 1);
            let size = packets * 1_000 - 7;
            let connection = FlowId(9);
            from = stream.write(&message(id, size), StreamPlace { connection, from });
            left.extend((0..packets).map(|packet| size - packet * 1_000));
        }
        let count = left.len();
        let orders = [
            (0..count).collect::<Vec<_>>(),
            (0..count).rev().collect(),
            (0..count).map(|packet| packet * 37 % count).collect(),
        ];
        for packet in orders.concat() {
            let seq = packet as u64 * 1_000;
            assert_eq!(stream.left_at(seq), left[packet], "{packet}");
            let sum: u64 = left[..packet].iter().map(|&left| left.min(1_000)).sum();
            assert_eq!(stream.payload(0, seq), sum, "{packet}");
        }
        assert_eq!(stream.payload(0, from), from - 20 * 7);
    }
}
