//! A port of a switch.

use crate::network::egress::Egress;
use crate::packet::Header;
use crate::plugin::{Model, PortStates, Qdisc};
use fabricsim_base::id::PortId;
use fabricsim_base::priority::Priority;
use fabricsim_base::units::{Bytes, Time};

/// A port: its wire and its queue.
// The order of fields and the alignment matter: a packet that is not queued touches only the first
// two cache lines.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub(super) struct Port<Q> {
    /// The end of the current transmission if packets of every priority may leave after it: the
    /// queue is empty, no priority is paused, nothing is due, and the link is up. Otherwise
    /// [`Time::MAX`].
    pub(super) open_after: Time,
    pub(super) egress: Egress,
    /// Time at which the next packet leaves because the wire becomes free, or [`Time::MAX`].
    pub(super) due: Time,
    pub(super) queue: Q,
}

// A queue with up to 24 bytes of its own that every packet needs still fits in the second cache
// line.
#[cfg(target_pointer_width = "64")]
const _: () = assert!(std::mem::offset_of!(Port<u64>, queue) == 104);

impl<Q> Port<Q> {
    /// Returns `true` if a packet of `priority` may leave at `now` without being queued. It may not
    /// at the very instant at which the wire becomes free, because other packets may arrive at the
    /// same time.
    #[inline]
    pub(super) fn is_idle<H: Header>(&self, now: Time, priority: Priority) -> bool
    where
        Q: Qdisc<H>,
    {
        self.open_after < now
            || !self.egress.paused.is_empty()
                && self.egress.busy_until < now
                && self.due == Time::MAX
                && self.queue.bytes() == Bytes::ZERO
                && !self.egress.paused.contains(priority)
                && !self.egress.is_down()
    }

    /// Updates [`Self::open_after`] after a change of the queue, the pauses, the link or the due
    /// time.
    #[inline]
    pub(super) fn note_state<H: Header>(&mut self)
    where
        Q: Qdisc<H>,
    {
        let is_open = self.queue.bytes() == Bytes::ZERO
            && self.egress.paused.is_empty()
            && !self.egress.is_down()
            && self.due == Time::MAX;
        self.open_after = if is_open {
            self.egress.busy_until
        } else {
            Time::MAX
        };
    }

    /// Sets the time at which the next packet leaves because the wire becomes free.
    #[inline]
    pub(super) const fn set_due(&mut self, at: Time) {
        self.due = at;
        self.open_after = Time::MAX;
    }
}

/// The ports of a switch as its routing sees them.
pub(super) struct SwitchPorts<'a, M: Model>(pub(super) &'a [Port<M::Queue>]);

impl<M: Model> PortStates for SwitchPorts<'_, M> {
    fn queued(&self, port: PortId) -> Bytes {
        self.0[port.index()].queue.bytes()
    }

    fn is_paused(&self, port: PortId, priority: Priority) -> bool {
        self.0[port.index()].egress.paused.contains(priority)
    }

    fn is_up(&self, port: PortId) -> bool {
        !self.0[port.index()].egress.is_down()
    }
}
