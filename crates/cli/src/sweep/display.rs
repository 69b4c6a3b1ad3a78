//! Progress display of a sweep on a terminal.

use fabricsim_experiments::sweep::{Point, PointOutcome, SweepMonitor, SweepProgress};
use fabricsim_scenario::text::error::escaped;
use indicatif::{ProgressBar, ProgressDrawTarget};

use super::point_line::point_line;
use crate::console::note;
use crate::progress::style;
use crate::signals::Signals;

/// Steps of the bar.
const STEPS: f64 = 1_000.0;

/// A bar for all points together, and a line for each finished point.
pub(crate) struct Display {
    bar: ProgressBar,
    signals: Signals,
    /// `true` after the first message about points that another process runs. It is printed once.
    has_waited: bool,
}

impl Display {
    pub(crate) fn new(quiet: bool, signals: &Signals) -> Self {
        let target = if quiet {
            ProgressDrawTarget::hidden()
        } else {
            ProgressDrawTarget::stderr()
        };
        let bar = ProgressBar::with_draw_target(Some(steps(1.0)), target);
        bar.set_style(style());
        Self {
            bar,
            signals: signals.clone(),
            has_waited: quiet,
        }
    }

    /// Returns `true` if neither the bar nor the lines above it are visible.
    pub(super) fn is_hidden(&self) -> bool {
        self.bar.is_hidden()
    }

    /// Removes the bar.
    pub(crate) fn finish(&self) {
        self.signals.release();
        self.bar.finish_and_clear();
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a share between 0 and 1"
)]
fn steps(share: f64) -> u64 {
    (share * STEPS) as u64
}

impl SweepMonitor for Display {
    fn begins(&mut self) {
        self.signals.hold();
    }

    fn waiting(&mut self, point: &Point) {
        if !self.has_waited {
            self.has_waited = true;
            self.bar.suspend(|| {
                note!(
                    "note: another process is running point {}; this one waits for such points",
                    point.name()
                );
            });
        }
    }

    fn ended(&mut self, outcome: &PointOutcome) {
        if !self.bar.is_hidden() {
            self.bar.println(escaped(&point_line(outcome)));
        }
    }

    fn progress(&mut self, progress: &SweepProgress) -> bool {
        if !self.bar.is_hidden() {
            self.bar.set_position(steps(progress.share()));
            self.bar.set_message(format!(
                "{} of {} points done, {} running, {} failed",
                progress.ended - progress.failed,
                progress.points,
                progress.running,
                progress.failed
            ));
        }
        !self.signals.interrupt().is_raised()
    }
}
