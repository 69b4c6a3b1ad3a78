//! Queries of packets against the truth: decoded paths, and errors of the values at hops.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::quantile::Percentile;
use crate::query_rows::{HopRow, PathRow, QueryFlow};
use crate::slowdown::percentile;

/// Paths of flows by their outcome. A flow with a changed path has one for each part.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct PathFigures {
    /// All paths.
    pub paths: usize,
    /// Paths with every hop known.
    pub decoded: usize,
    /// Decoded paths that differ from the path of the packets.
    pub wrong: usize,
    /// Paths without some hop because the flow ended first.
    pub too_few_packets: usize,
    /// Paths without some hop because the path changed first.
    pub changed: usize,
    /// Packets until every hop was known: their mean over decoded paths.
    pub packets_mean: Option<f64>,
    /// Their median; absent if there are too few decoded paths, like the 99th percentile.
    pub packets_p50: Option<f64>,
    /// Their 99th percentile.
    pub packets_p99: Option<f64>,
}

/// Paths with the same number of switches.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct PathsOfLength {
    /// Switches on each of the paths.
    pub switches: u8,
    /// The paths.
    #[serde(flatten)]
    pub figures: PathFigures,
}

/// The results of a query for paths.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct QueryPaths {
    /// All paths.
    #[serde(flatten)]
    pub all: PathFigures,
    /// Paths by the number of their switches, in increasing order.
    pub by_length: Vec<PathsOfLength>,
}

/// Relative errors of a statistic over hops of flows.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct ErrorFigures {
    /// Hops of flows with an error.
    pub hops: usize,
    /// Hops without a digest, so without an estimate.
    pub without_digest: usize,
    /// Hops without a recorded true value.
    pub without_truth: usize,
    /// Hops with a true value of zero, against which nothing has a relative error.
    pub zero_truth: usize,
    /// Hops with the largest value of the code as their estimate.
    pub clipped: usize,
    /// Median number of digests of the hops with an error.
    pub digests_p50: Option<f64>,
    /// Mean of the absolute error, as a share of the truth.
    pub error_mean: Option<f64>,
    /// Median of the absolute error; absent if there are too few hops, like the others.
    pub error_p50: Option<f64>,
    /// 95th percentile of the absolute error.
    pub error_p95: Option<f64>,
    /// Median of the error with its sign: positive if estimates are too large.
    pub signed_p50: Option<f64>,
}

/// Errors on paths with the same number of switches.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct LengthErrors {
    /// Switches on each of the paths: the last hop of the flow in the results.
    pub switches: u8,
    /// The errors.
    #[serde(flatten)]
    pub figures: ErrorFigures,
}

/// Errors at one position of paths.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct HopErrors {
    /// The hop, from 1 at the sender.
    pub hop: u8,
    /// The errors.
    #[serde(flatten)]
    pub figures: ErrorFigures,
}

/// The errors of a statistic of a dynamic query.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct QueryErrors {
    /// Name of the statistic, such as `p99`.
    pub statistic: String,
    /// Errors of all hops.
    #[serde(flatten)]
    pub all: ErrorFigures,
    /// Errors by the number of switches on the path, in increasing order.
    pub by_length: Vec<LengthErrors>,
    /// Errors by hop, in increasing order.
    pub by_hop: Vec<HopErrors>,
}

/// Returns the percentile of ascending values if there are enough of them.
fn known(sorted: &[f64], wanted: Percentile) -> Option<f64> {
    let known = wanted.is_known_of(sorted.len());
    known
        .then(|| percentile(sorted, wanted.fraction()))
        .flatten()
}

/// Returns the mean of values if there are any.
fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

fn ascending(mut values: Vec<f64>) -> Vec<f64> {
    values.sort_unstable_by(f64::total_cmp);
    values
}

