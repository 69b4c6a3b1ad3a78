//! Replays recorded values with other digests, to measure the error as a function of packets and
//! space.

use std::collections::BTreeMap;

use fabricsim_base::input::ConfigError;
use fabricsim_base::rng::{Purpose, Stream};

use super::collect::HopSeries;
use crate::dynamic::{HopSampler, HopValues, Storage, quantile_of};
use crate::hash::GlobalHash;
use crate::numeric::{Multiplicative, StepRounding};

/// Parameters for encoding and storing digests.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReplayConfig {
    /// Bits of a digest, 1 to 16.
    pub bits: u32,
    /// Largest value that codes represent.
    pub largest: f64,
    /// Storage for the digests of a hop in the sink.
    pub storage: Storage,
    /// Hops with a smaller true value are not evaluated.
    pub least: f64,
}

/// Minimum true value: a relative error of zero is undefined.
const LEAST: f64 = 1e-3;

/// Error of quantiles, over all hops of all flows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReplayError {
    /// Number of packets of each flow that carried a digest.
    pub packets: usize,
    /// The quantile.
    pub quantile: f64,
    /// Number of evaluated hops: they have a digest and a large enough true value.
    pub hops: usize,
    /// Mean number of digests of an evaluated hop.
    pub mean_digests: f64,
    /// Mean of |estimate / truth - 1|. The truth is the quantile over all packets of the flow at
    /// the hop.
    pub mean: f64,
    /// Median of |estimate / truth - 1|.
    pub median: f64,
}

/// The hops of a flow, from the first one; each is a list of its packets' values.
type FlowValues<'a> = Vec<&'a [f64]>;

/// Sends the packets of `series` again, with other digests (PINT, section 6.1, figure 9). In each
/// flow, a hash selects the packets that carry a digest. The error is measured when the number of
/// such packets reaches each element of `packets` (ascending), for each of `quantiles`. Flows with
/// a hop that has fewer known values than the largest element are skipped.
///
/// # Errors
/// Returns an error if the bits, the range or the storage is out of range.
pub fn replay(
    series: &[HopSeries],
    config: &ReplayConfig,
    packets: &[usize],
    quantiles: &[f64],
    seed: u64,
) -> Result<Vec<ReplayError>, ConfigError> {
    config.storage.validate()?;
    let code = Multiplicative::for_range(config.largest, config.bits, StepRounding::Nearest)?;
    let sampler = HopSampler::new(code, seed);
    let last = packets.last().copied().unwrap_or(0);
    // The errors and the number of their digests, by number of packets and quantile.
    let mut found: BTreeMap<(usize, usize), (Vec<f64>, u64)> = BTreeMap::new();
    for (number, flow) in (0u64..).zip(whole_flows(series, last)) {
        let hash = GlobalHash::new(number);
        let hops = u8::try_from(flow.len()).expect("hops are counted in eight bits");
        let truths: Vec<Vec<f64>> = flow
            .iter()
            .map(|values| true_quantiles(values, quantiles))
            .collect();
        let store = |hop: u64| {
            let draws = Stream::new(seed, hash.value(hop, 0), Purpose::Sampling);
            HopValues::new(config.storage, draws)
        };
        let mut kept: Vec<HopValues> = (0..u64::from(hops)).map(store).collect();
        let count = flow.iter().map(|values| values.len()).min().unwrap_or(0);
        let mut order = in_random_order(count, hash).into_iter();
        // Digests accumulate, so each step adds only the packets beyond the previous one.
        for (place, &until) in packets.iter().enumerate() {
            let before = if place == 0 { 0 } else { packets[place - 1] };
            for packet in order.by_ref().take(until - before) {
                let id = hash.value(packet as u64, 1);
                let hop = sampler.hop(id, hops).expect("a flow of a series has a hop");
                let hop = usize::from(hop) - 1;
                kept[hop].record(sampler.code().encode(flow[hop][packet], 0.0));
            }
            for (values, truths) in kept.iter().zip(&truths) {
                for (which, (&quantile, &truth)) in quantiles.iter().zip(truths).enumerate() {
                    let estimate = values.quantile(quantile);
                    // A hop with a tiny true value is skipped, because its relative error would
                    // dominate the mean.
                    let judged = truth >= config.least.max(LEAST);
                    let Some(code) = estimate.filter(|_| judged) else {
                        continue;
                    };
                    let (errors, digests) = found.entry((place, which)).or_default();
                    errors.push((sampler.code().decode(code) / truth - 1.0).abs());
                    *digests += values.count();
                }
            }
        }
    }
    let summary = |((place, which), (mut errors, digests)): (_, (Vec<f64>, u64))| {
        errors.sort_unstable_by(f64::total_cmp);
        let count = errors.len() as f64;
        ReplayError {
            packets: packets[place],
            quantile: quantiles[which],
            hops: errors.len(),
            mean_digests: digests as f64 / count,
            mean: errors.iter().sum::<f64>() / count,
            median: errors[errors.len() / 2],
        }
    };
    Ok(found.into_iter().map(summary).collect())
}

