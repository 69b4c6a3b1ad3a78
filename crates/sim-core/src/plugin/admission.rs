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
    /// There is no room for its payload: that is cut off, and its headers go on as control. What has
    /// no payload is dropped.
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

/// Buffer accounting of one switch, per ingress and egress port and priority. Priority 0 (control)
/// is not accounted and never gets here.
pub trait Admission: Clone + Send + std::fmt::Debug {
    /// Asks room for `size` bytes that came in at `ingress` and will leave at `egress`. Pausing is
    /// reported once, until the matching [`Release::Resume`].
    fn admit(&mut self, ingress: PortId, egress: PortId, priority: Priority, size: Bytes) -> Admit;

    /// Returns whether a packet that is stored and leaves at the same instant changes nothing: it
    /// is admitted, pauses nobody, and lets nobody go on when it leaves. Such a packet is not
    /// accounted for at all. In an epoch in which the buffer [stays calm](Self::stays_calm) it may
    /// wait, behind others of its priority that wait for the same egress port; `size` is then the sum of
    /// all of these and its own, of which the others may have come in elsewhere. True then says that all
    /// of them would be admitted one after the other. A policy may always return false: the packet is
    /// then admitted and released.
    #[inline]
    fn passes(&self, _ingress: PortId, _egress: PortId, _priority: Priority, _size: Bytes) -> bool {
        false
    }

    /// Returns up to which `size` all packets [pass](Self::passes) for whose egress port nothing is
    /// stored, as long as nothing is admitted or given back: where one waits behind others in an epoch in
    /// which the buffer [stays calm](Self::stays_calm), up to which size of all of these. Larger ones are
    /// asked for one by one. A policy may always return zero, which is slower.
    #[inline]
    fn passes_up_to(&self) -> Bytes {
        Bytes::ZERO
    }

    /// Returns whether no neighbor is paused, the next packet pauses nobody, and whether it is
    /// admitted depends only on its size and on what the buffer holds for its own egress port, even
    /// if nothing is given back for other ports before. The switch may then give back late what has
    /// left other ports. A policy may always return false, which is slower: every port that waits has
    /// a timer.
    #[inline]
    fn is_calm(&self) -> bool {
        false
    }

    /// Returns whether the buffer never pauses a neighbor, and a packet that [passes](Self::passes) would
    /// also be admitted if more room had been given back before. The switch may then give back late the
    /// room of what has left other ports, even where the buffer is not [calm](Self::is_calm): it does so
    /// before it asks room for a packet that does not pass. A policy may always return false, which is
    /// slower.
    #[inline]
    fn only_drops(&self) -> bool {
        false
    }

    /// Returns whether the buffer is calm, and stays so when packets of `bytes` in all are admitted and
    /// nothing is given back. The switch may then handle these packets port by port. A policy may
    /// always return false, which is slower.
    #[inline]
    fn stays_calm(&self, _bytes: u64) -> bool {
        false
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

    /// Asks for the memory that the next packets through `port` will need, as
    /// [`Qdisc::prefetch`](crate::plugin::Qdisc::prefetch) does.
    #[inline]
    fn prefetch(&self, _port: PortId) {}

    fabricsim_base::plugin_state!("the buffer");
}
