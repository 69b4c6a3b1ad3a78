//! Who is told what the engine does, to measure it: the engine itself has no clock.

/// Is told when windows and the domains in them begin and end.
///
/// The engine calls it on one thread, in the order of what happens. `()` hears nothing and costs
/// nothing.
pub trait Probe {
    /// A window begins; what lies between two windows is the driver's.
    #[inline]
    fn window_begins(&mut self) {}

    /// Domain `index` is looked at: its mail is fetched, it is run when something is due, and what it
    /// sends is handed over.
    #[inline]
    fn domain_begins(&mut self, _index: usize) {}

    /// Domain `index`, the one that began last, is done for this window.
    #[inline]
    fn domain_ends(&mut self, _index: usize) {}

    /// All domains are done.
    #[inline]
    fn window_ends(&mut self) {}
}

/// Nobody measures.
impl Probe for () {}
