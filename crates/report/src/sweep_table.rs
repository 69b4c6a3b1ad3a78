//! The table of a sweep: its contents, and results pooled over seeds.

use std::ops::Range;

use fabricsim_base::input::InputError;

use crate::columns::lines;
use crate::interval::ReplicaMean;
use crate::quantile::Confidence;

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

/// A result of a sweep over one of its axes, pooled over seeds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SweepCurves {
    /// The values of the axis, in the order of the table.
    pub xs: Vec<String>,
    /// Name of each curve, and its mean over seeds at each of `xs`.
    pub curves: Vec<(String, Vec<Option<ReplicaMean>>)>,
    /// Number of points without a value: failed, not yet run or empty.
    pub without: usize,
    /// Points with too few flows for the percentile.
    pub too_few: usize,
    /// The most flows that such a point has, and the number that the percentile needs.
    pub most_flows: (usize, usize),
    /// Number of points with an unfinished run; values of their finished flows count.
    pub unfinished: usize,
}

impl SweepCurves {
    /// Merges the curves of two sweeps, over the values of both.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        let places: Vec<usize> = other
            .xs
            .iter()
            .map(|x| position_or_push(&mut self.xs, x))
            .collect();
        let count = self.xs.len();
        for (_, means) in &mut self.curves {
            means.resize(count, None);
        }
        for (name, means) in other.curves {
            let mut at = vec![None; count];
            for (place, mean) in places.iter().zip(means) {
                at[*place] = mean;
            }
            self.curves.push((name, at));
        }
        self.without += other.without;
        self.too_few += other.too_few;
        self.most_flows = self.most_flows.max(other.most_flows);
        self.unfinished += other.unfinished;
        self
    }
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

    /// Returns the axes that `question` neither shows nor fixes, although they have several values
    /// among its points. Seeds are not among them.
    #[must_use]
    pub fn left_over(&self, question: &SweepQuestion<'_>) -> Vec<&str> {
        let rows = self.chosen(question);
        let free = self.axes().iter().filter(|axis| {
            let name = axis.as_str();
            let asked = name == question.x || question.by.iter().any(|by| by == name);
            !asked && self.axis(SEED) != Some(name)
        });
        free.filter(|axis| {
            let Some(place) = self.place(axis) else {
                return false;
            };
            rows.windows(2).any(|pair| pair[0][place] != pair[1][place])
        })
        .map(String::as_str)
        .collect()
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
        for row in self.chosen(question) {
            // Check this before the value, because a run leaves the value empty if it has too few
            // flows.
            let counted = count.and_then(|(place, least)| Some((row[place].parse().ok()?, least)));
            if let Some((flows, least)) = counted.filter(|(flows, least)| flows < least) {
                found.too_few += 1;
                found.most_flows = found.most_flows.max((flows, least));
                continue;
            }
            let Ok(value) = row[of].parse::<f64>() else {
                found.without += 1;
                continue;
            };
            if !matches!(row[self.axes + 1].as_str(), "finished" | "time-reached") {
                found.unfinished += 1;
            }
            // Values and curves appear in the order of the table, so a new one is appended.
            let place = position_or_push(&mut found.xs, &row[x]);
            let name: Vec<&str> = by.iter().map(|place| row[*place].as_str()).collect();
            let name = name.join(", ");
            let curve = match values.iter().position(|(own, _)| *own == name) {
                Some(curve) => curve,
                None => {
                    values.push((name, Vec::new()));
                    values.len() - 1
                }
            };
            let curve = &mut values[curve].1;
            curve.resize(curve.len().max(place + 1), Vec::new());
            curve[place].push(value);
        }
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

    fn chosen(&self, question: &SweepQuestion<'_>) -> Vec<&Vec<String>> {
        let fits = |row: &&Vec<String>| {
            let mut fixed = question.only.iter();
            fixed.all(|(axis, value)| self.place(axis).is_some_and(|place| row[place] == *value))
        };
        self.rows.iter().filter(fits).collect()
    }
}

fn position_or_push(list: &mut Vec<String>, value: &str) -> usize {
    if let Some(place) = list.iter().position(|own| own == value) {
        return place;
    }
    list.push(value.to_owned());
    list.len() - 1
}

/// Splits a line into fields. A cell with commas is in quotes, with quotes inside doubled (RFC
/// 4180).
fn fields(line: &str) -> Vec<String> {
    let mut fields = Vec::new();
    let mut rest = line;
    loop {
        let (field, after) = match rest.strip_prefix('"') {
            Some(quoted) => {
                let end = end_of_quoted(quoted);
                let text = quoted[..end.start].replace("\"\"", "\"");
                (text, &quoted[end.end..])
            }
            None => {
                let end = rest.find(',').unwrap_or(rest.len());
                (rest[..end].to_owned(), &rest[end..])
            }
        };
        fields.push(field);
        match after.strip_prefix(',') {
            Some(next) => rest = next,
            None => return fields,
        }
    }
}

/// Returns the range of the closing quote: the end of the text, and the start of the rest.
fn end_of_quoted(text: &str) -> Range<usize> {
    let mut from = 0;
    while let Some(quote) = text[from..].find('"') {
        let at = from + quote;
        if text[at + 1..].starts_with('"') {
            from = at + 2;
        } else {
            return at..at + 1;
        }
    }
    text.len()..text.len()
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
        assert_eq!(table.left_over(&question(&[], &[])), ["cc.kind"]);
        let only = [("cc.kind".to_owned(), "hpcc".to_owned())];
        assert_eq!(table.left_over(&question(&[], &only)), [""; 0]);
    }

    #[test]
    fn other_tables_are_refused() {
        for (text, at) in [("", ""), ("a,b\n1,2\n", "a,b"), ("point,status\n1\n", "1")] {
            let error = SweepTable::read(text).expect_err(text);
            assert_eq!(&text[error.span], at);
        }
        assert_eq!(fields("\"a \"\"b\"\",c\",,d"), ["a \"b\",c", "", "d"]);
        assert_eq!(fields("\"open"), ["open"]);
    }
}
