//! Interface of the queue of one priority.

use fabricsim_base::choices;
use fabricsim_base::units::{Bytes, Time};
use fabricsim_core::packet::{Ecn, Header, Packet};
use fabricsim_core::plugin::Mark;

use crate::counters::DisciplineCounters;

/// The full Ethernet frame of Linux's disciplines: 1,500 bytes and the link header. Rules that
/// never act on a single waiting packet compare with it.
pub(crate) const MTU: u64 = 1_514;

/// A queueing discipline for one priority of a port: a state machine that stores, marks and drops
/// packets, and gets the time as an argument.
///
/// A packet leaves in two steps, so that it is copied only once: [`head`](Self::head) decides, and
/// [`pop`](Self::pop) removes the returned packet. Each `head` that returns a packet is followed by
/// its `pop`, at the same time and before any other call.
pub trait Discipline<H: Header> {
    /// Stores a copy of `packet` and returns it, or returns `None` to drop it. Appends packets that
    /// were dropped to make room to `dropped`.
    fn enqueue(
        &mut self,
        now: Time,
        packet: &Packet<H>,
        dropped: &mut Vec<Packet<H>>,
    ) -> Option<&mut Packet<H>>;

    /// Decides which packet leaves now, and appends packets that are dropped on the way to
    /// `dropped`. Returns `false` if no packet is left.
    fn select(&mut self, now: Time, dropped: &mut Vec<Packet<H>>) -> bool;

    /// Returns the packet that [`select`](Self::select) has chosen.
    fn front(&self) -> Option<&Packet<H>>;

    /// Returns the packet that leaves now. Appends packets that are dropped on the way to
    /// `dropped`.
    #[inline]
    fn head(&mut self, now: Time, dropped: &mut Vec<Packet<H>>) -> Option<&Packet<H>> {
        if self.select(now, dropped) {
            self.front()
        } else {
            None
        }
    }

    /// Removes the packet that [`head`](Self::head) has just returned, and returns its mark.
    fn pop(&mut self, now: Time) -> Mark;

    /// Returns the waiting bytes.
    fn bytes(&self) -> Bytes;

    /// Returns the number of waiting packets.
    fn packets(&self) -> usize;

    /// Calls `visit` with every waiting packet, in a fixed order.
    fn for_each(&self, visit: impl FnMut(&Packet<H>));

    /// Returns the counters of the discipline; `None` for a plain queue, which has no rule.
    fn counters(&self) -> Option<DisciplineCounters>;
}

choices! {
    /// The packets to which a rule applies, among the packets that can be marked.
    pub enum EcnSelector {
        /// All packets with a sender that understands marks: ECT(0), ECT(1) and already marked
        /// packets.
        Capable = "capable" ("all ECN-capable packets"),
        /// Only packets with the identifier of L4S, ECT(1).
        Ect1 = "ect1" ("packets of L4S only"),
    }
}

impl EcnSelector {
    /// Returns `true` if the rule applies to packets with `ecn`.
    #[inline]
    pub(crate) const fn takes(self, ecn: Ecn) -> bool {
        match self {
            Self::Capable => is_capable(ecn),
            Self::Ect1 => matches!(ecn, Ecn::Ect1),
        }
    }
}

/// Returns `true` if a packet with `ecn` can be marked instead of dropped.
#[inline]
pub(crate) const fn is_capable(ecn: Ecn) -> bool {
    !matches!(ecn, Ecn::NotCapable)
}

/// Returns `mark` if `packet` takes one. So a packet that another queue has marked is counted only
/// there.
#[inline]
pub(crate) const fn mark_of<H: Header>(packet: &Packet<H>, mark: Mark) -> Mark {
    if packet.takes_mark() {
        mark
    } else {
        Mark::None
    }
}

/// Returns [`Mark::Congestion`] if `condition` holds.
#[inline]
pub(crate) const fn mark_if(condition: bool) -> Mark {
    if condition {
        Mark::Congestion
    } else {
        Mark::None
    }
}
