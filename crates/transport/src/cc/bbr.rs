//! BBR, version 1: the rate and the window follow a model of the path, which consists of its
//! bandwidth and its round-trip time without a queue (Cardwell et al.,
//! draft-cardwell-iccrg-bbr-congestion-control-00). The model uses samples of the delivery rate
//! (draft-cheng-iccrg-delivery-rate-estimation).

mod model;
mod recovery;
mod states;

use fabricsim_base::checkpoint::Checkpointed;
use fabricsim_base::input::{ConfigError, Keys};
use fabricsim_base::rng::{Purpose, Stream};
use fabricsim_base::settings;
use fabricsim_base::units::{Bytes, Duration, Rate, Time};
use fabricsim_core::plugin::{
    Ack, CcConfig, Congestion, CongestionControl, ControllerFactory, DeliveryRate, FlowStart,
    RateSample, Transport,
};

use model::PathModel;
use recovery::Recovery;
use states::{State, States};

settings! {
    /// The `[cc]` table of `kind = "bbr"`.
    pub struct BbrConfig {
        /// Time after which the smallest round-trip time is measured again.
        ///
        /// This is RTpropFilterLen and ProbeRTTInterval in the draft.
        #[range(above "0s")]
        #[refused("it would be measured all the time", "give a time, such as \"10s\"")]
        pub probe_rtt_interval: Duration = "10s",
        /// Time for which a flow then keeps four segments in flight.
        ///
        /// This is ProbeRTTDuration in the draft.
        pub probe_rtt_duration: Duration = "200ms",
    }
}

impl CcConfig for BbrConfig {
    const KEYS: Keys = Self::KEYS;

    const TRANSPORT: Transport = Transport::Tcp;

    fn validate(&self) -> Result<(), ConfigError> {
        self.validate_ranges()
    }
}

/// Gain of startup: the smallest that doubles the rate in each round (BBRHighGain).
const HIGH_GAIN: f64 = 2.885_390_081_777_927;
/// The smallest window, in segments (BBRMinPipeCwnd).
const MIN_PIPE: f64 = 4.0;
/// Segments beyond the product of the model, to allow for delayed acknowledgements: three quanta. A
/// quantum is one segment, because segments leave one by one (section 4.2.2).
const QUANTA: f64 = 3.0;
/// Round-trip time for the first rate if there was no handshake (section 4.2.1).
const NOMINAL_RTT: f64 = 1e-3;

impl<H> ControllerFactory<H> for BbrConfig {
    type Controller = Bbr;

    fn build(&self, start: &FlowStart<'_>) -> Bbr {
        let mss = start.mtu.as_f64();
        let initial = (start.initial_window.as_f64() / mss).floor().max(1.0);
        let draws = Stream::new(start.network.seed, u64::from(start.id.0), Purpose::Probing);
        Bbr {
            initial,
            mss,
            cwnd: initial,
            rate: HIGH_GAIN * initial * mss * 8.0 / NOMINAL_RTT,
            seen_rtt: false,
            in_flight: 0.0,
            model: PathModel::new(start.now, self.probe_rtt_interval),
            states: States::new(draws, self.probe_rtt_duration),
            recovery: Recovery::default(),
        }
    }
}

/// BBR for one connection. Windows are fractional numbers of segments, rates are bit/s of payload.
///
/// Differs from the paper: segments are paced one by one, so the quantum is one segment (section
/// 4.2.2 leaves it to the implementation). A connection has restarted from idle if nothing was in
/// flight for a retransmission timeout.
#[derive(Checkpointed, Clone, Debug)]
#[checkpoint(absolute)]
pub struct Bbr {
    /// The first window.
    #[checkpoint(rebuilt)]
    initial: f64,
    #[checkpoint(rebuilt)]
    mss: f64,
    cwnd: f64,
    /// The pacing rate, in bit/s.
    rate: f64,
    /// `true` if the first rate is already based on a round-trip time.
    seen_rtt: bool,
    /// Segments in flight after the last acknowledgement.
    in_flight: f64,
    model: PathModel,
    states: States,
    recovery: Recovery,
}

impl Bbr {
    /// Returns the segments in flight for `gain` times the bandwidth-delay product (`BBRInflight`).
    fn inflight(&self, gain: f64) -> f64 {
        match self.model.product() {
            Some(bits) => gain * bits / (8.0 * self.mss) + QUANTA,
            None => self.initial,
        }
    }

    /// Sets the pacing rate to `gain` times the bandwidth (`BBRSetPacingRateWithGain`). Before the
    /// pipe was full, the rate only rises.
    fn pace(&mut self, gain: f64) {
        let rate = gain * self.model.bandwidth();
        if rate > self.rate || (self.states.filled_pipe && rate > 0.0) {
            self.rate = rate;
        }
    }

    /// Sets the first rate, from the first round-trip time (`BBRInitPacingRate`).
    fn pace_first_round(&mut self, rtt: Duration) {
        if !self.seen_rtt && rtt > Duration::ZERO {
            self.seen_rtt = true;
            let nominal = self.initial * self.mss * 8.0 / rtt.as_secs_f64();
            self.rate = self.states.pacing_gain * nominal;
        }
    }

