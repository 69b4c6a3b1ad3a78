//! Tails of the slowdown by class and size, and their ratios between results.

use std::collections::BTreeMap;

use fabricsim_base::id::ClassId;

use crate::bin_table::PercentileEstimate;
use crate::interval::{Interval, ReplicaMean, percentile_interval};
use crate::quantile::{Confidence, Percentile};
use crate::record::FctRecord;
use crate::size_class::SizeClass;
use crate::slowdown::{percentile, sorted_slowdowns};

/// Size ranges that divide the flows of a class.
const BANDS: [SizeClass; 3] = [
    SizeClass::Below30K,
    SizeClass::From30KTo1M,
    SizeClass::Above1M,
];

/// Percentiles of the slowdown of a group of flows.
#[derive(Clone, Debug, PartialEq)]
pub struct GroupTails {
    /// The class of the flows.
    pub class: ClassId,
    /// The range of their sizes; [`SizeClass::All`] if all flows of the class are in one range.
    pub size: SizeClass,
    /// Number of flows.
    pub flows: usize,
    /// The percentiles, in the order of the caller's list.
    pub percentiles: Vec<PercentileEstimate>,
}

/// Computes `percentiles` of the slowdowns of `records` by class and size range: below 30 KB, up to
/// 1 MB, above. Ranges without flows are omitted.
#[must_use]
pub fn group_tails(
    records: &[FctRecord],
    percentiles: &[Percentile],
    confidence: Confidence,
) -> Vec<GroupTails> {
    let mut classes: BTreeMap<u16, Vec<&FctRecord>> = BTreeMap::new();
    for record in records {
        classes.entry(record.class.0).or_default().push(record);
    }
    let mut groups = Vec::new();
    for (class, flows) in classes {
        let of_band = |band: SizeClass| {
            let members = flows.iter().copied();
            sorted_slowdowns(members.filter(|record| band.contains(record.size)))
        };
        let mut parts: Vec<(SizeClass, Vec<f64>)> = BANDS
            .into_iter()
            .map(|band| (band, of_band(band)))
            .filter(|(_, slowdowns)| !slowdowns.is_empty())
            .collect();
        if let [(size, _)] = &mut parts[..] {
            *size = SizeClass::All;
        }
        for (size, sorted) in parts {
            groups.push(GroupTails {
                class: ClassId(class),
                size,
                flows: sorted.len(),
                percentiles: estimates(&sorted, percentiles, confidence),
            });
        }
    }
    groups
}

/// Estimates the `percentiles` of `sorted`, with intervals; unknown if there are too few values.
#[must_use]
pub fn estimates(
    sorted: &[f64],
    percentiles: &[Percentile],
    confidence: Confidence,
) -> Vec<PercentileEstimate> {
    let estimate = |wanted: &Percentile| {
        let known = wanted.is_known_of(sorted.len());
        PercentileEstimate {
            percentile: *wanted,
            slowdown: known
                .then(|| percentile(sorted, wanted.fraction()))
                .flatten(),
            interval: percentile_interval(sorted, *wanted, confidence),
        }
    };
    percentiles.iter().map(estimate).collect()
}

/// The ratio of a value under one setting to its value under another, with its uncertainty.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ratio {
    /// The value under the first setting divided by the value under the second.
    pub ratio: f64,
    /// Confidence interval; `None` if there are too few flows and too few runs for one.
    pub interval: Option<Interval>,
    /// Number of runs of each setting behind the interval; 1 if it is computed from flows of one
    /// run.
    pub runs: usize,
    /// Number of runs of each setting, including runs without a value.
    pub given: usize,
}

