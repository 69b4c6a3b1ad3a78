//! TCP Prague (draft-briscoe-iccrg-prague-congestion-control), the scalable congestion control of
//! the L4S architecture (RFC 9330, RFC 9331, section 4). Marks are counted exactly, the window
//! falls in proportion to their average, and segments are paced.

#[cfg(test)]
mod tests;

use fabricsim_base::checkpoint::{Checkpointed, Stored};
use fabricsim_base::input::{ConfigError, Keys};
use fabricsim_base::settings;
use fabricsim_base::units::{Bytes, Duration, Rate, Time};
use fabricsim_core::packet::Flags;
use fabricsim_core::plugin::{
    Ack, CcConfig, Congestion, CongestionControl, ControllerFactory, EcnUse, Feedback, FlowStart,
    Growth, MarkResponse, MarkingThresholds, Recovering, Signal, Transport,
};

use super::classic_queue::ClassicQueue;
use super::reno_window::{LEAST_THRESHOLD, RenoWindow, delegate_to_window};
use super::tcp_dctcp::step;
use crate::switch::Switch;

settings! {
    /// The `[cc]` table of `kind = "prague"`.
    pub struct PragueConfig {
        /// Weight of a new share of marks.
        #[range(above 0.0, to 1.0)]
        #[refused(
            "a weight of {value} is not between 0 and 1",
            "give a number above 0 and up to 1, such as 0.0625"
        )]
        pub g: f64 = 0.0625,
        /// Shorter round-trip times compete as if they were this long.
        ///
        /// See section 2.4.4.
        pub target_rtt: Duration = "25ms",
        /// Round trips after slow start before `target_rtt` applies.
        pub independent_after: u32 = 500,
        /// Reduce like a classic algorithm if the queue is classic.
        ///
        /// See RFC 9331, section 4.3.
        pub classic_fallback: Switch = "off",
    }
}

impl CcConfig for PragueConfig {
    const KEYS: Keys = Self::KEYS;

    const TRANSPORT: Transport = Transport::Tcp;

    fn validate(&self) -> Result<(), ConfigError> {
        self.validate_ranges()
    }

    fn feedback(&self) -> Feedback {
        Feedback::Accurate
    }

    fn ecn(&self, agreed: Feedback) -> EcnUse {
        if is_scalable(agreed) {
            EcnUse {
                codepoint: Flags::ECT1,
                response: MarkResponse::Own,
            }
        } else {
            EcnUse::CLASSIC
        }
    }

    fn marking(&self, rate: Rate) -> Option<MarkingThresholds> {
        Some(step(rate))
    }
}

impl<H> ControllerFactory<H> for PragueConfig {
    type Controller = Prague;

    fn build(&self, start: &FlowStart<'_>) -> Prague {
        Prague {
            window: RenoWindow::new(start),
            feedback: start.feedback,
            packet: start.ip.as_f64(),
            config: self.clone(),
            marks: Marks::None,
            delivered: 0,
            marked: 0,
            period_end: 0,
            averaged_at: None,
            rounds: 0,
            debt: 0.0,
            reduced_at: None,
            held: None,
            rate: None,
            queue: (self.classic_fallback == Switch::On).then(ClassicQueue::default),
        }
    }
}

/// Marks seen so far.
#[derive(Clone, Copy, Debug, PartialEq, Stored)]
#[checkpoint(absolute)]
enum Marks {
    /// No mark has been seen.
    None,
    /// Average share of marks (alpha).
    Share(f64),
}

