//! The speeds of ranks: slow ranks, and computing times that vary.

use std::f64::consts::TAU;

use fabricsim_base::input::{ConfigError, NumberRange};
use fabricsim_base::limits::MAX_DURATION;
use fabricsim_base::rng::{Purpose, Stream, mix};
use fabricsim_base::settings;
use fabricsim_base::units::Duration;

use crate::context::WorkloadContext;

settings! {
    /// Ranks that compute slower or faster than their computing times say.
    pub struct SlowRanks {
        /// Their numbers, such as ["3", "8..16"].
        pub ranks: Vec<NumberRange> = required,
        /// Factor of their computing times, such as 1.5.
        #[range(above 0.0, to 1000.0)]
        #[refused("a factor of {value} is outside the range above 0 to 1000", "write for example 1.5")]
        pub factor: f64 = required,
    }
}

/// The speeds of the ranks of one job.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pace {
    seed: u64,
    workload: u64,
    /// The coefficient of variation of computing times.
    jitter: f64,
    slow: Vec<SlowRanks>,
}

impl Pace {
    /// Returns the speeds of `ranks` ranks. `computes` says if the ranks compute at all.
    ///
    /// # Errors
    /// Fails if there is no such rank, if a rank has two factors, or if no rank computes.
    pub(crate) fn new(
        context: &WorkloadContext,
        (jitter, slow): (f64, &[SlowRanks]),
        (ranks, computes): (u32, bool),
    ) -> Result<Self, ConfigError> {
        let key = match (jitter > 0.0, slow.is_empty()) {
            (true, _) => Some("compute_jitter"),
            (false, false) => Some("slow_ranks"),
            (false, true) => None,
        };
        if let Some(key) = key.filter(|_| !computes) {
            return Err(ConfigError::new(
                key,
                "no rank computes, so that the key would have no effect",
                "give computing times, or leave the key out",
            ));
        }
        if slow.iter().any(|one| one.ranks.is_empty()) {
            return Err(ConfigError::new(
                "slow_ranks",
                "a list of ranks is empty",
                "name ranks, such as [\"3\"], or leave the entry out",
            ));
        }
        let mut seen: Vec<NumberRange> = Vec::new();
        for range in slow.iter().flat_map(|one| &one.ranks) {
            let refuse = |message, help: String| Err(ConfigError::new("slow_ranks", message, help));
            if range.end > ranks {
                let message = format!(
                    "`{range}` includes rank {}, which does not exist",
                    range.first.max(ranks)
                );
                return refuse(
                    message,
                    format!("the ranks are numbered 0 to {}", ranks - 1),
                );
            }
            if let Some(other) =
                (seen.iter()).find(|other| range.first < other.end && other.first < range.end)
            {
                let rank = range.first.max(other.first);
                return refuse(
                    format!("rank {rank} has two factors"),
                    "give each rank one factor".to_owned(),
                );
            }
            seen.push(*range);
        }
        for one in slow {
            let refused =
                |error: ConfigError| ConfigError::new("slow_ranks", error.message, error.help);
            one.validate_ranges().map_err(refused)?;
        }
        Ok(Self {
            seed: context.seed,
            workload: context.index,
            jitter,
            slow: slow.to_vec(),
        })
    }