impl Ratio {
    /// Computes the ratio of the estimates `first` to `second`, which have one estimate for each
    /// run of a setting, in the order of seeds. Returns `None` if either setting has no value.
    ///
    /// With several runs of each setting, the interval is Student's, of the logarithms. If both
    /// settings have the same number of runs, it is computed from the ratios of pairs with two
    /// values, because runs of one seed have the same flows. Otherwise the ends of both intervals
    /// are divided by one another. With one run of each setting, it is computed from the ends of
    /// both [`percentile_interval`]s, which assume that flows are independent.
    #[must_use]
    pub fn between(
        first: &[PercentileEstimate],
        second: &[PercentileEstimate],
        confidence: Confidence,
    ) -> Option<Self> {
        let given = first.len().min(second.len());
        let known = |(a, b): &(&PercentileEstimate, &PercentileEstimate)| {
            a.slowdown.is_some() && b.slowdown.is_some()
        };
        let pairs = || first.iter().zip(second).filter(known);
        // Even a single pair is better than runs of different seeds, since a pair has the same
        // flows.
        let is_paired = first.len() == second.len() && pairs().next().is_some();
        let (first, second): (Vec<PercentileEstimate>, Vec<_>) = match is_paired {
            true => pairs().map(|(a, b)| (*a, *b)).unzip(),
            false => (first.to_vec(), second.to_vec()),
        };
        // Logarithms turn ratios into differences, for which Student's interval is made.
        let logs = |estimates: &[PercentileEstimate]| -> Vec<f64> {
            let known = estimates.iter().filter_map(|estimate| estimate.slowdown);
            known.map(libm::log).collect()
        };
        let (a, b) = (logs(&first), logs(&second));
        let runs = a.len().min(b.len());
        if runs > 1 && is_paired {
            let ratios: Vec<f64> = a.iter().zip(&b).map(|(a, b)| a - b).collect();
            let mean = ReplicaMean::new(&ratios, confidence)?;
            return Some(Self {
                ratio: libm::exp(mean.mean),
                interval: mean.interval.map(|log| Interval {
                    low: libm::exp(log.low),
                    high: libm::exp(log.high),
                }),
                runs,
                given,
            });
        }
        // Without pairs, the errors of both settings add up: divide opposite ends of their
        // intervals.
        let (mean_a, mean_b) = (
            ReplicaMean::new(&a, confidence)?,
            ReplicaMean::new(&b, confidence)?,
        );
        let ends = |mean: &ReplicaMean, estimates: &[PercentileEstimate]| match mean.interval {
            Some(log) => Some((libm::exp(log.low), libm::exp(log.high))),
            None => {
                let own = estimates.iter().find(|own| own.slowdown.is_some())?;
                own.interval.map(|interval| (interval.low, interval.high))
            }
        };
        let interval = ends(&mean_a, &first).zip(ends(&mean_b, &second));
        Some(Self {
            ratio: libm::exp(mean_a.mean - mean_b.mean),
            interval: interval.map(|(a, b)| Interval {
                low: a.0 / b.1,
                high: a.1 / b.0,
            }),
            runs,
            given,
        })
    }

    /// Returns the inverse ratio.
    #[must_use]
    pub fn inverse(self) -> Self {
        Self {
            ratio: 1.0 / self.ratio,
            interval: self.interval.map(|interval| Interval {
                low: 1.0 / interval.high,
                high: 1.0 / interval.low,
            }),
            runs: self.runs,
            given: self.given,
        }
    }

