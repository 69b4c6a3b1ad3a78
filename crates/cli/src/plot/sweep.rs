//! A value of sweeps over one of their axes.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use fabricsim::Error;
use fabricsim_plot::figure::{Axis, Figure, SweepPanel, Unit, sweep_figure};
use fabricsim_report::{Confidence, Percentile, SizeClass, SweepCurves, SweepQuestion};

use super::axes::{self, AxisArgs, axis, read_points};
use super::column_words::{axis_in_words, column_in_words};
use super::sweep_flows::SweepFlows;
use super::{Drawing, refused};
use crate::results::FlowSelection;

#[derive(Debug, clap::Args)]
pub(super) struct SweepArgs {
    #[command(flatten)]
    pub(super) drawing: Drawing,

    /// Horizontal axis: an axis of the sweep by its name or a part of its key, such as `load`
    #[arg(long, value_name = "AXIS")]
    x: String,

    #[command(flatten)]
    axes: AxisArgs,

    /// Value to draw: p50, p95, p99 or mean of the slowdown, or a column of points.csv
    #[arg(long, value_name = "COLUMN", default_value = "p99")]
    of: String,

    /// Flow sizes of the slowdown
    #[arg(long, value_enum, default_value = "all")]
    size: SizeKind,

    #[command(flatten)]
    selection: FlowSelection,
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

impl SizeKind {
    const fn class(self) -> SizeClass {
        match self {
            Self::All => SizeClass::All,
            Self::Below10K => SizeClass::Below10K,
            Self::Below30K => SizeClass::Below30K,
            Self::From30KTo1M => SizeClass::From30KTo1M,
            Self::Above1M => SizeClass::Above1M,
        }
    }
}

/// A column of the table, and its presentation.
struct Column {
    name: String,
    label: String,
    is_slowdown: bool,
    /// If it is a percentile of the slowdown.
    percentile: Option<Percentile>,
    /// The column with the number of its flows.
    flows: String,
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
    let x = axis_in_words(&x);
    let title = format!("{} over {x}", super::capitalized(&column.label));
    let title = drawing.title_of(&title, &[args.axes.describe(), args.selection.describe()]);
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
        let mut table = read_points(path)?;
        let folder = match path.is_dir() {
            true => path,
            false => path.parent().unwrap_or(path),
        };
        let flows = SweepFlows {
            folder,
            selection: &self.selection,
            size: self.size.class(),
        };
        if !self.selection.describe().is_empty() {
            if !column.is_slowdown {
                return Err(axes::refused(
                    path,
                    &format!(
                        "--class and --warm-up choose flows, and `{}` is a column",
                        self.of
                    ),
                    "leave them out, or draw p50, p95, p99 or mean of the slowdown",
                ));
            }
            let names = [column.flows.clone(), column.name.clone()];
            flows.add_columns(&mut table, names, column.percentile)?;
        }
        let x = axis(path, &table, &self.x)?;
        let choice = self.axes.find(path, &table)?;
        choice.check(path, &table, std::slice::from_ref(&x))?;
        let question = SweepQuestion {
            x: &x,
            by: &choice.by,
            only: &choice.only,
            of: &column.name,
            count: column
                .percentile
                .map(|percentile| (column.flows.as_str(), percentile.least_values())),
            confidence: Confidence::P95,
        };
        let Some(mut curves) = table.curves(&question) else {
            let columns = table.results().join(", ");
            return Err(axes::refused(
                path,
                &format!("points.csv has no column `{}`", column.name),
                &format!("write p50, p95, p99, mean or one of {columns}"),
            ));
        };
        if let Some(percentile) = column.percentile {
            flows.pool(&mut curves, percentile)?;
        }
        Ok((x, curves))
    }

    /// Returns the chosen column of the table.
    fn column(&self) -> Column {
        let size = self.size.class();
        let ending = size.column_ending();
        let percentile = [Percentile::P50, Percentile::P95, Percentile::P99]
            .into_iter()
            .find(|percentile| percentile.to_string() == self.of);
        let is_slowdown = percentile.is_some() || self.of == "mean";
        let mut name = match is_slowdown {
            true => format!("slowdown_{}{ending}", self.of),
            false => self.of.clone(),
        };
        let (label, unit) = column_in_words(&name);
        let mut flows = match size {
            SizeClass::All => "flows_finished".to_owned(),
            _ => format!("flows{ending}"),
        };
        // Columns of chosen flows are added to the table.
        if is_slowdown && !self.selection.describe().is_empty() {
            name.push_str(" of chosen flows");
            flows.push_str(" of chosen flows");
        }
        Column {
            name,
            label,
            is_slowdown,
            percentile,
            flows,
            unit,
        }
    }
}

impl Drawing {
    /// Returns the names of the sweeps. Each sweep is one result here.
    pub(super) fn sweep_names(&self) -> Result<Vec<String>, Error> {
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
