//! Detects if marks come from a classic queue: the passive detector of Briscoe and Ahmed, "TCP
//! Prague Fall-back on Detection of a Classic ECN AQM" (arXiv 1911.00710). It uses the variation of
//! the round-trip time and the depth of the queue.

use fabricsim_base::checkpoint::Stored;
use fabricsim_base::units::Duration;

/// Weights of variation and depth (V and D), per round trip and doubling.
const VARIATION_WEIGHT: f64 = 0.5;
const DEPTH_WEIGHT: f64 = 0.5;
/// Reference values of variation and depth (V0 and D0).
const VARIATION: Duration = Duration::from_us(750);
const DEPTH: Duration = Duration::from_ms(2);
/// Up to this score, the queue counts as L4S. A transition of `TRANSITION` follows, then classic.
const STICKY: f64 = 8.0;
const TRANSITION: f64 = 1.0;
/// The share of marks that represents a classic queue: a window falls by half of it.
const CLASSIC_SHARE: f64 = 0.625;
/// The smallest gain of the averages.
const LEAST_GAIN: f64 = 1.0 / (1u64 << 18) as f64;
/// Initial mean deviation.
const FIRST_DEVIATION: f64 = 1e-6;

/// The detector of one connection. Its score starts at 0, which means L4S.
///
/// Differs from the paper: the part for application-limited senders is omitted, as in the published
/// implementation, and logarithms are exact.
#[derive(Clone, Copy, Debug, Default, Stored)]
#[checkpoint(absolute)]
pub(super) struct ClassicQueue {
    /// Smoothed round-trip time and mean deviation, in seconds. Their gains are low enough to
    /// average over single sawteeth.
    averages: Option<(f64, f64)>,
    score: f64,
}

impl ClassicQueue {
    /// Records a round-trip time, at a slow-start threshold of `ssthresh` segments.
    #[inline]
    pub(super) fn sample(&mut self, rtt: Duration, ssthresh: f64) {
        let rtt = rtt.as_secs_f64();
        let Some((smoothed, deviation)) = &mut self.averages else {
            self.averages = Some((rtt, FIRST_DEVIATION));
            return;
        };
        let gain = (0.5 / (ssthresh * libm::sqrt(ssthresh))).max(LEAST_GAIN);
        let error = rtt - *smoothed;
        *smoothed += gain * error;
        *deviation += gain / 2.0 * (error.abs() - *deviation);
    }

    /// Ends a round trip in which the queue may mark. `least` is the minimum round-trip time.
    pub(super) fn close_round(&mut self, least: Duration) {
        let Some((smoothed, deviation)) = self.averages else {
            return;
        };
        let score = self.score + VARIATION_WEIGHT * libm::log2(deviation / VARIATION.as_secs_f64());
        let depth = (smoothed - least.as_secs_f64()) / DEPTH.as_secs_f64();
        // A growing queue is evidence for a classic queue; an empty one is not evidence.
        let score = score + DEPTH_WEIGHT * libm::log2(depth.max(1.0));
        self.score = score.clamp(0.0, 2.0 * STICKY + TRANSITION);
    }

    /// Returns the minimum share of marks to reduce by.
    pub(super) fn least_share(&self) -> f64 {
        let classic = (self.score.min(STICKY + TRANSITION) - STICKY).max(0.0);
        CLASSIC_SHARE * classic / TRANSITION
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the minimum share after each of `rounds` round trips with samples of 20 ms plus
    /// `depth`, plus or minus `swing`.
    fn shares(rounds: u32, depth: Duration, swing: Duration) -> Vec<f64> {
        let base = Duration::from_ms(20);
        let mut queue = ClassicQueue::default();
        let mut shares = Vec::new();
        for _ in 0..rounds {
            for number in 0..100 {
                let above = if number % 2 == 0 {
                    depth + swing
                } else {
                    depth - swing
                };
                queue.sample(base + above, 25.0);
            }
            queue.close_round(base);
            shares.push(queue.least_share());
        }
        shares
    }

    #[test]
    fn a_deep_and_varying_queue_is_classic_after_some_round_trips() {
        let shares = shares(40, Duration::from_ms(15), Duration::from_ms(5));
        assert!(shares[2] < 1e-9, "not at once: {shares:?}");
        assert!((shares[39] - CLASSIC_SHARE).abs() < 1e-9, "{shares:?}");
    }

    #[test]
    fn a_shallow_and_steady_queue_is_not() {
        let shares = shares(400, Duration::from_ms(1), Duration::from_us(300));
        assert!(shares.iter().all(|&share| share < 1e-9));
    }
}
