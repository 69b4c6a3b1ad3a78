//! The threads that an engine runs on.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};

use super::address_space;

/// Maximum number of threads.
pub const MOST_THREADS: usize = 1_024;

/// The threads that run an engine: the calling thread alone, or the calling thread and a pool.
///
/// Cheap to clone: clones share the pool, which ends with the last one. The pool has the requested
/// number of threads; one of them is idle when the calling thread does its share
/// ([`Self::in_rounds`]). A forked child has none of these threads, so its calling thread does
/// everything.
#[derive(Clone, Debug, Default)]
pub struct Threads {
    pool: Option<Arc<Pool>>,
}

#[derive(Debug)]
struct Pool {
    threads: rayon::ThreadPool,
    /// Id of the OS process that has started the threads. A forked child has a copy of the pool,
    /// but no threads.
    process: u32,
    /// `true` while the threads are in rounds.
    is_in_rounds: AtomicBool,
}

/// A pool with threads that stay in rounds until this value is dropped. No other user can reserve
/// it during this time.
pub(super) struct PoolInRounds<'a>(&'a Pool);

impl Deref for PoolInRounds<'_> {
    type Target = rayon::ThreadPool;

    fn deref(&self) -> &Self::Target {
        &self.0.threads
    }
}

impl Drop for PoolInRounds<'_> {
    fn drop(&mut self) {
        self.0.is_in_rounds.store(false, SeqCst);
    }
}

impl Threads {
    /// Returns the calling thread alone; starts nothing.
    #[must_use]
    pub const fn calling() -> Self {
        Self { pool: None }
    }

    /// Starts a pool of `count` threads; starts nothing if `count` is zero or one.
    ///
    /// # Errors
    /// Fails if `count` is above [`MOST_THREADS`], or the system cannot start so many threads.
    pub fn start(count: usize) -> Result<Self, ThreadsError> {
        if count <= 1 {
            return Ok(Self::calling());
        }
        let refuse = |reason: String| ThreadsError { count, reason };
        if count > MOST_THREADS {
            return Err(refuse(format!("{MOST_THREADS} are the most")));
        }
        if let Some(shortage) = address_space::shortage(count) {
            return Err(refuse(shortage));
        }
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(count)
            .stack_size(address_space::STACK_BYTES)
            .build();
        match pool {
            Ok(threads) => Ok(Self {
                pool: Some(Arc::new(Pool {
                    threads,
                    process: std::process::id(),
                    is_in_rounds: AtomicBool::new(false),
                })),
            }),
            Err(error) => Err(refuse(error.to_string())),
        }
    }

    /// Returns the number of threads.
    #[must_use]
    pub fn count(&self) -> usize {
        self.pool
            .as_ref()
            .map_or(1, |pool| pool.threads.current_num_threads())
    }

    /// Runs `task` in the pool, if there is one. Parallel iterators may only be used if `task`
    /// receives [`Crew::Pool`].
    pub fn run<R: Send>(&self, task: impl FnOnce(Crew) -> R + Send) -> R {
        match self.pool_here() {
            None => task(Crew::Alone),
            Some(pool) => pool.threads.install(|| task(Crew::Pool)),
        }
    }

    /// Returns the pool if its threads belong to this OS process.
    fn pool_here(&self) -> Option<&Pool> {
        let pool = self.pool.as_deref()?;
        (pool.process == std::process::id()).then_some(pool)
    }

    /// Reserves the pool for rounds. Returns `None` if this OS process has no pool, or if its
    /// threads are already in rounds.
    pub(super) fn pool_for_rounds(&self) -> Option<PoolInRounds<'_>> {
        let pool = self.pool_here()?;
        let was_in_rounds = pool.is_in_rounds.swap(true, SeqCst);
        (!was_in_rounds).then(|| PoolInRounds(pool))
    }
}

/// Threads available to share a task.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Crew {
    /// Only the calling thread.
    Alone,
    /// The threads of a pool, which parallel iterators use here.
    Pool,
}

/// The error of threads that cannot be started.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ThreadsError {
    /// Number of requested threads.
    pub count: usize,
    /// The reason why the threads cannot be started.
    pub reason: String,
}

impl fmt::Display for ThreadsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot start {} threads: {}", self.count, self.reason)
    }
}

impl std::error::Error for ThreadsError {}

#[cfg(test)]
mod tests {
    use std::thread::current;

    use super::*;

    /// Simulates a forked child, which has a copy of the pool without its threads.
    #[test]
    fn without_the_threads_of_its_pool_the_calling_thread_does_everything() {
        let mut threads = Threads::start(2).expect("two threads can be had");
        let pool = threads.pool.as_mut().and_then(Arc::get_mut);
        pool.expect("nobody else has it").process ^= 1;
        assert_eq!(threads.run(|crew| crew), Crew::Alone);
        let caller = current().id();
        let work = |seen: &mut bool, ()| *seen = current().id() == caller;
        let mut items = vec![false; 6];
        threads.in_rounds(6, &work, |rounds| rounds.run(&mut items, ()));
        assert_eq!(items, [true; 6]);
        assert_eq!(threads.count(), 2, "the work is divided as before");
    }
}
