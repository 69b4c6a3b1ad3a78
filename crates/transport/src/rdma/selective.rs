//! Selective retransmission: tracks losses and selects packets to retransmit.

use std::collections::BTreeSet;

use fabricsim_base::checkpoint::Stored;
use fabricsim_base::units::{Bytes, Time};
use fabricsim_core::plugin::PathStability;

use super::entropy::Entropies;
use super::packet_set::PacketSet;

/// The packets of a flow from its first unacknowledged byte to its next new byte, while some are
/// lost (IRN: Mittal et al., Revisiting Network Support for RDMA, SIGCOMM 2018, section 3.1).
///
/// * An episode of recovery begins with a report of a gap or with a timeout. It ends when all data
///   sent before it is acknowledged.
/// * In an episode, the sender retransmits the first unacknowledged packet, then each unreported
///   packet below a reported one. New packets follow.
/// * A packet is retransmitted once, unless its second copy is also lost.
///
/// A packet's number is its first byte divided by the MTU.
#[derive(Clone, Debug, Stored)]
#[checkpoint(absolute)]
pub(super) struct Scoreboard {
    mtu: u64,
    /// Packets that the receiver has reported.
    reported: PacketSet,
    /// Packets below this one are lost unless they are reported.
    lost_below: u64,
    /// The next packet to check. Lost packets below it have been retransmitted. It is never a
    /// reported packet.
    turn: u64,
    /// Time at which a packet was last retransmitted.
    resent_at: Time,
    /// Recovery sequence: the episode ends when all bytes below it are acknowledged.
    until: u64,
    overtaking: Overtaking,
    /// The highest reported packet plus one, on paths with reordering.
    reported_below: u64,
    /// With [`Overtaking::AnyOrder`]: number of packets that have arrived beyond the first missing
    /// one.
    held: u64,
    /// With [`Overtaking::AnyOrder`]: number of newly reported packets beyond the first missing
    /// one, minus the number of reported packets that it has passed, since the last report to the
    /// controller.
    news: i64,
    /// With [`Overtaking::AnyOrder`]: bytes below this one had been sent when the first missing
    /// byte last advanced. Later bytes have not yet had a full timeout to arrive.
    older: u64,
    /// Trimmed packets that have not been retransmitted.
    trimmed: BTreeSet<u64>,
    /// The entropy values of the flow's packets, if each packet has one.
    entropies: Option<Box<Entropies>>,
}

/// Extent of reordering among the packets of a flow without a loss.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Stored)]
#[checkpoint(absolute)]
pub(super) enum Overtaking {
    /// Packets arrive in the order in which they left.
    Never,
    /// Up to this number of packets.
    Packets(u64),
    /// Unlimited: a report never implies the loss of another packet.
    AnyOrder,
}

impl Overtaking {
    /// Minimum for reordering: the DupThresh of RFC 8985.
    const FEWEST: u64 = 3;

    /// Returns the extent to tolerate on `paths`. With reordering, it is the number of packets that
    /// leave in a quarter of a round trip, as in RFC 8985, section 6.2; `bdp` is the data that
    /// leaves in a whole one.
    pub(super) fn new(paths: PathStability, bdp: Bytes, mtu: Bytes) -> Self {
        match paths {
            PathStability::PerFlow => Self::Never,
            PathStability::PerPacket => {
                Self::Packets((bdp.get() / 4).div_ceil(mtu.get()).max(Self::FEWEST))
            }
        }
    }
}

/// Effect of a report on the episode of recovery.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Episode {
    /// An episode begins, and the controller must be notified.
    Begins,
    /// An episode is in progress.
    GoesOn,
    /// An episode is in progress, and another one of its packets was trimmed.
    Extends,
}

impl Scoreboard {
    /// Returns the state without losses or reports. All bytes below `acknowledged` have arrived,
    /// and `next` is the next new byte.
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

    /// Returns the state of a new flow with `entropies` for its packets.
    pub(super) fn with_entropies(mtu: u64, entropies: Entropies) -> Self {
        Self {
            // The first missing byte has never advanced, so all sent data has had a full timeout to
            // arrive.
            older: u64::MAX,
            entropies: Some(Box::new(entropies)),
            ..Self::new((0, 0), mtu, Overtaking::AnyOrder)
        }
    }

    /// Returns the entropy values of the flow's packets, if each packet has one.
    pub(super) fn entropies(&mut self) -> Option<&mut Entropies> {
        self.entropies.as_deref_mut()
    }

