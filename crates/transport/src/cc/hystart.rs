//! HyStart: leaves slow start before packets are lost (Ha and Rhee, "Taming the elephants: new TCP
//! slow start", Computer Networks 2011), with both detectors and the constants of Linux.

use fabricsim_base::checkpoint::Stored;
use fabricsim_base::units::{Bytes, Duration, Time};
use fabricsim_core::plugin::{Ack, Round};

/// Below this window in segments, slow start continues.
const LEAST_WINDOW: f64 = 16.0;
/// Acknowledgements at most this far apart belong to one train.
const TRAIN_GAP: Duration = Duration::from_ms(2);
/// Number of samples of a round that the delay detector uses.
const SAMPLES: u32 = 8;
/// Limits of the delay that ends slow start. In between it is an eighth of the minimum round-trip
/// time.
const LEAST_DELAY: Duration = Duration::from_ms(4);
const MOST_DELAY: Duration = Duration::from_ms(16);

/// Allowance for the aggregation of acknowledgements: at most this, and at most the time of four
/// full aggregates at twice the rate of the window.
const AGGREGATION: Duration = Duration::from_ms(1);
const AGGREGATES: f64 = 4.0 * 65_536.0;

/// The two detectors, for a sender that does not pace.
#[derive(Clone, Debug, Stored)]
#[checkpoint(absolute)]
pub(super) struct HyStart {
    /// Bytes of a full segment.
    segment: f64,
    /// `None` before the first round.
    round: Option<RoundSoFar>,
}

#[derive(Clone, Copy, Debug, Stored)]
#[checkpoint(absolute)]
struct RoundSoFar {
    start: Time,
    /// The last acknowledgement of the train.
    last: Time,
    samples: u32,
    least_rtt: Duration,
}

impl HyStart {
    pub(super) fn new(wire: Bytes) -> Self {
        Self {
            segment: wire.as_f64(),
            round: None,
        }
    }

    /// Discards the current round.
    pub(super) fn restart(&mut self) {
        self.round = None;
    }

    /// Records an acknowledgement in slow start with `cwnd` segments. Returns `true` if slow start
    /// ends.
    pub(super) fn on_ack<H>(&mut self, ack: &Ack<'_, H>, cwnd: f64) -> bool {
        if ack.round == Round::New || self.round.is_none() {
            self.round = Some(RoundSoFar {
                start: ack.now,
                last: ack.now,
                samples: 0,
                least_rtt: Duration::from_ps(u64::MAX),
            });
        }
        let (Some(round), Some(rtt)) = (&mut self.round, ack.rtt) else {
            return false;
        };
        if cwnd < LEAST_WINDOW {
            return false;
        }
        if ack.now.since(round.last) <= TRAIN_GAP {
            round.last = ack.now;
            // Slow start ends when the train is longer than the one-way delay of the path.
            let aggregates = AGGREGATES / (2.0 * cwnd * self.segment);
            let margin = Duration::from_secs_f64(aggregates * ack.smoothed_rtt.as_secs_f64());
            let path = ack.least_rtt + margin.min(AGGREGATION);
            if ack.now.since(round.start).as_ps() > path.as_ps() / 2 {
                return true;
            }
        }
        round.least_rtt = round.least_rtt.min(rtt);
        if round.samples < SAMPLES {
            round.samples += 1;
            return false;
        }
        let eighth = Duration::from_ps(ack.least_rtt.as_ps() / 8);
        round.least_rtt > ack.least_rtt + eighth.clamp(LEAST_DELAY, MOST_DELAY)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tcp_harness::ack;
    use super::*;

    const RTT: Duration = Duration::from_ms(40);

    /// Returns the number of acknowledgements, `gap` apart, after which slow start ends. The round
    /// begins with a window of `cwnd`, and its round-trip times are `later` than the minimum.
    fn ends_after(cwnd: f64, gap: Duration, later: Duration) -> Option<u32> {
        let mut hystart = HyStart::new(Bytes::new(1_514));
        let mut now = Time::ZERO;
        for count in 0..200 {
            let mut ack = ack(now, RTT);
            ack.rtt = Some(RTT + later);
            ack.round = if count == 0 { Round::New } else { Round::Same };
            if hystart.on_ack(&ack, cwnd) {
                return Some(count);
            }
            now += gap;
        }
        None
    }

    #[test]
    fn a_train_as_long_as_half_the_path_ends_slow_start() {
        // Half of 40 ms plus half of the 1 ms allowance for aggregation: 20.5 ms.
        let none = Duration::ZERO;
        assert_eq!(ends_after(100.0, Duration::from_ms(1), none), Some(21));
        assert_eq!(ends_after(100.0, Duration::from_us(2_001), none), None);
        assert_eq!(ends_after(15.0, Duration::from_ms(1), none), None);
    }

    #[test]
    fn a_delay_of_an_eighth_ends_slow_start_after_eight_samples() {
        let sparse = Duration::from_ms(3);
        assert_eq!(ends_after(100.0, sparse, Duration::from_us(5_001)), Some(8));
        assert_eq!(ends_after(100.0, sparse, Duration::from_ms(5)), None);
    }
}
