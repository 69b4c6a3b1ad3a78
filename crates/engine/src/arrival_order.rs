//! The order of messages that arrive at one instant.

/// The order of messages to one process that arrive at one instant; chosen by the process.
pub trait ArrivalOrder<M> {
    /// Whether [`Self::place`] decides before the channels do.
    const BY_PLACE: bool = false;

    /// Returns the place of `message` among those of its instant, where that decides.
    #[inline]
    fn place(_message: &M) -> u64 {
        0
    }
}

/// By their channels.
#[derive(Clone, Copy, Debug)]
pub struct ByChannel;

impl<M> ArrivalOrder<M> for ByChannel {}
