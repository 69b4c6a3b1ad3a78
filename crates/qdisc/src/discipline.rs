//! Interface of the queue of one priority.

use fabricsim_base::choices;
use fabricsim_base::units::{Bytes, Time};
use fabricsim_core::packet::{Ecn, Header, Packet};
use fabricsim_core::plugin::Mark;

use crate::counters::DisciplineCounters;

/// The full Ethernet frame of Linux's disciplines: 1,500 bytes and the link header. Rules that
/// leave a single waiting packet alone compare with it.
pub(crate) const MTU: u64 = 1_514;

/// A queueing discipline of one priority of a port: a state machine that is told the time, stores
/// packets, marks and drops them.
///
/// A packet leaves in two steps, so that it is copied once: [`head`](Self::head) decides, and
/// [`pop`](Self::pop) removes what it has shown. Each `head` that shows a packet is followed by its
/// `pop`, at the same instant and before anything else is asked for.
pub trait Discipline<H: Header> {
    /// Stores a copy of `packet` and returns it, or returns `None` to drop it. Packets that have to
    /// make room for it are appended to `dropped`.
    fn enqueue(
        &mut self,
        now: Time,
        packet: &Packet<H>,
        dropped: &mut Vec<Packet<H>>,
    ) -> Option<&mut Packet<H>>;

    /// Decides which packet leaves now; those that are given up on the way are appended to
    /// `dropped`. False when none is left.
    fn select(&mut self, now: Time, dropped: &mut Vec<Packet<H>>) -> bool;

    /// The packet that [`select`](Self::select) has chosen.
    fn front(&self) -> Option<&Packet<H>>;

    /// The packet that leaves now; those that are given up on the way are appended to `dropped`.
    #[inline]
    fn head(&mut self, now: Time, dropped: &mut Vec<Packet<H>>) -> Option<&Packet<H>> {
        if self.select(now, dropped) {
            self.front()
        } else {
            None
        }
    }

    /// Removes the packet that [`head`](Self::head) has just shown, and says whether it is marked.
    fn pop(&mut self, now: Time) -> Mark;

    /// Bytes that wait.
    fn bytes(&self) -> Bytes;

    /// Packets that wait.
    fn packets(&self) -> usize;

    /// Shows every packet that waits to `visit`, in a fixed order.
    fn for_each(&self, visit: impl FnMut(&Packet<H>));

    /// Returns the counters of the discipline; a plain queue, which has no rule, keeps none.
    fn counters(&self) -> Option<DisciplineCounters>;
}

choices! {
    /// Packets that a rule applies to, among those that can be marked.
    pub enum EcnSelector {
        /// All whose sender understands marks: ECT(0), ECT(1) and those that are marked already.
        Capable = "capable" ("all that can be marked"),
        /// Those with the identifier of L4S alone, ECT(1).
        Ect1 = "ect1" ("those of L4S alone"),
    }
}

impl EcnSelector {
    /// Returns whether the rule is about packets with `ecn`.
    #[inline]
    pub(crate) const fn takes(self, ecn: Ecn) -> bool {
        match self {
            Self::Capable => is_capable(ecn),
            Self::Ect1 => matches!(ecn, Ecn::Ect1),
        }
    }
}

/// Returns whether a packet with `ecn` can be marked instead of dropped.
#[inline]
pub(crate) const fn is_capable(ecn: Ecn) -> bool {
    !matches!(ecn, Ecn::NotCapable)
}

/// Returns `mark` if `packet` takes one, so that a packet which another queue has marked counts there
/// alone.
#[inline]
pub(crate) const fn mark_of<H: Header>(packet: &Packet<H>, mark: Mark) -> Mark {
    if packet.takes_mark() {
        mark
    } else {
        Mark::None
    }
}

/// [`Mark::Congestion`] when `condition` holds.
#[inline]
pub(crate) const fn mark_if(condition: bool) -> Mark {
    if condition {
        Mark::Congestion
    } else {
        Mark::None
    }
}
