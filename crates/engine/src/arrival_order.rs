//! The order of messages that arrive at the same time.

/// The order of messages to one process that arrive at the same time; chosen by the process.
pub trait ArrivalOrder<M> {
    /// `true` if [`Self::place`] takes precedence over the order of channels.
    const BY_PLACE: bool = false;

    /// Returns the place of `message` among messages of the same time. Used only with
    /// [`Self::BY_PLACE`].
    #[inline]
    fn place(_message: &M) -> u64 {
        0
    }
}

/// Orders simultaneous messages by their channels.
#[derive(Clone, Copy, Debug)]
pub struct ByChannel;

impl<M> ArrivalOrder<M> for ByChannel {}
