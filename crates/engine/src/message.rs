//! Messages that processes send each other.

use fabricsim_base::checkpoint::{LoadError, Reader, Stored, Writer};
use fabricsim_base::fifo::Assign;
use fabricsim_base::units::Time;

/// A message that crosses a channel. It is [`Stored`] in checkpoints, and on its way to a process of
/// another rank.
pub trait Message: Assign + Send + Stored + Sync + std::fmt::Debug {
    /// Returns when the message arrives, as [`Self::set_arrival`] has set it.
    fn arrival(&self) -> Time;

    /// Remembers when the message arrives.
    fn set_arrival(&mut self, at: Time);

    /// Returns the group of a message that its reader has prepared, where its reader has groups: see
    /// [`LogicalProcess::groups`](super::LogicalProcess::groups).
    #[inline]
    fn group(&self) -> u64 {
        0
    }

    /// Appends the message to what goes to another rank. By default as a checkpoint holds it.
    #[inline]
    fn pack(&self, out: &mut Writer) {
        self.store(out);
    }

    /// Returns the message that [`Self::pack`] has written.
    ///
    /// # Errors
    /// When `input` holds something else.
    #[inline]
    fn unpack(input: &mut Reader<'_>) -> Result<Self, LoadError> {
        Self::fetch(input)
    }
}
