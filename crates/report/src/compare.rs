//! Comparison of two results of the same flows.

use std::fmt;

use crate::pairing::{Pairing, ratio};
use crate::quantile::Percentile;
use crate::record::FctRecord;
use crate::size_class::SizeClass;
use crate::slowdown::{SlowdownCell, SlowdownRow, percentile};

/// Comparison of the flows of one size class: slowdown percentiles of both results and their
/// ratios, first over second. A value is NaN if there are too few flows for it
/// ([`Percentile::least_values`]). Slowdowns are at least one ([`FctRecord::slowdown`]) and
/// percentiles are not interpolated ([`percentile`]).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClassRatios {
    /// Size class of the flows.
    pub class: SizeClass,
    /// Number of matched flows.
    pub count: usize,
    /// Median, 95th and 99th percentile of the first result.
    pub first: [f64; 3],
    /// Median, 95th and 99th percentile of the second result.
    pub second: [f64; 3],
    /// Ratio of the medians.
    pub p50: f64,
    /// Ratio of the 95th percentiles.
    pub p95: f64,
    /// Ratio of the 99th percentiles.
    pub p99: f64,
}

/// Differences between two results of the same flows; prints as an aligned table. Ratios are first
/// over second, and NaN if no flow matched.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// Flows in both results.
    pub matched: usize,
    /// Flows that only the first result has.
    pub only_first: usize,
    /// Flows that only the second result has.
    pub only_second: usize,
    /// Median over the flows of |completion time ratio - 1|.
    pub median_deviation: f64,
    /// 99th percentile over the flows of |completion time ratio - 1|.
    pub p99_deviation: f64,
    /// Maximum of |completion time ratio - 1| over all flows.
    pub max_deviation: f64,
    /// The flow with the largest deviation: its record in the first result and in the second.
    pub worst: Option<(FctRecord, FctRecord)>,
    /// Mean over the flows of the completion time ratio.
    pub mean_ratio: f64,
    /// Ratio of the mean completion times.
    pub ratio_of_means: f64,
    /// Slowdowns by size class, in the order of [`SizeClass::ALL`].
    pub classes: Vec<ClassRatios>,
}

/// Compares `first` with `second`, both in any order; [`Pairing`] defines which flows are the same.
#[must_use]
pub fn compare(first: &[FctRecord], second: &[FctRecord]) -> Comparison {
    Comparison::new(&Pairing::new(first, second))
}

impl Comparison {
    /// Compares two results by the flows that `pairing` has matched.
    #[must_use]
    pub fn new(pairing: &Pairing) -> Self {
        let (mine, theirs): (Vec<FctRecord>, Vec<FctRecord>) = pairing.both.iter().copied().unzip();
        let ratios: Vec<f64> = pairing.both.iter().map(|(a, b)| ratio(a, b)).collect();
        let deviations: Vec<f64> = ratios.iter().map(|ratio| (ratio - 1.0).abs()).collect();
        let worst = deviations
            .iter()
            .enumerate()
            .max_by(|(_, a), (_, b)| a.total_cmp(b))
            .map(|(i, _)| i);
        let mut sorted = deviations;
        sorted.sort_unstable_by(f64::total_cmp);
        let at = |p| percentile(&sorted, p).unwrap_or(f64::NAN);
        let total =
            |records: &[FctRecord]| records.iter().map(|r| r.fct.as_secs_f64()).sum::<f64>();
        Self {
            matched: mine.len(),
            only_first: pairing.only_first.len(),
            only_second: pairing.only_second.len(),
            median_deviation: at(0.5),
            p99_deviation: at(0.99),
            max_deviation: at(1.0),
            worst: worst.map(|i| pairing.both[i]),
            mean_ratio: ratios.iter().sum::<f64>() / ratios.len() as f64,
            ratio_of_means: total(&mine) / total(&theirs),
            classes: SizeClass::ALL
                .iter()
                .map(|class| class_ratios(*class, &mine, &theirs))
                .collect(),
        }
    }
}

