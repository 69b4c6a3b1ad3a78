//! Selective retransmission: what a sender knows of losses, and what it sends again.

use std::collections::BTreeSet;

use fabricsim_core::plugin::PathStability;
use fabricsim_core::units::{Bytes, Time};

use super::packet_set::PacketSet;

/// The packets of a flow between its first unacknowledged and its next new byte, while some of them
/// are lost (IRN: Mittal et al., Revisiting Network Support for RDMA, SIGCOMM 2018, section 3.1).
///
/// * An episode of recovery begins with a report of a gap or with a timeout. It ends when
///   everything that had been sent by then is acknowledged.
/// * In it the first unacknowledged packet is retransmitted, then each packet that was not reported
///   and has a reported one above it. Then come new ones.
/// * A packet is retransmitted once, unless its second copy turns out to be lost too.
///
/// Packets are numbered by their first byte over the MTU.
#[derive(Clone, Debug)]
pub(super) struct Scoreboard {
    mtu: u64,
    /// Packets that the receiver has reported.
    reported: PacketSet,
    /// Packets below this one are lost where they are not reported.
    lost_below: u64,
    /// The next packet to look at: lost ones below have been retransmitted. It is not itself
    /// reported.
    turn: u64,
    /// Time at which a packet was last retransmitted.
    resent_at: Time,
    /// The recovery sequence: the episode ends when all bytes below are acknowledged.
    until: u64,
    overtaking: Overtaking,
    /// One more than the highest reported packet, on paths where packets are overtaken.
    reported_below: u64,
    /// Packets beyond the first missing one that have arrived, where they do so in any order.
    held: u64,
    /// Bytes below this one had been sent when the first missing one last moved, where packets
    /// arrive in any order: what is younger has not had a timeout's time to arrive.
    older: u64,
    /// Packets that were trimmed and have not been sent again.
    trimmed: BTreeSet<u64>,
}

/// Extent to which packets of a flow overtake one another without one of them being lost.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Overtaking {
    /// Packets arrive in the order in which they left.
    Never,
    /// By so many packets.
    Packets(u64),
    /// By any number: a report says of no other packet that it is lost.
    AnyOrder,
}

impl Overtaking {
    /// The fewest packets where some are overtaken: the DupThresh of RFC 8985.
    const FEWEST: u64 = 3;

    /// Returns the extent allowed for on such `paths`: the packets that leave in a quarter of a
    /// round trip, as in RFC 8985, section 6.2, where `bdp` is what leaves in a whole one.
    pub(super) fn new(paths: PathStability, bdp: Bytes, mtu: Bytes) -> Self {
        match paths {
            PathStability::PerFlow => Self::Never,
            PathStability::PerPacket => {
                Self::Packets((bdp.get() / 4).div_ceil(mtu.get()).max(Self::FEWEST))
            }
        }
    }
}

/// Whether a report begins an episode of recovery.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Episode {
    /// It does: the algorithm has to be told.
    Begins,
    /// One is under way.
    GoesOn,
}

impl Scoreboard {
    /// Nothing is lost or reported; all bytes below `acknowledged` have arrived, and `next` is the
    /// next new one.
    pub(super) const fn new(
        (acknowledged, next): (u64, u64),
        mtu: u64,
        overtaking: Overtaking,
    ) -> Self {
        let first = acknowledged / mtu;
        Self {
            mtu,
            reported: PacketSet::new(first),
            lost_below: first,
            turn: first,
            resent_at: Time::ZERO,
            until: acknowledged,
            overtaking,
            reported_below: 0,
            held: 0,
            older: next,
            trimmed: BTreeSet::new(),
        }
    }

    /// Sequence numbers of the packets that have arrived beyond the first missing one, or were trimmed
    /// and wait for being sent again, where packets arrive in any order; else 0, as they count as being in flight (IRN, section 3.2).
    #[inline]
    pub(super) fn held(&self) -> u64 {
        match self.overtaking {
            Overtaking::AnyOrder => (self.held + self.trimmed.len() as u64) * self.mtu,
            Overtaking::Never | Overtaking::Packets(_) => 0,
        }
    }

