//! The queues of one egress port.

use crate::packet::{Header, Packet, Priorities};
use crate::units::{Bytes, Time};

/// A queueing discipline: holds packets, picks the next one, marks and may drop.
pub trait Qdisc<H: Header>: Clone + Send + std::fmt::Debug {
    /// Takes `packet` in, or returns `false` to drop it (it is then released by the switch).
    fn enqueue(&mut self, now: Time, packet: &Packet<H>) -> bool;

    /// The next packet that may leave now, given the paused priorities. Packets that the discipline
    /// gives up on the way (AQM drops at dequeue) are appended to `dropped`.
    fn dequeue(
        &mut self,
        now: Time,
        paused: Priorities,
        dropped: &mut Vec<Packet<H>>,
    ) -> Option<Packet<H>>;

    /// Bytes in all queues.
    fn bytes(&self) -> Bytes;

    /// Whether some packet could leave, given the paused priorities.
    fn is_ready(&self, paused: Priorities) -> bool;

    /// Called instead of `enqueue` and `dequeue` when `packet` finds the port idle, its priority not
    /// paused and the queues empty. Returns `false` to insist on the long way.
    #[inline]
    fn bypass(&mut self, _now: Time, _packet: &mut Packet<H>) -> bool {
        false
    }
}
