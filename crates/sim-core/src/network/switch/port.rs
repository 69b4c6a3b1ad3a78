//! A port of a switch.

use crate::network::egress::Egress;
use crate::packet::Header;
use crate::plugin::{Model, PortStates, Qdisc};
use fabricsim_base::id::PortId;
use fabricsim_base::priority::Priority;
use fabricsim_base::units::{Bytes, Time};

/// A port: its wire and its queue.
// In this order and on lines of its own: a packet that passes touches the first two cache lines.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub(super) struct Port<Q> {
    /// The end of the last packet on the wire if the port is open to packets of all priorities:
    /// nothing waits, is paused or due, and the link is up. Else [`Time::MAX`].
    pub(super) open_after: Time,
    pub(super) egress: Egress,
    /// Time at which the next packet is to leave because the wire becomes free, or [`Time::MAX`].
    pub(super) due: Time,
    pub(super) queue: Q,
}

// With 24 bytes of its own that every packet needs, a queue is within the second line.
#[cfg(target_pointer_width = "64")]
const _: () = assert!(std::mem::offset_of!(Port<u64>, queue) == 104);

impl<Q> Port<Q> {
    /// Returns `true` if a packet of `priority` may leave at `now` without being queued. At the very
    /// instant at which the wire becomes free it may not, since others may arrive then, too.
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

    /// Notes if the port is open, after a change of the queue, the pauses, the link or the due time.
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

    /// Sets the time at which the next packet is to leave because the wire becomes free.
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
