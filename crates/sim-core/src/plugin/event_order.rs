//! The order of events that happen at one node at one time.

use std::marker::PhantomData;

use crate::packet::{Header, Packet, Stamps};
use fabricsim_base::units::Time;
use fabricsim_engine::ArrivalOrder;

/// The order of simultaneous events at one node; `H` is the header of packets. A model chooses one
/// order at compile time, so it does not pay for the needs of the other one.
pub trait EventOrder<H>: Send + Sync + std::fmt::Debug + 'static {
    /// `true` if events are handled in the order they were set, and hosts have the same events as
    /// the published NIC.
    const BY_INSERTION: bool = false;

    /// Returns the stamp of an event that is set at `now`; 0 if the order does not depend on it.
    #[inline]
    #[must_use]
    fn stamp(now: Time) -> u32 {
        if Self::BY_INSERTION {
            Stamps::of(now)
        } else {
            0
        }
    }

    /// Returns the time at which the arrival of the packet with `header` was set.
    #[inline]
    fn stamps(_header: &H) -> Stamps {
        Stamps::default()
    }

    /// Writes `stamps` into the `header` of a packet that is sent.
    #[inline]
    fn set_stamps(_header: &mut H, _stamps: Stamps) {}
}

/// Flow starts by number, then arrivals by port, then the node's own events by kind and port.
#[derive(Clone, Copy, Debug)]
pub struct ByNode;

impl<H> EventOrder<H> for ByNode {}

/// By the time at which events were set, as a simulator with one event list executes them. Packets
/// carry [`Stamps`].
#[derive(Clone, Copy, Debug)]
pub struct ByInsertion;

impl<H: Header> EventOrder<H> for ByInsertion {
    const BY_INSERTION: bool = true;

    #[inline]
    fn stamps(header: &H) -> Stamps {
        const { assert!(H::STAMPED, "packets have room for stamps") };
        header.stamps()
    }

    #[inline]
    fn set_stamps(header: &mut H, stamps: Stamps) {
        header.set_stamps(stamps);
    }
}

/// The event order `O` in the form that the engine needs: the order of packets that arrive at the
/// same time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PacketOrder<O>(PhantomData<fn() -> O>);

impl<H: Header, O: EventOrder<H>> ArrivalOrder<Packet<H>> for PacketOrder<O> {
    const BY_PLACE: bool = O::BY_INSERTION;

    #[inline]
    fn place(packet: &Packet<H>) -> u64 {
        let stamps = O::stamps(&packet.telemetry);
        u64::from(stamps.set) << 32 | u64::from(stamps.before)
    }
}