    /// With [`Overtaking::AnyOrder`], returns the count of sequence numbers in two groups of
    /// packets: packets that have arrived beyond the first missing one, and trimmed packets that
    /// wait for retransmission. Otherwise returns 0, because such packets count as in flight (IRN,
    /// section 3.2).
    #[inline]
    pub(super) fn held(&self) -> u64 {
        match self.overtaking {
            Overtaking::AnyOrder => (self.held + self.trimmed.len() as u64) * self.mtu,
            Overtaking::Never | Overtaking::Packets(_) => 0,
        }
    }

    /// For any order, returns the bytes newly reported beyond the first missing packet, minus the
    /// reported bytes that it has passed, since the last call. Each packet counts as full, although
    /// the last one of a flow or message may be shorter.
    pub(super) const fn take_news(&mut self) -> i64 {
        std::mem::replace(&mut self.news, 0) * self.mtu.cast_signed()
    }

    /// Returns `true` if packets were trimmed and all other packets are reported or in flight.
    pub(super) fn knows_what_is_in_flight(&self) -> bool {
        !self.trimmed.is_empty() && self.turn >= self.lost_below
    }

    /// Returns `true` if the sender must assume that packets are lost.
    pub(super) fn is_recovering(&self, acknowledged: u64) -> bool {
        self.overtaking != Overtaking::AnyOrder || acknowledged < self.until
    }

    /// Returns the first byte of the packet to retransmit now, if one is lost.
    #[inline]
    pub(super) fn lost(&self) -> Option<u64> {
        if let Some(&packet) = self.trimmed.first() {
            return Some(packet * self.mtu);
        }
        (self.turn < self.lost_below).then(|| self.turn * self.mtu)
    }

    /// Returns the number of packets that wait for retransmission.
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

    /// Records that the packet from [`Self::lost`] leaves at `now`.
    #[cold]
    pub(super) fn resent(&mut self, now: Time) {
        if self.trimmed.pop_first().is_some() {
            return;
        }
        self.turn = self.reported.first_absent(self.turn + 1);
        self.resent_at = now;
    }

    /// Records that all bytes below `acknowledged` have arrived, but not the whole flow. Returns
    /// `true` if the episode has ended and nothing beyond is reported, so that the state can be
    /// dropped. `next` is the next new byte.
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
            // A later timeout needs to know the older bytes.
            return false;
        }
        acknowledged >= self.until && first >= self.lost_below && first >= self.reported_below
    }

    /// Processes the report of the packet that left at `sent_at`. Byte `acknowledged` is missing,
    /// and the packet `beyond` packets later has arrived; 0 means unknown. `next` is the next new
    /// byte.
    ///
    /// Differs from the paper: the loss of a second copy is detected. If the network keeps the
    /// order of a flow, no packet overtakes an earlier one. So if a packet that left no earlier
    /// than the last second copy meets a gap, all lost packets get another turn. In the paper, this
    /// takes a timeout. It also takes a timeout here if no later packet arrives, or on paths with
    /// reordering.
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

    /// Same as [`Self::report`], on paths with reordering by up to `packets`. A packet less than
    /// that below packet `arrived` may still be on its way.
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

    /// For any order: records the arrival of packet `arrived`.
    pub(super) fn note_arrival(&mut self, first: u64, arrived: u64) {
        if arrived > first && self.reported.insert(arrived) {
            self.held += 1;
            self.news += 1;
            self.trimmed.remove(&arrived);
            self.turn = self.reported.first_absent(self.turn);
        }
    }

    /// Records that a switch has trimmed `packet`, which is retransmitted next. `next` is the next
    /// new byte.
    pub(super) fn note_trimmed(&mut self, first: u64, packet: u64, next: u64) -> Episode {
        // Packets in turn are already known to be lost, since a timeout.
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

    /// Handles a timeout without acknowledgements: all data sent up to byte `next` and not reported
    /// is lost.
    ///
    /// Differs from the paper: in the paper, only the first packet is retransmitted until more is
    /// reported, so the loss of several packets at the end takes a round trip for each.
    ///
    /// For any order, data sent since the first missing byte last advanced may still be on its way,
    /// because packets continue to arrive while one is missing.
    pub(super) fn time_out(&mut self, acknowledged: u64, next: u64) {
        let first = acknowledged / self.mtu;
        // The receiver may have completed the flow and removed its state, so it starts from the
        // beginning. With any order, it then misses a packet that it has already reported.
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
        // Packets above have left since, and are known to be trimmed.
        self.trimmed = self.trimmed.split_off(&self.lost_below);
        self.until = next;
    }
}

#[cfg(test)]
mod tests;
