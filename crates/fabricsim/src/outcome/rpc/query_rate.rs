//! The rate at which the queries of a class were completed.

use fabricsim_base::units::Time;

/// The time span in which the queries of a class, or of one of its clients, are counted.
#[derive(Clone, Copy, Debug)]
pub(super) struct QueryRate {
    /// Time at which the first query was sent.
    pub(super) first: Option<Time>,
    /// The span in which queries are sent, unless all have been sent before its end.
    pub(super) span: Option<(Time, Time)>,
}

impl QueryRate {
    /// Combines this and the `other` client.
    pub(super) fn and(self, other: Self) -> Self {
        let firsts = self.first.into_iter().chain(other.first);
        Self {
            first: firsts.min(),
            span: self.span.or(other.span),
        }
    }

    /// Limits the span for a run that ended early, at `ended`.
    pub(super) fn until(self, ended: Time) -> Self {
        Self {
            span: self.span.map(|(from, to)| (from, to.min(ended))),
            ..self
        }
    }

    /// Returns the queries per second, given their `completions`: the number within the span over
    /// its length. Without a span, or if none was completed within it, returns the number of all of
    /// them over the time from the first query to the last completion.
    pub(super) fn of(&self, completions: impl Iterator<Item = Time> + Clone) -> Option<f64> {
        let per_second = |count: usize, from: Time, to: Time| {
            (to > from).then(|| count as f64 / to.since(from).as_secs_f64())
        };
        if let Some((from, to)) = self.span {
            let within = completions.clone().filter(|&at| at <= to).count();
            if within > 0 {
                return per_second(within, from, to);
            }
        }
        let last = completions.clone().max()?;
        per_second(completions.count(), self.first?, last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn us(us: u64) -> Time {
        Time::from_ns(1_000 * us)
    }

    fn rate(first: u64, span: Option<(u64, u64)>, completions: &[u64]) -> Option<f64> {
        let rate = QueryRate {
            first: Some(us(first)),
            span: span.map(|(from, to)| (us(from), us(to))),
        };
        let per_second = rate.of(completions.iter().map(|&at| us(at)));
        // Rounded in queries per millisecond, which is exact here.
        per_second.map(|rate| (rate / 1e3 * 1e6).round() / 1e6)
    }

    #[test]
    fn counted_queries_take_until_the_last_response() {
        assert_eq!(rate(10, None, &[20, 30, 60]), Some(60.0));
        // Two queries at random times, both completed after the second one was sent.
        assert_eq!(rate(5, None, &[10, 15]), Some(200.0));
    }

    #[test]
    fn queries_of_a_span_are_those_completed_within_it() {
        assert_eq!(
            rate(13, Some((0, 50)), &[20, 30, 50, 51, 1_000]),
            Some(60.0)
        );
        assert_eq!(rate(0, Some((0, 20)), &[80]), Some(12.5));
    }

    #[test]
    fn without_queries_there_is_no_rate() {
        assert_eq!(rate(0, Some((0, 20)), &[]), None);
        assert_eq!(rate(0, None, &[]), None);
        assert_eq!(rate(7, None, &[7]), None);
    }

    #[test]
    fn a_run_that_ends_early_and_several_clients_are_accounted_for() {
        let one = QueryRate {
            first: Some(us(8)),
            span: None,
        };
        let other = QueryRate {
            first: Some(us(3)),
            span: Some((us(0), us(100))),
        };
        let both = one.and(other);
        assert_eq!((both.first, both.span), (Some(us(3)), other.span));
        assert_eq!(both.until(us(40)).span, Some((us(0), us(40))));
        assert_eq!(both.until(us(400)).span, other.span);
        let completions = [us(10), us(20), us(40), us(41)];
        assert_eq!(
            both.until(us(40)).of(completions.into_iter()),
            Some(75_000.0)
        );
    }
}
