//! Selective retransmission: what a sender knows of losses, and what it sends again.

use std::collections::BTreeSet;

use fabricsim_base::checkpoint::Stored;
use fabricsim_base::units::{Bytes, Time};
use fabricsim_core::plugin::PathStability;

use super::entropy::Entropies;
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
#[derive(Clone, Debug, Stored)]
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
    /// Packets that were reported beyond the first missing one less those of them that it has passed,
    /// since the last acknowledgement was told of, where they arrive in any order.
    news: i64,
    /// Bytes below this one had been sent when the first missing one last moved, where packets
    /// arrive in any order: what is younger has not had a timeout's time to arrive.
    older: u64,
    /// Packets that were trimmed and have not been retransmitted.
    trimmed: BTreeSet<u64>,
    /// The entropy values of the flow's packets, where each has its own.
    entropies: Option<Box<Entropies>>,
}

/// Extent to which packets of a flow overtake one another without one of them being lost.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Stored)]
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
    /// One is under way, and another packet of it was trimmed.
    Extends,
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
            news: 0,
            older: next,
            trimmed: BTreeSet::new(),
            entropies: None,
        }
    }

    /// What is known of a flow that begins, and whose packets have `entropies`.
    pub(super) fn with_entropies(mtu: u64, entropies: Entropies) -> Self {
        Self {
            // Nothing has moved yet: all that is sent has had a timeout's time to arrive.
            older: u64::MAX,
            entropies: Some(Box::new(entropies)),
            ..Self::new((0, 0), mtu, Overtaking::AnyOrder)
        }
    }

    /// The entropy values of the flow's packets, where each has its own.
    pub(super) fn entropies(&mut self) -> Option<&mut Entropies> {
        self.entropies.as_deref_mut()
    }

    /// Sequence numbers of the packets that have arrived beyond the first missing one, or were
    /// trimmed and wait to be retransmitted, where packets arrive in any order; else 0, as they
    /// count as being in flight (IRN, section 3.2).
    #[inline]
    pub(super) fn held(&self) -> u64 {
        match self.overtaking {
            Overtaking::AnyOrder => (self.held + self.trimmed.len() as u64) * self.mtu,
            Overtaking::Never | Overtaking::Packets(_) => 0,
        }
    }

    /// Returns the bytes that were reported beyond the first missing packet, less those of them that it
    /// has passed, since this was last asked, where packets arrive in any order. They count as full
    /// packets, which the last one of a flow or message need not be.
    pub(super) const fn take_news(&mut self) -> i64 {
        std::mem::replace(&mut self.news, 0) * self.mtu.cast_signed()
    }

    /// Returns whether packets were trimmed, and all others are reported or in flight.
    pub(super) fn knows_what_is_in_flight(&self) -> bool {
        !self.trimmed.is_empty() && self.turn >= self.lost_below
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

    /// The number of packets that wait to be retransmitted.
    pub(super) fn waiting(&self) -> u64 {
        let lost = match self.lost_below.checked_sub(self.turn) {
            None | Some(0) => 0,
            Some(packets) => {
                let reported = |from| self.reported.count_from(from);
                packets - (reported(self.turn) - reported(self.lost_below))
            }
        };
        lost + self.trimmed.len() as u64
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
            let held = self.reported.count_from(first);
            self.news -= self.held.cast_signed() - held.cast_signed();
            self.held = held;
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
            self.news += 1;
            self.trimmed.remove(&arrived);
            self.turn = self.reported.first_absent(self.turn);
        }
    }

    /// A switch has trimmed `packet`: it is the next to be retransmitted. Byte `next` is the next
    /// new one.
    pub(super) fn note_trimmed(&mut self, first: u64, packet: u64, next: u64) -> Episode {
        // Those in turn are known to be lost, since a timeout.
        let waits = (self.turn..self.lost_below).contains(&packet);
        if packet < first || waits || self.reported.contains(packet) || !self.trimmed.insert(packet)
        {
            return Episode::GoesOn;
        }
        if first * self.mtu < self.until {
            return Episode::Extends;
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
        let sent = match self.overtaking {
            Overtaking::AnyOrder => std::mem::replace(&mut self.older, next).min(next),
            Overtaking::Never | Overtaking::Packets(_) => next,
        };
        self.turn = self.reported.first_absent(first);
        self.lost_below = sent.div_ceil(self.mtu);
        // Those above have left since, and it is known that they were trimmed.
        self.trimmed = self.trimmed.split_off(&self.lost_below);
        self.until = next;
    }
}

#[cfg(test)]
mod tests;
