//! Messages that processes send each other.

use crate::checkpoint::{LoadError, Reader, Stored, Writer};
use crate::fifo::Assign;
use crate::units::Time;

/// A message that crosses a channel. It is [`Stored`] in checkpoints, and on its way to a process of
/// another rank.
pub trait Message: Assign + Send + Stored + Sync + std::fmt::Debug {
    /// Returns when the message arrives, as [`Self::set_arrival`] has set it.
    fn arrival(&self) -> Time;

    /// Remembers when the message arrives.
    fn set_arrival(&mut self, at: Time);

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

    /// Any value that takes a look at each cache line of the message. It is asked for when an epoch
    /// begins, for all messages that are due, so that the memory is fetched while nobody waits for
    /// it.
    #[inline]
    fn touch(&self) -> u64 {
        0
    }

    /// Asks for the memory of the message: see [`prefetch`](crate::prefetch). Called a while before an
    /// epoch in large networks, of which little is in the cache.
    #[inline]
    fn prefetch(&self) {}
}
