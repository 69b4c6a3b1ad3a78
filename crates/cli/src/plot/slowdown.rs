//! Slowdown over flow size: of results, or relative to the first result.

use fabricsim::Error;
use fabricsim_plot::figure::{BinCount, Figure, SlowdownCurve, relative_figure, slowdown_figure};
use fabricsim_report::Percentile;

use super::{Drawing, refused};
use crate::results::FlowSelection;

#[derive(Debug, clap::Args)]
pub(super) struct SlowdownArgs {
    #[command(flatten)]
    pub(super) drawing: Drawing,

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
        self.drawing.title_of(default, &self.selection)
    }

    fn curves(&self) -> Result<Vec<SlowdownCurve>, Error> {
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
}
