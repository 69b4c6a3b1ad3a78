//! Packets that wait for the wire of their port where they have arrived.
//!
//! Where the packets of an epoch are handled [port by port](super::by_port), it is known what comes for
//! a port, and when. While its queues are plain and empty, packets that have to wait need not be
//! copied into them: which of them leaves when the wire becomes free follows from their priorities
//! and the order of their arrival. Those that are left when the epoch ends are queued then.

use super::Switch;
use super::departure::{leaving, write_telemetry};
use super::passing::Passage;
use crate::packet::{Flags, Packet};
use crate::plugin::{Admission, Hop, Mark, Model, Observer, Qdisc};
use fabricsim_base::id::PortId;
use fabricsim_base::priority::Priority;
use fabricsim_base::units::{Bytes, Time};
use fabricsim_engine::{Group, Grouped, Lane, SendBuffer};

/// The most places of a line among the arrivals, from the first packet that waits to the last one that
/// has come.
const LONGEST: usize = u64::BITS as usize;

/// Packets that wait: of control, which go first, and of one other priority.
#[derive(Debug)]
struct Line {
    /// The place among the arrivals that the lowest bits are about.
    first: usize,
    /// A bit for each packet that waits.
    control: u64,
    data: u64,
    /// The priority of those that are not of control.
    priority: Priority,
    /// Bytes of all packets that wait, and of those that are not of control.
    bytes: u64,
    data_bytes: u64,
}

impl Line {
    /// A line that begins with the packet at `place` among the arrivals.
    const fn new(place: usize) -> Self {
        Self {
            first: place,
            control: 0,
            data: 0,
            priority: Priority::CONTROL,
            bytes: 0,
            data_bytes: 0,
        }
    }

    /// Returns whether a packet of `priority` can join the line, at `place` among the arrivals.
    #[inline]
    fn takes(&mut self, place: usize, priority: Priority) -> bool {
        if place - self.first >= LONGEST {
            self.move_up(place);
        }
        place - self.first < LONGEST
            && (self.data == 0 || priority.is_control() || priority == self.priority)
    }

    /// Begins with the first packet that waits, or at `place` where none does.
    #[cold]
    fn move_up(&mut self, place: usize) {
        let waiting = self.control | self.data;
        if waiting == 0 {
            self.first = place;
        } else {
            let gone = waiting.trailing_zeros();
            self.control >>= gone;
            self.data >>= gone;
            self.first += gone as usize;
        }
    }

    /// Adds a packet that the line [takes](Self::takes), of `size` bytes.
    #[inline]
    const fn add(&mut self, place: usize, priority: Priority, size: Bytes) {
        let bit = 1 << (place - self.first);
        if priority.is_control() {
            self.control |= bit;
        } else {
            self.data |= bit;
            self.priority = priority;
            self.data_bytes += size.get();
        }
        self.bytes += size.get();
    }

    /// Returns the place of the packet that leaves next, which no longer waits.
    #[inline]
    const fn pop(&mut self) -> Option<usize> {
        let row = if self.control > 0 {
            &mut self.control
        } else if self.data > 0 {
            &mut self.data
        } else {
            return None;
        };
        let place = self.first + row.trailing_zeros() as usize;
        *row &= *row - 1;
        Some(place)
    }

    /// Takes the bytes of a packet that leaves off.
    #[inline]
    const fn take_off(&mut self, priority: Priority, size: Bytes) {
        self.bytes -= size.get();
        if !priority.is_control() {
            self.data_bytes -= size.get();
        }
    }

    /// Returns the place of the packet that has come first of those that wait, which no longer does.
    const fn pop_oldest(&mut self) -> Option<usize> {
        let waiting = self.control | self.data;
        if waiting == 0 {
            return None;
        }
        let oldest = waiting & waiting.wrapping_neg();
        self.control &= !oldest;
        self.data &= !oldest;
        Some(self.first + oldest.trailing_zeros() as usize)
    }
}

