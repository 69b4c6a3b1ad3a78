//! A packet as a message of the engine.

use super::{Header, Packet};
use crate::checkpoint::{LoadError, Reader, Writer};
use crate::engine::Message;
use crate::prefetch::prefetch;
use crate::units::Time;

impl<H: Header> Message for Packet<H> {
    #[inline]
    fn arrival(&self) -> Time {
        self.arrival
    }

    #[inline]
    fn set_arrival(&mut self, at: Time) {
        self.arrival = at;
    }

    #[inline]
    fn pack(&self, out: &mut Writer) {
        self.pack_into(out);
    }

    #[inline]
    fn unpack(input: &mut Reader<'_>) -> Result<Self, LoadError> {
        Self::unpack_from(input)
    }

    #[inline]
    fn touch(&self) -> u64 {
        // All but the end of the last packet of a buffer is in the cache when the time of arrival and
        // the header of each have been read: packets stand side by side.
        self.telemetry.touch()
    }

    #[inline]
    fn prefetch(&self) {
        prefetch(&self.arrival);
        self.telemetry.prefetch();
    }
}