fn class_ratios(class: SizeClass, first: &[FctRecord], second: &[FctRecord]) -> ClassRatios {
    let (a, b) = (
        SlowdownRow::new(class, first),
        SlowdownRow::new(class, second),
    );
    let known = |row: &SlowdownRow| {
        [
            (Percentile::P50, row.p50),
            (Percentile::P95, row.p95),
            (Percentile::P99, row.p99),
        ]
        .map(
            |(percentile, value)| match percentile.is_known_of(row.count) {
                true => value,
                false => f64::NAN,
            },
        )
    };
    let (first, second) = (known(&a), known(&b));
    ClassRatios {
        class,
        count: a.count,
        first,
        second,
        p50: first[0] / second[0],
        p95: first[1] / second[1],
        p99: first[2] / second[2],
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Deviations are NaN if no flow is in both results.
        let percent = |value: f64| {
            if value.is_nan() {
                "-".to_owned()
            } else {
                format!("{:.3}%", value * 100.0)
            }
        };
        writeln!(f, "{:<28} {:>9}", "flows in both", self.matched)?;
        writeln!(f, "{:<28} {:>9}", "only in the first", self.only_first)?;
        writeln!(f, "{:<28} {:>9}", "only in the second", self.only_second)?;
        writeln!(
            f,
            "{:<28} {:>9}",
            "FCT apart, median",
            percent(self.median_deviation)
        )?;
        writeln!(
            f,
            "{:<28} {:>9}",
            "FCT apart, 99th percentile",
            percent(self.p99_deviation)
        )?;
        writeln!(
            f,
            "{:<28} {:>9}",
            "FCT apart, greatest",
            percent(self.max_deviation)
        )?;
        writeln!(
            f,
            "{:<28} {:>9.6}",
            "FCT ratio, mean of flows",
            Unknown(self.mean_ratio)
        )?;
        writeln!(
            f,
            "{:<28} {:>9.6}",
            "FCT ratio, of the means",
            Unknown(self.ratio_of_means)
        )?;
        writeln!(f)?;
        // Each percentile has three columns: first result, second result and their ratio.
        write!(f, "{:<12} {:>8}", "slowdowns", "n")?;
        for name in ["p50", "p95", "p99"] {
            write!(f, " {name:>8} {:>8} {:>7}", "second", "ratio")?;
        }
        writeln!(f)?;
        let mut few = false;
        for row in &self.classes {
            write!(f, "{:<12} {:>8}", row.class, row.count)?;
            let ratios = [row.p50, row.p95, row.p99];
            for ((first, second), ratio) in row.first.iter().zip(row.second).zip(ratios) {
                let [first, second, ratio] = [*first, second, ratio].map(SlowdownCell);
                write!(f, " {first:>8} {second:>8} {ratio:>7}")?;
            }
            writeln!(f)?;
            few |= row.count > 0 && row.p99.is_nan();
        }
        // The note explains dashes, so a table without dashes omits it.
        if few {
            writeln!(
                f,
                "-: too few flows for the percentile (p50 needs 2, p95 20, p99 100)"
            )?;
        }
        Ok(())
    }
}

/// A number, or a dash if it is NaN.
struct Unknown(f64);

impl fmt::Display for Unknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_nan() {
            f.write_str("        -")
        } else {
            self.0.fmt(f)
        }
    }
}

#[cfg(test)]
mod tests {
    use fabricsim_base::id::NodeId;
    use fabricsim_base::units::Time;

    use super::*;
    use crate::record::testing::record;

    fn at(start_ns: u64, size: u64, fct_ns: u64) -> FctRecord {
        FctRecord {
            start: Time::from_ns(start_ns),
            ..record(size, fct_ns, 1_000)
        }
    }

    #[test]
    fn equal_results_do_not_differ() {
        let records: Vec<_> = (0..50).map(|i| at(i * 10, 100 * i, 1_000 + i)).collect();
        let reversed: Vec<_> = records.iter().rev().copied().collect();
        let comparison = compare(&records, &reversed);
        assert_eq!(
            (
                comparison.matched,
                comparison.only_first,
                comparison.only_second
            ),
            (50, 0, 0)
        );
        assert!(comparison.max_deviation < 1e-12);
        assert!((comparison.mean_ratio - 1.0).abs() < 1e-12);
        assert!((comparison.ratio_of_means - 1.0).abs() < 1e-12);
    }

    #[test]
    fn other_flows_are_counted() {
        let elsewhere = FctRecord {
            dst: NodeId(7),
            ..at(5, 10, 1_000)
        };
        let comparison = compare(
            &[at(5, 10, 1_000), at(9, 10, 1_000)],
            &[elsewhere, at(5, 10, 1_100)],
        );
        assert_eq!(
            (
                comparison.matched,
                comparison.only_first,
                comparison.only_second
            ),
            (1, 1, 1)
        );
        let (mine, theirs) = comparison.worst.expect("one flow matched");
        assert_eq!((mine.fct.as_ns(), theirs.fct.as_ns()), (1_000, 1_100));
    }

    #[test]
    fn the_table_is_aligned() {
        let first = [
            at(0, 5_000, 1_100),
            at(10, 50_000, 2_000),
            at(20, 5_000_000, 6_000),
        ];
        let second = [
            at(0, 5_000, 1_000),
            at(10, 50_000, 2_000),
            at(20, 5_000_000, 5_000),
        ];
        let expected = "\
flows in both                        3
only in the first                    0
only in the second                   0
FCT apart, median              10.000%
FCT apart, 99th percentile     20.000%
FCT apart, greatest            20.000%
FCT ratio, mean of flows      1.100000
FCT ratio, of the means       1.137500

slowdowns           n      p50   second   ratio      p95   second   ratio      p99   second   ratio
all                 3    2.000    2.000   1.000        -        -       -        -        -       -
< 10 KB             1        -        -       -        -        -       -        -        -       -
< 30 KB             1        -        -       -        -        -       -        -        -       -
30 KB - 1 MB        1        -        -       -        -        -       -        -        -       -
> 1 MB              1        -        -       -        -        -       -        -        -       -
-: too few flows for the percentile (p50 needs 2, p95 20, p99 100)
";
        assert_eq!(compare(&first, &second).to_string(), expected);
        let nothing = compare(&[], &first).to_string();
        assert!(
            nothing.contains("FCT apart, median                    -\n"),
            "{nothing}"
        );
        assert!(
            nothing.contains("FCT ratio, of the means              -\n"),
            "{nothing}"
        );
    }
}
