//! The table of a sweep: its contents, and results pooled over seeds.

use fabricsim_base::input::InputError;

use crate::columns::lines;
use crate::csv_fields::fields;
use crate::interval::ReplicaMean;
use crate::quantile::Confidence;
use crate::sweep_curves::{SweepCurves, position_or_push};

/// The column after the axes.
const STATUS: &str = "status";
/// The axis that numbers replications.
const SEED: &str = "seed";

/// A sweep's `points.csv`.
#[derive(Clone, Debug, PartialEq)]
pub struct SweepTable {
    names: Vec<String>,
    axes: usize,
    rows: Vec<Vec<String>>,
}

/// A query: a result column of a [`SweepTable`] over one axis, with curves for other axes' values.
#[derive(Clone, Copy, Debug)]
pub struct SweepQuestion<'q> {
    /// The horizontal axis of the figure.
    pub x: &'q str,
    /// Axes with a curve for each of their values.
    pub by: &'q [String],
    /// Values that axes must have: all other points are excluded.
    pub only: &'q [(String, String)],
    /// The result column.
    pub of: &'q str,
    /// If `of` is a percentile: the column with the number of flows, and the number that the
    /// percentile needs. Rows with fewer are excluded.
    pub count: Option<(&'q str, usize)>,
    /// Confidence level of intervals.
    pub confidence: Confidence,
}

impl SweepTable {
    /// Reads a `points.csv`.
    ///
    /// # Errors
    /// Fails at a row of another length than the header, or if the header has no column `status`.
    pub fn read(text: &str) -> Result<Self, InputError> {
        let mut rows = lines(text).map(|line| (line, fields(line.text)));
        let Some((header, names)) = rows.next() else {
            return Err(InputError::new(
                0..text.len(),
                "the file is empty",
                "give the folder of a sweep, or its points.csv",
            ));
        };
        let Some(status) = names.iter().position(|name| name == STATUS) else {
            return Err(header.error(
                "the header has no column `status`",
                "give the folder of a sweep, or its points.csv",
            ));
        };
        let rows = rows.map(|(line, row)| match row.len() == names.len() {
            true => Ok(row),
            false => Err(line.error(
                format!("{} fields where the header has {}", row.len(), names.len()),
                "the file may have been cut short: run the sweep again to write it anew",
            )),
        });
        Ok(Self {
            rows: rows.collect::<Result<_, _>>()?,
            // Column 0 has the points' names, so the axes are the columns between it and `status`.
            axes: status.saturating_sub(1),
            names,
        })
    }

    /// Returns the names of the axes.
    #[must_use]
    pub fn axes(&self) -> &[String] {
        &self.names[1..=self.axes]
    }

    /// Returns the names of the result columns.
    #[must_use]
    pub fn results(&self) -> &[String] {
        &self.names[self.axes + 2..]
    }

    /// Finds an axis by `name`: by its full dotted key, else by the last part of the key, else by
    /// any part. A part must be unique among the axes.
    #[must_use]
    pub fn axis(&self, name: &str) -> Option<&str> {
        let last = |axis: &str| axis.rsplit('.').next() == Some(name);
        let any = |axis: &str| axis.split('.').any(|part| part == name);
        let tests: [&dyn Fn(&str) -> bool; 3] = [&|axis| axis == name, &last, &any];
        tests.into_iter().find_map(|test| {
            let mut fitting = self.axes().iter().filter(|axis| test(axis));
            let first = fitting.next()?;
            fitting.next().is_none().then_some(first.as_str())
        })
    }

    /// Returns the values of `axis` in the order of the table, each once. The list is empty if there
    /// is no such axis.
    #[must_use]
    pub fn values(&self, axis: &str) -> Vec<String> {
        let mut values = Vec::new();
        if let Some(place) = self.place(axis) {
            for row in &self.rows {
                position_or_push(&mut values, &row[place]);
            }
        }
        values
    }

    /// Returns the axes other than `shown` that have several values among the points with the values
    /// `only`. Seeds are not among them.
    #[must_use]
    pub fn left_over(&self, shown: &[String], only: &[(String, String)]) -> Vec<&str> {
        let rows = self.chosen(only);
        let free = self
            .axes()
            .iter()
            .filter(|axis| !shown.contains(axis) && self.axis(SEED) != Some(axis.as_str()));
        free.filter(|axis| {
            let Some(place) = self.place(axis) else {
                return false;
            };
            rows.windows(2).any(|pair| pair[0][place] != pair[1][place])
        })
        .map(String::as_str)
        .collect()
    }

    /// Adds the result columns `names` with cells for each point, given its name.
    ///
    /// # Errors
    /// If `cells` fails.
    pub fn add_columns<E, const N: usize>(
        &mut self,
        names: [String; N],
        mut cells: impl FnMut(&str) -> Result<[String; N], E>,
    ) -> Result<(), E> {
        for row in &mut self.rows {
            row.extend(cells(&row[0])?);
        }
        self.names.extend(names);
        Ok(())
    }

