//! A progress bar on a terminal, silence in a pipe, and a clean end on Ctrl-C.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use fabricsim::outcome::{Monitor, share_done};
use fabricsim::simulation::Expectation;
use fabricsim_core::engine::Interrupt;
use fabricsim_core::network::Progress;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

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

/// What Ctrl-C does: it ends the process at once, or, while there are results to be kept, the run; a second
/// one then ends the process.
#[derive(Clone, Debug, Default)]
pub(crate) struct Signals {
    held: Arc<AtomicBool>,
    interrupt: Interrupt,
}

impl Signals {
    /// Listens to Ctrl-C from now on.
    pub(crate) fn listen() -> Self {
        let signals = Self::default();
        let seen = signals.clone();
        // Where the system gives no thread to listen on, Ctrl-C ends the process as usual.
        let _ = ctrlc::set_handler(move || {
            if seen.interrupt.is_raised() || !seen.held.load(Ordering::SeqCst) {
                std::process::exit(i32::from(crate::exit::INTERRUPTED));
            }
            seen.interrupt.raise();
        });
        signals
    }

    /// From now on there is something to be kept.
    pub(crate) fn hold(&self) {
        self.held.store(true, Ordering::SeqCst);
    }

    /// Everything has been kept.
    pub(crate) fn release(&self) {
        self.held.store(false, Ordering::SeqCst);
    }

    /// What Ctrl-C raises while something is to be kept.
    pub(crate) fn interrupt(&self) -> Interrupt {
        self.interrupt.clone()
    }
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
        !self.signals.interrupt.is_raised()
    }

    fn begins(&mut self) {
        self.signals.hold();
    }

    fn interrupt(&self) -> Interrupt {
        self.signals.interrupt()
    }
}
