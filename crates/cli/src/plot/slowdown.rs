//! Slowdown over flow size: of results, or relative to the first result.

use std::path::{Path, PathBuf};

use fabricsim::Error;
use fabricsim_plot::figure::{
    BinCount, Figure, SlowdownCurve, Style, relative_figure, slowdown_figure,
};
use fabricsim_report::{FctRecord, Percentile, bins_for_each};

use super::axes::{AxisArgs, read_points};
use super::{Drawing, refused};
use crate::console::note;
use crate::results::{FlowSelection, fct_file};

#[derive(Debug, clap::Args)]
pub(super) struct SlowdownArgs {
    #[command(flatten)]
    pub(super) drawing: Drawing,

    #[command(flatten)]
    axes: AxisArgs,

    #[command(flatten)]
    selection: FlowSelection,

    /// Percentiles, one panel each
    #[arg(long, value_delimiter = ',', default_value = "50,95,99")]
    percentile: Vec<Percentile>,

    /// Number of bins of flow size with equally many flows (the published analysis has 20)
    /// [default: as many as have enough flows for the percentile, at most 100]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    bins: Option<u32>,
}

/// The flows of runs that differ in the seed.
type Replications = Vec<Vec<FctRecord>>;

/// Draws slowdowns of results.
pub(super) fn slowdown(args: &SlowdownArgs) -> Result<Figure, Error> {
    let title = args.title("Slowdown");
    Ok(slowdown_figure(&title, &args.curves()?, &args.percentile))
}

/// Draws slowdowns relative to the first result.
pub(super) fn relative(args: &SlowdownArgs) -> Result<Figure, Error> {
    let curves = args.curves()?;
    if curves.len() < 2 {
        return Err(refused(
            &args.drawing,
            "a comparison needs two results or more",
            "name another one, or draw `fabricsim plot slowdown`",
        ));
    }
    let title = args.title("Slowdown relative to the first result");
    Ok(relative_figure(&title, &curves, &args.percentile))
}

impl SlowdownArgs {
    fn title(&self, default: &str) -> String {
        let choices = [self.axes.describe(), self.selection.describe()];
        self.drawing.title_of(default, &choices)
    }

    fn curves(&self) -> Result<Vec<SlowdownCurve>, Error> {
        if !self.axes.is_empty() {
            return self.curves_over_seeds();
        }
        let results = self.drawing.flows(&self.selection)?;
        // All are cut alike, so that bins can be compared.
        let counts = results.iter().map(|result| result.records.len());
        let least = counts.filter(|count| *count > 0).min().unwrap_or(0);
        let bins = match self.bins {
            Some(bins) => BinCount::Given(bins as usize),
            None => BinCount::OfFlows(least),
        };
        let curve = |result: super::NamedFlows| {
            let percentiles = &self.percentile;
            SlowdownCurve::new(
                result.name,
                result.style,
                &result.records,
                percentiles,
                bins,
            )
        };
        Ok(results.into_iter().map(curve).collect())
    }

    /// Returns a curve for each value of the axes `--by` of sweeps: means over seeds.
    fn curves_over_seeds(&self) -> Result<Vec<SlowdownCurve>, Error> {
        let groups = self.groups()?;
        let all: Replications = groups.iter().flat_map(|(_, runs)| runs.clone()).collect();
        // All curves are cut alike, so that bins can be compared.
        let bins = |percentile: &Percentile| {
            let own = || bins_for_each(&all, *percentile);
            (
                *percentile,
                self.bins.map_or_else(own, |bins| bins as usize),
            )
        };
        let percentiles: Vec<(Percentile, usize)> = self.percentile.iter().map(bins).collect();
        let names: Vec<&String> = groups.iter().map(|(name, _)| name).collect();
        let styles = Style::of_names(&names);
        let curves = groups.iter().zip(styles).map(|((name, runs), style)| {
            SlowdownCurve::over_replications(name, style, runs, &percentiles)
        });
        Ok(curves.collect())
    }

    /// Returns the flows of each point, grouped by the values of the axes `--by`.
    fn groups(&self) -> Result<Vec<(String, Replications)>, Error> {
        let drawing = &self.drawing;
        let sweeps = drawing.sweep_names()?;
        let mut groups = Vec::new();
        for (path, sweep) in drawing.results.iter().map(PathBuf::as_path).zip(&sweeps) {
            let table = read_points(path)?;
            let choice = self.axes.find(path, &table)?;
            choice.check(path, &table, &[])?;
            let folder = match path.is_dir() {
                true => path,
                false => path.parent().unwrap_or(path),
            };
            for (values, points) in table.groups(&choice.by, &choice.only) {
                let name = match (sweeps.len(), values.as_str()) {
                    (1, "") => sweep.clone(),
                    (1, _) => values,
                    (_, "") => sweep.clone(),
                    (_, values) => format!("{sweep}: {values}"),
                };
                groups.push((name, self.flows_of(folder, &points)?));
            }
        }
        Ok(groups)
    }

    /// Returns the flows of the points that have results.
    fn flows_of(&self, sweep: &Path, points: &[&str]) -> Result<Replications, Error> {
        let mut runs = Vec::new();
        for point in points {
            let folder = sweep.join("points").join(point);
            if fct_file(&folder).exists() {
                runs.push(self.selection.read(&folder)?);
            } else {
                note!(
                    "{} has no flows: the point has failed or has not run",
                    folder.display()
                );
            }
        }
        Ok(runs)
    }
}
