//! NSCC, the network-signaled congestion control of Ultra Ethernet (specification 1.0), after its
//! public reference: the consortium's simulator htsim (`htsim/sim/uec.cpp`; comments name its
//! functions).
//!
//! Marks and queueing delay together determine the reaction to an acknowledgement:
//!
//! * No mark and no delay: the window grows in proportion to the distance of the delay from its
//!   target.
//! * A delay without a mark: the queue is draining, so the window grows by the same amount for all
//!   flows.
//! * A mark and a delay: the window falls with the average delay.
//! * A mark without a delay: the window stays.
//!
//! After a large loss, the window is set to the bytes that arrived in the last round trip (quick
//! adapt).

mod delay;
mod parameters;

use fabricsim_base::checkpoint::{Checkpointed, Stored};
use fabricsim_base::input::{ConfigError, Keys};
use fabricsim_base::settings;
use fabricsim_base::units::{Bytes, Duration, Rate, Time};
use fabricsim_core::plugin::{
    Ack, CcConfig, CcContext, Congestion, CongestionControl, ControllerFactory, FlowStart,
    MarkingThresholds, Overflow, Signal,
};

use super::paced_rate::bytes_at;
use delay::{Cause, QueueDelay};
use parameters::Parameters;

settings! {
    /// The `[cc]` table of `kind = "nscc"`.
    pub struct NsccConfig {
        /// Target of the queueing delay.
        #[range(above "0s")]
        #[refused("a queue takes some time", "give a time, such as \"6us\"")]
        #[note("(default: the largest base round-trip time of the network, or three quarters of it if switches trim packets)")]
        pub target_delay: Option<Duration> = none,
        /// Largest window in bandwidth-delay products, and the first one.
        #[range(above 0.0)]
        #[refused(
            "a window of {value} bandwidth-delay products is impossible",
            "give a number above zero, such as 1.5"
        )]
        pub max_window_bdp: f64 = 1.5,
        /// Strength of a decrease.
        #[range(from 0.0, to 1.0)]
        #[refused(
            "a strength of {value} is not between 0 and 1",
            "give a number from 0 to 1, such as 0.8"
        )]
        pub gamma: f64 = 0.8,
        /// Quick adapt is for rounds that have delivered less than the largest window over two to
        /// the power of this.
        #[range(from 0, to 30)]
        #[refused("{value} is not from 0 to 30", "give a whole number, such as 3")]
        pub quick_adapt_gate: u32 = 3,
    }
}

/// Round-trip time of the network for which the reference states its constants, in nanoseconds.
const REFERENCE_RTT_NS: u64 = 12_000;

impl CcConfig for NsccConfig {
    const KEYS: Keys = Self::KEYS;

    fn validate(&self) -> Result<(), ConfigError> {
        self.validate_ranges()
    }

    fn resolved(&self, network: &CcContext) -> Self {
        let known = Some(network.base_rtt).filter(|&rtt| rtt > Duration::ZERO);
        let target = || Some(default_target(known?, network.overflow));
        Self {
            target_delay: self.target_delay.or_else(target),
            ..self.clone()
        }
    }

    /// Marks from one fifth to four fifths of the bytes that the port sends in the reference's
    /// round-trip time, with a probability that grows to one.
    fn marking(&self, nic_rate: Rate) -> Option<MarkingThresholds> {
        Some(MarkingThresholds {
            kmin: bytes_at(nic_rate, REFERENCE_RTT_NS / 5),
            kmax: bytes_at(nic_rate, REFERENCE_RTT_NS * 4 / 5),
            pmax: 1.0,
        })
    }
}

/// Returns the target delay of a network with `base_rtt` (`initNsccParams`).
fn default_target(base_rtt: Duration, overflow: Overflow) -> Duration {
    match overflow {
        Overflow::Drop => base_rtt,
        Overflow::Trim => Duration::from_ps(base_rtt.as_ps() * 3 / 4),
    }
}

impl<H> ControllerFactory<H> for NsccConfig {
    type Controller = Nscc;

    fn build(&self, start: &FlowStart<'_>) -> Nscc {
        let parameters = Parameters::new(self, start);
        let most = parameters.most(start.base_rtt);
        Nscc {
            cwnd: most,
            most,
            delay: QueueDelay::new(start.base_rtt),
            line_rate: start.line_rate,
            parameters,
            increase: 0.0,
            received: 0.0,
            adjusted: start.now,
            decreased: start.now,
            fast: Fast::default(),
            adapt: QuickAdapt::default(),
            reported: false,
        }
    }
}

