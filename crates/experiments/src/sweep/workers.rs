//! Runs points in parallel, each on one or several threads.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use fabricsim_core::network::Progress;
use fabricsim_engine::Interrupt;

use super::Sweep;
use super::monitor::{Ended, PointOutcome, SweepMonitor, SweepOptions, SweepProgress};
use super::point::Point;
use super::record::{POINT_JSON, PointState, check_folder, write_done, write_failure};
use super::warm::WarmStart;
use fabricsim::outcome::{Monitor, Run, RunParts};
use fabricsim::output::{Existing, ResultFolder};
use fabricsim::simulation::Expectation;
use fabricsim::summary::{Status, Summary};
use fabricsim_scenario::text::error::Error;

/// Interval of progress reports to the monitor.
const LOOK: Duration = Duration::from_millis(100);

/// The points to run, and their progress.
pub(super) struct Work<'a> {
    sweep: &'a Sweep,
    dir: &'a Path,
    threads: usize,
    /// The points by their indices in the sweep, in the order of their starts.
    due: &'a [usize],
    existing: Existing,
    queue: Mutex<Queue>,
    stop: Interrupt,
    /// Acknowledged bytes so far, for each of `due`.
    acknowledged: Vec<AtomicU64>,
}

/// Points that no worker has taken yet, by their indices in `due`.
struct Queue {
    /// Points that no worker has tried yet.
    fresh: VecDeque<usize>,
    /// Points that another process was running at the last try.
    busy: VecDeque<usize>,
}

/// A point that a worker tries to run.
#[derive(Clone, Copy)]
enum Turn {
    First(usize),
    Again(usize),
}

/// Message from a worker.
enum Event {
    Begun(usize),
    Waiting(usize),
    Ended(usize, Ended),
}

/// Records the progress of one point, and stops it on request.
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
    pub(super) fn new(
        sweep: &'a Sweep,
        dir: &'a Path,
        options: &SweepOptions,
        due: &'a [usize],
    ) -> Self {
        Self {
            sweep,
            dir,
            threads: options.threads.max(1),
            due,
            existing: options.existing,
            queue: Mutex::new(Queue {
                fresh: (0..due.len()).collect(),
                busy: VecDeque::new(),
            }),
            stop: Interrupt::default(),
            acknowledged: due.iter().map(|_| AtomicU64::new(0)).collect(),
        }
    }

    /// Runs the points, `jobs` at a time. Returns the final state of each of `due`, and `true` if
    /// the monitor stopped the run.
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
                    Ok(Event::Waiting(order)) => monitor.waiting(self.point(order)),
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

    /// Runs one point after another until none is left. Points of other processes are tried last.
    fn work(&self, events: &Sender<Event>) {
        while !self.stop.is_raised() {
            let Some(turn) = self.take() else {
                break;
            };
            let (Turn::First(order) | Turn::Again(order)) = turn;
            // Sending fails if the monitoring thread has panicked, which ends the whole sweep.
            let told = match (self.run_point(order, events), turn) {
                (Some(ended), _) => events.send(Event::Ended(order, ended)),
                (None, Turn::First(_)) => {
                    self.queue().busy.push_back(order);
                    events.send(Event::Waiting(order))
                }
                (None, Turn::Again(_)) => {
                    self.queue().busy.push_back(order);
                    thread::sleep(LOOK);
                    Ok(())
                }
            };
            if told.is_err() {
                break;
            }
        }
    }

    fn queue(&self) -> std::sync::MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the next point to try.
    fn take(&self) -> Option<Turn> {
        let mut queue = self.queue();
        let fresh = queue.fresh.pop_front().map(Turn::First);
        fresh.or_else(|| queue.busy.pop_front().map(Turn::Again))
    }

    /// Runs a point that has no results yet; `None` if another process is running it.
    fn run_point(&self, order: usize, events: &Sender<Event>) -> Option<Ended> {
        let point = self.point(order);
        let folder = match ResultFolder::try_open(&point.folder(self.dir)) {
            Ok(folder) => folder?,
            Err(error) => return Some(Ended::Failed(words(&error))),
        };
        // Another process may have been faster.
        if let PointState::Done(results) = PointState::of(point, self.dir) {
            return Some(Ended::Kept(results));
        }
        if let Err(error) = check_folder(point, self.dir, self.existing) {
            return Some(Ended::Failed(words(&error)));
        }
        let mut monitor = PointMonitor {
            stop: &self.stop,
            acknowledged: &self.acknowledged[order],
        };
        // A failure to send is ignored here; it shows when the end of the point is sent.
        let _ = events.send(Event::Begun(order));
        let mut folder = Some(folder);
        // A simulation that panics is dropped, so no half-changed state remains.
        let ran = catch_unwind(AssertUnwindSafe(|| {
            self.write_point(point, &mut folder, &mut monitor)
        }));
        let failure = match ran {
            Ok(Ok(summary)) if summary.status == Status::Interrupted => {
                return Some(Ended::Stopped);
            }
            Ok(Ok(_)) => match PointState::of(point, self.dir) {
                PointState::Done(results) => return Some(Ended::Ran(results)),
                _ => "the results cannot be read again".to_owned(),
            },
            Ok(Err(error)) => words(&error),
            Err(panic) => format!("panicked: {}", panic_message(&*panic)),
        };
        // If even this cannot be written, the point just remains missing.
        let _ = write_failure(self.sweep, point, self.dir, &failure);
        Some(Ended::Failed(failure))
    }

    /// Runs `point` and writes its files. If that fails, `folder` still exists.
    fn write_point(
        &self,
        point: &Point,
        folder: &mut Option<ResultFolder>,
        monitor: &mut PointMonitor<'_>,
    ) -> Result<Summary, Error> {
        let parts = RunParts {
            from: self.sweep.warm_start().map(WarmStart::checkpoint),
            ..RunParts::default()
        };
        let run = Run::new(point.scenario(), self.threads)?.in_parts(parts)?;
        let open = folder.as_mut().expect("it was opened for this");
        let ran = run.run_with_monitor(open, point.origin(), monitor)?;
        let open = folder.take().expect("it was opened for this");
        ran.finish_with(open, POINT_JSON, |summary, file| {
            write_done(self.sweep, point, &summary.checksum, file)
        })
    }
}

/// Returns an error and its causes in one line.
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
