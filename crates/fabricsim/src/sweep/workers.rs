//! Points that run side by side, each on a thread of its own or on several.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use fabricsim_core::engine::Interrupt;
use fabricsim_core::network::Progress;

use super::Sweep;
use super::point::Point;
use super::record::{PointState, clear, write_record};
use super::run::{Ended, PointOutcome, SweepMonitor, SweepProgress};
use crate::error::Error;
use crate::outcome::{Monitor, run_to_folder};
use crate::simulation::Expectation;
use crate::summary::Status;

/// How often the monitor is asked.
const LOOK: Duration = Duration::from_millis(100);

/// Points that are to run, and how far they are.
pub(super) struct Work<'a> {
    sweep: &'a Sweep,
    dir: &'a Path,
    threads: usize,
    /// The points, by their places in the sweep, in the order in which they begin.
    due: &'a [usize],
    next: AtomicUsize,
    stop: Interrupt,
    /// Bytes acknowledged so far, for each of `due`.
    acknowledged: Vec<AtomicU64>,
}

/// What a worker tells.
enum Event {
    Begun(usize),
    Ended(usize, Ended),
}

/// Tells how far one point is, and whether to go on.
struct PointMonitor<'a> {
    stop: &'a Interrupt,
    acknowledged: &'a AtomicU64,
}

impl Monitor for PointMonitor<'_> {
    fn progress(&mut self, progress: &Progress, _expected: Expectation) -> bool {
        let bytes = progress.acknowledged.get();
        self.acknowledged.store(bytes, Ordering::Relaxed);
        !self.stop.is_raised()
    }

    fn interrupt(&self) -> Interrupt {
        self.stop.clone()
    }
}

impl<'a> Work<'a> {
    pub(super) fn new(sweep: &'a Sweep, dir: &'a Path, threads: usize, due: &'a [usize]) -> Self {
        Self {
            sweep,
            dir,
            threads,
            due,
            next: AtomicUsize::new(0),
            stop: Interrupt::default(),
            acknowledged: due.iter().map(|_| AtomicU64::new(0)).collect(),
        }
    }

    /// Runs the points, `jobs` at a time, and answers with how each of `due` ended; whether the
    /// monitor stopped it is the second part.
    pub(super) fn run(
        &self,
        jobs: usize,
        monitor: &mut dyn SweepMonitor,
    ) -> Result<(Vec<Option<Ended>>, bool), Error> {
        let mut ended: Vec<Option<Ended>> = self.due.iter().map(|_| None).collect();
        let mut running = vec![false; self.due.len()];
        thread::scope(|scope| {
            let (sender, events) = channel();
            let count = jobs.clamp(1, self.due.len().max(1));
            for _ in 0..count {
                let sender = sender.clone();
                let worker = thread::Builder::new().spawn_scoped(scope, move || self.work(&sender));
                if let Err(error) = worker {
                    self.stop.raise();
                    return Err(Error::Threads {
                        count,
                        reason: error.to_string(),
                    });
                }
            }
            drop(sender);
            loop {
                match events.recv_timeout(LOOK) {
                    Ok(Event::Begun(order)) => {
                        running[order] = true;
                        monitor.begun(self.point(order));
                    }
                    Ok(Event::Ended(order, how)) => {
                        running[order] = false;
                        monitor.ended(&PointOutcome::new(self.point(order), self.dir, how.clone()));
                        ended[order] = Some(how);
                    }
                    Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => break,
                }
                if !monitor.progress(&self.progress(&ended, &running)) {
                    self.stop.raise();
                }
            }
            Ok(())
        })?;
        Ok((ended, self.stop.is_raised()))
    }

    fn point(&self, order: usize) -> &'a Point {
        &self.sweep.points()[self.due[order]]
    }

    fn progress(&self, ended: &[Option<Ended>], running: &[bool]) -> SweepProgress {
        let mut progress = SweepProgress {
            points: self.due.len(),
            running: running.iter().filter(|&&running| running).count(),
            ..SweepProgress::default()
        };
        for (order, end) in ended.iter().enumerate() {
            let expected = self.point(order).expected().bytes;
            progress.expected_bytes += expected;
            let acknowledged = self.acknowledged[order].load(Ordering::Relaxed) as f64;
            progress.done_bytes += match end {
                Some(_) => expected,
                None => acknowledged.min(expected),
            };
            progress.ended += usize::from(end.is_some());
            progress.failed += usize::from(matches!(end, Some(Ended::Failed(_))));
        }
        progress
    }

    /// Runs one point after another until none is left.
    fn work(&self, events: &Sender<Event>) {
        while !self.stop.is_raised() {
            let order = self.next.fetch_add(1, Ordering::Relaxed);
            if order >= self.due.len() {
                break;
            }
            // Nobody listens any more when the thread that watches has panicked; that ends it all.
            let told = events.send(Event::Begun(order));
            let ended = self.run_point(order);
            if told.is_err() || events.send(Event::Ended(order, ended)).is_err() {
                break;
            }
        }
    }

    fn run_point(&self, order: usize) -> Ended {
        let point = self.point(order);
        let folder = point.folder(self.dir);
        let mut monitor = PointMonitor {
            stop: &self.stop,
            acknowledged: &self.acknowledged[order],
        };
        // What a panic leaves half done is dropped with the simulation.
        let ran = catch_unwind(AssertUnwindSafe(|| {
            clear(&folder)?;
            run_to_folder(point.scenario(), &folder, self.threads, &mut monitor)
        }));
        let failure = match ran {
            Ok(Ok(summary)) if summary.status == Status::Interrupted => return Ended::Stopped,
            Ok(Ok(summary)) => {
                let written = write_record(self.sweep, point, &folder, Ok(summary.digest));
                match (written, PointState::of(point, self.dir)) {
                    (Ok(()), PointState::Done(results)) => return Ended::Ran(results),
                    (Ok(()), _) => "the results cannot be read again".to_owned(),
                    (Err(error), _) => words(&error),
                }
            }
            Ok(Err(error)) => words(&error),
            Err(panic) => format!("panicked: {}", panic_message(&*panic)),
        };
        // Where even this cannot be written, the point is simply not done.
        let _ = write_record(self.sweep, point, &folder, Err(failure.clone()));
        Ended::Failed(failure)
    }
}

/// An error and its causes in one line.
fn words(error: &Error) -> String {
    let causes = std::iter::successors(std::error::Error::source(error), |error| error.source());
    causes.fold(error.to_string(), |text, cause| format!("{text}: {cause}"))
}

fn panic_message(panic: &(dyn std::any::Any + Send)) -> &str {
    panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("without a message")
}
