//! The queues of one egress port.

use std::borrow::Cow;

use crate::packet::{Header, Packet};
use fabricsim_base::checkpoint::Stored;
use fabricsim_base::priority::{Priority, PrioritySet};
use fabricsim_base::units::{Bytes, Duration, Time};

/// The mark that a packet gets as it leaves.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Stored)]
pub enum Mark {
    /// No mark.
    None,
    /// Congestion experienced (CE, RFC 3168). The switch sets and counts the mark if the packet
    /// [takes one](Packet::takes_mark).
    Congestion,
}

/// Statistics of one queue of a port.
#[derive(Clone, Debug, PartialEq, Stored)]
#[checkpoint(plain)]
pub struct QueueReport {
    /// Priority of the queue.
    pub priority: Priority,
    /// Name of the queue's discipline.
    pub discipline: Cow<'static, str>,
    /// Number of stored packets.
    pub enqueued: u64,
    /// Number of packets that left for the wire.
    pub dequeued: u64,
    /// Number of dequeued packets that were marked.
    pub marked: u64,
    /// Number of packets dropped because the queue was full.
    pub tail_drops: u64,
    /// Number of packets dropped by the active queue management.
    pub aqm_drops: u64,
    /// Number of packets dropped because the active queue management could no longer keep the queue
    /// short.
    pub overload_drops: u64,
    /// Median, 95th and 99th percentile of the queueing times of dequeued packets; `None` before
    /// the first one.
    pub sojourn: Option<[Duration; 3]>,
}

/// A queueing discipline: stores packets, picks the next one, marks and may drop.
///
/// A packet leaves in two steps, so that it is copied only once: [`head`](Self::head) returns a
/// reference to the stored packet, and [`pop`](Self::pop) removes it.
pub trait Qdisc<H: Header>: Clone + Send + std::fmt::Debug {
    /// Stores a copy of `packet` and returns it, or returns `None` to drop the packet (the switch
    /// then releases its buffer space).
    fn enqueue(&mut self, now: Time, packet: &Packet<H>) -> Option<&mut Packet<H>>;

    /// Returns the packet that leaves now, given the paused priorities. Appends packets that the
    /// discipline drops at this dequeue (AQM) to `dropped`. `now` may be earlier than the time of a
    /// previous [`bypass`](Self::bypass); the queues are empty in that case.
    fn head(
        &mut self,
        now: Time,
        paused: PrioritySet,
        dropped: &mut Vec<Packet<H>>,
    ) -> Option<&Packet<H>>;

    /// Removes the packet that [`head`](Self::head) has just returned.
    fn pop(&mut self, now: Time) -> Mark;

    /// Returns the bytes in all queues.
    fn bytes(&self) -> Bytes;

    /// Calls `visit` with every waiting packet, in any fixed order. Not called on the packet path.
    fn for_each(&self, visit: impl FnMut(&Packet<H>));

    /// Calls `visit` with the statistics of each queue that has its own discipline, in the
    /// order of priorities. Not called on the packet path.
    fn for_each_report(&self, _visit: &mut dyn FnMut(&QueueReport)) {}

    /// Returns `true` if some packet could leave, given the paused priorities.
    fn is_ready(&self, paused: PrioritySet) -> bool;

    /// Fast path for a packet that arrives at empty queues while its priority is not paused:
    /// equivalent to `enqueue`, `head` and `pop`.
    ///
    /// If it `waits`, the packet leaves when the current transmission ends, and nothing else
    /// arrives before. Must leave the same state as the three calls. Return `None` without changing
    /// anything to make the switch call all three.
    #[inline]
    fn bypass(&mut self, _waits: bool, _packet: &Packet<H>) -> Option<Mark> {
        None
    }

    fabricsim_base::plugin_state!("the queue");
}