    /// Returns whether the sender has to take it that packets are lost.
    pub(super) fn is_recovering(&self, acknowledged: u64) -> bool {
        self.overtaking != Overtaking::AnyOrder || acknowledged < self.until
    }

    /// The first byte of the packet to send again now, if one is lost.
    #[inline]
    pub(super) fn lost(&self) -> Option<u64> {
        if let Some(&packet) = self.trimmed.first() {
            return Some(packet * self.mtu);
        }
        (self.turn < self.lost_below).then(|| self.turn * self.mtu)
    }

    /// The packet that [`Self::lost`] names leaves at `now`.
    #[cold]
    pub(super) fn resent(&mut self, now: Time) {
        if self.trimmed.pop_first().is_some() {
            return;
        }
        self.turn = self.reported.first_absent(self.turn + 1);
        self.resent_at = now;
    }

    /// All bytes below `acknowledged`, but not all of the flow's, have arrived. Returns whether the
    /// episode is over and nothing beyond is reported, so that nothing needs to be remembered. Byte
    /// `next` is the next new one.
    #[cold]
    pub(super) fn advance(&mut self, acknowledged: u64, next: u64) -> bool {
        let first = acknowledged / self.mtu;
        self.reported.forget_below(first);
        self.turn = self.reported.first_absent(self.turn.max(first));
        if self.overtaking == Overtaking::AnyOrder {
            self.held = self.reported.count_from(first);
            while self.trimmed.first().is_some_and(|&packet| packet < first) {
                self.trimmed.pop_first();
            }
            self.older = next;
            // What is older has to be known at a timeout.
            return false;
        }
        acknowledged >= self.until && first >= self.lost_below && first >= self.reported_below
    }

    /// The receiver has acknowledged the packet that left at `sent_at`: byte `acknowledged` is
    /// missing and the packet that many (`beyond`) packets later has arrived; 0 when that is not
    /// known. `next` is the next new byte.
    ///
    /// Differs from the paper: a second copy that is lost is noticed. A network that keeps the
    /// order of a flow delivers nothing sent later before it, so when a packet that left no earlier
    /// than the last second copy meets a gap, all lost packets have their turn again. In the paper
    /// that takes a timeout, as it does here when nothing sent later arrives, and where packets are
    /// overtaken.
    pub(super) fn report(
        &mut self,
        acknowledged: u64,
        beyond: u32,
        sent_at: Time,
        next: u64,
    ) -> Episode {
        let first = acknowledged / self.mtu;
        let arrived = first + u64::from(beyond);
        if beyond > 0 {
            self.reported.insert(arrived);
        }
        if let Overtaking::Packets(packets) = self.overtaking {
            return self.report_overtaken(first, (arrived, packets), next);
        }
        self.lost_below = self.lost_below.max(arrived).max(first + 1);
        self.turn = if self.turn > first && sent_at >= self.resent_at {
            first
        } else {
            self.reported.first_absent(self.turn)
        };
        if acknowledged < self.until {
            return Episode::GoesOn;
        }
        self.until = next;
        Episode::Begins
    }

    /// [`Self::report`] where packets are overtaken by `packets`: what lies less than that below
    /// packet `arrived` may be under way.
    fn report_overtaken(
        &mut self,
        first: u64,
        (arrived, packets): (u64, u64),
        next: u64,
    ) -> Episode {
        self.reported_below = self.reported_below.max(arrived + 1);
        let overtaken = arrived.saturating_sub(packets);
        self.lost_below = self.lost_below.max(overtaken);
        self.turn = self.reported.first_absent(self.turn.max(first));
        if self.lost_below <= first || first * self.mtu < self.until {
            return Episode::GoesOn;
        }
        self.until = next;
        Episode::Begins
    }

    /// Packet `arrived` has arrived, where they do so in any order.
    pub(super) fn note_arrival(&mut self, first: u64, arrived: u64) {
        if arrived > first && self.reported.insert(arrived) {
            self.held += 1;
            self.trimmed.remove(&arrived);
            self.turn = self.reported.first_absent(self.turn);
        }
    }

