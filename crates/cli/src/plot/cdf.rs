//! Distributions over flows.

use clap::ValueEnum;
use fabricsim::Error;
use fabricsim_plot::figure::{CdfOf, Figure, MOST_POINTS, Series, cdf_curve, cdf_figure};

use super::Drawing;
use crate::results::FlowSelection;

#[derive(Debug, clap::Args)]
pub(super) struct CdfArgs {
    #[command(flatten)]
    pub(super) drawing: Drawing,

    #[command(flatten)]
    selection: FlowSelection,

    /// Of what
    #[arg(long, value_enum, default_value = "fct")]
    of: CdfKind,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum CdfKind {
    /// Flow completion time
    Fct,
    /// Slowdown
    Slowdown,
    /// Flow size
    Size,
}

/// Distributions over the flows of results.
pub(super) fn cdf(args: &CdfArgs) -> Result<Figure, Error> {
    let of = match args.of {
        CdfKind::Fct => CdfOf::Fct,
        CdfKind::Slowdown => CdfOf::Slowdown,
        CdfKind::Size => CdfOf::Size,
    };
    let mut curves = Vec::new();
    let mut most = 0;
    for result in args.drawing.flows(&args.selection)? {
        most = most.max(result.records.len());
        let curve = cdf_curve(&result.records, of);
        if !curve.is_empty() {
            curves.push(Series::curve(result.name, result.style, curve));
        }
    }
    let title = args
        .drawing
        .title_of(&format!("Distribution of {of}"), &args.selection);
    let mut figure = cdf_figure(&title, vec![(of, curves)]);
    if most > MOST_POINTS {
        let note = "curves are thinned for drawing; the extremes are kept";
        figure.notes.push(note.to_owned());
    }
    Ok(figure)
}
