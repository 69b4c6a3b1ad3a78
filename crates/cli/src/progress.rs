//! A progress bar on a terminal, silence in a pipe, and a clean end when the user asks for it.

use std::time::{Duration, Instant};

use fabricsim::outcome::{Monitor, share_done};
use fabricsim::simulation::Expectation;
use fabricsim::utilization::ExpectedUtilization;
use fabricsim_core::engine::Interrupt;
use fabricsim_core::network::Progress;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::console::note;
use crate::signals::Signals;

/// Steps of the bar.
const STEPS: u64 = 1_000;
const REFRESH: Duration = Duration::from_millis(100);

/// Shows how far a run is and stops it when the user asks to.
pub(crate) struct Display {
    bar: ProgressBar,
    signals: Signals,
    begun: Instant,
    shown: Instant,
}

impl Display {
    pub(crate) fn new(quiet: bool, signals: &Signals) -> Self {
        let target = if quiet {
            ProgressDrawTarget::hidden()
        } else {
            ProgressDrawTarget::stderr()
        };
        let bar = ProgressBar::with_draw_target(Some(STEPS), target);
        let style = ProgressStyle::with_template("{bar:30} {percent:>3}% {msg}, ETA {eta}")
            .unwrap_or_else(|_| ProgressStyle::default_bar());
        bar.set_style(style);
        let now = Instant::now();
        Self {
            bar,
            signals: signals.clone(),
            begun: now,
            shown: now,
        }
    }

    pub(crate) fn finish(&self) {
        self.signals.release();
        self.bar.finish_and_clear();
    }
}

impl Monitor for Display {
    fn expected(&mut self, utilization: &ExpectedUtilization) {
        if let Some(warning) = utilization.warning() {
            note!("warning: {warning}");
        }
    }

    fn progress(&mut self, progress: &Progress, expected: Expectation) -> bool {
        if !self.bar.is_hidden() && self.shown.elapsed() >= REFRESH {
            self.shown = Instant::now();
            let share = share_done(progress, expected);
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a share between 0 and 1"
            )]
            self.bar.set_position((share * STEPS as f64) as u64);
            let speed = progress.packet_hops as f64 / self.begun.elapsed().as_secs_f64() / 1e6;
            self.bar.set_message(format!(
                "{:.3} ms simulated, {} of {} flows done, {speed:.1} M packet-hops/s",
                progress.now.as_secs_f64() * 1e3,
                progress.finished,
                progress.started,
            ));
        }
        !self.signals.interrupt().is_raised()
    }

    fn begins(&mut self) {
        self.signals.hold();
    }

    fn interrupt(&self) -> Interrupt {
        self.signals.interrupt()
    }
}
