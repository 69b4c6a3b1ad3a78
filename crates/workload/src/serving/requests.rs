//! The requests of a serving workload: drawn, or read from a trace.

use std::sync::Arc;

use fabricsim_base::choices;
use fabricsim_base::input::InputError;
use fabricsim_base::rng::{Purpose, Stream};
use fabricsim_base::units::Duration;

use super::trace::read_trace;
use crate::arrivals::exponential_gap;
use crate::named_list::Listed;

/// The most tokens of a prompt and of a response.
pub(super) const MOST_TOKENS: u32 = 1 << 20;

choices! {
    /// Distribution of the tokens of drawn requests.
    #[derive(Default)]
    pub enum TokenCounts {
        /// Always `input_tokens` and `output_tokens`.
        #[default]
        Fixed = "fixed",
        /// Exponential with these means, rounded up.
        Exponential = "exponential",
    }
}

/// A request of a user.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct ServingRequest {
    /// Time of its arrival, from the start of the workload.
    pub arrival: Duration,
    /// Tokens of the prompt, at least one.
    pub input: u32,
    /// Tokens to generate, at least one.
    pub output: u32,
}

impl Listed for ServingRequest {
    const DRAWN: &'static str = "poisson";

    fn read(text: &str) -> Result<Vec<Self>, InputError> {
        read_trace(text)
    }
}

/// The distribution of drawn requests.
#[derive(Clone, Copy, Debug)]
pub(super) struct Draws {
    pub(super) count: u32,
    pub(super) mean_gap: f64,
    pub(super) tokens: TokenCounts,
    pub(super) input: u32,
    pub(super) output: u32,
}

impl Draws {
    /// Draws the requests. Gaps and tokens use separate streams, so that the first requests of a
    /// longer run are those of a shorter one.
    pub(super) fn draw(&self, seed: u64, entity: u64) -> Arc<[ServingRequest]> {
        let mut gaps = Stream::new(seed, entity, Purpose::Arrivals);
        let mut sizes = Stream::new(seed, entity + 1, Purpose::Arrivals);
        let mut arrival = Duration::ZERO;
        let draw = |_| {
            arrival = arrival.saturating_add(exponential_gap(&mut gaps, self.mean_gap));
            let mut tokens = |mean: u32| match self.tokens {
                TokenCounts::Fixed => mean,
                TokenCounts::Exponential => exponential_tokens(&mut sizes, mean),
            };
            ServingRequest {
                arrival,
                input: tokens(self.input),
                output: tokens(self.output),
            }
        };
        (0..self.count).map(draw).collect()
    }
}

/// Draws a number of tokens: an exponential one, rounded up.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the number is clamped to the range before"
)]
fn exponential_tokens(stream: &mut Stream, mean: u32) -> u32 {
    // Rounding up adds half a token to the mean.
    let mean = (f64::from(mean) - 0.5).max(0.1);
    let drawn = -mean * libm::log(1.0 - stream.uniform());
    drawn.ceil().clamp(1.0, f64::from(MOST_TOKENS)) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_have_their_means_and_do_not_depend_on_the_number() {
        let draws = Draws {
            count: 50_000,
            mean_gap: 0.01,
            tokens: TokenCounts::Exponential,
            input: 500,
            output: 100,
        };
        let all = draws.draw(1, 0);
        let mean = |of: fn(&ServingRequest) -> u32| {
            all.iter().map(|one| f64::from(of(one))).sum::<f64>() / all.len() as f64
        };
        assert!((mean(|one| one.input) / 500.0 - 1.0).abs() < 0.02);
        assert!((mean(|one| one.output) / 100.0 - 1.0).abs() < 0.02);
        let last = all.last().expect("requests").arrival.as_secs_f64();
        assert!((last / 500.0 - 1.0).abs() < 0.02, "{last}");
        let few = Draws { count: 10, ..draws }.draw(1, 0);
        assert_eq!(few[..], all[..10]);
    }
}