    /// Updates the model of the path and the state (`BBRUpdateModelAndState`).
    fn update_model<H>(&mut self, ack: &Ack<'_, H>, sample: &RateSample) {
        self.model.update_round(sample);
        self.model.update_bandwidth(sample);
        if self.states.state == State::ProbeBw
            && self
                .states
                .cycle_is_over(ack.now, sample, &self.model, self.inflight_goals())
        {
            self.states.advance_cycle(ack.now);
        }
        self.states.check_full_pipe(sample, &self.model);
        let one = self.inflight(1.0);
        self.states.check_drain(ack.now, self.in_flight, one);
        let expired = self.model.update_rtt(ack.now, ack.rtt);
        let probes = self.states.state == State::ProbeRtt;
        if !probes && expired && !self.states.idle_restart {
            self.states.enter_probe_rtt();
            self.recovery.keep(self.cwnd, self.states.state);
        }
        if self.states.state == State::ProbeRtt {
            self.probe_rtt(ack, sample);
        }
        self.states.idle_restart = false;
    }

    /// Returns the segments in flight that end the phases above and below the bandwidth.
    fn inflight_goals(&self) -> (f64, f64) {
        (self.inflight(self.states.pacing_gain), self.inflight(1.0))
    }

    /// Runs the state ProbeRTT (`BBRHandleProbeRTT`).
    fn probe_rtt<H>(&mut self, ack: &Ack<'_, H>, sample: &RateSample) {
        // Rates in this state are limited by the sender, not by the path.
        self.model.limit_until(sample.delivered, self.in_flight);
        let in_flight = self.in_flight;
        if (self.states).probe_rtt_is_over(ack.now, in_flight, &mut self.model) {
            self.model.restamp(ack.now);
            self.cwnd = self.recovery.restored(self.cwnd);
            self.states.exit_probe_rtt(ack.now);
        }
    }

    /// Moves the window towards its target after a delivery (`BBRSetCwnd`).
    fn set_window(&mut self, delivered: f64, sample: &RateSample) {
        let target = self.inflight(self.states.cwnd_gain);
        self.cwnd = (self.recovery).modulated(self.cwnd, self.in_flight, delivered, sample.lost);
        if !self.recovery.conserves() {
            if self.states.filled_pipe {
                self.cwnd = (self.cwnd + delivered).min(target);
            } else if self.cwnd < target || (sample.delivered as f64) < self.initial {
                self.cwnd += delivered;
            }
            self.cwnd = self.cwnd.max(MIN_PIPE);
        }
        if self.states.state == State::ProbeRtt {
            self.cwnd = self.cwnd.min(MIN_PIPE);
        }
    }
}

impl<H> CongestionControl<H> for Bbr {
    fn delivery_rate(&self) -> DeliveryRate {
        DeliveryRate::Sampled
    }

    fn counts_sends(&self) -> bool {
        false
    }

    /// `BBRInit`, with the handshake as the first sample.
    fn on_handshake(&mut self, now: Time, rtt: Duration) {
        self.pace_first_round(rtt);
        self.model.update_rtt(now, Some(rtt));
    }

    /// Updates model, pacing rate and window (`BBRUpdateOnACK`).
    fn on_ack(&mut self, ack: &Ack<'_, H>) {
        let Some(sample) = ack.sample else {
            return;
        };
        self.in_flight = ack.in_flight.as_f64() / self.mss;
        self.pace_first_round(ack.smoothed_rtt);
        self.update_model(ack, sample);
        if self
            .recovery
            .ends(ack.recovering, self.model.is_new_round())
        {
            self.cwnd = self.recovery.restored(self.cwnd);
        }
        self.pace(self.states.pacing_gain);
        self.set_window(f64::from(ack.delivered), sample);
        self.recovery.note_delivered(ack.delivered);
    }

    fn on_congestion(&mut self, congestion: &Congestion) {
        let state = self.states.state;
        let reduced = (self.recovery).begin(congestion.signal, self.cwnd, self.in_flight, state);
        if let Some(cwnd) = reduced {
            self.cwnd = cwnd;
            self.model.start_round();
        }
    }

    /// Paces at the bandwidth after an idle time (`BBRHandleRestartFromIdle`). The window stays.
    fn on_idle(&mut self, _idle: Duration, _restart: Option<Bytes>) {
        self.states.idle_restart = true;
        if self.states.state == State::ProbeBw {
            self.pace(1.0);
        }
    }

    fn window(&self) -> Option<Bytes> {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a positive number of segments; larger ones saturate"
        )]
        let bytes = (self.cwnd.floor() * self.mss) as u64;
        Some(Bytes::new(bytes))
    }

    fn pacing_rate(&self) -> Option<Rate> {
        Some(Rate::from_bps_f64(self.rate.max(1.0)))
    }

    fabricsim_base::saves_state!();
}

#[cfg(test)]
mod tests;
