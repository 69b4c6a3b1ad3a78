//! `fabricsim reproduce`.

mod studies;
mod training;

use std::fmt::Write as _;
use std::io::{self, BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use fabricsim::Error;
use fabricsim::output::write_in_folder;
use fabricsim_base::units::Duration;
use fabricsim_experiments::reproduce::{PRESETS, Preset, STUDIES, Scorecard, Study};
use fabricsim_experiments::sweep;
use fabricsim_experiments::sweep::{Ended, PointOutcome, PointResults, Sweep, SweepOptions};
use fabricsim_plot::figure::{DRAWS_PIXELS, Theme};

use crate::console::{note, output};
use crate::exit;
use crate::offered::Offered;
use crate::signals::Signals;
use crate::sweep::{Display, default_jobs, report};
use crate::text::{existing, line};

/// Pixels of a PNG for each unit of a figure.
const PNG_SCALE: f32 = 2.0;
const QUICK: Duration = Duration::from_ms(5);
const FULL: Duration = Duration::from_ms(200);

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  fabricsim reproduce                               list the presets
  fabricsim reproduce hpcc-results --quick          5 ms of traffic: a few minutes
  fabricsim reproduce hpcc-results                  50 ms: half an hour to an hour on two cores
  fabricsim reproduce pint-goodput --traffic 100ms --jobs 8
  fabricsim reproduce hpcc-results --judge-only     the scorecard again, from existing results
  fabricsim reproduce hpcc-results --full --only load=0.7 --only scheme=HPCC-INT,HPCC-PINT
  fabricsim reproduce buffer-sizing                 200 ms of queries over TCP and RDMA: minutes
  fabricsim reproduce routing                       ECMP, flowlets, DRILL, spraying: a minute
  fabricsim reproduce collectives                   rings, trees, all-to-all: some minutes
  fabricsim reproduce training                      GPT-13B, experts, ResNet-50: 81 runs, minutes
  fabricsim reproduce pint-tracing                  packets that decode a path: a minute or two
  fabricsim reproduce pint-latency --traffic 1ms    errors of latency quantiles

The command writes report.html (everything on one page), scorecard.json, distances.csv, orders.csv,
figures/*.svg, and the runs in the form of `fabricsim sweep`. Instead of the two tables,
buffer-sizing has scorecard.csv, parameters.csv, slowdowns.csv and runs.csv, routing has
routing.csv, and collectives has collectives.csv. pint-latency and pint-tracing have one table,
latency.csv or tracing.csv, and no runs of a sweep. training has training.csv and runs. After Ctrl-C or a kill, the same command runs
only the missing runs. If the folder has results of other settings or another version of
fabricsim, nothing runs unless you give --force. Flows that start in the first fifth or the last
tenth of the traffic do not count.

The exit code does not depend on the deviation from the published results; see the scorecard.
Exit codes: 0 done, 1 a run failed or a file cannot be written, 2 bad input, 3 flows of a run
cannot finish, 130 interrupted.")]
pub(crate) struct ReproduceArgs {
    /// The preset [default: list all presets]
    #[arg(value_parser = offered(), hide_possible_values = true)]
    preset: Option<String>,

    /// Simulated time during which flows arrive [default: 50ms; buffer-sizing: 200ms; pint-latency:
    /// 2ms]
    #[arg(long, value_name = "TIME", conflicts_with_all = ["quick", "full"])]
    traffic: Option<Duration>,

    /// 5 ms of traffic: shapes, not tails (pint-latency: 500us, pint-tracing: 100 trials, training:
    /// an eighth of sizes and computing times)
    #[arg(long, conflicts_with = "full")]
    quick: bool,

    /// 200 ms of traffic, as published: several hours on two cores (training: all blocks of the
    /// models on 128 GPUs)
    #[arg(long)]
    full: bool,

    /// Change a setting of the base scenario: --set seed=2
    #[arg(long = "set", value_name = "KEY=VALUE")]
    set: Vec<String>,

    /// Run and judge only the points with one of these values of an axis: --only load=0.5,0.7
    #[arg(long, value_name = "AXIS=VALUE")]
    only: Vec<String>,

    /// Points that run at the same time, one thread each; threads of pint-latency and pint-tracing
    /// [default: cores]
    #[arg(long, short, value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,

    /// Folder of the results [default: results/PRESET-TRAFFIC]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Judge existing results; run nothing
    #[arg(long)]
    judge_only: bool,

    /// Rerun points that have complete results of other settings or another version
    #[arg(long)]
    force: bool,

    /// Print nothing but errors
    #[arg(long, short)]
    quiet: bool,
}

/// Offers the names of all presets.
fn offered() -> Offered {
    Offered::new(names())
}

/// Returns the names of all presets and studies.
fn names() -> impl Iterator<Item = &'static str> {
    let presets = PRESETS.iter().map(|preset| preset.name);
    presets.chain(STUDIES.iter().map(|study| study.name))
}

impl ReproduceArgs {
    fn traffic(&self, preset: &Preset) -> Duration {
        match (self.quick, self.full) {
            (true, _) => QUICK,
            (_, true) => FULL,
            _ => self.traffic.unwrap_or_else(|| preset.usual()),
        }
    }
}

pub(crate) fn reproduce(args: &ReproduceArgs, signals: &Signals) -> Result<ExitCode, Error> {
    let Some(name) = &args.preset else {
        output(&list()?)?;
        return Ok(ExitCode::SUCCESS);
    };
    if let Some(study) = Study::named(name) {
        return studies::run(args, study, signals);
    }
    let Some(preset) = Preset::named(name) else {
        let names: Vec<&str> = names().collect();
        note!(
            "there is no preset `{name}`; the presets are {}",
            names.join(", ")
        );
        return Ok(ExitCode::from(exit::BAD_INPUT));
    };
    let chosen = args.quick || args.full || args.traffic.is_some();
    if chosen && !preset.has_traffic() {
        note!("all flows of {name} start at once: leave out --traffic, --quick and --full");
        return Ok(ExitCode::from(exit::BAD_INPUT));
    }
    let traffic = args.traffic(preset);
    if preset.has_traffic() && traffic < Duration::from_us(10) {
        note!("--traffic {traffic} is too short; give at least 10us");
        return Ok(ExitCode::from(exit::BAD_INPUT));
    }
    let sweep = preset.sweep(traffic, &args.set)?.only(&args.only)?;
    let dir = match &args.out {
        Some(dir) => dir.clone(),
        None if preset.has_traffic() => {
            Path::new("results").join(format!("{}-{traffic}", preset.name))
        }
        None => Path::new("results").join(preset.name),
    };
    let mut code = ExitCode::SUCCESS;
    if !args.judge_only {
        let (interrupted, ended) = run_sweep(args, &sweep, &dir, signals)?;
        if interrupted {
            return Ok(ended);
        }
        code = ended;
    }
    let card = preset.judge(&sweep, &dir, traffic)?;
    write(preset, &card, &dir)?;
    if !args.quiet {
        let mut text = card.to_string();
        line!(
            text,
            "results      {}/report.html, scorecard.json, {}, figures/",
            dir.display(),
            tables(&card)
                .iter()
                .map(|(name, _)| *name)
                .collect::<Vec<_>>()
                .join(", ")
        );
        output(&text)?;
    }
    Ok(code)
}

/// Runs the missing points of `sweep` into `dir`. Returns `true` if they were interrupted, and the exit
/// code.
fn run_sweep(
    args: &ReproduceArgs,
    sweep: &Sweep,
    dir: &Path,
    signals: &Signals,
) -> Result<(bool, ExitCode), Error> {
    let options = SweepOptions {
        jobs: args.jobs.map_or_else(default_jobs, usize::from),
        existing: existing(args.force),
        ..SweepOptions::default()
    };
    let mut display = Display::new(args.quiet, signals);
    let outcome = sweep::run(sweep, dir, &options, &mut display)?;
    display.finish();
    report(&outcome, dir);
    let mut points = outcome.points.iter().filter_map(PointOutcome::results);
    let code = if outcome.interrupted {
        exit::INTERRUPTED
    } else if outcome.count(|ended| matches!(ended, Ended::Failed(_))) > 0 {
        exit::FAILURE
    } else if points.any(PointResults::is_stuck) {
        exit::STALLED
    } else {
        return Ok((false, ExitCode::SUCCESS));
    };
    Ok((outcome.interrupted, ExitCode::from(code)))
}

/// Writes a table of a scorecard.
type WriteTable<'c> = Box<dyn Fn(&mut dyn io::Write) -> io::Result<()> + 'c>;

/// Returns the tables of `card` with the names of their files.
fn tables(card: &Scorecard) -> Vec<(&'static str, WriteTable<'_>)> {
    if let Some(buffers) = &card.buffers {
        return vec![
            (
                "scorecard.csv",
                Box::new(|mut out| buffers.write_rows(&mut out)),
            ),
            (
                "parameters.csv",
                Box::new(|mut out| buffers.write_parameters(&mut out)),
            ),
            (
                "slowdowns.csv",
                Box::new(|mut out| buffers.write_sizes(&mut out)),
            ),
            ("runs.csv", Box::new(|mut out| buffers.write_runs(&mut out))),
        ];
    }
    if !card.routing.is_empty() {
        return vec![(
            "routing.csv",
            Box::new(|mut out| card.write_routing(&mut out)),
        )];
    }
    if !card.collectives.is_empty() {
        return vec![(
            "collectives.csv",
            Box::new(|mut out| card.write_collectives(&mut out)),
        )];
    }
    vec![
        (
            "distances.csv",
            Box::new(|mut out| card.write_distances(&mut out)),
        ),
        (
            "orders.csv",
            Box::new(|mut out| card.write_orders(&mut out)),
        ),
    ]
}

fn write(preset: &Preset, card: &Scorecard, dir: &Path) -> Result<(), Error> {
    let figures = dir.join("figures");
    std::fs::create_dir_all(&figures).map_err(|source| Error::Write {
        path: figures.clone(),
        source,
    })?;
    write_in_folder(dir, "scorecard.json", |file| {
        let mut buffered = BufWriter::new(file);
        serde_json::to_writer_pretty(&mut buffered, card)?;
        buffered.flush()
    })?;
    for (name, table) in tables(card) {
        write_in_folder(dir, name, |file| {
            let mut buffered = BufWriter::new(file);
            table(&mut buffered)?;
            buffered.flush()
        })?;
    }
    if card.buffers.is_some() && !DRAWS_PIXELS {
        note!("figures are only SVG, because this build lacks the feature `png`");
    }
    for (name, figure) in card.figures() {
        if card.buffers.is_some() && DRAWS_PIXELS {
            let png = figure
                .to_png(Theme::Light, PNG_SCALE)
                .map_err(|error| Error::Write {
                    path: figures.join(format!("{name}.png")),
                    source: io::Error::other(error),
                })?;
            write_in_folder(&figures, &format!("{name}.png"), |file| {
                file.write_all(&png)
            })?;
        }
        write_in_folder(&figures, &format!("{name}.svg"), |file| {
            file.write_all(figure.to_svg(Theme::Light).as_bytes())
        })?;
    }
    let page = card.page(preset);
    write_in_folder(dir, "report.html", |file| file.write_all(page.as_bytes()))
}

/// Returns the presets, each with the number of its runs and its source.
fn list() -> Result<String, Error> {
    let mut text = String::new();
    line!(text, "Presets: fabricsim reproduce NAME");
    for preset in PRESETS {
        let runs = preset.sweep(preset.usual(), &[])?.points().len();
        line!(text, "  {:<15} {} ({runs} runs)", preset.name, preset.about);
        line!(text, "  {:<15}   after {}", "", preset.source);
    }
    for study in STUDIES {
        line!(text, "  {:<15} {}", study.name, study.about);
        line!(text, "  {:<15}   after {}", "", study.source);
    }
    Ok(text)
}
