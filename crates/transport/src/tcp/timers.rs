//! The timers of a sender: retransmission timeout with back-off (RFC 6298, section 5), probe of the
//! tail (RFC 8985, section 7.2) and reordering (section 6.2). At most one of the first two runs.

use fabricsim_base::checkpoint::Stored;
use fabricsim_base::units::{Duration, Time};

use super::config::TcpParameters;
use super::rtt::RttEstimator;

/// Deadlines; [`Time::MAX`] where a timer does not run.
#[derive(Clone, Copy, Debug, Stored)]
pub(super) struct LossTimers {
    pub(super) timeout: Time,
    pub(super) probe: Time,
    pub(super) reordering: Time,
    /// Timeouts in a row.
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

    /// Starts the timeout anew (rules 5.1 and 5.3). A probe that was to come does not come.
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

    /// Has a probe come in place of the timeout, no later than that would (RFC 8985, section 7.2):
    /// after two round trips, and with one segment in flight the delay of its acknowledgement.
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

    /// The timeout has come: the next one takes twice as long (rule 5.5).
    pub(super) fn back_off(&mut self) {
        self.backoff += 1;
    }

    /// New data is acknowledged: timeouts are as measured again.
    pub(super) const fn recover(&mut self) {
        self.backoff = 0;
    }

    /// Nothing is in flight (rule 5.2).
    pub(super) fn stop(&mut self) {
        self.timeout = Time::MAX;
        self.probe = Time::MAX;
        self.reordering = Time::MAX;
    }

    pub(super) const fn timeouts_in_a_row(&self) -> u32 {
        self.backoff
    }
}

/// `base`, doubled `times` times, at most the longest timeout.
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
        // 2 x 100 + 200, but the timeout would come after 300.
        timers.start_probe(Time::ZERO, 1, &rtt, &parameters);
        assert_eq!(timers.deadline(), Time::ZERO + Duration::from_ms(300));
    }
}
