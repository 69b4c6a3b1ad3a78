//! Distributions of the times of requests to language models.

use fabricsim::Error;
use fabricsim_plot::figure::{CdfOf, Figure, Series, Style, cdf_figure, cdf_of_values};
use fabricsim_report::{ServingRecord, read_serving};
use fabricsim_scenario::text::file_kind::FileKind;
use fabricsim_scenario::text::input_file::read_text;

use super::{Drawing, file_of, refused};
use crate::results::Place;

/// The file of requests in the folder of a run.
const FILE: &str = "requests.csv";

#[derive(Debug, clap::Args)]
pub(super) struct ServingArgs {
    #[command(flatten)]
    pub(super) drawing: Drawing,

    /// Only requests of this flow class
    #[arg(long, value_name = "CLASS")]
    class: Option<u16>,
}

/// Draws the distributions of the time to the first token and of the time of each further token.
pub(super) fn serving(args: &ServingArgs) -> Result<Figure, Error> {
    let drawing = &args.drawing;
    let places = drawing.places()?;
    let names: Vec<&String> = places.iter().map(|(_, name)| name).collect();
    let styles = Style::of_names(&names);
    let (mut firsts, mut further) = (Vec::new(), Vec::new());
    for ((place, name), style) in places.iter().zip(styles) {
        let mut records = read(drawing, place)?;
        records.retain(|record| args.class.is_none_or(|class| record.class.0 == class));
        if records.is_empty() {
            return Err(refused(
                drawing,
                &format!("{} has no request that matches", place.path.display()),
                "give another --class, or results with an completed request",
            ));
        }
        let nanoseconds = |time: fabricsim_base::units::Duration| time.as_ps() as f64 / 1e3;
        let ttft = records.iter().map(|record| nanoseconds(record.ttft));
        let tpot = records
            .iter()
            .filter_map(ServingRecord::tpot)
            .map(nanoseconds);
        let curve = cdf_of_values(ttft.collect());
        firsts.push(Series::curve(name, style, curve));
        let curve = cdf_of_values(tpot.collect());
        if !curve.is_empty() {
            further.push(Series::curve(name, style, curve));
        }
    }
    let mut panels = vec![(CdfOf::Ttft, firsts)];
    if !further.is_empty() {
        panels.push((CdfOf::Tpot, further));
    }
    Ok(cdf_figure(&drawing.title("Times of requests"), panels))
}

fn read(drawing: &Drawing, place: &Place) -> Result<Vec<ServingRecord>, Error> {
    let help = "give results of a workload of kind `serving`";
    let file = file_of(drawing, place, FILE, help)?;
    let text = read_text(FileKind::RESULTS, &file)?;
    read_serving(&text).map_err(|error| Error::input(&file.display().to_string(), &text, error))
}
