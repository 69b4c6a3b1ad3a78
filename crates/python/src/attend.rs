//! Looking for Ctrl-C while something runs.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use fabricsim::simulation::Interrupt;
use fabricsim::simulation::{Progress, RunCallback};
use pyo3::prelude::*;

/// Interval at which Python is asked whether a signal has come.
const LOOK: Duration = Duration::from_millis(50);

/// Runs `work` on a thread of its own, without the interpreter. This thread has it look for signals
/// and calls `tick` meanwhile; an exception of either raises `stop`, which is to end the work, and
/// is returned.
///
/// # Errors
/// That exception.
pub(crate) fn attended<R: Send>(
    py: Python<'_>,
    stop: &Interrupt,
    mut tick: impl FnMut(Python<'_>) -> PyResult<()> + Send,
    work: impl FnOnce() -> R + Send,
) -> PyResult<R> {
    let mut failure = None;
    let result = py.detach(|| {
        thread::scope(|scope| {
            let (sender, done) = channel::<()>();
            let worker = scope.spawn(move || {
                let result = work();
                drop(sender);
                result
            });
            let mut look = || {
                if failure.is_none() {
                    let looked = Python::attach(|py| py.check_signals().and_then(|()| tick(py)));
                    if let Err(error) = looked {
                        failure = Some(error);
                        stop.raise();
                    }
                }
            };
            while let Err(RecvTimeoutError::Timeout) = done.recv_timeout(LOOK) {
                look();
            }
            let result = worker.join();
            look();
            result
        })
    });
    match (result, failure) {
        (Err(panic), _) => std::panic::resume_unwind(panic),
        (Ok(_), Some(error)) => Err(error),
        (Ok(result), None) => Ok(result),
    }
}

/// Looks for signals on the thread that runs a simulation, which is one of Python's.
pub(crate) struct Listener {
    looked: Instant,
    stop: Interrupt,
    /// The exception that has ended the run.
    pub(crate) error: Option<PyErr>,
}

impl Listener {
    /// A listener to a run that `stop` ends at once.
    pub(crate) fn new(stop: &Interrupt) -> Self {
        Self {
            looked: Instant::now(),
            stop: stop.clone(),
            error: None,
        }
    }
}

impl RunCallback for Listener {
    fn proceed(&mut self, _progress: &Progress) -> bool {
        if self.looked.elapsed() >= LOOK {
            self.looked = Instant::now();
            self.error = Python::attach(|py| py.check_signals()).err();
        }
        self.error.is_none()
    }

    fn interrupt(&self) -> Interrupt {
        self.stop.clone()
    }
}
