//! What digests would have told of values that packets met: error against packets and space.

use std::collections::BTreeMap;

use fabricsim_core::input::ConfigError;
use fabricsim_core::rng::{Purpose, Stream};

use super::collect::HopSeries;
use crate::dynamic::{HopSampler, HopValues, Storage, quantile_of};
use crate::hash::GlobalHash;
use crate::numeric::{Multiplicative, StepRounding};

/// How digests are made and kept.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReplayConfig {
    /// Bits of a digest, 1 to 16.
    pub bits: u32,
    /// The largest value that codes reach.
    pub largest: f64,
    /// How the sink keeps the digests of a hop.
    pub storage: Storage,
    /// Hops are judged where the truth is at least that.
    pub least: f64,
}

/// Nothing cannot be missed by a factor.
const LEAST: f64 = 1e-3;

/// How far quantiles were from the truth, over all hops of all flows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReplayError {
    /// Packets of each flow that had been sent.
    pub packets: usize,
    /// The quantile.
    pub quantile: f64,
    /// Hops of flows that were judged: those with a digest, where the truth is large enough.
    pub hops: usize,
    /// Digests of such a hop, on average.
    pub mean_digests: f64,
    /// The mean of |estimate / truth - 1|; the truth is the quantile of all these packets at the hop.
    pub mean: f64,
    /// Its median.
    pub median: f64,
}

/// The hops of a flow, from the first, each with the values of its packets.
type FlowValues<'a> = Vec<&'a [f64]>;

/// Sends the packets of `series` again, with other digests (PINT, section 6.1, figure 9). The error is looked at
/// when each of `packets`, ascending, have been sent, for each of `quantiles`; flows of which some hop is not known
/// for that long are left out.
///
/// # Errors
/// Where bits, range or storage are not ones that there can be.
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
    let mut errors: BTreeMap<(usize, usize), Vec<f64>> = BTreeMap::new();
    let mut digests: BTreeMap<(usize, usize), u64> = BTreeMap::new();
    for (number, flow) in (0u64..).zip(whole_flows(series, last)) {
        let hops = u8::try_from(flow.len()).expect("hops are counted in eight bits");
        let mut kept: Vec<HopValues> = (0..u64::from(hops))
            .map(|hop| {
                let entity = GlobalHash::new(number).value(hop, 0);
                HopValues::new(config.storage, Stream::new(seed, entity, Purpose::Sampling))
            })
            .collect();
        let mut sent = 0;
        for (place, &until) in packets.iter().enumerate() {
            for packet in (0..until).skip(sent) {
                let id = GlobalHash::new(number).value(packet as u64, 1);
                let Some(hop) = sampler.hop(id, hops) else {
                    continue;
                };
                let hop = usize::from(hop) - 1;
                kept[hop].record(sampler.code().encode(flow[hop][packet], 0.0));
            }
            sent = until;
            for (hop, values) in kept.iter().enumerate() {
                for (which, &quantile) in quantiles.iter().enumerate() {
                    let truth = true_quantile(&flow[hop][..until], quantile);
                    let Some(found) = values.quantile(quantile) else {
                        continue;
                    };
                    if truth < config.least.max(LEAST) {
                        continue;
                    }
                    let found = sampler.code().decode(found);
                    let error = (found / truth - 1.0).abs();
                    errors.entry((place, which)).or_default().push(error);
                    *digests.entry((place, which)).or_default() += values.count();
                }
            }
        }
    }
    let summary = |(&(place, which), errors): (&(usize, usize), &Vec<f64>)| {
        let mut sorted = errors.clone();
        sorted.sort_unstable_by(f64::total_cmp);
        let count = sorted.len() as f64;
        ReplayError {
            packets: packets[place],
            quantile: quantiles[which],
            hops: sorted.len(),
            mean_digests: digests[&(place, which)] as f64 / count,
            mean: sorted.iter().sum::<f64>() / count,
            median: sorted[sorted.len() / 2],
        }
    };
    Ok(errors.iter().map(summary).collect())
}

/// The flows of `series` of which every hop is known for `packets`.
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

/// By the integers that a timestamp in picoseconds would give, whose order is that of the values.
fn true_quantile(values: &[f64], quantile: f64) -> f64 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "values are not negative and far below 2^53"
    )]
    let fine = |&value: &f64| (value * 1e3).round() as u64;
    let found = quantile_of(values.iter().map(fine).collect(), quantile);
    found.map_or(0.0, |value| value as f64 / 1e3)
}

#[cfg(test)]
mod tests {
    use fabricsim_core::id::FlowId;

    use super::super::flow::FlowKey;
    use super::*;

    /// `count` flows through three hops: nothing, 1 to 1,000 ns evenly, and always 5,000 ns.
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
        // The hop where nothing waits is not judged.
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