/// Fast increase, for a path without a queue.
#[derive(Clone, Copy, Debug, Default, Stored)]
struct Fast {
    /// Consecutive bytes acknowledged without a queue (`_fi_count`).
    bytes: f64,
    /// `true` after these bytes exceeded a window (`_increase`).
    goes_on: bool,
}

/// State of quick adapt, which immediately shrinks the window to the bytes that arrived in a round.
#[derive(Clone, Copy, Debug, Default, Stored)]
struct QuickAdapt {
    /// End of the round (`_qa_endtime`); `None` before the first round.
    ends: Option<Time>,
    /// Bytes that have arrived in the round (`_achieved_bytes`).
    achieved: f64,
    /// `true` if a loss was reported (`_trigger_qa`).
    triggered: bool,
    /// Bytes since the last adaptation, and the number of them to ignore if marked, because they
    /// carry no new information (`_bytes_ignored`, `_bytes_to_ignore`).
    ignored: f64,
    to_ignore: f64,
}

/// NSCC for one flow. Windows are in bytes of payload.
#[derive(Checkpointed, Clone, Debug)]
pub struct Nscc {
    #[checkpoint(rebuilt)]
    parameters: Parameters,
    cwnd: f64,
    /// Largest window (`_maxwnd`).
    most: f64,
    delay: QueueDelay,
    #[checkpoint(rebuilt)]
    line_rate: Rate,
    /// Growth of the window at the next adjustment, times the window (`_inc_bytes`).
    increase: f64,
    /// Bytes acknowledged since the last adjustment (`_received_bytes`).
    received: f64,
    /// Times of the last adjustment and decrease (`_last_adjust_time`, `_last_dec_time`).
    adjusted: Time,
    decreased: Time,
    fast: Fast,
    adapt: QuickAdapt,
    /// `true` after a reported loss: the report also arrives as an acknowledgement.
    reported: bool,
}

impl Nscc {
    fn bound(&mut self) {
        self.cwnd = self.cwnd.max(self.parameters.least).min(self.most);
    }

    /// `quick_adapt`. Returns `true` if it has set the window or if the event is outdated.
    fn adapts(&mut self, now: Time, cause: Cause, delay: f64, in_flight: f64) -> bool {
        let adapt = &mut self.adapt;
        let mut done = false;
        if adapt.ignored < adapt.to_ignore && cause != Cause::Acknowledged {
            done = true;
        } else if adapt.ends.is_none_or(|ends| now > ends) {
            let parameters = &self.parameters;
            let bad =
                adapt.triggered || cause == Cause::Lost || delay > parameters.quick_adapt_delay;
            let few = adapt.achieved < self.most * parameters.quick_adapt_share;
            if adapt.ends.is_some() && bad && few {
                self.cwnd = adapt.achieved.max(parameters.least);
                adapt.to_ignore = in_flight;
                adapt.ignored = 0.0;
                adapt.triggered = false;
                done = true;
            }
            adapt.achieved = 0.0;
            adapt.ends = Some(now + self.delay.base() + parameters.target);
        }
        if done {
            self.increase = 0.0;
            self.received = 0.0;
        }
        done
    }

    /// Grows the window (`fast_increase`, otherwise `proportional_increase`).
    fn grow(&mut self, acknowledged: f64, delay: f64) {
        let empty = delay < self.parameters.empty_delay;
        if !empty {
            self.fast.bytes = 0.0;
        } else if !self.fast.goes_on {
            self.fast.bytes += acknowledged;
        }
        self.fast.goes_on = empty && (self.fast.goes_on || self.fast.bytes > self.cwnd);
        if self.fast.goes_on {
            self.cwnd += acknowledged * self.parameters.fast_increase;
        } else {
            let room = self.parameters.target_ps - delay;
            self.increase += self.parameters.proportional_increase * acknowledged * room;
        }
    }

    /// Shrinks the window, at most once per base round-trip time (`multiplicative_decrease`).
    fn shrink(&mut self, now: Time) {
        self.fast = Fast::default();
        let (average, target) = (self.delay.average(), self.parameters.target_ps);
        if average > target && now.since(self.decreased) > self.delay.base() {
            let factor = 1.0 - self.parameters.gamma * (average - target) / average;
            self.cwnd *= factor.max(0.5);
            self.decreased = now;
        }
    }