/// Prague for one connection. Without accurate feedback of marks, it behaves like Reno.
///
/// The rules follow the Linux implementation by the draft's authors, version 0.6. If the draft
/// leaves a choice, comments name the functions of this implementation. Section numbers refer to
/// version 04 of the draft.
///
/// Differs from the paper: segments are paced one by one; hosts with segmentation offload send
/// bursts of up to 0.25 ms.
#[derive(Checkpointed, Clone, Debug)]
#[checkpoint(absolute)]
pub struct Prague {
    #[checkpoint(rebuilt)]
    config: PragueConfig,
    window: RenoWindow,
    feedback: Feedback,
    /// Bytes of the IP packet of a full segment.
    #[checkpoint(rebuilt)]
    packet: f64,
    marks: Marks,
    /// Segments delivered and marked in this period.
    delivered: u32,
    marked: u32,
    /// The period's round trip ends when all bytes below this are acknowledged.
    period_end: u64,
    /// Time at which marks were last averaged.
    averaged_at: Option<Time>,
    /// Periods since slow start.
    rounds: u32,
    /// Pending reduction of the window, applied by at most one segment per acknowledgement.
    debt: f64,
    reduced_at: Option<Time>,
    /// The `snd_nxt` at the start of the reduction state (CWR), which lasts until more than that is
    /// acknowledged.
    held: Option<u64>,
    rate: Option<Rate>,
    /// Detector of classic queues, if enabled.
    queue: Option<ClassicQueue>,
}

/// The longest round-trip time for which the increase is scaled.
const LONGEST_SCALED: Duration = Duration::from_ms(100);

/// Returns `true` if there is accurate feedback. Otherwise, Prague behaves like Reno.
fn is_scalable(feedback: Feedback) -> bool {
    feedback == Feedback::Accurate
}

impl Prague {
    fn is_scalable(&self) -> bool {
        is_scalable(self.feedback)
    }

    /// Returns `true` if the flow is old enough to compete as if its path were longer
    /// (`prague_is_rtt_indep`).
    fn is_independent(&self) -> bool {
        self.is_scalable()
            && !self.window.in_slow_start()
            && self.rounds >= self.config.independent_after
    }

    /// Returns the increase in segments per round trip (section 2.4.4;
    /// `prague_rate_scaled_ai_ack_increase`).
    fn increase(&self, rtt: Duration) -> f64 {
        if !self.is_independent() || rtt >= self.config.target_rtt {
            return 1.0;
        }
        let ratio = rtt.min(LONGEST_SCALED).as_secs_f64() / self.config.target_rtt.as_secs_f64();
        ratio * ratio
    }

    /// Returns `true` if the target round-trip time has passed since `then`.
    fn has_passed(&self, then: Option<Time>, now: Time) -> bool {
        then.is_none_or(|then| now.since(then) >= self.config.target_rtt)
    }

    /// Averages the marks at the end of a period. A period is a round trip and, if the flow
    /// competes as if its path were longer, at least the target round-trip time
    /// (`prague_should_update_ewma`, `prague_target_rtt_elapsed`). Counts accumulate until both
    /// have passed. The next period ends when all bytes now in flight are acknowledged
    /// (`prague_update_alpha`, `prague_new_round`).
    fn average<H>(&mut self, ack: &Ack<'_, H>) {
        let ended = ack.cumulative >= self.period_end
            && (!self.is_independent() || self.has_passed(self.averaged_at, ack.now));
        if !ended {
            return;
        }
        if let Marks::Share(alpha) = &mut self.marks {
            let delivered = self.delivered.max(1);
            let share = f64::from(self.marked.min(delivered)) / f64::from(delivered);
            *alpha += (share - *alpha) * self.config.g;
            self.averaged_at = Some(ack.now);
            if let Some(queue) = &mut self.queue {
                queue.close_round(ack.least_rtt);
            }
        }
        self.period_end = ack.next_seq;
        self.delivered = 0;
        self.marked = 0;
        if !self.window.in_slow_start() {
            self.rounds = self.rounds.saturating_add(1);
        }
    }

