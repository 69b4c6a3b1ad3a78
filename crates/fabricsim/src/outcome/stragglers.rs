//! Ranks that compute longer or end later than the other ranks of their job.

use fabricsim_base::units::{Duration, Time};
use fabricsim_workload::IterationRecord;
use serde::{Deserialize, Serialize};

/// The computations and the ends of the ranks of a job, over its ended iterations after the
/// warm-up.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct RankTimes {
    /// Mean over ranks: share of the time in which the rank computed. In the rest it waited for
    /// messages of other ranks: bubbles and exposed communication. Absent if no rank computes.
    pub computing_share: Option<f64>,
    /// The rank that computed longest; absent if all computed equally long.
    pub computing_longest_rank: Option<u32>,
    /// Its computing time over the computing time of the median rank.
    pub computing_longest_ratio: Option<f64>,
    /// The rank that ended most iterations last; absent if all ranks ended at the same times.
    pub last_rank: Option<u32>,
    /// Number of iterations that it ended last.
    pub last_rank_iterations: Option<u64>,
    /// Mean time from the end of the median rank to the end of the last rank of an iteration.
    pub last_behind_median_ns: Option<f64>,
}

impl RankTimes {
    /// Returns the times of `ranks`, in the order of their numbers: the iterations from `first` to
    /// the last one that all have ended. `spans` has the times of the job's iterations.
    pub(super) fn of(ranks: &[&[IterationRecord]], spans: &[(Time, Time)], first: usize) -> Self {
        let counted = first..spans.len();
        if counted.is_empty() || ranks.is_empty() {
            return Self::default();
        }
        let span = spans[spans.len() - 1].1.since(spans[first].0);
        let mut times = Self::default();
        times.add_computing(ranks.iter().map(|rank| &rank[counted.clone()]), span);
        times.add_last(ranks, counted);
        times
    }

    fn add_computing<'a>(
        &mut self,
        ranks: impl Iterator<Item = &'a [IterationRecord]>,
        span: Duration,
    ) {
        let computed: Vec<u64> = ranks
            .map(|own| own.iter().map(|one| one.computed.as_ps()).sum())
            .collect();
        let all: f64 = computed.iter().map(|&ps| ps as f64).sum();
        if all <= 0.0 || span == Duration::ZERO {
            return;
        }
        self.computing_share = Some(all / computed.len() as f64 / span.as_ps() as f64);
        let median = median(computed.iter().copied());
        let longest = latest(computed.into_iter());
        if let Some((rank, ps)) = longest.filter(|&(_, ps)| ps > median) {
            self.computing_longest_rank = Some(rank);
            self.computing_longest_ratio = (median > 0).then(|| ps as f64 / median as f64);
        }
    }

    fn add_last(&mut self, ranks: &[&[IterationRecord]], counted: std::ops::Range<usize>) {
        let mut last = vec![0u64; ranks.len()];
        let (mut behind, iterations) = (0.0, counted.len());
        for at in counted {
            let ends = || ranks.iter().map(|rank| rank[at].end.as_ps());
            let median = median(ends());
            if let Some((rank, end)) = latest(ends()).filter(|&(_, end)| end > median) {
                last[rank as usize] += 1;
                behind += (end - median) as f64 / 1e3;
            }
        }
        if let Some((rank, count)) = latest(last.into_iter()).filter(|&(_, count)| count > 0) {
            self.last_rank = Some(rank);
            self.last_rank_iterations = Some(count);
            self.last_behind_median_ns = Some(behind / iterations as f64);
        }
    }
}

/// Returns the first rank with the largest of `values`, and the value.
fn latest(values: impl Iterator<Item = u64>) -> Option<(u32, u64)> {
    let largest = |most: Option<(u32, u64)>, (rank, value)| match most {
        Some((_, before)) if before >= value => most,
        _ => Some((rank, value)),
    };
    (0..).zip(values).fold(None, largest)
}

/// Returns the median, the smaller one of the two in the middle.
fn median(values: impl Iterator<Item = u64>) -> u64 {
    let mut values: Vec<u64> = values.collect();
    let middle = (values.len() - 1) / 2;
    *values.select_nth_unstable(middle).1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn iteration(start: u64, end: u64, computed: u64) -> IterationRecord {
        IterationRecord {
            start: Time::from_ns(start),
            end: Time::from_ns(end),
            computed: Duration::from_ns(computed),
        }
    }

    #[test]
    fn the_rank_that_computes_longest_and_ends_last_is_named() {
        let usual = [iteration(0, 90, 40), iteration(100, 190, 40)];
        let slow = [iteration(0, 100, 60), iteration(100, 200, 60)];
        let spans = [(0, 100), (100, 200)].map(|(a, b)| (Time::from_ns(a), Time::from_ns(b)));
        let times = RankTimes::of(&[&usual, &usual, &slow, &usual], &spans, 0);
        assert_eq!(
            times.computing_share,
            Some((3.0 * 80.0 + 120.0) / 4.0 / 200.0)
        );
        assert_eq!(times.computing_longest_rank, Some(2));
        assert_eq!(times.computing_longest_ratio, Some(1.5));
        assert_eq!(
            (times.last_rank, times.last_rank_iterations),
            (Some(2), Some(2))
        );
        assert_eq!(times.last_behind_median_ns, Some(10.0));
        let second = RankTimes::of(&[&usual, &slow], &spans, 1);
        assert_eq!(second.computing_share, Some(0.5));
        assert_eq!(
            (second.last_rank, second.last_rank_iterations),
            (Some(1), Some(1))
        );
    }

    #[test]
    fn equal_ranks_have_no_straggler() {
        let usual = [iteration(0, 100, 0)];
        let spans = [(Time::ZERO, Time::from_ns(100))];
        let times = RankTimes::of(&[&usual, &usual], &spans, 0);
        assert_eq!(times, RankTimes::default());
        assert_eq!(RankTimes::of(&[&usual], &spans, 1), RankTimes::default());
    }
}
