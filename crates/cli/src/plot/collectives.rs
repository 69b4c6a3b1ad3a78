//! Collectives over their iterations.

use std::collections::BTreeMap;

use fabricsim::Error;
use fabricsim_plot::figure::{Axis, Figure, Panel, Series, Style, Unit};
use fabricsim_report::{CollectiveRow, read_collectives};
use fabricsim_scenario::text::file_kind::FileKind;
use fabricsim_scenario::text::input_file::read_text;

use super::{Drawing, file_of, refused};
use crate::results::Place;

/// The file of collectives in the folder of a run.
const FILE: &str = "collectives.csv";

#[derive(Debug, clap::Args)]
pub(super) struct CollectivesArgs {
    #[command(flatten)]
    pub(super) drawing: Drawing,

    /// Only collectives of this job
    #[arg(long, value_name = "NAME")]
    job: Option<String>,
}

/// Time and bus bandwidth of a job's collectives, by horizontal position.
type Points = BTreeMap<u64, (f64, f64)>;

/// Horizontal position of collectives: the iteration for jobs that repeat, otherwise the end time.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Across {
    Iterations,
    Ends,
}

/// Draws time and bus bandwidth of the collectives of results.
pub(super) fn collectives(args: &CollectivesArgs) -> Result<Figure, Error> {
    let drawing = &args.drawing;
    let places = drawing.places()?;
    let mut rows = Vec::new();
    for (place, name) in &places {
        let mut own = read(drawing, place)?;
        own.retain(|row| args.job.as_ref().is_none_or(|job| *job == row.job));
        if own.is_empty() {
            return Err(refused(
                drawing,
                &format!(
                    "{} has no collective that matches the selection",
                    place.path.display()
                ),
                "give another --job, or results with a finished collective",
            ));
        }
        rows.push((name, own));
    }
    let mut all = rows.iter().flat_map(|(_, own)| own);
    let across = match all.any(|row| row.iteration > 0) {
        true => Across::Iterations,
        false => Across::Ends,
    };
    let mut lines: BTreeMap<(usize, String), Points> = BTreeMap::new();
    for (at, (name, own)) in rows.iter().enumerate() {
        let jobs: Vec<&String> = own.iter().map(|row| &row.job).collect();
        let jobs = jobs.windows(2).any(|pair| pair[0] != pair[1]);
        for row in own {
            let mut label = format!("{} ({})", row.operation, row.algorithm);
            if jobs {
                label = format!("{}: {label}", row.job);
            }
            if places.len() > 1 {
                label = format!("{name}: {label}");
            }
            add(lines.entry((at, label)).or_default(), row, across);
        }
    }
    Ok(figure(&drawing.title("Collectives"), &lines, across))
}

fn read(drawing: &Drawing, place: &Place) -> Result<Vec<CollectiveRow>, Error> {
    let help = "give results of a workload of kind `collective`, or of a `graph` with collectives";
    let file = file_of(drawing, place, FILE, help)?;
    let text = read_text(FileKind::RESULTS, &file)?;
    read_collectives(&text).map_err(|error| Error::input(&file.display().to_string(), &text, error))
}

/// Adds a collective to a line. If several groups share a position, the slowest one counts. A
/// collective that takes no time, as with one rank, is left out.
fn add(points: &mut Points, row: &CollectiveRow, across: Across) {
    let Some(bus_gbps) = row.bus_gbps else {
        return;
    };
    let place = match across {
        Across::Iterations => u64::from(row.iteration),
        Across::Ends => row.end.as_ps(),
    };
    let time = row.end.since(row.start).as_ps() as f64 / 1e3;
    let point = points.entry(place).or_insert((time, bus_gbps));
    *point = (point.0.max(time), point.1.min(bus_gbps));
}

fn figure(title: &str, lines: &BTreeMap<(usize, String), Points>, across: Across) -> Figure {
    let x = match across {
        Across::Iterations => Axis::linear("iteration").in_unit(Unit::Count),
        Across::Ends => Axis::linear("end").in_unit(Unit::Nanoseconds),
    };
    let time = Axis::linear("time").in_unit(Unit::Nanoseconds).from(0.0);
    let bus = Axis::linear("bus bandwidth")
        .in_unit(Unit::BitsPerSecond)
        .from(0.0);
    let mut panels = [
        Panel::new("Time of a collective", x.clone(), time),
        Panel::new("Bus bandwidth", x, bus),
    ];
    let labels: Vec<&String> = lines.keys().map(|(_, label)| label).collect();
    for ((label, points), style) in labels
        .iter()
        .zip(lines.values())
        .zip(Style::of_names(&labels))
    {
        let place = |place: u64| match across {
            Across::Iterations => place as f64,
            Across::Ends => place as f64 / 1e3,
        };
        let of = |value: fn(&(f64, f64)) -> f64| {
            points
                .iter()
                .map(|(&at, point)| (place(at), value(point)))
                .collect()
        };
        panels[0]
            .series
            .push(Series::curve(*label, style, of(|point| point.0)));
        panels[1]
            .series
            .push(Series::curve(*label, style, of(|point| point.1 * 1e9)));
    }
    let mut figure = Figure::new(title);
    figure.panels = panels.into();
    if across == Across::Iterations {
        let note = "if an iteration has several groups, the slowest is drawn";
        figure.notes.push(note.to_owned());
    }
    figure
}
