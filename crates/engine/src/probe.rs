//! Probe that is notified of the engine's activity in order to measure it: the engine itself has no
//! clock.

/// Is told when epochs and the processes in them begin and end.
///
/// The engine calls it on one thread, in the order of what happens. `()` hears nothing and costs
/// nothing.
pub trait Probe {
    /// An epoch begins; what lies between two epochs is the driver's.
    #[inline]
    fn epoch_begins(&mut self) {}

    /// Process `index` has a turn: its messages are taken in, it is run when something is due, and what
    /// it sends is handed over.
    #[inline]
    fn process_begins(&mut self, _index: usize) {}

    /// LogicalProcess `index`, the one that began last, is done for this epoch.
    #[inline]
    fn process_ends(&mut self, _index: usize) {}

    /// Returns whether it wants to hear of what is sent ([`Self::sends`]).
    #[inline]
    fn hears_of_messages(&self) -> bool {
        false
    }

    /// LogicalProcess `index`, which is running, has sent `messages` over `channel` in this epoch.
    /// `pack` packs them as for another rank, reads them again, and returns how many bytes they were:
    /// for measuring what that costs.
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

/// Nobody measures.
impl Probe for () {}