    /// Applies the collected growth, if an adjustment is due (`fulfill_adjustment`).
    fn adjust(&mut self, now: Time) {
        let passed = now.since(self.adjusted);
        let period = self.parameters.adjust_period;
        if self.received <= self.parameters.adjust_bytes && passed <= period {
            return;
        }
        self.cwnd += self.increase / self.cwnd;
        if passed >= period {
            self.cwnd += self.parameters.steady_increase;
            self.adjusted = now;
        }
        self.increase = 0.0;
        self.received = 0.0;
    }

    /// Reacts to an acknowledgement, by its mark and its delay (`updateCwndOnAck_NSCC`).
    fn acknowledged(&mut self, now: Time, cause: Cause, acknowledged: f64, delay: f64) {
        let queued = delay >= self.parameters.target_ps;
        match (cause, queued) {
            (Cause::Acknowledged, true) => {
                self.increase += self.parameters.fair_increase * acknowledged;
            }
            (Cause::Acknowledged, false) => self.grow(acknowledged, delay),
            (Cause::Marked | Cause::Lost, true) => self.shrink(now),
            (Cause::Marked | Cause::Lost, false) => {}
        }
        self.bound();
        self.adjust(now);
        self.bound();
    }
}

impl<H> CongestionControl<H> for Nscc {
    fn on_ack(&mut self, ack: &Ack<'_, H>) {
        let acknowledged = ack.received().as_f64();
        self.adapt.achieved += acknowledged;
        self.adapt.ignored = (self.adapt.ignored + acknowledged).min(self.adapt.to_ignore);
        self.received += acknowledged;
        let reported = std::mem::take(&mut self.reported);
        let Some(rtt) = ack.rtt.filter(|&rtt| rtt > Duration::ZERO) else {
            return;
        };
        if self.delay.lowers(rtt) {
            self.most = self.parameters.most(rtt);
        }
        if reported {
            // The header of a trimmed packet has bypassed the queues, so it measures only the base
            // round-trip time (`update_base_rtt_on_nack`).
            self.bound();
            return;
        }
        let cause = if ack.marked > 0 {
            Cause::Marked
        } else {
            Cause::Acknowledged
        };
        let delay = self.delay.sample(rtt, cause, self.parameters.target_ps);
        if !self.adapts(ack.now, cause, delay, ack.in_flight.as_f64()) {
            self.acknowledged(ack.now, cause, acknowledged, delay);
        }
    }

    /// Reacts to a trimmed packet like to a loss (`updateCwndOnNack_NSCC`).
    fn on_trimmed(&mut self, congestion: &Congestion) {
        CongestionControl::<H>::on_congestion(self, congestion);
    }

    /// Reacts to a lost packet: `updateCwndOnNack_NSCC`, and for a timeout
    /// `mark_packet_for_retransmission`.
    fn on_congestion(&mut self, congestion: &Congestion) {
        let packet = self.parameters.least;
        match congestion.signal {
            Signal::Loss => {
                self.reported = true;
                self.adapt.ignored = (self.adapt.ignored + packet).min(self.adapt.to_ignore);
                self.delay.lose(self.parameters.adjust_period);
                self.adapt.triggered = true;
                let in_flight = congestion.in_flight.as_f64();
                if self.adapts(congestion.now, Cause::Lost, 0.0, in_flight) {
                    return;
                }
            }
            Signal::Timeout | Signal::RepeatedTimeout => {}
            Signal::Mark => return,
        }
        self.cwnd -= packet;
        self.bound();
    }

    /// The whole packet must fit (`can_send_NSCC`), but RDMA's sender only checks its first byte,
    /// so this returns one packet less.
    fn reads_rounds(&self) -> bool {
        false
    }

    #[inline]
    fn window(&self) -> Option<Bytes> {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a positive number of bytes, at most some bandwidth-delay products"
        )]
        let bytes = (self.cwnd - self.parameters.least) as u64;
        Some(Bytes::new(bytes.saturating_add(1)))
    }

    #[inline]
    fn pacing_rate(&self) -> Option<Rate> {
        Some(self.line_rate)
    }

    #[inline]
    fn reschedules(&self) -> bool {
        false
    }

    fabricsim_base::saves_state!();
}

#[cfg(test)]
mod tests;
