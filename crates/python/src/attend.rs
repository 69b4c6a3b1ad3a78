//! Checks for Ctrl-C while a run is in progress.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use fabricsim::simulation::Interrupt;
use fabricsim::simulation::{Progress, RunCallback};
use pyo3::prelude::*;

/// Interval between two checks for signals. It bounds the delay of Ctrl-C.
const LOOK: Duration = Duration::from_millis(50);

/// Runs `work` on a separate thread, without the interpreter, so that this thread can check for
/// signals and call `tick` at the same time. If either raises an exception, this raises `stop`,
/// which must end the work.
///
/// # Errors
/// Returns that exception.
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

/// Checks for signals on the thread that runs a simulation, which is a thread of Python.
pub(crate) struct Listener {
    looked: Instant,
    stop: Interrupt,
    /// The exception that has ended the run.
    pub(crate) error: Option<PyErr>,
}

impl Listener {
    /// Returns a listener to a run that ends immediately if `stop` is raised.
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
