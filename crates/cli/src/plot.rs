//! `fabricsim plot`.

mod axes;
mod cdf;
mod collectives;
mod column_words;
mod format;
mod queries;
mod queues;
mod series;
mod serving;
mod size;
mod slowdown;
mod sweep;
mod sweep_flows;

use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Subcommand, ValueEnum};
use fabricsim::Error;
use fabricsim::output::{refuse_input, write_whole};
use fabricsim_plot::figure::{Figure, Style, Theme};
use fabricsim_report::FctRecord;

use self::cdf::{CdfArgs, cdf};
use self::collectives::{CollectivesArgs, collectives};
#[cfg(feature = "studies")]
pub(crate) use self::format::png_flag;
pub(crate) use self::format::{encoded, picture_path};
use self::queries::{QueriesArgs, queries};
use self::queues::{QueuesArgs, queues};
use self::series::{SeriesArgs, series};
pub(crate) use self::series::{event, events, flow_words, names_beside};
use self::serving::{ServingArgs, serving};
use self::size::PictureSize;
use self::slowdown::{SlowdownArgs, relative, slowdown};
use self::sweep::{SweepArgs, sweep};
use crate::console::output;
use crate::results::{FlowSelection, Place, names, places, places_with_flows, refuse_mixture};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  fabricsim plot slowdown results/hpcc results/dcqcn -o slowdown.svg
  fabricsim plot slowdown results/loads --by scheme --where load=0.6 -o schemes.pdf
  fabricsim plot slowdown a/fct.csv fct.txt --percentile 99 --bins 20 --name ours --name published -o p99.png
  fabricsim plot cdf results/hpcc --of slowdown -o cdf.svg
  fabricsim plot series results/hpcc --of queue --node 330 -o queues.png --dark
  fabricsim plot series results/tcp --of window --from 1ms --to 3ms --log -o window.svg
  fabricsim plot queues results/hpcc results/dcqcn --group bottleneck -o queue-cdf.svg
  fabricsim plot collectives results/ring results/tree -o collectives.svg
  fabricsim plot queries results/telemetry -o queries.svg --csv queries.csv
  fabricsim plot serving results/pooled results/split -o serving.svg
  fabricsim plot compare results/hpcc results/dcqcn -o relative.svg
  fabricsim plot sweep results/loads --x load --by scheme --of p99 --size below-30KB -o p99.svg
  fabricsim plot sweep results/loads --x scheme --of p95 --style paper --csv p95.csv -o p95.pdf

A RESULT is the folder of a run, the folder of a sweep (all its points), an fct.csv, or an fct.txt of
the published simulator. Exit codes: 0 drawn, 1 the figure cannot be written, 2 bad input.")]
pub(crate) struct PlotArgs {
    #[command(subcommand)]
    kind: Kind,
}

#[derive(Debug, Subcommand)]
enum Kind {
    /// Slowdown against flow size, a panel for each percentile
    Slowdown(SlowdownArgs),
    /// Distribution over flows
    Cdf(CdfArgs),
    /// Values that a run observed over time (queues.csv, links.csv, flows.csv)
    Series(SeriesArgs),
    /// Distribution of queue lengths over time, by group of ports (queue_groups.csv)
    Queues(QueuesArgs),
    /// Time and bus bandwidth of collectives, iteration by iteration (collectives.csv)
    Collectives(CollectivesArgs),
    /// Errors of queries of packets (PINT) and packets to decode a path, by path length
    /// (query_NAME.csv)
    Queries(QueriesArgs),
    /// Distribution of the times to the first token and of each further one (requests.csv)
    Serving(ServingArgs),
    /// Slowdown of each result relative to the first one, against flow size
    Compare(SlowdownArgs),
    /// A value of a sweep over one of its axes, pooled over seeds (points.csv)
    Sweep(SweepArgs),
}

/// Arguments of all kinds of figures.
#[derive(Debug, clap::Args)]
struct Drawing {
    /// The folder of a run or sweep, an fct.csv, or an fct.txt of the published simulator
    #[arg(required = true, value_name = "RESULT")]
    results: Vec<PathBuf>,

    /// Figure to write: FILE.svg, FILE.png or FILE.pdf
    #[arg(long, short, value_name = "FILE", value_parser = picture_path())]
    out: PathBuf,

