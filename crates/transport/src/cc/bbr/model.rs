//! The model of the path: its bandwidth and its round-trip time (sections 4.1.1 and 4.1.2).

use fabricsim_base::checkpoint::Checkpointed;
use fabricsim_base::units::{Duration, Rate, Time};
use fabricsim_core::plugin::{RateSample, Round};

/// Number of round trips for which a rate counts (BtlBwFilterLen).
const ROUNDS: usize = 10;

/// The model of the path. Names with capitals are from the draft.
#[derive(Checkpointed, Clone, Debug)]
#[checkpoint(absolute)]
pub(super) struct PathModel {
    /// Largest rate in each of the last rounds with a rate, in bit/s. Indexed by round, modulo the
    /// length.
    rates: [f64; ROUNDS],
    /// Bottleneck bandwidth in bit/s, the largest of `rates` (BBR.BtlBw).
    bandwidth: f64,
    /// The round of the last rate that entered the filter.
    filtered: usize,
    /// Number of round trips (BBR.round_count).
    round: usize,
    round_start: Round,
    /// Delivered segments at which the next round begins (BBR.next_round_delivered).
    next_round: u64,
    delivered: u64,
    /// A packet sent before more segments than this were delivered gives a sample that is limited
    /// by the sender.
    limited_until: Option<u64>,
    /// Minimum round-trip time (BBR.RTprop); `None` before the first sample.
    rtt: Option<Duration>,
    /// Time at which the minimum was measured (BBR.rtprop_stamp).
    rtt_stamp: Time,
    /// Time for which a minimum is valid (RTpropFilterLen).
    #[checkpoint(rebuilt)]
    rtt_lasts: Duration,
}

impl PathModel {
    pub(super) const fn new(now: Time, rtt_lasts: Duration) -> Self {
        Self {
            rates: [0.0; ROUNDS],
            bandwidth: 0.0,
            filtered: 0,
            round: 0,
            round_start: Round::Same,
            next_round: 0,
            delivered: 0,
            limited_until: None,
            rtt: None,
            rtt_stamp: now,
            rtt_lasts,
        }
    }

    /// Begins a new round if a segment of the next round was delivered (`BBRUpdateRound`).
    pub(super) fn update_round(&mut self, sample: &RateSample) {
        self.delivered = sample.delivered;
        let new = (sample.prior_delivered).is_some_and(|prior| prior >= self.next_round);
        self.round_start = if new {
            self.next_round = sample.delivered;
            self.round += 1;
            Round::New
        } else {
            Round::Same
        };
    }

    /// Begins a round with the next packet sent.
    pub(super) const fn start_round(&mut self) {
        self.next_round = self.delivered;
    }

    /// `BBRUpdateBtlBw`. Old rates leave the filter only when a new rate enters it. So the
    /// bandwidth survives the rounds of a round-trip time probe, because the sender limits its
    /// rates then.
    pub(super) fn update_bandwidth(&mut self, sample: &RateSample) {
        let Some(rate) = sample.rate.map(Rate::as_bps_f64) else {
            return;
        };
        if rate >= self.bandwidth || !self.is_limited(sample) {
            for old in 1..=(self.round - self.filtered).min(ROUNDS) {
                self.rates[(self.filtered + old) % ROUNDS] = 0.0;
            }
            self.filtered = self.round;
            let slot = &mut self.rates[self.round % ROUNDS];
            *slot = slot.max(rate);
            self.bandwidth = self.rates.iter().copied().fold(0.0, f64::max);
        }
    }

    /// Returns `true` if the sender limited itself when it sent the packet behind `sample`.
    pub(super) fn is_limited(&self, sample: &RateSample) -> bool {
        let early = |prior| self.limited_until.is_some_and(|until| prior <= until);
        sample.application_limited || sample.prior_delivered.is_some_and(early)
    }

    /// Marks packets as limited by the sender until `in_flight` more segments have been delivered.
    pub(super) fn limit_until(&mut self, delivered: u64, in_flight: f64) {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a number of segments"
        )]
        let in_flight = in_flight as u64;
        self.limited_until = Some(delivered + in_flight);
    }

    /// Records a round-trip time. Returns `true` if the previous minimum had expired
    /// (`BBRUpdateRTprop`).
    pub(super) fn update_rtt(&mut self, now: Time, rtt: Option<Duration>) -> bool {
        let expired = now > self.rtt_stamp.saturating_add(self.rtt_lasts);
        if let Some(rtt) = rtt.filter(|&rtt| expired || self.rtt.is_none_or(|least| rtt <= least)) {
            self.rtt = Some(rtt);
            self.rtt_stamp = now;
        }
        expired
    }

    /// Treats the minimum round-trip time as measured now.
    pub(super) const fn restamp(&mut self, now: Time) {
        self.rtt_stamp = now;
    }

    /// Returns BBR.BtlBw in bit/s.
    pub(super) const fn bandwidth(&self) -> f64 {
        self.bandwidth
    }

    /// Returns the minimum round-trip time.
    pub(super) const fn rtt(&self) -> Option<Duration> {
        self.rtt
    }

    /// Returns the bandwidth-delay product in bits (estimated_bdp), or `None` before the first
    /// round-trip time.
    pub(super) fn product(&self) -> Option<f64> {
        let rtt = self.rtt?;
        Some(self.bandwidth() * rtt.as_secs_f64())
    }

    /// Returns `true` if the last acknowledgement began a round (BBR.round_start).
    pub(super) fn is_new_round(&self) -> bool {
        self.round_start == Round::New
    }
}
