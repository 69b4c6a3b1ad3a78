//! Execution of the processes of an epoch by one thread or by a pool of threads.

use rayon::prelude::*;

/// Runs a task once for each element; the call is the barrier of an epoch.
pub(super) trait Executor {
    fn for_each<T: Send>(&self, items: &mut [T], task: impl Fn(&mut T) + Send + Sync);
}

/// The calling thread does it all.
pub(super) struct Sequential;

impl Executor for Sequential {
    #[inline]
    fn for_each<T: Send>(&self, items: &mut [T], task: impl Fn(&mut T) + Send + Sync) {
        items.iter_mut().for_each(task);
    }
}

/// The threads of the current rayon pool share the work, and steal from one another.
pub(super) struct Parallel;

impl Executor for Parallel {
    #[inline]
    fn for_each<T: Send>(&self, items: &mut [T], task: impl Fn(&mut T) + Send + Sync) {
        items.par_iter_mut().for_each(task);
    }
}
