//! Summaries of slowdowns by size class.

use std::fmt;

use crate::record::FctRecord;
use crate::size_class::SizeClass;

/// Returns the value below which a fraction `p` (0 to 1) of `sorted` is: the element at
/// `floor(n p)`, the last one for `p` = 1; `None` if there are no values. There is no
/// interpolation, as in the published analysis.
#[must_use]
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a float-to-integer cast saturates, and the index is clamped"
)]
pub fn percentile(sorted: &[f64], p: f64) -> Option<f64> {
    let index = (sorted.len() as f64 * p) as usize;
    sorted.get(index).or_else(|| sorted.last()).copied()
}

/// The slowdowns of one class of flows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SlowdownRow {
    /// Size class of the flows.
    pub class: SizeClass,
    /// Number of flows.
    pub count: usize,
    /// Median; NaN if there are no flows, like all following fields.
    pub p50: f64,
    /// 95th percentile.
    pub p95: f64,
    /// 99th percentile.
    pub p99: f64,
    /// Mean.
    pub mean: f64,
}

impl SlowdownRow {
    /// Computes the statistics of the `records` that belong to `class`.
    #[must_use]
    pub fn new(class: SizeClass, records: &[FctRecord]) -> Self {
        let members = records.iter().filter(|record| class.contains(record.size));
        let slowdowns = sorted_slowdowns(members);
        let at = |p| percentile(&slowdowns, p).unwrap_or(f64::NAN);
        let mean = slowdowns.iter().sum::<f64>() / slowdowns.len() as f64;
        Self {
            class,
            count: slowdowns.len(),
            p50: at(0.5),
            p95: at(0.95),
            p99: at(0.99),
            mean,
        }
    }
}

/// Returns the slowdowns of `records` in increasing order.
pub(crate) fn sorted_slowdowns<'r>(records: impl Iterator<Item = &'r FctRecord>) -> Vec<f64> {
    let mut slowdowns: Vec<f64> = records.map(FctRecord::slowdown).collect();
    slowdowns.sort_unstable_by(f64::total_cmp);
    slowdowns
}

/// The slowdowns of a run, a row per [`SizeClass`]; prints as an aligned table.
#[derive(Clone, Debug, PartialEq)]
pub struct SlowdownTable {
    /// One row per class, in the order of [`SizeClass::ALL`].
    pub rows: Vec<SlowdownRow>,
}

impl SlowdownTable {
    /// Computes the table of `records`, in any order.
    #[must_use]
    pub fn new(records: &[FctRecord]) -> Self {
        Self {
            rows: SizeClass::ALL
                .iter()
                .map(|class| SlowdownRow::new(*class, records))
                .collect(),
        }
    }
}

impl fmt::Display for SlowdownTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{:<12} {:>9} {:>9} {:>9} {:>9} {:>9}",
            "flows", "n", "p50", "p95", "p99", "mean"
        )?;
        for SlowdownRow {
            class,
            count,
            p50,
            p95,
            p99,
            mean,
        } in &self.rows
        {
            write!(f, "{class:<12} {count:>9}")?;
            for value in [p50, p95, p99, mean] {
                write!(f, " {:>9}", SlowdownCell(*value))?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

/// A number in a table: three decimals, or a dash if it is NaN.
pub(crate) struct SlowdownCell(pub(crate) f64);

impl fmt::Display for SlowdownCell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_nan() {
            f.pad("-")
        } else {
            f.pad(&format!("{:.3}", self.0))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::testing::record;

    #[test]
    fn percentiles_do_not_interpolate() {
        let at = |sorted: &[f64], p| percentile(sorted, p).map(|value| value.to_string());
        let ten: Vec<f64> = (1..=10).map(f64::from).collect();
        assert_eq!(at(&ten, 0.5).as_deref(), Some("6"));
        assert_eq!(at(&ten, 0.99).as_deref(), Some("10"));
        assert_eq!(at(&ten, 0.0).as_deref(), Some("1"));
        assert_eq!(at(&ten, 1.0).as_deref(), Some("10"));
        assert_eq!(at(&[], 0.5), None);
    }

    #[test]
    fn the_table_shows_every_class() {
        let mut records: Vec<_> = (0..100)
            .map(|i| record(1_000, 1_000 + 10 * i, 1_000))
            .collect();
        records.push(record(20_000, 3_000, 1_000));
        records.push(record(30_000, 4_000, 1_000));
        let expected = "\
flows                n       p50       p95       p99      mean
all                102     1.510     1.960     3.000     1.534
< 10 KB            100     1.500     1.950     1.990     1.495
< 30 KB            101     1.500     1.950     1.990     1.510
30 KB - 1 MB         1     4.000     4.000     4.000     4.000
> 1 MB               0         -         -         -         -
";
        assert_eq!(SlowdownTable::new(&records).to_string(), expected);
    }
}
