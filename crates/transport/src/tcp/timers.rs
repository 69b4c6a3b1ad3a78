//! The timers of a sender: retransmission timeout with back-off (RFC 6298, section 5), tail loss
//! probe (RFC 8985, section 7.2) and reordering (section 6.2). At most one of the first two runs.

use fabricsim_base::checkpoint::Stored;
use fabricsim_base::units::{Duration, Time};

use super::config::TcpParameters;
use super::rtt::RttEstimator;

/// Deadlines; [`Time::MAX`] if a timer does not run.
#[derive(Clone, Copy, Debug, Stored)]
#[checkpoint(absolute)]
pub(super) struct LossTimers {
    pub(super) timeout: Time,
    pub(super) probe: Time,
    pub(super) reordering: Time,
    /// Consecutive timeouts.
    backoff: u32,
}

impl Default for LossTimers {
    fn default() -> Self {
        Self {
            timeout: Time::MAX,
            probe: Time::MAX,
            reordering: Time::MAX,
            backoff: 0,
        }
    }
}

impl LossTimers {
    #[inline]
    pub(super) fn deadline(&self) -> Time {
        self.timeout.min(self.probe).min(self.reordering)
    }

    /// Restarts the timeout (rules 5.1 and 5.3) and cancels a scheduled probe.
    pub(super) fn start_timeout(
        &mut self,
        now: Time,
        rtt: &RttEstimator,
        parameters: &TcpParameters,
    ) {
        self.timeout = now.saturating_add(backed_off(
            rtt.timeout(parameters),
            self.backoff,
            parameters,
        ));
        self.probe = Time::MAX;
    }

    /// Schedules a probe instead of the timeout, no later than that (RFC 8985, section 7.2): after
    /// two round trips, plus the minimum timeout if only one segment is in flight, because its
    /// acknowledgement may be delayed.
    pub(super) fn start_probe(
        &mut self,
        now: Time,
        outstanding: u32,
        rtt: &RttEstimator,
        parameters: &TcpParameters,
    ) {
        let Some(smoothed) = rtt.smoothed else { return };
        let mut wait = smoothed * 2;
        if outstanding == 1 {
            wait = wait + parameters.min_rto;
        }
        let timeout = backed_off(rtt.timeout(parameters), self.backoff, parameters);
        self.probe = now.saturating_add(wait.min(timeout));
        self.timeout = Time::MAX;
    }

    /// Records an expired timeout: the next one takes twice as long (rule 5.5).
    pub(super) fn back_off(&mut self) {
        self.backoff += 1;
    }

    /// Ends the back-off, because new data is acknowledged.
    pub(super) const fn recover(&mut self) {
        self.backoff = 0;
    }

    /// Stops all timers, because nothing is in flight (rule 5.2).
    pub(super) fn stop(&mut self) {
        self.timeout = Time::MAX;
        self.probe = Time::MAX;
        self.reordering = Time::MAX;
    }

    pub(super) const fn timeouts_in_a_row(&self) -> u32 {
        self.backoff
    }
}

/// Returns `base`, doubled `times` times and limited to the maximum timeout.
pub(super) fn backed_off(base: Duration, times: u32, parameters: &TcpParameters) -> Duration {
    base.saturating_mul(1 << times.min(32))
        .min(parameters.max_rto)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tcp::config::TcpConfig;

    #[test]
    fn timeouts_double_until_two_minutes_and_new_data_resets_them() {
        let parameters = TcpConfig::default().parameters();
        let mut rtt = RttEstimator::default();
        rtt.sample(Duration::from_ms(100));
        let mut timers = LossTimers::default();
        let mut waits = Vec::new();
        for _ in 0..11 {
            timers.start_timeout(Time::ZERO, &rtt, &parameters);
            waits.push(timers.timeout.as_ns() / 1_000_000);
            timers.back_off();
        }
        let doubled = [300, 600, 1_200, 2_400, 4_800, 9_600, 19_200, 38_400, 76_800];
        assert_eq!(waits[..9], doubled);
        assert_eq!(waits[9..], [120_000, 120_000]);
        timers.recover();
        timers.start_timeout(Time::ZERO, &rtt, &parameters);
        assert_eq!(timers.timeout, Time::ZERO + Duration::from_ms(300));
    }

    #[test]
    fn a_probe_comes_after_two_round_trips_and_allows_for_a_late_acknowledgement() {
        let parameters = TcpConfig::default().parameters();
        let mut rtt = RttEstimator::default();
        rtt.sample(Duration::from_ms(100));
        let mut timers = LossTimers::default();
        timers.start_probe(Time::ZERO, 2, &rtt, &parameters);
        assert_eq!(timers.deadline(), Time::ZERO + Duration::from_ms(200));
        // 2 x 100 + 200, but the timeout would expire after 300.
        timers.start_probe(Time::ZERO, 1, &rtt, &parameters);
        assert_eq!(timers.deadline(), Time::ZERO + Duration::from_ms(300));
    }
}
