//! Messages that processes send each other.

use crate::checkpoint::Stored;
use crate::fifo::Assign;
use crate::units::Time;

/// A message that crosses a channel. It is [`Stored`] in checkpoints, and on its way to a process of
/// another rank.
pub trait Message: Assign + Send + Stored + Sync + std::fmt::Debug {
    /// Returns when the message arrives, as [`Self::set_arrival`] has set it.
    fn arrival(&self) -> Time;

    /// Remembers when the message arrives.
    fn set_arrival(&mut self, at: Time);

    /// Any value that takes a look at each cache line of the message. It is asked for when an epoch
    /// begins, for all messages that are due, so that the memory is fetched while nobody waits for
    /// it.
    #[inline]
    fn touch(&self) -> u64 {
        0
    }
}
