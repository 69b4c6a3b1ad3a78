//! Progress on a terminal or in a log, and a clean end on Ctrl-C.

use std::time::{Duration, Instant};

use fabricsim::outcome::{Monitor, share_done};
use fabricsim::simulation::Expectation;
use fabricsim_core::network::Progress;
use fabricsim_engine::Interrupt;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::console::note;
use crate::signals::Signals;

/// Steps of the bar.
const STEPS: u64 = 1_000;
/// Wall time between two updates of the bar.
const REFRESH: Duration = Duration::from_millis(250);
/// Wall time between two updates of the remaining time, even if the run reports no progress.
const TICK: Duration = Duration::from_secs(1);
/// Wall time between two lines of a log.
const LOG: Duration = Duration::from_secs(10);

/// Returns the style of a bar for terminals of any width: it cuts a message that does not fit.
pub(crate) fn style() -> ProgressStyle {
    ProgressStyle::with_template("{bar:20} {percent:>3}% ETA {eta}, {wide_msg}")
        .unwrap_or_else(|_| ProgressStyle::default_bar())
}

/// The destination of progress reports.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Place {
    /// A bar on a terminal.
    Terminal,
    /// Lines in a file or a pipe.
    Log,
    /// Nothing is shown.
    Nowhere,
}

/// Shows the progress of a run, and stops the run when the user interrupts it.
pub(crate) struct Display {
    place: Place,
    bar: ProgressBar,
    signals: Signals,
    begun: Instant,
    shown: Instant,
    /// Packet-hops at the first progress report; not zero if the run continues a checkpoint.
    before: Option<u64>,
}

/// The monitor of all ranks but the first: prints nothing, and stops when the user interrupts.
pub(crate) struct Follower(pub(crate) Signals);

impl Monitor for Follower {
    fn progress(&mut self, _progress: &Progress, _expected: Expectation) -> bool {
        true
    }

    fn interrupt(&self) -> Interrupt {
        self.0.interrupt()
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
        bar.set_style(style());
        let place = match (quiet, bar.is_hidden()) {
            (true, _) => Place::Nowhere,
            (false, true) => Place::Log,
            (false, false) => Place::Terminal,
        };
        let now = Instant::now();
        Self {
            place,
            bar,
            signals: signals.clone(),
            begun: now,
            shown: now,
            before: None,
        }
    }

    pub(crate) fn finish(&self) {
        self.signals.release();
        self.bar.finish_and_clear();
    }
}

/// Returns the progress of a run in words, without the share that is done.
///
/// `flows` is the number of expected flows. It is an estimate for random workloads, so more flows
/// than that may have started.
fn message(progress: &Progress, flows: f64, elapsed: Duration) -> String {
    let speed = progress.packet_hops as f64 / elapsed.as_secs_f64().max(1e-9) / 1e6;
    format!(
        "{:.3} ms simulated, {} of {:.0} flows done, {speed:.1} M packet-hops/s",
        progress.now.as_secs_f64() * 1e3,
        progress.finished,
        flows.max(progress.started as f64),
    )
}

/// Returns the line of a log.
fn line(share: f64, progress: &Progress, flows: f64, elapsed: Duration) -> String {
    format!(
        "progress: {:.0}% after {} s, {}",
        share * 100.0,
        elapsed.as_secs(),
        message(progress, flows, elapsed)
    )
}

impl Monitor for Display {
    fn warns(&mut self, warning: &str) {
        note!("warning: {warning}");
    }

    fn progress(&mut self, progress: &Progress, expected: Expectation) -> bool {
        let interval = match self.place {
            Place::Terminal => REFRESH,
            Place::Log => LOG,
            Place::Nowhere => Duration::MAX,
        };
        let before = *self.before.get_or_insert(progress.packet_hops);
        if self.shown.elapsed() >= interval {
            self.shown = Instant::now();
            let progress = &Progress {
                packet_hops: progress.packet_hops - before,
                ..*progress
            };
            let share = share_done(progress, expected);
            let elapsed = self.begun.elapsed();
            match self.place {
                Place::Log => note!("{}", line(share, progress, expected.flows, elapsed)),
                Place::Terminal | Place::Nowhere => {
                    #[expect(
                        clippy::cast_possible_truncation,
                        clippy::cast_sign_loss,
                        reason = "a share between 0 and 1"
                    )]
                    self.bar.set_position((share * STEPS as f64) as u64);
                    self.bar
                        .set_message(message(progress, expected.flows, elapsed));
                }
            }
        }
        !self.signals.interrupt().is_raised()
    }

    fn begins(&mut self) {
        self.signals.hold();
        self.begun = Instant::now();
        if self.place == Place::Terminal {
            self.bar.enable_steady_tick(TICK);
        }
    }

    fn interrupt(&self) -> Interrupt {
        self.signals.interrupt()
    }
}

#[cfg(test)]
mod tests {
    use fabricsim_base::units::{Bytes, Time};

    use super::*;

    const PROGRESS: Progress = Progress {
        now: Time::from_ns(1_500_000),
        started: 200,
        finished: 150,
        acknowledged: Bytes::new(500),
        packet_hops: 30_000_000,
    };

    #[test]
    fn a_log_gets_a_line_in_ten_seconds() {
        assert_eq!(
            line(0.256, &PROGRESS, 480.3, Duration::from_millis(10_400)),
            "progress: 26% after 10 s, 1.500 ms simulated, 150 of 480 flows done, 2.9 M packet-hops/s"
        );
        let more = line(0.256, &PROGRESS, 180.0, Duration::from_millis(10_400));
        assert!(more.contains("150 of 200 flows done"), "{more}");
        let signals = Signals::default();
        let mut display = Display::new(false, &signals);
        display.place = Place::Log;
        let expected = Expectation {
            bytes: 1_000.0,
            flows: 200.0,
        };
        let begun = display.shown;
        assert!(display.progress(&PROGRESS, expected));
        assert_eq!(display.shown, begun, "too soon");
        let Some(earlier) = begun.checked_sub(LOG) else {
            return;
        };
        display.shown = earlier;
        assert!(display.progress(&PROGRESS, expected));
        assert!(display.shown > earlier, "a line was due");
    }
}
