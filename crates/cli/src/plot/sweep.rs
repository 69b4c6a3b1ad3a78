//! A value of sweeps over one of their axes.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use fabricsim::Error;
use fabricsim_plot::figure::{Axis, Figure, SweepPanel, Unit, percentile_in_words, sweep_figure};
use fabricsim_report::{Confidence, Percentile, SizeClass, SweepCurves, SweepQuestion, SweepTable};
use fabricsim_scenario::text::file_kind::FileKind;
use fabricsim_scenario::text::input_file::read_text;

use super::{Drawing, refused};

#[derive(Debug, clap::Args)]
pub(super) struct SweepArgs {
    #[command(flatten)]
    pub(super) drawing: Drawing,

    /// Horizontal axis: an axis of the sweep by its name or a part of its key, such as `load`
    #[arg(long, value_name = "AXIS")]
    x: String,

    /// Axis with one curve for each value (can be repeated)
    #[arg(long, value_name = "AXIS")]
    by: Vec<String>,

    /// Only points with this value on this axis (can be repeated)
    #[arg(long = "where", value_name = "AXIS=VALUE")]
    only: Vec<String>,

    /// Value to draw: p50, p95, p99 or mean of the slowdown, or a column of points.csv
    #[arg(long, value_name = "COLUMN", default_value = "p99")]
    of: String,

    /// Flow sizes of the slowdown
    #[arg(long, value_enum, default_value = "all")]
    size: SizeKind,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
enum SizeKind {
    /// All
    All,
    /// Less than 10 KB
    #[value(name = "below-10KB")]
    Below10K,
    /// Less than 30 KB
    #[value(name = "below-30KB")]
    Below30K,
    /// 30 KB to 1 MB
    #[value(name = "30KB-to-1MB")]
    From30KTo1M,
    /// More than 1 MB
    #[value(name = "above-1MB")]
    Above1M,
}

/// A column of the table, and its presentation.
struct Column {
    name: String,
    label: String,
    /// The column with the number of its flows, and the number that a percentile needs.
    count: Option<(String, usize)>,
    unit: Unit,
}

/// Draws a value of one or several sweeps.
pub(super) fn sweep(args: &SweepArgs) -> Result<Figure, Error> {
    let drawing = &args.drawing;
    let column = args.column();
    let mut all: Option<(String, SweepCurves)> = None;
    let names = drawing.sweep_names()?;
    for (path, name) in drawing.results.iter().zip(&names) {
        let (x, mut curves) = args.curves_of(path, &column)?;
        for curve in &mut curves.curves {
            curve.0 = match (names.len(), curve.0.as_str()) {
                (1, _) => continue,
                (_, "") => name.clone(),
                (_, own) => format!("{name}: {own}"),
            };
        }
        all = Some(match all {
            None => (x, curves),
            Some((x, before)) => (x, before.and(curves)),
        });
    }
    let Some((x, curves)) = all else {
        return Ok(Figure::new(""));
    };
    let title = drawing.title(&format!("{} over {x}", super::capitalized(&column.label)));
    // Nothing that a sweep counts is negative, and slowdowns are at least 1.
    let least = if column.name.contains("slowdown") {
        1.0
    } else {
        0.0
    };
    let y = Axis::linear(column.label).in_unit(column.unit).from(least);
    Ok(sweep_figure(&title, SweepPanel { x, y, curves }))
}

impl SweepArgs {
    /// Returns the curves of the sweep at `path`, and the full name of their axis.
    fn curves_of(&self, path: &Path, column: &Column) -> Result<(String, SweepCurves), Error> {
        let file = match path.is_dir() {
            true => path.join("points.csv"),
            false => path.to_owned(),
        };
        if path.is_dir() && !file.exists() {
            return Err(Self::refused(
                path,
                "there is no points.csv",
                "give the folder of a sweep; `fabricsim sweep` writes one",
            ));
        }
        let text = read_text(FileKind::RESULTS, &file)?;
        let table = SweepTable::read(&text)
            .map_err(|error| Error::input(&file.display().to_string(), &text, error))?;
        let axis = |name: &str| {
            let found = table.axis(name).map(str::to_owned);
            found.ok_or_else(|| {
                let axes = table.axes().join(", ");
                Self::refused(
                    path,
                    &format!("`{name}` is not one axis of the sweep"),
                    &format!("its axes are {axes}"),
                )
            })
        };
        let x = axis(&self.x)?;
        let by: Vec<String> = self
            .by
            .iter()
            .map(|name| axis(name))
            .collect::<Result<_, _>>()?;
        let mut only = Vec::new();
        for text in &self.only {
            let Some((name, value)) = text.split_once('=') else {
                return Err(Self::refused(
                    path,
                    &format!("`{text}` is not AXIS=VALUE"),
                    "write for example `--where load=0.5`",
                ));
            };
            only.push((axis(name)?, value.to_owned()));
        }
        let question = SweepQuestion {
            x: &x,
            by: &by,
            only: &only,
            of: &column.name,
            count: column
                .count
                .as_ref()
                .map(|(name, least)| (name.as_str(), *least)),
            confidence: Confidence::P95,
        };
        let left = table.left_over(&question);
        if !left.is_empty() {
            return Err(Self::refused(
                path,
                &format!("the points also differ in {}", left.join(", ")),
                "name it with --by for a curve for each value, or fix it with --where AXIS=VALUE",
            ));
        }
        let Some(curves) = table.curves(&question) else {
            let columns = table.results().join(", ");
            return Err(Self::refused(
                path,
                &format!("points.csv has no column `{}`", column.name),
                &format!("write p50, p95, p99, mean or one of {columns}"),
            ));
        };
        Ok((x, curves))
    }

