//! The state machine (section 4.3).

use fabricsim_base::checkpoint::{Checkpointed, Stored};
use fabricsim_base::rng::Stream;
use fabricsim_base::units::{Duration, Time};
use fabricsim_core::plugin::RateSample;

use super::model::PathModel;
use super::{HIGH_GAIN, MIN_PIPE};

/// Pacing gain of each phase in a cycle (section 4.3.4.1).
const CYCLE: [f64; 8] = [1.25, 0.75, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0];
/// Growth factor of the bandwidth. Less growth in a round indicates that the pipe is full.
const GROWTH: f64 = 1.25;
/// Number of consecutive rounds without growth that prove that the pipe is full.
const FLAT_ROUNDS: u32 = 3;

/// The state of the sender (BBR.state).
#[derive(Clone, Copy, Debug, Eq, PartialEq, Stored)]
#[checkpoint(absolute)]
pub(super) enum State {
    Startup,
    Drain,
    ProbeBw,
    ProbeRtt,
}

/// State and gains.
#[derive(Checkpointed, Clone, Debug)]
#[checkpoint(absolute)]
pub(super) struct States {
    pub(super) state: State,
    pub(super) pacing_gain: f64,
    pub(super) cwnd_gain: f64,
    pub(super) filled_pipe: bool,
    /// `true` after an idle time, until the next acknowledgement (BBR.idle_restart).
    pub(super) idle_restart: bool,
    /// Bandwidth at the last growth, in bit/s (BBR.full_bw).
    full_rate: f64,
    flat_rounds: u32,
    /// Index and start of the current phase in the gain cycle (BBR.cycle_index, BBR.cycle_stamp).
    phase: usize,
    phase_began: Time,
    draws: Stream,
    /// BBR.probe_rtt_done_stamp, and `true` if a round has passed since.
    probe_done: Option<Time>,
    probe_round_done: bool,
    #[checkpoint(rebuilt)]
    probe_lasts: Duration,
}

impl States {
    pub(super) fn new(draws: Stream, probe_lasts: Duration) -> Self {
        Self {
            state: State::Startup,
            pacing_gain: HIGH_GAIN,
            cwnd_gain: HIGH_GAIN,
            filled_pipe: false,
            idle_restart: false,
            full_rate: 0.0,
            flat_rounds: 0,
            phase: 0,
            phase_began: Time::ZERO,
            draws,
            probe_done: None,
            probe_round_done: false,
            probe_lasts,
        }
    }

    fn enter(&mut self, state: State, pacing_gain: f64, cwnd_gain: f64) {
        self.state = state;
        self.pacing_gain = pacing_gain;
        self.cwnd_gain = cwnd_gain;
    }

    /// Checks if the bandwidth has stopped growing, so that the pipe is full (`BBRCheckFullPipe`).
    pub(super) fn check_full_pipe(&mut self, sample: &RateSample, model: &PathModel) {
        if self.filled_pipe || !model.is_new_round() || model.is_limited(sample) {
            return;
        }
        let rate = model.bandwidth();
        if rate >= self.full_rate * GROWTH {
            self.full_rate = rate;
            self.flat_rounds = 0;
        } else {
            self.flat_rounds += 1;
            self.filled_pipe = self.flat_rounds >= FLAT_ROUNDS;
        }
    }

    /// `BBRCheckDrain`, with `product` segments on the path without a queue.
    pub(super) fn check_drain(&mut self, now: Time, in_flight: f64, product: f64) {
        if self.state == State::Startup && self.filled_pipe {
            self.enter(State::Drain, HIGH_GAIN.recip(), HIGH_GAIN);
        }
        if self.state == State::Drain && in_flight <= product {
            self.enter_probe_bw(now);
        }
    }

    /// `BBREnterProbeBW`. Begins with any phase except the one below the bandwidth.
    fn enter_probe_bw(&mut self, now: Time) {
        self.enter(State::ProbeBw, 1.0, 2.0);
        let drawn = usize::try_from(self.draws.below(7)).unwrap_or(0);
        self.phase = CYCLE.len() - 1 - drawn;
        self.advance_cycle(now);
    }

    /// Begins the next phase of the gain cycle (`BBRAdvanceCyclePhase`).
    pub(super) fn advance_cycle(&mut self, now: Time) {
        self.phase_began = now;
        self.phase = (self.phase + 1) % CYCLE.len();
        self.pacing_gain = CYCLE[self.phase];
    }

    /// `BBRIsNextCyclePhase`. `goals` are the segments in flight that end the phases above and
    /// below the bandwidth.
    pub(super) fn cycle_is_over(
        &self,
        now: Time,
        sample: &RateSample,
        model: &PathModel,
        goals: (f64, f64),
    ) -> bool {
        let lasts = model.rtt().unwrap_or(Duration::ZERO);
        let full_length = now.since(self.phase_began) > lasts;
        let in_flight = f64::from(sample.prior_in_flight);
        if self.pacing_gain > 1.0 {
            full_length && (sample.lost > 0 || in_flight >= goals.0)
        } else if self.pacing_gain < 1.0 {
            full_length || in_flight <= goals.1
        } else {
            full_length
        }
    }

    /// Enters ProbeRTT (`BBREnterProbeRTT`).
    pub(super) fn enter_probe_rtt(&mut self) {
        self.enter(State::ProbeRtt, 1.0, 1.0);
        self.probe_done = None;
    }

    /// Returns `true` if the flow has kept few enough segments in flight for long enough.
    /// `in_flight` is the current number.
    pub(super) fn probe_rtt_is_over(
        &mut self,
        now: Time,
        in_flight: f64,
        model: &mut PathModel,
    ) -> bool {
        match self.probe_done {
            None => {
                if in_flight <= MIN_PIPE {
                    self.probe_done = Some(now.saturating_add(self.probe_lasts));
                    self.probe_round_done = false;
                    model.start_round();
                }
                false
            }
            Some(done) => {
                self.probe_round_done |= model.is_new_round();
                self.probe_round_done && now > done
            }
        }
    }

    /// Leaves ProbeRTT for ProbeBW, or for Startup if the pipe was never full (`BBRExitProbeRTT`).
    pub(super) fn exit_probe_rtt(&mut self, now: Time) {
        if self.filled_pipe {
            self.enter_probe_bw(now);
        } else {
            self.enter(State::Startup, HIGH_GAIN, HIGH_GAIN);
        }
    }
}
