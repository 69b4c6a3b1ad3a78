//! The round-trip time of a connection and its retransmission timeout (RFC 6298).

use fabricsim_base::checkpoint::Stored;
use fabricsim_base::units::Duration;

use super::config::{RtoFloor, TcpParameters};

/// The estimator of RFC 6298, section 2.
#[derive(Clone, Debug, Default, Stored)]
#[checkpoint(absolute)]
pub(super) struct RttEstimator {
    /// Smoothed round-trip time (SRTT); `None` before the first sample.
    pub(super) smoothed: Option<Duration>,
    /// Variation of the round-trip time (RTTVAR).
    variation: Duration,
    /// The minimum sample, or [`Duration::ZERO`] before the first one.
    pub(super) least: Duration,
}

impl RttEstimator {
    /// Adds a sample (rules 2.2 and 2.3, α = 1/8 and β = 1/4).
    pub(super) fn sample(&mut self, rtt: Duration) {
        let Some(smoothed) = self.smoothed else {
            self.smoothed = Some(rtt);
            self.variation = Duration::from_ps(rtt.as_ps() / 2);
            self.least = rtt;
            return;
        };
        self.least = self.least.min(rtt);
        let (srtt, sample) = (smoothed.as_ps(), rtt.as_ps());
        let deviation = srtt.abs_diff(sample);
        self.variation = Duration::from_ps((3 * self.variation.as_ps() + deviation) / 4);
        self.smoothed = Some(Duration::from_ps((7 * srtt + sample) / 8));
    }

    /// Returns the RTO without back-off: the initial value before the first sample (rule 2.1), then
    /// SRTT + 4 RTTVAR with a floor (rules 2.3 and 2.4; Linux applies the floor to the second
    /// term).
    pub(super) fn timeout(&self, parameters: &TcpParameters) -> Duration {
        let Some(smoothed) = self.smoothed else {
            return parameters.initial_rto;
        };
        let spread = self.variation * 4;
        let timeout = match parameters.rto_floor {
            RtoFloor::Variation => smoothed + spread.max(parameters.min_rto),
            RtoFloor::Total => (smoothed + spread).max(parameters.min_rto),
        };
        timeout.min(parameters.max_rto)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tcp::config::{TcpConfig, TcpProfile};

    #[test]
    fn samples_are_weighed_as_the_rfc_says() {
        let mut rtt = RttEstimator::default();
        let wan = TcpConfig::default().parameters();
        assert_eq!(rtt.timeout(&wan), Duration::from_ms(1_000));
        rtt.sample(Duration::from_ms(80));
        assert_eq!(rtt.variation, Duration::from_ms(40));
        // 80 + max(200, 4 x 40).
        assert_eq!(rtt.timeout(&wan), Duration::from_ms(280));
        rtt.sample(Duration::from_ms(160));
        assert_eq!(rtt.smoothed, Some(Duration::from_ms(90)));
        assert_eq!(rtt.variation, Duration::from_ms(50));
        assert_eq!(rtt.timeout(&wan), Duration::from_ms(290));
        rtt.sample(Duration::from_ms(490));
        // SRTT 140, RTTVAR 137.5.
        assert_eq!(rtt.timeout(&wan), Duration::from_ms(690));
        assert_eq!(rtt.least, Duration::from_ms(80));
    }

    #[test]
    fn the_floor_of_datacenters_is_under_the_sum() {
        let mut rtt = RttEstimator::default();
        let parameters = TcpConfig {
            profile: TcpProfile::Datacenter,
            ..TcpConfig::default()
        }
        .parameters();
        rtt.sample(Duration::from_us(20));
        assert_eq!(rtt.timeout(&parameters), Duration::from_ms(2));
        rtt.sample(Duration::from_ms(4));
        // SRTT 517.5 us, RTTVAR 1,002.5 us.
        assert_eq!(rtt.timeout(&parameters), Duration::from_ps(4_527_500_000));
    }
}