    fn refused(path: &Path, message: &str, help: &str) -> Error {
        Error::Unsupported {
            scenario: path.display().to_string(),
            message: message.to_owned(),
            help: help.to_owned(),
        }
    }

    /// Returns the chosen column of the table.
    fn column(&self) -> Column {
        let (ending, class) = match self.size {
            SizeKind::All => ("", SizeClass::All),
            SizeKind::Below10K => ("_below_10KB", SizeClass::Below10K),
            SizeKind::Below30K => ("_below_30KB", SizeClass::Below30K),
            SizeKind::From30KTo1M => ("_30KB_to_1MB", SizeClass::From30KTo1M),
            SizeKind::Above1M => ("_above_1MB", SizeClass::Above1M),
        };
        let flows = match self.size {
            SizeKind::All => String::new(),
            _ => format!(" of flows {class}"),
        };
        let percentile = [Percentile::P50, Percentile::P95, Percentile::P99]
            .into_iter()
            .find(|percentile| percentile.to_string() == self.of);
        let count = match self.size {
            SizeKind::All => "flows_finished".to_owned(),
            _ => format!("flows{ending}"),
        };
        match percentile {
            Some(percentile) => Column {
                name: format!("slowdown_{percentile}{ending}"),
                label: format!("slowdown{flows} ({})", percentile_in_words(percentile)),
                count: Some((count, percentile.least_values())),
                unit: Unit::None,
            },
            None if self.of == "mean" => Column {
                name: format!("slowdown_mean{ending}"),
                label: format!("slowdown{flows} (mean)"),
                count: None,
                unit: Unit::None,
            },
            None => Column {
                name: self.of.clone(),
                label: self.of.clone(),
                count: None,
                unit: unit_of(&self.of),
            },
        }
    }
}

/// Returns the unit in the name of a column.
fn unit_of(column: &str) -> Unit {
    let (name, _) = column.split_once("_class").unwrap_or((column, ""));
    match name.rsplit('_').next() {
        Some("ns") => Unit::Nanoseconds,
        Some("bytes") => Unit::Bytes,
        Some("bps") => Unit::BitsPerSecond,
        _ => Unit::None,
    }
}

impl Drawing {
    /// Returns the names of the sweeps. Each sweep is one result here.
    fn sweep_names(&self) -> Result<Vec<String>, Error> {
        match self.names.len() {
            0 => {
                let folder = |path: &PathBuf| match path.ends_with("points.csv") {
                    true => path.parent().unwrap_or(path).to_owned(),
                    false => path.clone(),
                };
                let folders: Vec<PathBuf> = self.results.iter().map(folder).collect();
                Ok(crate::results::names(&folders))
            }
            count if count == self.results.len() => Ok(self.names.clone()),
            count => Err(refused(
                self,
                &format!(
                    "--name is given {count} times for {} sweeps",
                    self.results.len()
                ),
                "name each of them, or none",
            )),
        }
    }
}
