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

    /// Asks for the memory of the time of arrival: see [`prefetch`](fabricsim_base::prefetch). Called for all
    /// messages that will be due, a while before an epoch in large networks, of which little is in the
    /// cache.
    #[inline]
    fn prefetch(&self) {}

    /// Asks for a part of the message in each of its other cache lines. Called together with
    /// [`prefetch`](Self::prefetch), and in all networks when an epoch begins, for the messages that
    /// are due, as many as stay in the cache.
    #[inline]
    fn prefetch_rest(&self) {}

    /// Asks for the memory in which the message ends. Called for the last one of those that stand
    /// side by side: the end of any other lies where the next one begins.
    #[inline]
    fn prefetch_end(&self) {}
}