    /// Name of a result in the legend; repeat it for each result, in order [default: its folder]
    #[arg(long = "name", value_name = "NAME")]
    names: Vec<String>,

    /// Title of the figure
    #[arg(long)]
    title: Option<String>,

    /// Light lines on a dark background
    #[arg(long, conflicts_with = "style")]
    dark: bool,

    /// Form of the picture
    #[arg(long, value_enum, default_value = "screen")]
    style: Form,

    /// Width and height, such as 84mmx60mm or 3.5inx2.2in, in units of 96 per inch without a unit
    /// [default: by the number of panels; 3.5 inches wide with --style paper]
    #[arg(long, value_name = "WIDTHxHEIGHT")]
    figure_size: Option<PictureSize>,

    /// Also write the data of the figure as CSV, with units in the names of its columns
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,

    /// Pixels of a PNG for each unit of the SVG (1 to 8)
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u8).range(1..=8))]
    scale: u8,
}

/// The form of a picture.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Form {
    /// For a page or a screen, with title and notes
    Screen,
    /// For a column of a paper: text of 8 points, thin lines, no title and notes
    Paper,
}

/// Draws the figure and writes it.
pub(crate) fn plot(args: &PlotArgs) -> Result<ExitCode, Error> {
    let (drawing, figure) = args.kind.figure()?;
    drawing.write(&figure)?;
    Ok(ExitCode::SUCCESS)
}

impl Kind {
    /// Returns the figure, or an error if it would be empty.
    fn figure(&self) -> Result<(&Drawing, Figure), Error> {
        let (drawing, mut figure) = match self {
            Self::Slowdown(args) => (&args.drawing, slowdown(args)?),
            Self::Compare(args) => (&args.drawing, relative(args)?),
            Self::Cdf(args) => (&args.drawing, cdf(args)?),
            Self::Series(args) => (&args.drawing, series(args)?),
            Self::Queues(args) => (&args.drawing, queues(args)?),
            Self::Queries(args) => (&args.drawing, queries(args)?),
            Self::Collectives(args) => (&args.drawing, collectives(args)?),
            Self::Serving(args) => (&args.drawing, serving(args)?),
            Self::Sweep(args) => (&args.drawing, sweep(args)?),
        };
        if figure.is_empty() && !figure.notes.is_empty() {
            return Err(refused(
                drawing,
                &format!("there is nothing to draw: {}", figure.notes.join("; ")),
                "choose lower percentiles or fewer --bins, or give results with more flows",
            ));
        }
        if figure.is_empty() {
            return Err(refused(
                drawing,
                "there is nothing to draw: no flow or row matches the selection",
                "choose other sizes, nodes, ports or flows, or give results that have some",
            ));
        }
        figure.size = drawing.figure_size.map(|size| size.0);
        if !figure.fits(drawing.theme()) {
            return Err(refused(
                drawing,
                "the parts of the figure need more room than --figure-size",
                "give a larger --figure-size, shorter names with --name, or fewer panels or series",
            ));
        }
        Ok((drawing, figure))
    }
}

/// The arguments of `fabricsim plot` alone.
#[derive(Debug, clap::Parser)]
#[command(name = "plot", styles = clap::builder::Styles::plain())]
struct Plot {
    #[command(flatten)]
    args: PlotArgs,
}

/// The reason why there is no figure.
#[derive(Debug)]
pub enum FigureError {
    /// The arguments are wrong; the text describes the error.
    Arguments(String),
    /// The results cannot be drawn.
    Results(Error),
}

/// Returns the figure that `fabricsim plot` draws with `arguments`, for a program that displays it.
///
/// The arguments are a kind of figure, options and results, without an output file.
///
/// # Errors
/// If an argument is wrong, a file cannot be read, or there is nothing to draw.
pub fn figure(arguments: impl IntoIterator<Item = OsString>) -> Result<Figure, FigureError> {
    let mut arguments = arguments.into_iter();
    let begin = ["plot".into()].into_iter().chain(arguments.next());
    // The arguments need the name of an output file, but nothing is written to it.
    let all = begin.chain(["--out=figure.svg".into()]).chain(arguments);
    let parsed = <Plot as clap::Parser>::try_parse_from(all);
    let parsed = parsed.map_err(|error| FigureError::Arguments(error.to_string()))?;
    let (_, figure) = parsed.args.kind.figure().map_err(FigureError::Results)?;
    Ok(figure)
}

