//! The interrupt of a run.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Ends a run from another thread, within the time for a few thousand messages.
///
/// The engine checks it before each process and now and then within one, so an epoch may be left
/// half done: an interrupted run cannot be continued.
#[derive(Clone, Debug, Default)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Returns an interrupt that is raised when `flag` becomes true, for example by a signal
    /// handler.
    #[must_use]
    pub const fn from_flag(flag: Arc<AtomicBool>) -> Self {
        Self(flag)
    }

    /// Ends the runs that use this interrupt.
    pub fn raise(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Returns `true` if runs must end.
    #[inline]
    #[must_use]
    pub fn is_raised(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