/// Returns the numbers below `count`, in an order given by a hash.
fn in_random_order(count: usize, hash: GlobalHash) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by_cached_key(|&packet| hash.value(packet as u64, 2));
    order
}

/// Returns the flows of `series` with at least `packets` values at every hop.
fn whole_flows(series: &[HopSeries], packets: usize) -> impl Iterator<Item = FlowValues<'_>> {
    let flows = series.chunk_by(|a, b| (a.query, a.flow) == (b.query, b.flow));
    flows.filter_map(move |hops| {
        let in_order = (1..=u8::MAX)
            .zip(hops)
            .all(|(hop, series)| series.hop == hop);
        let long = hops.iter().all(|series| series.values.len() >= packets);
        let values = || hops.iter().map(|series| &series.values[..]).collect();
        (in_order && long).then(values)
    })
}

/// Returns the quantiles, computed on integers of 1/1000 unit (picoseconds of a timestamp), which
/// keep the order of the values.
fn true_quantiles(values: &[f64], quantiles: &[f64]) -> Vec<f64> {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "values are not negative and far below 2^53"
    )]
    let fine = |&value: &f64| (value * 1e3).round() as u64;
    let fine: Vec<u64> = values.iter().map(fine).collect();
    let of = |&quantile: &f64| quantile_of(fine.clone(), quantile).unwrap_or(0) as f64 / 1e3;
    quantiles.iter().map(of).collect()
}

#[cfg(test)]
mod tests {
    use fabricsim_base::id::FlowId;

    use super::super::flow::FlowKey;
    use super::*;

    /// `count` flows through three hops: zero, 1 to 1,000 ns uniformly, and always 5,000 ns.
    fn series(count: u32) -> Vec<HopSeries> {
        let mut stream = Stream::new(3, 0, Purpose::Sampling);
        let mut all = Vec::new();
        for flow in 0..count {
            let flow = FlowKey {
                flow: Some(FlowId(flow)),
                src: None,
                dst: None,
            };
            let even = (0..1_000).map(|_| 1.0 + 999.0 * stream.uniform()).collect();
            for (hop, values) in [(1, vec![0.0; 1_000]), (2, even), (3, vec![5_000.0; 1_000])] {
                all.push(HopSeries {
                    query: 0,
                    flow,
                    hop,
                    values,
                });
            }
        }
        all
    }

    fn config(bits: u32, storage: Storage) -> ReplayConfig {
        ReplayConfig {
            bits,
            largest: 65_536.0,
            storage,
            least: 1.0,
        }
    }

    #[test]
    fn more_packets_and_bits_bring_smaller_errors() {
        let series = series(60);
        let run = |bits, storage| {
            replay(&series, &config(bits, storage), &[100, 1_000], &[0.5], 1).unwrap()
        };
        let eight = run(8, Storage::All);
        // The hop without any wait is not evaluated.
        assert_eq!([eight[0].hops, eight[1].hops], [120, 120]);
        assert!((eight[1].mean_digests - 333.0).abs() < 8.0);
        assert!(eight[1].mean < 0.6 * eight[0].mean, "{eight:?}");
        let four = run(4, Storage::All);
        assert!(four[1].mean > 3.0 * eight[1].mean, "{four:?}");
        let sketch = run(8, Storage::Sketch { items: 100 });
        assert!(sketch[1].mean < 1.5 * eight[1].mean, "{sketch:?}");
    }

    #[test]
    fn a_flow_with_a_hop_that_is_not_known_is_left_out() {
        let mut series = series(4);
        series.remove(4);
        series[7].values.truncate(500);
        let found = replay(&series, &config(8, Storage::All), &[1_000], &[0.5], 1).unwrap();
        assert_eq!(found[0].hops, 4);
    }
}
