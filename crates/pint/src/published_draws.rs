//! The random numbers that the published simulator rounds with.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use fabricsim_base::checkpoint::Checkpointed;
use fabricsim_base::id::PortId;
use fabricsim_base::units::{Bytes, Duration, Rate, Time};
use fabricsim_core::packet::Stamps;

use crate::c_rand::CRand;

/// The link of a port.
#[derive(Clone, Copy, Debug)]
pub struct PortLink {
    /// Its rate.
    pub rate: Rate,
    /// Its one-way delay.
    pub delay: Duration,
}

/// The draws of the only switch of a network in the published simulator.
///
/// There all switches and senders draw from one sequence, in the order of the event list: a switch
/// when a data packet leaves it, a sender when an ACK arrives, which it does even where no ACK
/// is to be left out. The ACKs come through the switch, so that it knows when: it skips a number
/// for each. This is the published sequence as long as no link loses an ACK and none arrives for a
/// flow that has ended.
#[derive(Checkpointed, Clone, Debug)]
pub(crate) struct PublishedDraws {
    sequence: CRand,
    #[checkpoint(rebuilt)]
    links: Vec<PortLink>,
    /// The ACKs on the way to their senders: when they arrive and when they left.
    acks: BinaryHeap<Reverse<(Time, Time)>>,
}

impl PublishedDraws {
    /// Of a switch whose ports have `links` to hosts.
    pub(crate) fn new(links: &[PortLink]) -> Self {
        Self {
            sequence: CRand::unseeded(),
            links: links.to_vec(),
            acks: BinaryHeap::new(),
        }
    }

    /// An ACK of `size` leaves through `port` at `now`.
    pub(crate) fn ack_leaves(&mut self, now: Time, port: PortId, size: Bytes) {
        let link = &self.links[port.index()];
        let arrival = now + link.rate.transmission_truncated_ns(size) + link.delay;
        self.acks.push(Reverse((arrival, now)));
    }

    /// Returns the sequence from which a packet draws that leaves at `now` because of an event that
    /// was set at `set` (see [`Stamps`]). Events of one time happen in the order in which they were
    /// set; an arrival is set when the packet leaves.
    pub(crate) fn at(&mut self, now: Time, set: u32) -> &mut CRand {
        while let Some(&Reverse((arrival, left))) = self.acks.peek() {
            if (arrival, Stamps::of(left)) > (now, set) {
                break;
            }
            self.acks.pop();
            self.sequence.draw();
        }
        &mut self.sequence
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ns(ns: u64) -> Time {
        Time::from_ns(ns)
    }

    /// Returns how many numbers have been drawn in the end, when ACKs of 60 bytes have left at
    /// `left` and something is to be drawn at `now` because of an event of `set`.
    fn skipped(left: &[(u64, u16)], now: u64, set: u32) -> usize {
        let link = |gbps, delay| PortLink {
            rate: Rate::from_gbps(gbps),
            delay: Duration::from_ns(delay),
        };
        let mut draws = PublishedDraws::new(&[link(100, 1_000), link(10, 500)]);
        for &(at, port) in left {
            draws.ack_leaves(ns(at), PortId(port), Bytes::new(60));
        }
        let found = draws.at(ns(now), set).draw();
        let mut rand = CRand::unseeded();
        (0..10)
            .find(|_| rand.draw() == found)
            .expect("one of the first numbers")
    }

    #[test]
    fn an_ack_takes_a_number_when_it_arrives() {
        // After 4.8 ns, cut to 4, and the delay.
        let left = [(5_000, 0), (5_083, 0)];
        for (now, count) in [(6_003, 0), (6_005, 1), (6_086, 1), (6_088, 2)] {
            assert_eq!(skipped(&left, now, 0), count, "{now}");
        }
    }

    #[test]
    fn acks_arrive_in_the_order_of_their_links() {
        // The second overtakes the first: 48 ns and 500.
        let left = [(5_000, 0), (5_001, 1)];
        for (now, count) in [(5_548, 0), (5_550, 1), (6_003, 1), (6_005, 2)] {
            assert_eq!(skipped(&left, now, 0), count, "{now}");
        }
    }

    #[test]
    fn at_one_time_the_event_that_was_set_first_is_first() {
        for (set, count) in [(4_999, 0), (5_000, 1), (5_921, 1)] {
            assert_eq!(skipped(&[(5_000, 0)], 6_004, set), count, "{set}");
        }
    }
}
