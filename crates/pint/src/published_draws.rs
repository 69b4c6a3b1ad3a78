//! The random numbers for rounding in the published simulator.

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
    /// Rate of the link.
    pub rate: Rate,
    /// One-way delay of the link.
    pub delay: Duration,
}

/// The draws of a switch in the published simulator, for a network with a single switch.
///
/// In that simulator, all switches and senders draw from one sequence in the order of the event
/// list. A switch draws when a data packet leaves it. A sender draws when an ACK arrives, even if
/// it never skips an ACK. All ACKs pass through the switch, so it knows their arrival times and
/// skips one number for each. This reproduces the published sequence unless a link loses an ACK or
/// an ACK arrives for a flow that has ended.
#[derive(Checkpointed, Clone, Debug)]
#[checkpoint(absolute)]
pub(crate) struct PublishedDraws {
    sequence: CRand,
    #[checkpoint(rebuilt)]
    links: Vec<PortLink>,
    /// ACKs in flight to their senders: arrival time and departure time.
    acks: BinaryHeap<Reverse<(Time, Time)>>,
}

impl PublishedDraws {
    /// Returns the draws of a switch with `links` to hosts.
    pub(crate) fn new(links: &[PortLink]) -> Self {
        Self {
            sequence: CRand::unseeded(),
            links: links.to_vec(),
            acks: BinaryHeap::new(),
        }
    }

    /// Records that an ACK of `size` leaves through `port` at `now`.
    pub(crate) fn ack_leaves(&mut self, now: Time, port: PortId, size: Bytes) {
        let link = &self.links[port.index()];
        let arrival = now + link.rate.transmission_truncated_ns(size) + link.delay;
        self.acks.push(Reverse((arrival, now)));
    }

    /// Returns the sequence for a packet that leaves at `now` because of an event scheduled at
    /// `set` (see [`Stamps`]). Simultaneous events happen in the order in which they were
    /// scheduled; an arrival is scheduled when the packet leaves.
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

    /// Returns the number of skipped draws for a packet that leaves at `now` because of an event
    /// scheduled at `set`. ACKs of 60 bytes have left at the times in `left`.
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
        // ACKs arrive after 4.8 ns, truncated to 4, plus the delay.
        let left = [(5_000, 0), (5_083, 0)];
        for (now, count) in [(6_003, 0), (6_005, 1), (6_086, 1), (6_088, 2)] {
            assert_eq!(skipped(&left, now, 0), count, "{now}");
        }
    }

    #[test]
    fn acks_arrive_in_the_order_of_their_links() {
        // The second ACK overtakes the first: 48 ns plus 500 ns.
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
