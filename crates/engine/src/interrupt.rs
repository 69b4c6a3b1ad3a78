//! A run that is to end at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Ends a run from another thread, within the work of a few thousand messages.
///
/// The engine looks at it before each process and now and then within one, so an epoch may be left
/// half done: what was interrupted does not go on.
#[derive(Clone, Debug, Default)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Makes an interrupt that is raised whenever `flag` becomes true, as a handler of signals sets
    /// it.
    #[must_use]
    pub const fn from_flag(flag: Arc<AtomicBool>) -> Self {
        Self(flag)
    }

    /// Ends the runs that look at this.
    pub fn raise(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Returns whether runs are to end.
    #[inline]
    #[must_use]
    pub fn is_raised(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
