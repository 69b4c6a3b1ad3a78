//! The buffer that the ports of one switch share.

use fabricsim_base::checkpoint::Stored;
use fabricsim_base::id::PortId;
use fabricsim_base::priority::Priority;
use fabricsim_base::units::Bytes;

/// The buffer's decision about an arriving packet.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Admit {
    /// The switch stores the packet.
    Accept,
    /// Store it, and pause the upstream neighbor.
    AcceptAndPause,
    /// Drop it, because there is no room.
    Drop,
    /// Cut off its payload, for which there is no room, and forward its headers as control. A
    /// packet without payload is dropped.
    Trim,
}

/// The consequence of releasing buffer space.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Release {
    /// Nothing to do.
    Quiet,
    /// Resume the upstream neighbor.
    Resume,
}

/// Distance of a buffer from the point at which its ports depend on one another.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Slack {
    /// As long as fewer than `room` additional bytes are admitted, the buffer pauses no neighbor,
    /// and its decision about a packet depends only on the packet's size and on the bytes of its
    /// egress port. Releases in between do not change this, so the switch may release the bytes of
    /// other ports late.
    pub room: Bytes,
    /// If there is room, a packet up to this size is admitted if nothing is stored for its egress
    /// port. The switch does not report such a packet to the buffer if it leaves immediately.
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

/// The largest use of a switch's buffer since the start of the run.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Stored)]
#[checkpoint(extreme)]
pub struct BufferUse {
    /// The most bytes in the shared part. If this is not [exact](Self::is_exact), the use was never
    /// larger, and no threshold was near.
    pub shared: Bytes,
    /// `true` if `shared` has been reached, `false` if it is a bound.
    pub is_exact: bool,
    /// The most bytes in the headroom of all ports and priorities at the same time.
    pub headroom: Bytes,
    /// The port that has used the most headroom for one priority; the first of several.
    pub fullest: PortId,
    /// The most bytes in the headroom of one priority of that port.
    pub in_fullest: Bytes,
}

/// Buffer accounting of one switch, per ingress port, egress port and priority. Priority 0
/// (control) is not accounted, so no call is ever about it.
pub trait Admission: Clone + Send + std::fmt::Debug {
    /// Requests buffer space for `size` bytes that arrived at `ingress` and will leave at `egress`.
    /// A pause is reported only once, until the matching [`Release::Resume`].
    fn admit(&mut self, ingress: PortId, egress: PortId, priority: Priority, size: Bytes) -> Admit;

    /// Returns the distance of the buffer from every threshold. The switch does not store the
    /// result, but calls this whenever it matters.
    ///
    /// A policy may always return no slack. This is slower, because the switch then reports every
    /// packet, in time order.
    #[inline]
    fn slack(&self) -> Slack {
        Slack::default()
    }

    /// Releases the space of a packet when it leaves or is dropped.
    fn release(
        &mut self,
        ingress: PortId,
        egress: PortId,
        priority: Priority,
        size: Bytes,
    ) -> Release;

    /// Returns `true` if the switch has paused `priority` at the neighbor of `ingress` and not yet
    /// resumed it.
    fn has_paused(&self, ingress: PortId, priority: Priority) -> bool;

    /// Discards the reported pauses of `ingress` that were not resumed, because its link has
    /// failed. Policies that never pause need not implement this.
    fn forget_pauses(&mut self, _ingress: PortId) {}

    /// Returns the bytes stored now, over all ports and priorities.
    fn used(&self) -> Bytes;

    /// Returns the largest use of the buffer so far, or `None` if the policy does not know it. The
    /// result must not depend on the division of the run into epochs.
    fn largest_use(&self) -> Option<BufferUse> {
        None
    }

    fabricsim_base::plugin_state!("the buffer");
}
