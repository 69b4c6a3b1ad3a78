//! The results of all sinks put together, with the truth beside them.

use std::collections::BTreeMap;

use super::flow::FlowKey;
use super::result::{HopResult, Statistic};
use super::sink::{QueryResults, Sink};
use super::truth::{HopKey, Truth};
use crate::dynamic::quantile_of;
use crate::numeric::Multiplicative;

/// The values of one hop of a flow in the order of its packets, as the switches saw them.
#[derive(Clone, Debug, PartialEq)]
pub struct HopSeries {
    /// The place of the query.
    pub query: usize,
    /// The flow.
    pub flow: FlowKey,
    /// From 1, at the sender.
    pub hop: u8,
    /// In the unit of the query's value, within 0.05%.
    pub values: Vec<f64>,
}

impl HopSeries {
    /// Returns the values that `truths` have recorded for the hops that at least `least` packets
    /// have passed, the first `least` values of each, in the order of queries, flows and hops. A
    /// hop of a flow that changed its path is at several switches and is left out.
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

/// Returns the quantity that the `value` recorded by a switch represents; 0 means less than one
/// unit, which for most values is nothing at all.
fn decoded(code: &Multiplicative, value: u16) -> f64 {
    if value == 0 { 0.0 } else { code.decode(value) }
}

impl QueryResults {
    /// Collects the query results of `sinks`, with the true values that `truths`, of the same
    /// queries, have recorded.
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
        // A hop of a flow is at several switches where its path changes.
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