impl PathFigures {
    fn of<'r>(rows: impl Iterator<Item = &'r PathRow>) -> Self {
        let mut figures = Self::default();
        let mut needed = Vec::new();
        for row in rows {
            figures.paths += 1;
            figures.wrong += usize::from(row.correct == Some(false));
            match (row.packets_to_decode, row.changed) {
                (Some(packets), _) => needed.push(packets as f64),
                (None, true) => figures.changed += 1,
                (None, false) => figures.too_few_packets += 1,
            }
        }
        let needed = ascending(needed);
        Self {
            decoded: needed.len(),
            packets_mean: mean(&needed),
            packets_p50: known(&needed, Percentile::P50),
            packets_p99: known(&needed, Percentile::P99),
            ..figures
        }
    }
}

/// Summarizes the results of a query for paths.
#[must_use]
pub fn summary_of_paths(rows: &[PathRow]) -> QueryPaths {
    let mut lengths: BTreeMap<u8, Vec<&PathRow>> = BTreeMap::new();
    for row in rows {
        lengths.entry(row.switches).or_default().push(row);
    }
    let by_length = lengths.into_iter().map(|(switches, rows)| PathsOfLength {
        switches,
        figures: PathFigures::of(rows.into_iter()),
    });
    QueryPaths {
        all: PathFigures::of(rows.iter()),
        by_length: by_length.collect(),
    }
}

impl ErrorFigures {
    fn of<'r>(rows: impl Iterator<Item = &'r HopRow>) -> Self {
        let mut figures = Self::default();
        let (mut errors, mut digests) = (Vec::new(), Vec::new());
        for row in rows {
            figures.clipped += usize::from(row.clipped);
            match (row.error(), row.estimate, row.truth) {
                (Some(error), ..) => {
                    errors.push(error);
                    digests.push(row.digests as f64);
                }
                (None, None, _) => figures.without_digest += 1,
                (None, Some(_), None) => figures.without_truth += 1,
                (None, Some(_), Some(_)) => figures.zero_truth += 1,
            }
        }
        let absolute = ascending(errors.iter().map(|error| error.abs()).collect());
        Self {
            hops: errors.len(),
            digests_p50: known(&ascending(digests), Percentile::P50),
            error_mean: mean(&absolute),
            error_p50: known(&absolute, Percentile::P50),
            error_p95: known(&absolute, Percentile::P95),
            signed_p50: known(&ascending(errors), Percentile::P50),
            ..figures
        }
    }
}

