//! A probe that measures the engine's activity, because the engine itself has no clock.

/// Receives calls when epochs and the runs of processes begin and end.
///
/// The engine calls it on one thread, in the order of events. `()` does nothing and costs nothing.
pub trait Probe {
    /// An epoch begins. The time between two epochs belongs to the driver.
    #[inline]
    fn epoch_begins(&mut self) {}

    /// Process `index` begins its turn: it receives messages, runs if something is due, and its
    /// sent messages are delivered.
    #[inline]
    fn process_begins(&mut self, _index: usize) {}

    /// Process `index`, the last one to begin, is done for this epoch.
    #[inline]
    fn process_ends(&mut self, _index: usize) {}

    /// Returns `true` to receive calls of [`Self::sends`].
    #[inline]
    fn hears_of_messages(&self) -> bool {
        false
    }

    /// Process `index`, which is running, has sent `messages` over `channel` in this epoch. `pack`
    /// packs them as for another rank, unpacks them, and returns their size in bytes, for measuring
    /// the cost.
    #[inline]
    fn sends(
        &mut self,
        _index: usize,
        _channel: usize,
        _messages: usize,
        _pack: &mut dyn FnMut() -> usize,
    ) {
    }

    /// All processes are done.
    #[inline]
    fn epoch_ends(&mut self) {}
}

/// A probe that does nothing.
impl Probe for () {}
