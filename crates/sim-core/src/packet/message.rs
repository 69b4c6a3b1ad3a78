//! A packet as a message of the engine.

use super::{Header, Packet};
use fabricsim_base::checkpoint::{LoadError, Reader, Stored as _, Writer};
use fabricsim_base::id::PortId;
use fabricsim_base::units::Time;
use fabricsim_engine::Message;

impl<H: Header> Message for Packet<H> {
    #[inline]
    fn arrival(&self) -> Time {
        self.arrival
    }

    #[inline]
    fn set_arrival(&mut self, at: Time) {
        self.arrival = at;
    }

    /// Returns the egress port.
    #[inline]
    fn group(&self) -> u64 {
        u64::from(self.port.0)
    }

    /// The port of a packet in transit is what the last node has left there, and no node reads it.
    fn store_in_transit(&self, out: &mut Writer) {
        let port = PortId(0);
        Self { port, ..*self }.store(out);
    }

    #[inline]
    fn pack(&self, out: &mut Writer) {
        self.pack_into(out);
    }

    #[inline]
    fn unpack(input: &mut Reader<'_>) -> Result<Self, LoadError> {
        Self::unpack_from(input)
    }
}
