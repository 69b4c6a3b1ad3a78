//! `fabricsim plot`.

mod queues;

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Subcommand, ValueEnum};
use fabricsim::Error;
use fabricsim::outcome::write_whole;
use fabricsim::report::{BinRule, equal_count_bins};
use fabricsim_plot::figure::{
    CdfOf, DrawError, Figure, MOST_POINTS, Percentile, Quantity, Selection, Series, SlowdownCurve,
    Style, Theme, cdf_curve, cdf_figure, read_time_lines, relative_figure, slowdown_figure,
    time_figure,
};
use fabricsim_scenario::text::file_kind::FileKind;
use fabricsim_scenario::text::input_file::read_text;

use self::queues::{QueuesArgs, queues};
use crate::console::output;
use crate::results::{names, read_flows, refuse_mixture};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  fabricsim plot slowdown results/hpcc results/dcqcn -o slowdown.svg
  fabricsim plot slowdown a/fct.csv fct.txt --percentile 99 --bins 20 --name ours --name published -o p99.png
  fabricsim plot cdf results/hpcc --of slowdown -o cdf.svg
  fabricsim plot series results/hpcc --of queue --node 330 -o queues.png --dark
  fabricsim plot queues results/hpcc results/dcqcn --group bottleneck -o queue-cdf.svg
  fabricsim plot compare results/hpcc results/dcqcn -o relative.svg

A RESULT is a folder with results, an fct.csv or the published simulator's fct.txt. Exit codes:
0 drawn, 1 the picture cannot be written, 2 bad input.")]
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
    /// Distribution of queue lengths over time (queue_groups.csv)
    Queues(QueuesArgs),
    /// Slowdown of each result relative to the first one, against flow size
    Compare(SlowdownArgs),
}

/// Arguments that all kinds of picture share.
#[derive(Debug, clap::Args)]
struct Drawing {
    /// A folder with results, an fct.csv or the published simulator's fct.txt
    #[arg(required = true, value_name = "RESULT")]
    results: Vec<PathBuf>,

    /// The picture, FILE.svg or FILE.png
    #[arg(long, short, value_name = "FILE", value_parser = picture)]
    out: PathBuf,

    /// What a result is called in the legend, once for each in their order [default: its folder]
    #[arg(long = "name", value_name = "NAME")]
    names: Vec<String>,

    /// Title of the picture
    #[arg(long)]
    title: Option<String>,

    /// Light on dark
    #[arg(long)]
    dark: bool,

    /// Pixels of a PNG for each unit of the SVG (1 to 8)
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u8).range(1..=8))]
    scale: u8,
}

#[derive(Debug, clap::Args)]
struct SlowdownArgs {
    #[command(flatten)]
    drawing: Drawing,

    /// Percentiles: 50, 95, 99
    #[arg(long, value_delimiter = ',', default_value = "50,95,99", value_parser = percentile)]
    percentile: Vec<Percentile>,

    /// Parts of equal count into which flows are cut by size (the published analysis has 20)
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    bins: u32,
}

#[derive(Debug, clap::Args)]
struct CdfArgs {
    #[command(flatten)]
    drawing: Drawing,

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

#[derive(Debug, clap::Args)]
struct SeriesArgs {
    #[command(flatten)]
    drawing: Drawing,

    /// Quantity to draw
    #[arg(long, value_enum, default_value = "queue")]
    of: SeriesKind,

    /// Only ports of this node (can be repeated)
    #[arg(long)]
    node: Vec<u64>,

    /// Only ports with this number (can be repeated)
    #[arg(long)]
    port: Vec<u64>,

    /// Only this flow (can be repeated)
    #[arg(long)]
    flow: Vec<u64>,

    /// Series drawn at most: those with the largest sum of values
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..=100))]
    most: u16,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum SeriesKind {
    /// Queue of a switch port
    Queue,
    /// Utilization of a link
    Utilization,
    /// Rate that its algorithm allows a flow
    Rate,
    /// Window of a flow
    Window,
    /// Acknowledged bytes of a flow
    Throughput,
}

/// A file name that says which kind of picture it is.
pub(crate) fn picture(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    if is(&path, "svg") || is(&path, "png") {
        Ok(path)
    } else {
        Err("the name of a picture ends in .svg or .png".to_owned())
    }
}

/// `figure` as the file `out`: a PNG with `scale` pixels for each unit, or an SVG.
pub(crate) fn encoded(
    figure: &Figure,
    out: &std::path::Path,
    theme: Theme,
    scale: u8,
) -> Result<Vec<u8>, DrawError> {
    if is(out, "png") {
        figure.to_png(theme, f32::from(scale))
    } else {
        Ok(figure.to_svg(theme).into_bytes())
    }
}

fn is(path: &std::path::Path, ending: &str) -> bool {
    path.extension()
        .is_some_and(|end| end.eq_ignore_ascii_case(ending))
}

fn percentile(text: &str) -> Result<Percentile, String> {
    match text.trim() {
        "50" => Ok(Percentile::P50),
        "95" => Ok(Percentile::P95),
        "99" => Ok(Percentile::P99),
        _ => Err("write 50, 95 or 99, or several with commas between them".to_owned()),
    }
}

