//! Distributions over flows.

use clap::ValueEnum;
use fabricsim::Error;
use fabricsim_plot::figure::{
    CdfOf, Figure, MOST_POINTS, Series, Style, cdf_curve, cdf_figure, cdf_of_values,
};

use super::{Drawing, refused};
use crate::queries::query_records;
use crate::results::{FlowSelection, refuse_mixture};

#[derive(Debug, clap::Args)]
pub(super) struct CdfArgs {
    #[command(flatten)]
    pub(super) drawing: Drawing,

    #[command(flatten)]
    selection: FlowSelection,

    /// Quantity
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
    /// Query completion time (rpc.csv)
    Qct,
}

/// Draws distributions over the flows of results.
pub(super) fn cdf(args: &CdfArgs) -> Result<Figure, Error> {
    let of = match args.of {
        CdfKind::Fct => CdfOf::Fct,
        CdfKind::Slowdown => CdfOf::Slowdown,
        CdfKind::Size => CdfOf::Size,
        CdfKind::Qct => return queries(args),
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
    let title = args.drawing.title_of(
        &format!("Distribution of {of}"),
        &[args.selection.describe()],
    );
    let mut figure = cdf_figure(&title, vec![(of, curves)]);
    if most > MOST_POINTS {
        let note = "curves are thinned for drawing; the extremes are kept";
        figure.notes.push(note.to_owned());
    }
    Ok(figure)
}

/// Draws the distribution of query completion times.
fn queries(args: &CdfArgs) -> Result<Figure, Error> {
    let places = args.drawing.places()?;
    let names: Vec<&String> = places.iter().map(|(_, name)| name).collect();
    let styles = Style::of_names(&names);
    let mut curves = Vec::new();
    for ((place, name), style) in places.iter().zip(styles) {
        refuse_mixture(&place.path)?;
        let times = query_records(&place.path, &args.selection)?;
        if times.is_empty() {
            return Err(refused(
                &args.drawing,
                &format!("{} has no queries", place.path.display()),
                "give results of a workload of kind `rpc`, which have an rpc.csv, and a class and \
                 warm-up that leave some",
            ));
        }
        let times = times.iter().map(|query| query.qct().as_ps() as f64 / 1e3);
        curves.push(Series::curve(name, style, cdf_of_values(times.collect())));
    }
    let of = CdfOf::Qct;
    let title = format!("Distribution of {of}");
    let title = args.drawing.title_of(&title, &[args.selection.describe()]);
    Ok(cdf_figure(&title, vec![(of, curves)]))
}
