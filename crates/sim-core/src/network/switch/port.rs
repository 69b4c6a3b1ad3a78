//! A port of a switch.

use crate::network::egress::Egress;
use crate::packet::Header;
use crate::plugin::{Hop, Qdisc};
use fabricsim_base::id::PortId;
use fabricsim_base::priority::Priority;
use fabricsim_base::units::{Bytes, Time};

/// A port: its wire and what waits for it.
// In this order and on lines of its own: a packet that passes touches the first two cache lines.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub(super) struct Port<Q> {
    /// The end of the last packet on the wire, where nothing waits or is paused and the link is up;
    /// else [`Time::MAX`]: see [`Self::note_state`].
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
    /// Returns whether a packet of `priority` may leave at `now` without being queued. At the very
    /// instant at which the wire becomes free it may not: others may arrive then, too. Nor where something
    /// is due, though it has been lost with the link.
    #[inline]
    pub(super) fn is_idle<H: Header>(&self, now: Time, priority: Priority) -> bool
    where
        Q: Qdisc<H>,
    {
        let is_open = self.open_after < now
            || !self.egress.paused.is_empty()
                && self.egress.busy_until < now
                && self.queue.bytes() == Bytes::ZERO
                && !self.egress.paused.contains(priority)
                && !self.egress.is_down();
        is_open && self.due == Time::MAX
    }

    /// The port as a packet of `wire` bytes leaves it that had `arrived` by `ingress`.
    #[inline(always)]
    pub(super) fn hop<H: Header>(
        &self,
        now: Time,
        number: usize,
        (arrived, ingress): (Time, PortId),
        wire: u16,
    ) -> Hop
    where
        Q: Qdisc<H>,
    {
        Hop {
            now,
            arrived,
            ingress,
            port: PortId::from_index(number),
            rate: self.egress.rate(),
            queue: self.queue.bytes(),
            sent: self.egress.sent_bytes_before(wire),
        }
    }

    /// Notes after a change of the queue, the pauses or the link whether the port is open to packets
    /// of all priorities.
    #[inline]
    pub(super) fn note_state<H: Header>(&mut self)
    where
        Q: Qdisc<H>,
    {
        let is_open = self.queue.bytes() == Bytes::ZERO
            && self.egress.paused.is_empty()
            && !self.egress.is_down();
        self.open_after = if is_open {
            self.egress.busy_until
        } else {
            Time::MAX
        };
    }
}
