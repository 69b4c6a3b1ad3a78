//! Measures values at each hop of a path from one sample per packet (PINT, Ben Basat et al.,
//! SIGCOMM 2020: dynamic per-flow aggregation): medians, tails and frequent values of latencies,
//! queues or utilizations.
//!
//! A hash decides if a switch overwrites the digest of a packet with the code of its own value
//! ([`HopSampler`]). The sink computes the same hashes and so knows the hop that wrote the digest.
//! For each hop of a flow, the sink stores codes ([`HopValues`]): all of them or, in limited space,
//! a sketch of their quantiles ([`Kll`]), the most recent ones ([`Window`]) or the most frequent
//! ones ([`SpaceSaving`]). Codes keep the order of values, so only results are decoded.
//! [`Accuracy`] measures the error of the results.
//!
//! ```
//! use fabricsim_base::rng::{Purpose, Stream};
//! use fabricsim_pint::dynamic::{HopSampler, HopValues, Storage};
//! use fabricsim_pint::numeric::{Multiplicative, StepRounding};
//!
//! let code = Multiplicative::for_range(65_536.0, 8, StepRounding::Nearest)?;
//! let sampler = HopSampler::new(code, 1);
//! let storage = Storage::Sketch { items: 100 };
//! storage.validate()?;
//! let mut hops: Vec<HopValues> = (0..3)
//!     .map(|hop| HopValues::new(storage, Stream::new(1, hop, Purpose::Sampling)))
//!     .collect();
//! for packet in 0..3_000 {
//!     let mut digest = 0;
//!     for (hop, latency) in (1..=3).zip([800.0, 25_000.0, 4_000.0]) {
//!         digest = sampler.encode(digest, packet, hop, latency);
//!     }
//!     let hop = sampler.hop(packet, 3).expect("a path of three");
//!     hops[usize::from(hop) - 1].record(digest);
//! }
//! let median = sampler.code().decode(hops[1].quantile(0.5).expect("a thousand samples"));
//! assert!((median / 25_000.0 - 1.0).abs() < 0.022);
//! # Ok::<(), fabricsim_base::input::ConfigError>(())
//! ```

mod accuracy;
mod hop_sampler;
mod hop_values;
mod kll;
mod latencies;
mod space_saving;
mod window;

pub use accuracy::{Accuracy, QuantileError};
pub use hop_sampler::HopSampler;
pub use hop_values::{HopValues, Storage};
pub use kll::Kll;
pub use latencies::Latencies;
pub use space_saving::{Frequent, SpaceSaving};
pub use window::Window;

/// Returns the rank, from 1, of the `phi`-quantile among `count` sorted values (at least one): the
/// first rank that covers a share of `phi`.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "at most the count; below 1 is 1"
)]
fn rank_of(phi: f64, count: u64) -> u64 {
    // In binary, 0.07 of 100 is slightly above 7, but the rank is still 7.
    let rank = (phi * count as f64 - 1e-9).ceil();
    (rank as u64).clamp(1, count)
}

/// Returns the `phi`-quantile of `values`, in any order, or `None` if there are none.
pub(crate) fn quantile_of<T: Ord + Copy>(mut values: Vec<T>, phi: f64) -> Option<T> {
    if values.is_empty() {
        return None;
    }
    let place = usize::try_from(rank_of(phi, values.len() as u64)).expect("at most the length");
    Some(*values.select_nth_unstable(place - 1).1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rank_is_the_first_that_reaches_the_share() {
        for (phi, count, rank) in [
            (0.0, 10, 1),
            (0.5, 1, 1),
            (0.5, 10, 5),
            (0.5, 11, 6),
            (0.07, 100, 7),
            (0.99, 100, 99),
            (0.99, 500, 495),
            (0.991, 100, 100),
            (1.0, 100, 100),
            (7.0, 100, 100),
            (f64::NAN, 100, 1),
        ] {
            assert_eq!(rank_of(phi, count), rank, "{phi} of {count}");
        }
        assert_eq!(quantile_of(vec![5, 1, 4, 2, 3], 0.6), Some(3));
        assert_eq!(quantile_of(Vec::<u16>::new(), 0.6), None);
    }
}