    /// Groups the names of the points with the values `only` by their values on the axes `by`, in the
    /// order of the table. Returns the values of each group, joined by commas, and its points.
    #[must_use]
    pub fn groups(&self, by: &[String], only: &[(String, String)]) -> Vec<(String, Vec<&str>)> {
        let by: Vec<usize> = by.iter().filter_map(|name| self.place(name)).collect();
        let mut groups: Vec<(String, Vec<&str>)> = Vec::new();
        for row in self.chosen(only) {
            let values = self.joined(row, &by);
            match groups.iter_mut().find(|(own, _)| *own == values) {
                Some((_, points)) => points.push(&row[0]),
                None => groups.push((values, vec![&row[0]])),
            }
        }
        groups
    }

    /// Computes the curves for `question`; `None` if it names an unknown column.
    #[must_use]
    pub fn curves(&self, question: &SweepQuestion<'_>) -> Option<SweepCurves> {
        let x = self.place(question.x)?;
        let of = self.place(question.of)?;
        let by: Vec<usize> = question
            .by
            .iter()
            .map(|name| self.place(name))
            .collect::<Option<_>>()?;
        let count = match question.count {
            Some((name, least)) => Some((self.place(name)?, least)),
            None => None,
        };
        let mut found = SweepCurves::default();
        let mut values: Vec<(String, Vec<Vec<f64>>)> = Vec::new();
        let mut few: Vec<(usize, usize, Vec<String>)> = Vec::new();
        for row in self.chosen(question.only) {
            // Check this before the value, because a run leaves the value empty if it has too few
            // flows.
            let counted = count.and_then(|(place, least)| Some((row[place].parse().ok()?, least)));
            let lacks = counted.filter(|(flows, least)| flows < least);
            let value = row[of].parse::<f64>().ok();
            if value.is_none() && lacks.is_none() {
                found.without += 1;
                continue;
            }
            // Values and curves appear in the order of the table, so a new one is appended.
            let place = position_or_push(&mut found.xs, &row[x]);
            let name = self.joined(row, &by);
            let curve = match values.iter().position(|(own, _)| *own == name) {
                Some(curve) => curve,
                None => {
                    values.push((name, Vec::new()));
                    values.len() - 1
                }
            };
            let at = &mut values[curve].1;
            at.resize(at.len().max(place + 1), Vec::new());
            if let Some((flows, least)) = lacks {
                found.too_few += 1;
                found.most_flows = found.most_flows.max((flows, least));
                match few.iter_mut().find(|own| (own.0, own.1) == (curve, place)) {
                    Some((_, _, points)) => points.push(row[0].clone()),
                    None => few.push((curve, place, vec![row[0].clone()])),
                }
                continue;
            }
            if !matches!(row[self.axes + 1].as_str(), "finished" | "time-reached") {
                found.unfinished += 1;
            }
            at[place].extend(value);
        }
        few.retain(|(curve, place, _)| values[*curve].1[*place].is_empty());
        found.lacking = few;
        // Pool over seeds: the values at one place of a curve are replications.
        let xs = found.xs.len();
        found.curves = values
            .into_iter()
            .map(|(name, mut at)| {
                at.resize(xs, Vec::new());
                let mean = |values: &Vec<f64>| ReplicaMean::new(values, question.confidence);
                (name, at.iter().map(mean).collect())
            })
            .collect();
        Some(found)
    }