/// Returns the error of a figure that cannot be drawn from these results.
fn refused(drawing: &Drawing, message: &str, help: &str) -> Error {
    let paths: Vec<String> = drawing
        .results
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    Error::Unsupported {
        scenario: paths.join(", "),
        message: message.to_owned(),
        help: help.to_owned(),
    }
}

/// Returns the file `name` of the results in `place`, or `place` itself if it is that file. `help`
/// tells how a run writes the file.
fn file_of(drawing: &Drawing, place: &Place, name: &str, help: &str) -> Result<PathBuf, Error> {
    refuse_mixture(&place.path)?;
    if !place.path.is_dir() {
        return Ok(place.path.clone());
    }
    let file = place.path.join(name);
    if file.exists() {
        return Ok(file);
    }
    Err(refused(drawing, &format!("there is no {name}"), help))
}

/// The flows of a result, and its name in the legend.
struct NamedFlows {
    name: String,
    style: Style,
    records: Vec<FctRecord>,
}

impl Drawing {
    /// Returns the results (each point of a sweep is one) and their names: from `--name`, or the
    /// default ones.
    fn places(&self) -> Result<Vec<(Place, String)>, Error> {
        self.named(places(&self.results)?)
    }

    fn named(&self, places: Vec<Place>) -> Result<Vec<(Place, String)>, Error> {
        let names = match self.names.len() {
            0 => {
                let paths: Vec<PathBuf> = places.iter().map(|place| place.path.clone()).collect();
                names(&paths)
            }
            count if count == places.len() => self.names.clone(),
            count => {
                return Err(refused(
                    self,
                    &format!("--name is given {count} times for {} results", places.len()),
                    "name each of them, or none",
                ));
            }
        };
        Ok(places.into_iter().zip(names).collect())
    }

    /// Returns the flows of all results that `selection` chooses.
    fn flows(&self, selection: &FlowSelection) -> Result<Vec<NamedFlows>, Error> {
        let places = self.named(places_with_flows(&self.results)?)?;
        let names: Vec<&String> = places.iter().map(|(_, name)| name).collect();
        let styles = Style::of_names(&names);
        let named = places.iter().zip(styles);
        named
            .map(|((place, name), style)| {
                Ok(NamedFlows {
                    name: name.clone(),
                    style,
                    records: selection.read(&place.path)?,
                })
            })
            .collect()
    }

    const fn theme(&self) -> Theme {
        match (self.style, self.dark) {
            (Form::Paper, _) => Theme::Paper,
            (Form::Screen, true) => Theme::Dark,
            (Form::Screen, false) => Theme::Light,
        }
    }

    fn title(&self, default: &str) -> String {
        self.title.clone().unwrap_or_else(|| default.to_owned())
    }

    /// Returns the title of a figure of the data that `choices` describe, in a few words each.
    fn title_of(&self, default: &str, choices: &[String]) -> String {
        let words = choices.iter().map(String::as_str);
        let words: Vec<&str> = words.filter(|words| !words.is_empty()).collect();
        match words.is_empty() {
            true => self.title(default),
            false => self.title(&format!("{default} ({})", words.join(", "))),
        }
    }

    fn write(&self, figure: &Figure) -> Result<(), Error> {
        let bytes = encoded(figure, &self.out, self.theme(), self.scale).map_err(|error| {
            let help = "give a smaller --scale, or a name that ends in .svg";
            refused(self, &error.to_string(), help)
        })?;
        refuse_input(&self.out, &self.results)?;
        if let Some(path) = &self.csv {
            refuse_input(path, &self.results)?;
            write_whole(path, |file| file.write_all(figure.to_csv().as_bytes()))?;
        }
        write_whole(&self.out, |file| file.write_all(&bytes))?;
        for note in &figure.notes {
            output(&format!("{note}\n"))?;
        }
        for path in [Some(&self.out), self.csv.as_ref()].into_iter().flatten() {
            output(&format!("{}\n", path.display()))?;
        }
        Ok(())
    }
}

/// Returns `text` with its first letter in upper case.
pub(crate) fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(letters).collect()
    })
}
