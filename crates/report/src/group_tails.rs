//! Tails of the slowdown by class and size.

use std::collections::BTreeMap;

use fabricsim_base::id::ClassId;

use crate::bin_table::PercentileEstimate;
use crate::interval::percentile_interval;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::testing::record;

    const LEVELS: [Percentile; 2] = [Percentile::P50, Percentile::P99];

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
}