    fn place(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|own| own == name)
    }

    /// Returns the values of `row` on the axes at `places`, joined by commas. A value without letters
    /// has the last part of its axis' name: `load = 0.5`.
    fn joined(&self, row: &[String], places: &[usize]) -> String {
        let value = |place: &usize| {
            let value = &row[*place];
            match value.contains(char::is_alphabetic) {
                true => value.clone(),
                false => {
                    let axis = self.names[*place].rsplit('.').next();
                    format!("{} = {value}", axis.unwrap_or_default())
                }
            }
        };
        let values: Vec<String> = places.iter().map(value).collect();
        values.join(", ")
    }

    fn chosen(&self, only: &[(String, String)]) -> Vec<&Vec<String>> {
        let fits = |row: &&Vec<String>| {
            let mut fixed = only.iter();
            fixed.all(|(axis, value)| self.place(axis).is_some_and(|place| row[place] == *value))
        };
        self.rows.iter().filter(fits).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "\
point,workload.0.load,cc.kind,seed,status,flows_finished,slowdown_p99
\"load=0.3,cc=hpcc,seed=1\",0.3,hpcc,1,finished,500,2
\"load=0.3,cc=hpcc,seed=2\",0.3,hpcc,2,finished,500,4
\"load=0.3,cc=dcqcn,seed=1\",0.3,dcqcn,1,stalled,500,9
\"load=0.5,cc=hpcc,seed=1\",0.5,hpcc,1,finished,50,7
\"load=0.5,cc=dcqcn,seed=1\",0.5,dcqcn,1,missing,,
";

    fn question<'q>(by: &'q [String], only: &'q [(String, String)]) -> SweepQuestion<'q> {
        SweepQuestion {
            x: "workload.0.load",
            by,
            only,
            of: "slowdown_p99",
            count: None,
            confidence: Confidence::P95,
        }
    }

    type Known = Option<(usize, f64)>;

    #[test]
    fn seeds_are_pooled_and_what_is_missing_is_counted() {
        let table = SweepTable::read(TABLE).expect("a table");
        assert_eq!(table.axes(), ["workload.0.load", "cc.kind", "seed"]);
        let by = ["cc.kind".to_owned()];
        let curves = table.curves(&question(&by, &[])).expect("columns");
        assert_eq!(curves.xs, ["0.3", "0.5"]);
        let means: Vec<(&str, Vec<Known>)> = curves
            .curves
            .iter()
            .map(|(name, at)| {
                let at = at
                    .iter()
                    .map(|mean| mean.map(|mean| (mean.replications, mean.mean)));
                (name.as_str(), at.collect())
            })
            .collect();
        assert_eq!(
            means,
            [
                ("hpcc", vec![Some((2, 3.0)), Some((1, 7.0))]),
                ("dcqcn", vec![Some((1, 9.0)), None]),
            ]
        );
        assert_eq!((curves.without, curves.unfinished), (1, 1));
        let both = SweepCurves {
            xs: vec!["0.5".to_owned(), "0.9".to_owned()],
            curves: vec![("other".to_owned(), vec![None, curves.curves[0].1[0]])],
            ..SweepCurves::default()
        };
        let both = curves.and(both);
        assert_eq!(both.xs, ["0.3", "0.5", "0.9"]);
        let known: Vec<Vec<bool>> = both
            .curves
            .iter()
            .map(|(_, at)| at.iter().map(Option::is_some).collect())
            .collect();
        assert_eq!(
            known,
            [
                [true, true, false],
                [true, false, false],
                [false, false, true]
            ]
        );
        let enough = SweepQuestion {
            count: Some(("flows_finished", 100)),
            ..question(&by, &[])
        };
        let enough = table.curves(&enough).expect("columns");
        assert_eq!((enough.too_few, enough.most_flows), (1, (50, 100)));
        let lacking = vec!["load=0.5,cc=hpcc,seed=1".to_owned()];
        assert_eq!(enough.lacking, [(0, 1, lacking)]);
        // If there are too few flows, the run leaves the value empty.
        let empty = TABLE.replace("finished,50,7", "finished,50,");
        let empty = SweepTable::read(&empty).expect("a table");
        let question = SweepQuestion {
            count: Some(("flows_finished", 100)),
            ..question(&by, &[])
        };
        let empty = empty.curves(&question).expect("columns");
        assert_eq!(
            (empty.without, empty.too_few, empty.most_flows),
            (1, 1, (50, 100))
        );
    }

    #[test]
    fn axes_have_short_names_and_must_not_be_forgotten() {
        let table = SweepTable::read(TABLE).expect("a table");
        assert_eq!(table.axis("load"), Some("workload.0.load"));
        assert_eq!(table.axis("cc"), Some("cc.kind"));
        assert_eq!(table.axis("eta"), None);
        let load = ["workload.0.load".to_owned()];
        assert_eq!(table.left_over(&load, &[]), ["cc.kind"]);
        let only = [("cc.kind".to_owned(), "hpcc".to_owned())];
        assert_eq!(table.left_over(&load, &only), [""; 0]);
        assert_eq!(table.values("cc.kind"), ["hpcc", "dcqcn"]);
    }

    #[test]
    fn points_are_grouped_by_axes() {
        let table = SweepTable::read(TABLE).expect("a table");
        let by = ["cc.kind".to_owned()];
        let only = [("workload.0.load".to_owned(), "0.3".to_owned())];
        let groups = table.groups(&by, &only);
        assert_eq!(groups.len(), 2);
        let hpcc = ["load=0.3,cc=hpcc,seed=1", "load=0.3,cc=hpcc,seed=2"];
        assert_eq!(groups[0], ("hpcc".to_owned(), hpcc.to_vec()));
        assert_eq!(table.groups(&[], &[]).len(), 1);
    }

    #[test]
    fn other_tables_are_refused() {
        for (text, at) in [("", ""), ("a,b\n1,2\n", "a,b"), ("point,status\n1\n", "1")] {
            let error = SweepTable::read(text).expect_err(text);
            assert_eq!(&text[error.span], at);
        }
    }
}