    /// Returns `true` if the difference is significant: the interval is known and does not contain
    /// 1.
    #[must_use]
    pub fn is_a_difference(&self) -> bool {
        self.interval
            .is_some_and(|interval| interval.low > 1.0 || interval.high < 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::testing::record;

    const LEVELS: [Percentile; 2] = [Percentile::P50, Percentile::P99];

    fn runs(values: &[f64]) -> Vec<PercentileEstimate> {
        let estimate = |value: &f64| PercentileEstimate {
            percentile: Percentile::P99,
            slowdown: Some(*value),
            interval: None,
        };
        values.iter().map(estimate).collect()
    }

    #[test]
    fn flows_are_grouped_by_class_and_size() {
        let of = |class: u16, size: u64| FctRecord {
            class: ClassId(class),
            ..record(size, 2_000, 1_000)
        };
        let mut records = vec![of(0, 500_000), of(0, 1_000), of(0, 1_000)];
        records.extend((0..400).map(|i| FctRecord {
            class: ClassId(1),
            ..record(40_000, 1_000 + i, 1_000)
        }));
        let groups = group_tails(&records, &LEVELS, Confidence::P95);
        let found: Vec<_> = groups
            .iter()
            .map(|group| (group.class.0, group.size, group.flows))
            .collect();
        assert_eq!(
            found,
            [
                (0, SizeClass::Below30K, 2),
                (0, SizeClass::From30KTo1M, 1),
                (1, SizeClass::All, 400),
            ]
        );
        let known: Vec<_> = groups
            .iter()
            .map(|group| {
                group
                    .percentiles
                    .iter()
                    .map(|p| p.slowdown.is_some())
                    .collect()
            })
            .collect::<Vec<Vec<bool>>>();
        assert_eq!(known, [[true, false], [false, false], [true, true]]);
    }

    #[test]
    fn ratios_of_seeds_are_of_pairs() {
        // The seeds differ much, but the ratio hardly does: 2, 2.1, 1.9.
        let ratio = Ratio::between(
            &runs(&[4.0, 21.0, 190.0]),
            &runs(&[2.0, 10.0, 100.0]),
            Confidence::P95,
        );
        let ratio = ratio.expect("values");
        assert!((ratio.ratio - 2.0).abs() < 0.01, "{ratio:?}");
        assert!(ratio.is_a_difference());
        let interval = ratio.interval.expect("three runs");
        assert!(interval.low > 1.7 && interval.high < 2.3, "{interval:?}");
        assert!((ratio.inverse().ratio - 0.5).abs() < 0.01);
        assert!((ratio.inverse().inverse().ratio - ratio.ratio).abs() < 1e-12);
    }

    /// A run has no value if its flows are too few for the percentile; its pair does not count.
    #[test]
    fn pairs_without_a_value_are_left_out_and_seeds_stay_together() {
        let mut first = runs(&[4.0, 9.0, 21.0, 190.0]);
        let mut second = runs(&[2.0, 7.0, 10.0, 100.0]);
        first[1].slowdown = None;
        second[3].slowdown = None;
        let ratio = Ratio::between(&first, &second, Confidence::P95).expect("two pairs");
        assert_eq!((ratio.runs, ratio.given), (2, 4));
        assert!(
            (ratio.ratio - (2.0f64 * 2.1).sqrt()).abs() < 1e-9,
            "{ratio:?}"
        );
        first[2].slowdown = None;
        let one = Ratio::between(&first, &second, Confidence::P95).expect("one pair");
        assert_eq!((one.runs, one.given, one.interval), (1, 4, None));
        assert!((one.ratio - 2.0).abs() < 1e-9, "{one:?}");
        // If no seed has two values, all runs count.
        first[0].slowdown = None;
        first[1].slowdown = Some(14.0);
        second[1].slowdown = None;
        let apart = Ratio::between(&first, &second, Confidence::P95).expect("values of both");
        assert_eq!((apart.runs, apart.given), (2, 4));
        let wanted = (14.0f64 * 190.0).sqrt() / (2.0f64 * 10.0).sqrt();
        assert!((apart.ratio - wanted).abs() < 1e-9, "{apart:?}");
    }

    #[test]
    fn one_run_of_each_has_the_interval_of_its_flows_or_none() {
        let mut a = runs(&[4.0]);
        let b = runs(&[2.0]);
        let none = Ratio::between(&a, &b, Confidence::P95).expect("values");
        assert_eq!((none.interval, none.is_a_difference()), (None, false));
        let mut with = b;
        a[0].interval = Some(Interval {
            low: 3.0,
            high: 6.0,
        });
        with[0].interval = Some(Interval {
            low: 1.0,
            high: 2.0,
        });
        let some = Ratio::between(&a, &with, Confidence::P95).expect("values");
        let interval = some.interval.expect("both have one");
        assert!((interval.low - 1.5).abs() < 1e-9 && (interval.high - 6.0).abs() < 1e-9);
        assert_eq!(some.runs, 1);
        assert_eq!(Ratio::between(&runs(&[]), &with, Confidence::P95), None);
    }
}