/// Draws what was asked for.
pub(crate) fn plot(args: &PlotArgs) -> Result<ExitCode, Error> {
    let (drawing, figure) = match &args.kind {
        Kind::Slowdown(args) => (&args.drawing, slowdown(args, slowdown_figure, "Slowdown")?),
        Kind::Compare(args) => {
            let title = "Slowdown relative to the first result";
            if args.drawing.results.len() < 2 {
                return Err(refused(
                    &args.drawing,
                    "a comparison needs two results or more",
                    "name another one, or draw `fabricsim plot slowdown`",
                ));
            }
            (&args.drawing, slowdown(args, relative_figure, title)?)
        }
        Kind::Cdf(args) => (&args.drawing, cdf(args)?),
        Kind::Series(args) => (&args.drawing, series(args)?),
        Kind::Queues(args) => (&args.drawing, queues(args)?),
    };
    if figure.is_empty() {
        return Err(refused(
            drawing,
            "there is nothing to draw: no flow or no row that was asked for",
            "ask for other sizes, nodes, ports or flows, or give results that have some",
        ));
    }
    drawing.write(&figure)?;
    Ok(ExitCode::SUCCESS)
}

/// A picture that cannot be drawn of these results.
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

impl Drawing {
    /// Returns the names of the results: those given with `--name`, or the default ones.
    fn names(&self) -> Result<Vec<String>, Error> {
        match self.names.len() {
            0 => Ok(names(&self.results)),
            count if count == self.results.len() => Ok(self.names.clone()),
            count => Err(refused(
                self,
                &format!(
                    "--name is given {count} times for {} results",
                    self.results.len()
                ),
                "name each of them, or none",
            )),
        }
    }

    fn title(&self, default: &str) -> String {
        self.title.clone().unwrap_or_else(|| default.to_owned())
    }

    fn write(&self, figure: &Figure) -> Result<(), Error> {
        let theme = if self.dark { Theme::Dark } else { Theme::Light };
        let bytes = encoded(figure, &self.out, theme, self.scale).map_err(|error| {
            let help = "give a smaller --scale, or a name that ends in .svg";
            refused(self, &error.to_string(), help)
        })?;
        write_whole(&self.out, |file| file.write_all(&bytes))?;
        for note in &figure.notes {
            output(&format!("{note}\n"))?;
        }
        output(&format!("{}\n", self.out.display()))?;
        Ok(())
    }
}

fn slowdown(
    args: &SlowdownArgs,
    draw: fn(&str, &[SlowdownCurve], &[Percentile]) -> Figure,
    title: &str,
) -> Result<Figure, Error> {
    let parts = usize::try_from(args.bins).unwrap_or(usize::MAX);
    let names = args.drawing.names()?;
    let mut curves = Vec::new();
    for ((path, style), name) in args
        .drawing
        .results
        .iter()
        .zip(Style::of_names(&names))
        .zip(names)
    {
        let records = read_flows(path)?;
        let bins = equal_count_bins(&records, parts, BinRule::AllFlows);
        curves.push(SlowdownCurve {
            name,
            style,
            parts,
            bins,
        });
    }
    Ok(draw(&args.drawing.title(title), &curves, &args.percentile))
}

fn cdf(args: &CdfArgs) -> Result<Figure, Error> {
    let of = match args.of {
        CdfKind::Fct => CdfOf::Fct,
        CdfKind::Slowdown => CdfOf::Slowdown,
        CdfKind::Size => CdfOf::Size,
    };
    let names = args.drawing.names()?;
    let mut curves = Vec::new();
    let mut most = 0;
    for ((path, style), name) in args
        .drawing
        .results
        .iter()
        .zip(Style::of_names(&names))
        .zip(names)
    {
        let records = read_flows(path)?;
        most = most.max(records.len());
        let curve = cdf_curve(&records, of);
        if !curve.is_empty() {
            curves.push(Series::curve(name, style, curve));
        }
    }
    let title = args.drawing.title(&format!("Distribution of {of}"));
    let mut figure = cdf_figure(&title, vec![(of, curves)]);
    if most > MOST_POINTS {
        let note = "curves are thinned for drawing; the extremes are kept";
        figure.notes.push(note.to_owned());
    }
    Ok(figure)
}

fn series(args: &SeriesArgs) -> Result<Figure, Error> {
    let quantity = match args.of {
        SeriesKind::Queue => Quantity::Queue,
        SeriesKind::Utilization => Quantity::Utilization,
        SeriesKind::Rate => Quantity::Rate,
        SeriesKind::Window => Quantity::Window,
        SeriesKind::Throughput => Quantity::Throughput,
    };
    let of_ports = !args.node.is_empty() || !args.port.is_empty();
    let refuse = |message, help| Err(refused(&args.drawing, message, help));
    if quantity.is_of_flows() && of_ports {
        return refuse(
            "these are series of flows, and --node and --port choose series of ports",
            "choose them with --flow",
        );
    }
    if !quantity.is_of_flows() && !args.flow.is_empty() {
        return refuse(
            "these are series of ports, and --flow chooses series of flows",
            "choose them with --node and --port",
        );
    }
    let selection = Selection {
        nodes: args.node.clone(),
        ports: args.port.clone(),
        flows: args.flow.clone(),
    };
    let mut lines = Vec::new();
    for (path, name) in args.drawing.results.iter().zip(args.drawing.names()?) {
        refuse_mixture(path)?;
        let file = match path.is_dir() {
            true => path.join(quantity.file()),
            false => path.clone(),
        };
        if path.is_dir() && !file.exists() {
            let file = quantity.file();
            return refuse(
                &format!("there is no {file}"),
                "let the scenario ask for it in [observe], see docs/scenarios.md",
            );
        }
        let text = read_text(FileKind::RESULTS, &file)?;
        let read = read_time_lines(&text, quantity, &selection);
        let read = read.map_err(|error| Error::input(&file.display().to_string(), &text, error))?;
        for mut line in read {
            if args.drawing.results.len() > 1 {
                line.name = format!("{name}: {}", line.name);
            }
            lines.push(line);
        }
    }
    let title = args.drawing.title(&capitalized(&quantity.to_string()));
    Ok(time_figure(&title, quantity, lines, usize::from(args.most)))
}

/// `text` as the beginning of a sentence.
pub(crate) fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(letters).collect()
    })
}
