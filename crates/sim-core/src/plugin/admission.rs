//! The buffer that the ports of one switch share.

use fabricsim_base::id::PortId;
use fabricsim_base::priority::Priority;
use fabricsim_base::units::Bytes;

/// Outcome of a packet's request for buffer space.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Admit {
    /// It is stored.
    Accept,
    /// It is stored, and the upstream neighbor must be paused.
    AcceptAndPause,
    /// There is no room.
    Drop,
    /// There is no room for its payload: that is cut off, and its headers go on as control. A packet
    /// without payload is dropped.
    Trim,
}

/// Consequence of giving buffer space back.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Release {
    /// Nothing.
    Quiet,
    /// The upstream neighbor may go on.
    Resume,
}

/// How much a buffer can take in before its ports depend on one another.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Slack {
    /// While fewer bytes than this are admitted, no neighbor is paused, and the buffer decides about a
    /// packet by its size and the bytes of its egress port alone, however many bytes are given back
    /// meanwhile. The switch may then give back the bytes of other ports late.
    pub room: Bytes,
    /// If there is room: a packet of at most this size is admitted if nothing is stored for its egress
    /// port. The buffer is not told of such a packet if it leaves at once.
    pub packet: Bytes,
}

impl Slack {
    /// Returns `true` if there is room, so no threshold is near.
    #[inline]
    #[must_use]
    pub fn is_calm(self) -> bool {
        self.room > Bytes::ZERO
    }
}

/// Buffer accounting of one switch, per ingress and egress port and priority. Priority 0 (control)
/// is not accounted and never gets here.
pub trait Admission: Clone + Send + std::fmt::Debug {
    /// Asks room for `size` bytes that came in at `ingress` and will leave at `egress`. Pausing is
    /// reported once, until the matching [`Release::Resume`].
    fn admit(&mut self, ingress: PortId, egress: PortId, priority: Priority, size: Bytes) -> Admit;

    /// Returns how far the buffer is from every threshold. The switch works it out again whenever it
    /// matters. A policy may always return no slack, which is slower: it is then told of each packet, in
    /// the order of time.
    #[inline]
    fn slack(&self) -> Slack {
        Slack::default()
    }

    /// Gives the room of a packet back when it leaves or is dropped.
    fn release(
        &mut self,
        ingress: PortId,
        egress: PortId,
        priority: Priority,
        size: Bytes,
    ) -> Release;

    /// Returns whether the neighbor at `ingress` has been told to pause `priority` and not to
    /// resume.
    fn has_paused(&self, ingress: PortId, priority: Priority) -> bool;

    /// The link at `ingress` has failed: pauses that were reported and not resumed are over.
    /// Policies that pause nobody have nothing to do.
    fn forget_pauses(&mut self, _ingress: PortId) {}

    /// Bytes held now, over all ports and priorities.
    fn used(&self) -> Bytes;

    fabricsim_base::plugin_state!("the buffer");
}