impl<M: Model> Switch<M> {
    /// Lets the arrival that has been returned last, which cannot pass, and those that follow wait where
    /// they are, until none does or one comes that has to be queued. What waits then, or at the end of the
    /// epoch, is in the queues. Call it where packets [may wait](Self::may_wait_in_place).
    #[inline(never)]
    pub(super) fn wait_in_place(
        &mut self,
        arrivals: &mut Group<'_, Packet<M::Header>>,
        send_buffer: &mut SendBuffer<Packet<M::Header>>,
    ) {
        let out = arrivals.number();
        let mut arrival = arrivals.current();
        let mut line = Line::new(arrival.place);
        let largest = self.buffer.passes_up_to();
        let mut passage = self.passage(out);
        let mut lane = send_buffer.lane(out);
        let mut marked = 0;
        let left = 'line: loop {
            let packet = arrival.message;
            let (priority, size) = (packet.priority(), packet.size());
            let ingress = PortId::from_index(arrival.channel);
            let with_it = Bytes::new(line.data_bytes) + size;
            let joins = line.takes(arrival.place, priority)
                && passage.port.queue.is_plain(priority)
                && (priority.is_control()
                    || with_it <= largest
                    || (passage.buffer).passes(ingress, passage.number, priority, with_it));
            if !joins {
                break Some(arrival);
            }
            line.add(arrival.place, priority, size);
            let depth = Bytes::new(line.bytes);
            passage.counters.max_queue = passage.counters.max_queue.max(depth);
            // At the very instant at which the wire becomes free the next one comes first.
            while passage.port.open_after < arrival.until {
                let Some(place) = line.pop() else {
                    break 'line None;
                };
                let is_marked = passage.send_from(&mut line, arrivals.at(place), lane.lend());
                marked += u64::from(is_marked);
            }
            match arrivals.next() {
                Some(next) => arrival = next,
                None => break None,
            }
        };
        self.meters[out].marked += marked;
        while let Some(place) = line.pop_oldest() {
            self.keep_at(out, &arrivals.at(place), send_buffer);
        }
        if let Some(arrival) = left {
            self.keep_at(out, &arrival, send_buffer);
        }
    }

    /// Returns whether packets that have arrived at `now` or later may wait for port number `out` where
    /// they are: while its wire is busy, nothing is in its queues, paused, or due, the link is up and
    /// loses nothing, and nobody watches.
    #[inline]
    pub(super) fn may_wait_in_place(&self, now: Time, out: usize) -> bool {
        let port = &self.ports[out];
        port.open_after >= now
            && port.open_after != Time::MAX
            && port.due == Time::MAX
            && !port.egress.may_lose()
            && !self.observer.sees_dequeues()
    }

    /// [`Self::keep`] for `arrival`.
    #[inline(never)]
    fn keep_at(
        &mut self,
        out: usize,
        arrival: &Grouped<'_, Packet<M::Header>>,
        send_buffer: &mut SendBuffer<Packet<M::Header>>,
    ) {
        let ingress = PortId::from_index(arrival.channel);
        self.keep(arrival.at, out, ingress, arrival.message, send_buffer);
    }
}

impl<M: Model> Passage<'_, M> {
    /// Sends the packet of `arrival`, which is the next of `line`, over `lane`, as the wire has become
    /// free, and returns `true` if it is marked here.
    #[inline(always)]
    fn send_from(
        &mut self,
        line: &mut Line,
        arrival: Grouped<'_, Packet<M::Header>>,
        lane: Lane<'_, Packet<M::Header>>,
    ) -> bool {
        let port = &mut *self.port;
        let packet = arrival.message;
        line.take_off(packet.priority(), packet.size());
        let mark = port.queue.leave_behind(packet, Bytes::new(line.data_bytes));
        let now = port.open_after;
        let leaving = leaving(None, &lane);
        let sent = port
            .egress
            .transmit::<M::Order, _>(now, self.cause, packet, lane);
        let sent = sent.expect("a link that may lose packets has no line");
        port.open_after = port.egress.busy_until;
        self.counters.events += 1;
        let is_marked = mark == Mark::Congestion && sent.takes_mark();
        if is_marked {
            sent.flags.set(Flags::CONGESTION);
        }
        let way = (arrival.at, PortId::from_index(arrival.channel));
        let hop = Hop {
            queue: Bytes::new(line.bytes),
            ..port.hop(now, self.number.index(), way, sent.wire)
        };
        write_telemetry::<M>(self.telemetry, &hop, leaving, sent);
        is_marked
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use super::*;

    proptest::proptest! {
        /// Packets of control leave first, others in the order of arrival, and what is left does in
        /// that order alone. A line has room for its first packet and 63 places behind.
        #[test]
        fn a_line_is_two_queues(steps in proptest::collection::vec(proptest::option::weighted(0.6, (proptest::bool::ANY, 60u64..1_500)), 0..400)) {
            let mut line = Line::new(7);
            let (mut control, mut data): (VecDeque<(usize, Priority, Bytes)>, VecDeque<_>) = Default::default();
            let mut place = 7;
            for step in steps {
                let Some((is_control, size)) = step else {
                    let next = control.pop_front().or_else(|| data.pop_front());
                    proptest::prop_assert_eq!(line.pop(), next.map(|(place, ..)| place));
                    if let Some((_, priority, size)) = next {
                        line.take_off(priority, size);
                    }
                    continue;
                };
                let priority = Priority::new(if is_control { 0 } else { 3 });
                let first = control.iter().chain(&data).map(|&(place, ..)| place).min();
                let has_room = first.is_none_or(|first| place - first < LONGEST);
                proptest::prop_assert_eq!(line.takes(place, priority), has_room);
                if !data.is_empty() {
                    proptest::prop_assert!(!line.takes(place, Priority::new(4)));
                }
                if has_room {
                    let size = Bytes::new(size);
                    line.add(place, priority, size);
                    (if is_control { &mut control } else { &mut data }).push_back((place, priority, size));
                }
                place += 1;
                let bytes = |row: &VecDeque<(usize, Priority, Bytes)>| -> u64 { row.iter().map(|packet| packet.2.get()).sum() };
                proptest::prop_assert_eq!(line.data_bytes, bytes(&data));
                proptest::prop_assert_eq!(line.bytes, bytes(&data) + bytes(&control));
            }
            let mut left: Vec<usize> = control.iter().chain(&data).map(|&(place, ..)| place).collect();
            left.sort_unstable();
            let popped: Vec<usize> = std::iter::from_fn(|| line.pop_oldest()).collect();
            proptest::prop_assert_eq!(popped, left);
        }
    }
}