    /// Returns the time that `rank` computes for `operation` of `iteration` if its computing time
    /// is `span`.
    ///
    /// With jitter, the factor is lognormal with a mean of 1, as multiplied delays tend to be. It
    /// depends only on the seed and these numbers, not on the order of events.
    pub(crate) fn span(&self, span: Duration, rank: u32, at: (u32, u32)) -> Duration {
        let factor = self.factor(rank) * self.draw(rank, at);
        if factor.to_bits() == 1.0f64.to_bits() {
            return span;
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "positive, and the cast saturates"
        )]
        let ps = (span.as_ps() as f64 * factor).round() as u64;
        Duration::from_ps(ps).min(MAX_DURATION)
    }

    fn factor(&self, rank: u32) -> f64 {
        let own = |one: &&SlowRanks| NumberRange::any_contains(Some(&one.ranks), rank);
        self.slow.iter().find(own).map_or(1.0, |one| one.factor)
    }

    fn draw(&self, rank: u32, (iteration, operation): (u32, u32)) -> f64 {
        if self.jitter <= 0.0 {
            return 1.0;
        }
        let at = mix(u64::from(iteration) << 32 | u64::from(operation));
        let entity = self.workload << 32 | u64::from(rank);
        let mut stream = Stream::new(mix(self.seed ^ at), entity, Purpose::Computation);
        // A lognormal factor of mean 1 whose logarithm has the variance ln(1 + cv^2); the normal
        // number is from Box and Muller's method.
        let variance = libm::log1p(self.jitter * self.jitter);
        let radius = libm::sqrt(-2.0 * libm::log(1.0 - stream.uniform()));
        let normal = radius * libm::cos(TAU * stream.uniform());
        libm::exp(libm::sqrt(variance) * normal - variance / 2.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::testing::context;

    fn slow(ranks: &str, factor: f64) -> SlowRanks {
        SlowRanks::with_required(vec![ranks.parse().unwrap()], factor)
    }

    #[test]
    fn slow_ranks_compute_longer_and_the_rest_as_given() {
        let slow = [slow("2..4", 1.5), slow("7", 2.0)];
        let pace = Pace::new(&context(8, 1), (0.0, &slow), (8, true)).unwrap();
        let span = Duration::from_ns(10);
        let spans: Vec<u64> = (0..8)
            .map(|rank| pace.span(span, rank, (0, 0)).as_ps())
            .collect();
        assert_eq!(
            spans,
            [
                10_000, 10_000, 15_000, 15_000, 10_000, 10_000, 10_000, 20_000
            ]
        );
    }

    #[test]
    fn jitter_has_the_mean_and_the_variation_that_it_says() {
        let pace = Pace::new(&context(8, 1), (0.3, &[]), (8, true)).unwrap();
        let draws: Vec<f64> = (0..40_000)
            .map(|operation| pace.draw(operation % 8, (operation / 1_000, operation)))
            .collect();
        let count = draws.len() as f64;
        let mean = draws.iter().sum::<f64>() / count;
        let variance = draws.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / count;
        // Four standard errors: 0.3 / 200 for the mean.
        assert!((mean - 1.0).abs() < 0.006, "{mean}");
        assert!((variance.sqrt() - 0.3).abs() < 0.01, "{}", variance.sqrt());
        assert!(draws.iter().all(|&draw| draw > 0.0));
    }

    #[test]
    fn draws_differ_by_rank_iteration_operation_and_seed() {
        let with_seed = |seed| Pace::new(&context(8, seed), (0.3, &[]), (8, true)).unwrap();
        let pace = with_seed(1);
        let first = pace.draw(1, (2, 3));
        assert_eq!(first.to_bits(), with_seed(1).draw(1, (2, 3)).to_bits());
        for other in [
            pace.draw(2, (2, 3)),
            pace.draw(1, (3, 3)),
            pace.draw(1, (2, 4)),
            with_seed(2).draw(1, (2, 3)),
        ] {
            assert_ne!(first.to_bits(), other.to_bits());
        }
    }

    #[test]
    fn ranks_that_do_not_exist_or_have_two_factors_are_refused() {
        let refused = |slow: &[SlowRanks], jitter, computes| {
            let pace = Pace::new(&context(8, 1), (jitter, slow), (8, computes));
            let error = pace.unwrap_err();
            (error.key, error.message)
        };
        let (key, message) = refused(&[slow("6..9", 2.0)], 0.0, true);
        assert_eq!(key, "slow_ranks");
        assert_eq!(message, "`6..9` includes rank 8, which does not exist");
        let (_, message) = refused(&[slow("1..4", 2.0), slow("3", 3.0)], 0.0, true);
        assert_eq!(message, "rank 3 has two factors");
        let none = SlowRanks::with_required(Vec::new(), 2.0);
        let (_, message) = refused(&[none], 0.0, true);
        assert_eq!(message, "a list of ranks is empty");
        let (key, message) = refused(&[slow("1", -2.0)], 0.0, true);
        assert_eq!(key, "slow_ranks");
        assert_eq!(
            message,
            "a factor of -2 is outside the range above 0 to 1000"
        );
        let (key, _) = refused(&[], 0.1, false);
        assert_eq!(key, "compute_jitter");
    }
}