    /// Reacts to marks: the window falls by half of their average share (section 2.4.2).
    ///
    /// The resulting state, CWR, lasts until a segment sent after it is acknowledged
    /// (`tcp_fastretrans_alert`, D), and no other reduction begins during this time. If the flow
    /// competes as if its path were longer, a CWR state within the target round-trip time of the
    /// last reduction lasts just as long but reduces nothing: `prague_enter_cwr` returns, but
    /// `tcp_set_ca_state` has already set the state. So reductions happen after whole round trips.
    /// No reduction begins during loss recovery, because Linux does not call `tcp_enter_cwr` in the
    /// states Recovery and Loss.
    fn on_marks<H>(&mut self, ack: &Ack<'_, H>) {
        let alpha = match self.marks {
            Marks::Share(alpha) => alpha,
            Marks::None => 1.0,
        };
        self.marks = Marks::Share(alpha);
        if self.held.is_some() || ack.recovering == Recovering::Yes {
            return;
        }
        self.held = Some(ack.next_seq);
        if self.is_independent() && !self.has_passed(self.reduced_at, ack.now) {
            return;
        }
        self.reduced_at = Some(ack.now);
        let least = self.queue.map_or(0.0, |queue| queue.least_share());
        self.debt += alpha.max(least) * (self.window.cwnd - self.debt) / 2.0;
        self.window.ssthresh = (self.window.cwnd - self.debt).max(LEAST_THRESHOLD);
    }

    fn pay_debt(&mut self) {
        let paid = self.debt.min(1.0);
        self.debt -= paid;
        self.window.cwnd = (self.window.cwnd - paid).max(LEAST_THRESHOLD);
    }

    /// Sets the rate to one window of IP packets per round-trip time, or twice that early in slow
    /// start, so that the window can double (`prague_update_pacing_rate`). Pacing counts only
    /// payload (`tcp_update_skb_after_send`), so a window leaves in slightly less than a round
    /// trip.
    fn pace(&mut self, rtt: Duration, in_flight: Bytes) {
        let rtt = rtt.as_secs_f64();
        if !self.is_scalable() || rtt == 0.0 {
            return;
        }
        let window = self.window.cwnd.max(self.window.segments(in_flight));
        let gain = if self.window.cwnd < self.window.ssthresh / 2.0 {
            2.0
        } else {
            1.0
        };
        self.rate = Some(Rate::from_bps_f64(gain * window * self.packet * 8.0 / rtt));
    }
}

impl<H> CongestionControl<H> for Prague {
    /// Sets the first pacing rate from the round-trip time of the handshake (`prague_init`).
    fn on_handshake(&mut self, _now: Time, rtt: Duration) {
        self.pace(rtt, Bytes::ZERO);
    }

    /// Follows the order of Linux: `tcp_fastretrans_alert` reduces, then `prague_cong_control` lets
    /// the window grow, averages and sets the rate.
    fn on_ack(&mut self, ack: &Ack<'_, H>) {
        self.delivered += ack.delivered;
        self.marked += ack.marked;
        self.held = self.held.filter(|&end| ack.cumulative <= end);
        if let (Some(queue), Some(rtt)) = (&mut self.queue, ack.rtt) {
            queue.sample(rtt, self.window.ssthresh);
        }
        if self.is_scalable() && ack.marked > 0 {
            self.on_marks(ack);
        }
        let clear = if self.is_scalable() {
            ack.delivered.saturating_sub(ack.marked)
        } else {
            ack.delivered
        };
        if ack.growth == Growth::Allowed && clear > 0 {
            let mut clear = f64::from(clear);
            if self.window.in_slow_start() {
                clear = self.window.slow_start(clear);
            }
            if clear > 0.0 {
                let increase = self.increase(ack.smoothed_rtt);
                self.window.avoid_congestion(clear, increase);
            }
        }
        if self.debt > 0.0 {
            self.pay_debt();
        }
        self.average(ack);
        self.pace(ack.smoothed_rtt, ack.in_flight);
    }

    fn on_congestion(&mut self, congestion: &Congestion) {
        self.debt = 0.0;
        self.held = None;
        // Losses, and marks without accurate feedback, are handled as in Reno (`prague_enter_loss`,
        // `prague_reno`).
        if congestion.signal != Signal::RepeatedTimeout {
            self.window.reduce_to(self.window.cwnd / 2.0);
        }
        if matches!(congestion.signal, Signal::Timeout | Signal::RepeatedTimeout) {
            self.window.restart_from_one();
        }
    }

    fn on_idle(&mut self, _idle: Duration, restart: Option<Bytes>) {
        self.window.limit(restart);
    }

    delegate_to_window!();

    #[inline]
    fn pacing_rate(&self) -> Option<Rate> {
        self.rate
    }

    fabricsim_base::saves_state!();
}