/// Summarizes the errors of a dynamic query, by statistic in the order of first appearance.
///
/// The length of a path is the last hop of its flow in `rows`.
#[must_use]
pub fn errors_of_hops(rows: &[HopRow]) -> Vec<QueryErrors> {
    let mut length: BTreeMap<QueryFlow, u8> = BTreeMap::new();
    let mut statistics: Vec<&str> = Vec::new();
    for row in rows {
        let last = length.entry(row.flow).or_default();
        *last = row.hop.max(*last);
        if !statistics.contains(&row.statistic.as_str()) {
            statistics.push(&row.statistic);
        }
    }
    let of = |statistic: &&str| {
        let own = rows.iter().filter(|row| row.statistic == **statistic);
        let own: Vec<&HopRow> = own.collect();
        let mut lengths: BTreeMap<u8, Vec<&HopRow>> = BTreeMap::new();
        let mut hops: BTreeMap<u8, Vec<&HopRow>> = BTreeMap::new();
        for &row in &own {
            lengths.entry(length[&row.flow]).or_default().push(row);
            hops.entry(row.hop).or_default().push(row);
        }
        let by_length = lengths.into_iter().map(|(switches, rows)| LengthErrors {
            switches,
            figures: ErrorFigures::of(rows.into_iter()),
        });
        let by_hop = hops.into_iter().map(|(hop, rows)| HopErrors {
            hop,
            figures: ErrorFigures::of(rows.into_iter()),
        });
        QueryErrors {
            statistic: (*statistic).to_owned(),
            by_length: by_length.collect(),
            by_hop: by_hop.collect(),
            all: ErrorFigures::of(own.into_iter()),
        }
    };
    statistics.iter().map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(switches: u8, needed: Option<u64>, correct: Option<bool>, changed: bool) -> PathRow {
        PathRow {
            switches,
            packets: 9,
            packets_to_decode: needed,
            correct,
            changed,
        }
    }

    #[test]
    fn paths_are_counted_by_outcome_and_length() {
        let rows = [
            path(5, Some(4), Some(true), false),
            path(3, Some(2), Some(true), false),
            path(5, Some(9), Some(false), true),
            path(5, None, None, false),
            path(5, None, None, true),
        ];
        let found = summary_of_paths(&rows);
        let all = &found.all;
        assert_eq!(
            (
                all.paths,
                all.decoded,
                all.wrong,
                all.too_few_packets,
                all.changed
            ),
            (5, 3, 1, 1, 1)
        );
        assert_eq!((all.packets_mean, all.packets_p50), (Some(5.0), Some(4.0)));
        assert_eq!(all.packets_p99, None, "three paths have no 99th percentile");
        let lengths: Vec<(u8, usize, Option<f64>)> = found
            .by_length
            .iter()
            .map(|own| (own.switches, own.figures.paths, own.figures.packets_mean))
            .collect();
        assert_eq!(lengths, [(3, 1, Some(2.0)), (5, 4, Some(6.5))]);
        let many: Vec<PathRow> = (1..=200)
            .map(|needed| path(5, Some(needed), Some(true), false))
            .collect();
        // Of 200 sorted values, the one at position 198, counted from 0.
        assert_eq!(summary_of_paths(&many).all.packets_p99, Some(199.0));
        assert_eq!(summary_of_paths(&[]).all, PathFigures::default());
    }

    fn hop(flow: u32, hop: u8, statistic: &str, values: (Option<f64>, Option<f64>)) -> HopRow {
        HopRow {
            flow: [Some(flow), None, None],
            hop,
            statistic: statistic.to_owned(),
            estimate: values.0,
            truth: values.1,
            clipped: false,
            digests: u64::from(hop) * 10,
        }
    }

    #[test]
    fn errors_are_counted_by_statistic_length_and_hop() {
        let rows = [
            hop(1, 1, "p50", (Some(110.0), Some(100.0))),
            hop(1, 2, "p50", (Some(70.0), Some(100.0))),
            hop(2, 1, "p50", (Some(120.0), Some(100.0))),
            hop(2, 1, "p99", (None, Some(100.0))),
            hop(2, 1, "max", (Some(1.0), Some(0.0))),
            hop(1, 1, "frequent", (Some(1.0), None)),
        ];
        let found = errors_of_hops(&rows);
        let names: Vec<&str> = found.iter().map(|own| own.statistic.as_str()).collect();
        assert_eq!(names, ["p50", "p99", "max", "frequent"]);
        let close = |found: Option<f64>, expected: f64| {
            assert!(
                (found.expect("known") - expected).abs() < 1e-12,
                "{found:?}"
            );
        };
        let median = &found[0];
        assert_eq!(median.all.hops, 3);
        close(median.all.error_mean, 0.2);
        close(median.all.error_p50, 0.2);
        close(median.all.signed_p50, 0.1);
        assert_eq!(median.all.error_p95, None);
        let lengths: Vec<(u8, usize)> = median
            .by_length
            .iter()
            .map(|own| (own.switches, own.figures.hops))
            .collect();
        assert_eq!(lengths, [(1, 1), (2, 2)]);
        let hops: Vec<(u8, usize)> = median
            .by_hop
            .iter()
            .map(|own| (own.hop, own.figures.hops))
            .collect();
        assert_eq!(hops, [(1, 2), (2, 1)]);
        close(median.by_hop[1].figures.error_mean, 0.3);
        let reasons = |at: usize| {
            let all = &found[at].all;
            (
                all.hops,
                all.without_digest,
                all.zero_truth,
                all.without_truth,
            )
        };
        assert_eq!(reasons(1), (0, 1, 0, 0));
        assert_eq!(reasons(2), (0, 0, 1, 0));
        assert_eq!(reasons(3), (0, 0, 0, 1));
    }
}
