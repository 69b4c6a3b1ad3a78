//! Messages between processes.

use fabricsim_base::checkpoint::{LoadError, Reader, Stored, Writer};
use fabricsim_base::fifo::Assign;
use fabricsim_base::units::Time;

/// A message on a channel. It is [`Stored`] in checkpoints.
pub trait Message: Assign + Send + Stored + Sync + std::fmt::Debug {
    /// Returns the time of arrival that [`Self::set_arrival`] has set.
    fn arrival(&self) -> Time;

    /// Sets the time of arrival.
    fn set_arrival(&mut self, at: Time);

    /// Returns the group of a prepared message, if its reader has groups: see
    /// [`LogicalProcess::groups`](super::LogicalProcess::groups).
    #[inline]
    fn group(&self) -> u64 {
        0
    }

    /// Appends the message to a checkpoint, in which it is in transit.
    #[inline]
    fn store_in_transit(&self, out: &mut Writer) {
        self.store(out);
    }

    /// Appends the message to the data for another rank, by default in the form for checkpoints.
    #[inline]
    fn pack(&self, out: &mut Writer) {
        self.store(out);
    }

    /// Returns the message that [`Self::pack`] has written.
    ///
    /// # Errors
    /// Fails if `input` contains something else.
    #[inline]
    fn unpack(input: &mut Reader<'_>) -> Result<Self, LoadError> {
        Self::fetch(input)
    }
}
