//! Queueing times of packets: count, sum, maximum, and a histogram for quantiles.

use fabricsim_base::checkpoint::Stored;
use fabricsim_base::units::Duration;

/// Buckets per doubling: the width of a bucket is at most an eighth of its lower end.
const SUB_BUCKETS: u64 = 8;
/// log2 of [`SUB_BUCKETS`].
const SUB_BITS: u32 = 3;
/// Times of 2^41 ns (37 minutes) and more share the last bucket.
const LONGEST_BITS: u32 = 41;
const BUCKETS: usize = ((LONGEST_BITS - SUB_BITS) as usize + 1) << SUB_BITS;

/// The sojourn times of packets: from the enqueue to the dequeue.
///
/// The buckets of the histogram are 1 ns wide up to 16 ns, and then an eighth of a power of two, so
/// the error of a quantile is at most an eighth. They are allocated with the first packet.
#[derive(Clone, Debug, Default, PartialEq, Stored)]
#[checkpoint(absolute)]
pub struct SojournTimes {
    count: u64,
    sum_ps: u128,
    longest: Duration,
    buckets: Vec<u64>,
}

/// Returns the bucket of `ns`.
#[inline]
fn bucket(ns: u64) -> usize {
    let ns = ns.min((1 << LONGEST_BITS) - 1);
    let place = if ns < SUB_BUCKETS {
        ns
    } else {
        let exponent = ns.ilog2() - SUB_BITS;
        u64::from(exponent) * SUB_BUCKETS + (ns >> exponent)
    };
    usize::try_from(place).expect("there are fewer than 2^32 buckets")
}

/// Returns the first nanosecond of `bucket`.
const fn start(bucket: usize) -> u64 {
    let bucket = bucket as u64;
    if bucket < 2 * SUB_BUCKETS {
        return bucket;
    }
    let exponent = bucket / SUB_BUCKETS - 1;
    (bucket % SUB_BUCKETS + SUB_BUCKETS) << exponent
}

impl SojournTimes {
    /// Records a packet that has waited for `time`.
    #[inline]
    pub fn record(&mut self, time: Duration) {
        if self.buckets.is_empty() {
            self.buckets.resize(BUCKETS, 0);
        }
        self.count += 1;
        self.sum_ps += u128::from(time.as_ps());
        self.longest = self.longest.max(time);
        self.buckets[bucket(time.as_ns())] += 1;
    }

    /// Records `packets` packets that have not waited.
    pub(crate) fn record_none(&mut self, packets: u64) {
        if packets == 0 {
            return;
        }
        if self.buckets.is_empty() {
            self.buckets.resize(BUCKETS, 0);
        }
        self.count += packets;
        self.buckets[bucket(0)] += packets;
    }

    /// Adds the times of `other`.
    pub fn merge(&mut self, other: &Self) {
        self.count += other.count;
        self.sum_ps += other.sum_ps;
        self.longest = self.longest.max(other.longest);
        if self.buckets.is_empty() {
            self.buckets.clone_from(&other.buckets);
            return;
        }
        for (mine, others) in self.buckets.iter_mut().zip(&other.buckets) {
            *mine += others;
        }
    }

    /// Returns the number of packets.
    #[must_use]
    pub const fn count(&self) -> u64 {
        self.count
    }

    /// Returns the longest queueing time; zero before the first packet.
    #[must_use]
    pub const fn longest(&self) -> Duration {
        self.longest
    }

    /// Returns the mean, rounded down to a picosecond; `None` before the first packet.
    #[must_use]
    pub fn mean(&self) -> Option<Duration> {
        let mean = self.sum_ps.checked_div(u128::from(self.count))?;
        u64::try_from(mean).ok().map(Duration::from_ps)
    }

    /// Returns the time that a share `q` (0 to 1) of the packets has not exceeded: the time with
    /// rank ceil(q x count), from the histogram; `None` before the first packet.
    ///
    /// # Panics
    /// Panics if `q` is not between 0 and 1.
    #[must_use]
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a rank is between 1 and the count"
    )]
    pub fn quantile(&self, q: f64) -> Option<Duration> {
        assert!((0.0..=1.0).contains(&q), "a quantile is between 0 and 1");
        let rank = ((q * self.count as f64).ceil() as u64).max(1);
        let mut before = 0;
        for (index, &packets) in self.buckets.iter().enumerate() {
            if before + packets >= rank {
                let (from, to) = (start(index), start(index + 1));
                // Assume that the packets of a bucket are spread evenly over it.
                let inside = u128::from(to - from) * u128::from(2 * (rank - before) - 1);
                let inside = inside / u128::from(2 * packets);
                let ns = from + u64::try_from(inside).expect("less than the bucket's width");
                return Some(Duration::from_ns(ns).min(self.longest));
            }
            before += packets;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_are_without_gaps() {
        for index in 0..BUCKETS {
            assert_eq!(bucket(start(index)), index);
            if index + 1 < BUCKETS {
                assert_eq!(bucket(start(index + 1) - 1), index);
            }
        }
        assert_eq!(bucket(u64::MAX), BUCKETS - 1);
        assert_eq!(start(BUCKETS), 1 << LONGEST_BITS);
    }

    #[test]
    fn nothing_is_known_before_the_first_packet() {
        let times = SojournTimes::default();
        assert_eq!((times.mean(), times.quantile(0.5)), (None, None));
    }

    #[test]
    fn no_quantile_is_above_the_longest_time() {
        let mut times = SojournTimes::default();
        times.record(Duration::from_ns(1_024));
        assert_eq!(times.quantile(0.5), Some(Duration::from_ns(1_024)));
    }

    proptest::proptest! {
        #[test]
        fn quantiles_are_within_an_eighth(
            // Up to ten seconds, with about the same number in each decade.
            waits in proptest::collection::vec((0u32..43, 0u64..1 << 43), 1..300),
            q in 0.0..=1.0f64,
        ) {
            let waits: Vec<u64> = waits.iter().map(|(shift, ps)| ps >> shift).collect();
            let (first, second) = waits.split_at(waits.len() / 2);
            let mut times = [SojournTimes::default(), SojournTimes::default()];
            for (times, waits) in times.iter_mut().zip([first, second]) {
                waits.iter().for_each(|&ps| times.record(Duration::from_ps(ps)));
            }
            let [mut times, rest] = times;
            times.merge(&rest);

            let mut sorted = waits.clone();
            sorted.sort_unstable();
            let sum: u64 = sorted.iter().sum();
            let rank = (1..=sorted.len())
                .find(|&rank| rank as f64 >= q * sorted.len() as f64)
                .expect("q is at most 1");
            let exact = Duration::from_ps(sorted[rank - 1]).as_ns() as f64;
            let estimate = times.quantile(q).expect("some have waited").as_ns() as f64;
            proptest::prop_assert!((estimate - exact).abs() <= exact / 8.0, "{} {}", estimate, exact);
            proptest::prop_assert_eq!(times.count(), sorted.len() as u64);
            proptest::prop_assert_eq!(times.longest().as_ps(), *sorted.last().expect("some"));
            proptest::prop_assert_eq!(
                times.mean().expect("some have waited").as_ps(),
                sum / sorted.len() as u64
            );
        }
    }
}