    /// A switch has trimmed `packet`: it is the next to be sent again. Byte `next` is the next new
    /// one.
    pub(super) fn note_trimmed(&mut self, first: u64, packet: u64, next: u64) -> Episode {
        if packet < first || self.reported.contains(packet) || !self.trimmed.insert(packet) {
            return Episode::GoesOn;
        }
        if first * self.mtu < self.until {
            return Episode::GoesOn;
        }
        self.until = next;
        Episode::Begins
    }

    /// Nothing was acknowledged for a timeout: what was sent, up to byte `next`, and not reported
    /// is lost.
    ///
    /// Differs from the paper: there only the first packet is retransmitted until more is reported,
    /// so that a lost tail of several packets takes a round trip for each.
    ///
    /// Where packets arrive in any order, others do while one is missing, and what has left since
    /// the first missing byte last moved may be under way.
    pub(super) fn time_out(&mut self, acknowledged: u64, next: u64) {
        let first = acknowledged / self.mtu;
        // The receiver may have had the whole flow and forgotten it: it begins anew. In any order it
        // then misses a packet that it has reported.
        let forgotten = match self.overtaking {
            Overtaking::AnyOrder => self.reported.contains(first),
            Overtaking::Never | Overtaking::Packets(_) => acknowledged == 0,
        };
        if forgotten {
            self.reported = PacketSet::new(first);
            self.held = 0;
        }
        self.trimmed.clear();
        let sent = match self.overtaking {
            Overtaking::AnyOrder => std::mem::replace(&mut self.older, next),
            Overtaking::Never | Overtaking::Packets(_) => next,
        };
        self.turn = self.reported.first_absent(first);
        self.lost_below = sent.div_ceil(self.mtu);
        self.until = next;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MTU: u64 = 1_000;
    const NEXT: u64 = 20_000;

    /// Returns when packet `number` left, the first time.
    fn left(number: u64) -> Time {
        Time::from_ns(number * 100)
    }

    /// Returns the packets that are retransmitted at `now` until none is left.
    fn resend(board: &mut Scoreboard, now: Time) -> Vec<u64> {
        std::iter::from_fn(|| {
            let byte = board.lost()?;
            board.resent(now);
            Some(byte / MTU)
        })
        .collect()
    }

    #[test]
    fn only_what_lies_below_a_report_is_lost() {
        let mut board = Scoreboard::new((3_000, NEXT), MTU, Overtaking::Never);
        let mut report = |beyond: u32| {
            let sent_at = left(3 + u64::from(beyond));
            let episode = board.report(3_000, beyond, sent_at, NEXT);
            (episode, resend(&mut board, left(30)))
        };
        assert_eq!(report(1), (Episode::Begins, vec![3]));
        assert_eq!(report(2), (Episode::GoesOn, vec![]));
        assert_eq!(report(5), (Episode::GoesOn, vec![6, 7]));
        assert_eq!(report(5), (Episode::GoesOn, vec![]));
        assert!(!board.advance(6_000, NEXT));
        assert!(!board.advance(9_000, NEXT));
        assert!(board.advance(20_000, NEXT));
    }

    #[test]
    fn a_gap_that_is_all_one_knows_of_is_its_first_packet() {
        let mut board = Scoreboard::new((3_000, NEXT), MTU, Overtaking::Never);
        board.report(3_000, 0, left(70_000), NEXT);
        assert_eq!(resend(&mut board, left(70_100)), [3]);
    }

    #[test]
    fn what_is_overtaken_by_little_is_not_lost() {
        let overtaking = Overtaking::Packets(3);
        let mut board = Scoreboard::new((0, NEXT), MTU, overtaking);
        assert_eq!(board.report(0, 3, left(3), NEXT), Episode::GoesOn);
        assert_eq!(resend(&mut board, left(30)), []);
        assert!(!board.advance(2_000, NEXT), "3 is beyond a gap");
        assert_eq!(board.report(2_000, 3, left(5), NEXT), Episode::GoesOn);
        assert_eq!(board.report(2_000, 4, left(6), NEXT), Episode::Begins);
        assert_eq!(resend(&mut board, left(31)), [2]);
        assert_eq!(board.report(2_000, 6, left(50), NEXT), Episode::GoesOn);
        assert_eq!(resend(&mut board, left(51)), [4], "2 has its second copy");
        assert!(board.advance(20_000, NEXT));
    }

    #[test]
    fn a_second_copy_that_was_overtaken_is_lost() {
        let mut board = Scoreboard::new((0, NEXT), MTU, Overtaking::Never);
        board.report(0, 3, left(3), NEXT);
        assert_eq!(resend(&mut board, left(30)), [0, 1, 2]);
        // Left before the second copies: says nothing of them.
        board.report(0, 4, left(29), NEXT);
        assert_eq!(resend(&mut board, left(31)), []);
        // The second copies of 1 and 2 arrive, so that of 0 is lost.
        board.report(0, 1, left(30), NEXT);
        assert_eq!(resend(&mut board, left(50)), [0, 2]);
        board.report(0, 2, left(50), NEXT);
        assert_eq!(resend(&mut board, left(70)), [0]);
    }

    #[test]
    fn what_was_reported_outlives_its_episode() {
        let mut board = Scoreboard::new((0, NEXT), MTU, Overtaking::Never);
        board.report(0, 1, left(1), 10_000);
        assert_eq!(resend(&mut board, left(30)), [0]);
        // New packets are sent and 15 is lost.
        board.report(0, 16, left(16), 18_000);
        assert_eq!(resend(&mut board, left(31)), (2..16).collect::<Vec<_>>());
        assert!(!board.advance(15_000, NEXT), "16 is still beyond a gap");
        assert_eq!(board.report(15_000, 2, left(17), 18_000), Episode::Begins);
        assert_eq!(resend(&mut board, left(40)), [], "15 is under way");
        assert!(board.advance(18_000, NEXT));
    }

    #[test]
    fn a_packet_that_was_trimmed_is_sent_again_once_and_first() {
        let mut board = Scoreboard::new((0, NEXT), MTU, Overtaking::AnyOrder);
        board.note_arrival(0, 3);
        assert_eq!((board.lost(), board.held()), (None, 1_000));
        assert_eq!(board.note_trimmed(0, 5, NEXT), Episode::Begins);
        assert_eq!(board.note_trimmed(0, 2, NEXT), Episode::GoesOn);
        assert_eq!(board.note_trimmed(0, 2, NEXT), Episode::GoesOn);
        assert_eq!(
            board.note_trimmed(0, 3, NEXT),
            Episode::GoesOn,
            "3 is there"
        );
        assert_eq!(board.held(), 3_000);
        assert_eq!(resend(&mut board, left(30)), [2, 5]);
        assert_eq!((board.lost(), board.held()), (None, 1_000));
        // The second copy is trimmed, too.
        board.note_trimmed(0, 5, NEXT);
        assert_eq!(resend(&mut board, left(40)), [5]);
        board.note_trimmed(0, 7, NEXT);
        board.advance(8_000, NEXT);
        assert_eq!((board.lost(), board.held()), (None, 0), "7 has come");
    }

    #[test]
    fn in_any_order_a_timeout_is_about_what_is_older_than_the_last_progress() {
        let mut board = Scoreboard::new((0, 4_000), MTU, Overtaking::AnyOrder);
        board.note_arrival(0, 2);
        board.advance(1_000, 6_000);
        board.note_arrival(1, 4);
        board.time_out(1_000, 9_000);
        assert_eq!(resend(&mut board, left(30)), [1, 3, 5]);
        board.time_out(1_000, 9_000);
        assert_eq!(resend(&mut board, left(60)), [1, 3, 5, 6, 7, 8]);
    }

    #[test]
    fn a_timeout_sends_again_what_was_not_reported() {
        let mut board = Scoreboard::new((1_000, NEXT), MTU, Overtaking::Never);
        board.report(1_000, 2, left(3), 5_500);
        assert_eq!(resend(&mut board, left(30)), [1, 2]);
        board.time_out(1_000, 5_500);
        assert_eq!(resend(&mut board, left(90)), [1, 2, 4, 5]);
        assert!(!board.advance(5_000, NEXT));
    }
}
