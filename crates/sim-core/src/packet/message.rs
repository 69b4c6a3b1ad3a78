//! A packet as a message of the engine.

use super::{Header, Packet};
use fabricsim_base::checkpoint::{LoadError, Reader, Writer};
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

    #[inline]
    fn pack(&self, out: &mut Writer) {
        self.pack_into(out);
    }

    #[inline]
    fn unpack(input: &mut Reader<'_>) -> Result<Self, LoadError> {
        Self::unpack_from(input)
    }
}
