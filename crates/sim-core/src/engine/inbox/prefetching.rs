//! The memory of an inbox that is about to be read.

use super::Inbox;
use crate::prefetch::{prefetch, prefetch_all};

impl<M> Inbox<M> {
    /// Asks for the memory of what the inbox itself holds.
    #[inline]
    pub(in crate::engine) fn prefetch(&self) {
        prefetch(&self.active);
        prefetch(&self.carried);
        prefetch(&self.first);
    }

    /// Asks for the memory of its channels.
    #[inline]
    pub(in crate::engine) fn prefetch_channels(&self) {
        prefetch_all(&self.channels);
    }
}
