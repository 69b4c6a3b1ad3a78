//! Combines the results of all sinks and adds the truth.

use std::collections::BTreeMap;

use super::flow::FlowKey;
use super::result::{HopResult, Statistic};
use super::sink::{QueryResults, Sink};
use super::truth::{HopKey, Truth};
use crate::dynamic::quantile_of;
use crate::numeric::Multiplicative;

/// The values of one hop of a flow, in the order of its packets, as recorded by the switches.
#[derive(Clone, Debug, PartialEq)]
pub struct HopSeries {
    /// Index of the query.
    pub query: usize,
    /// The flow.
    pub flow: FlowKey,
    /// Number of the hop, from 1 at the sender's side.
    pub hop: u8,
    /// Values in the unit of the query, accurate to 0.05%.
    pub values: Vec<f64>,
}

impl HopSeries {
    /// Returns the recorded values of `truths`, for each hop with at least `least` packets: the
    /// first `least` values, ordered by query, flow and hop. If a flow changed its path, a hop may
    /// be at several switches; such hops are omitted.
    #[must_use]
    pub fn collect<'a>(truths: impl Iterator<Item = &'a Truth>, least: usize) -> Vec<Self> {
        let mut series = BTreeMap::new();
        for truth in truths {
            for (&place, codes) in truth.seen() {
                series
                    .entry(place)
                    .and_modify(|only| *only = None)
                    .or_insert_with(|| Some((truth.code(), codes)));
            }
        }
        let only = series
            .into_iter()
            .filter_map(|(place, only)| Some((place, only?)));
        let long = only.filter(|(_, (_, codes))| codes.len() >= least);
        long.map(|(place, (code, codes))| Self {
            query: usize::from(place.query),
            flow: place.flow,
            hop: place.hop,
            values: codes[..least]
                .iter()
                .map(|&value| decoded(code, value))
                .collect(),
        })
        .collect()
    }
}

/// Returns the quantity for the code `value` recorded by a switch. Code 0 represents less than one
/// unit, which for most values means zero.
fn decoded(code: &Multiplicative, value: u16) -> f64 {
    if value == 0 { 0.0 } else { code.decode(value) }
}

impl QueryResults {
    /// Collects the query results of `sinks`, and adds the true values that `truths` have recorded
    /// for the same queries.
    #[must_use]
    pub fn collect<'a>(
        sinks: impl Iterator<Item = &'a Sink>,
        truths: impl Iterator<Item = &'a Truth>,
    ) -> Self {
        let mut results = Self::default();
        sinks.for_each(|sink| sink.add_to(&mut results));
        results
            .paths
            .sort_by_key(|result| (result.query, result.flow, result.part.number));
        results
            .hops
            .sort_by_key(|result| (result.query, result.flow, result.hop));
        results
            .packets
            .sort_by_key(|result| (result.query, result.flow));
        let mut exact = None;
        // A hop of a flow may be at several switches if its path changes, so collect the values of
        // all.
        let mut seen: BTreeMap<HopKey, Vec<&[u16]>> = BTreeMap::new();
        for truth in truths {
            exact = Some(truth.code());
            for (&place, codes) in truth.seen() {
                seen.entry(place).or_default().push(codes);
            }
        }
        let Some(exact) = exact else { return results };
        let place = |result: &HopResult| HopKey {
            query: u8::try_from(result.query).expect("a plan has few queries"),
            flow: result.flow,
            hop: result.hop,
        };
        // Several statistics of a hop share one sort of its true values.
        for same in results.hops.chunk_by_mut(|a, b| place(a) == place(b)) {
            let Some(parts) = seen.get(&place(&same[0])) else {
                continue;
            };
            let mut codes = parts.concat();
            codes.sort_unstable();
            for result in same {
                result.passed = Some(codes.len() as u64);
                if let Statistic::Quantile(share) = result.statistic {
                    let code = quantile_of(codes.clone(), share);
                    result.truth = code.map(|code| decoded(exact, code));
                }
            }
        }
        results
    }
}
