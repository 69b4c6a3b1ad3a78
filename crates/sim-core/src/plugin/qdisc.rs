//! The queues of one egress port.

use std::borrow::Cow;

use crate::packet::{Header, Packet};
use fabricsim_base::checkpoint::Stored;
use fabricsim_base::priority::{Priority, PrioritySet};
use fabricsim_base::units::{Bytes, Duration, Time};

/// Mark that is set on a packet as it leaves.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Stored)]
pub enum Mark {
    /// Nothing.
    None,
    /// It has met congestion (CE, RFC 3168). The switch sets and counts the mark if the packet
    /// [takes one](Packet::takes_mark).
    Congestion,
}

/// Statistics of one queue of a port.
#[derive(Clone, Debug, PartialEq, Stored)]
pub struct QueueReport {
    /// Its priority.
    pub priority: Priority,
    /// The name of its rule.
    pub discipline: Cow<'static, str>,
    /// Packets that were stored.
    pub enqueued: u64,
    /// Packets that have left for the wire.
    pub dequeued: u64,
    /// Those of them that were marked.
    pub marked: u64,
    /// Packets dropped because the queue was full.
    pub tail_drops: u64,
    /// Packets dropped by the rule.
    pub aqm_drops: u64,
    /// Packets dropped because the rule could no longer keep the queue short.
    pub overload_drops: u64,
    /// Median, 95th and 99th percentile of the times for which packets that have left had waited;
    /// none before the first.
    pub sojourn: Option<[Duration; 3]>,
}

/// A queueing discipline: holds packets, picks the next one, marks and may drop.
///
/// A packet leaves in two steps, so that it is copied once: [`head`](Self::head) shows it where it
/// lies, and [`pop`](Self::pop) removes it.
pub trait Qdisc<H: Header>: Clone + Send + std::fmt::Debug {
    /// Takes a copy of `packet` in and returns it, or returns `None` to drop it (the switch then
    /// releases its buffer).
    fn enqueue(&mut self, now: Time, packet: &Packet<H>) -> Option<&mut Packet<H>>;

    /// The packet that leaves now, given the paused priorities. Packets that the discipline gives
    /// up on the way (AQM drops at dequeue) are appended to `dropped`. `now` may lie before the time of
    /// a [`bypass`](Self::bypass), and the queues are empty then.
    fn head(
        &mut self,
        now: Time,
        paused: PrioritySet,
        dropped: &mut Vec<Packet<H>>,
    ) -> Option<&Packet<H>>;

    /// Removes the packet that [`head`](Self::head) has just shown.
    fn pop(&mut self, now: Time) -> Mark;

    /// Bytes in all queues.
    fn bytes(&self) -> Bytes;

    /// Shows every packet that waits to `visit`, in any fixed order. Not called on the packet path.
    fn for_each(&self, visit: impl FnMut(&Packet<H>));

    /// Shows what each queue with a rule of its own has done so far to `visit`, in the order of
    /// priorities. Not called on the packet path.
    fn for_each_report(&self, _visit: &mut dyn FnMut(&QueueReport)) {}

    /// Returns whether some packet could leave, given the paused priorities.
    fn is_ready(&self, paused: PrioritySet) -> bool;

    /// Fast path for a packet that arrives at empty queues while its priority is not paused: equivalent
    /// to `enqueue`, `head` and `pop`. If it `waits`, it leaves when the current transmission ends and
    /// nothing else arrives before. Must leave the same state as the three calls. Return `None`, having
    /// changed nothing, to have them made.
    #[inline]
    fn bypass(&mut self, _waits: bool, _packet: &Packet<H>) -> Option<Mark> {
        None
    }

    fabricsim_base::plugin_state!("the queue");
}
