//! `fabricsim reproduce` of figures that need no sweep.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use fabricsim::Error;
use fabricsim::output::write_in_folder;
use fabricsim_base::input::ConfigError;
use fabricsim_base::units::Duration;
use fabricsim_engine::Threads;
use fabricsim_experiments::pint::Unfinished;
use fabricsim_experiments::pint::trace::NetworkName;
use fabricsim_experiments::reproduce::studies::{latency, tracing};
use fabricsim_experiments::reproduce::{Study, StudyCard, StudyKind};
use fabricsim_plot::figure::{DRAWS_PIXELS, Theme};

use super::{PNG_SCALE, ReproduceArgs, training};
use crate::console::{note, output};
use crate::exit;
use crate::pint::{say_unfinished, threads_of};
use crate::progress::Display;
use crate::signals::Signals;

/// Trials of a point, and of one with `--quick`.
const TRIALS: (u32, u32) = (2_000, 100);
/// Traffic, and with `--quick`.
const TRAFFIC: (Duration, Duration) = (Duration::from_ms(2), Duration::from_us(500));
/// Longest traffic: a run keeps the latency of every packet at every hop.
const MOST_TRAFFIC: Duration = Duration::from_ms(20);
/// A random network of the size of Kentucky Datalink.
const LINKED: &str = "isp:754:59";

/// Runs `study` and writes its card.
pub(super) fn run(
    args: &ReproduceArgs,
    study: &Study,
    signals: &Signals,
) -> Result<ExitCode, Error> {
    if let Some(refusal) = refusal(args, study) {
        note!("{refusal}");
        return Ok(ExitCode::from(exit::BAD_INPUT));
    }
    let dir = match &args.out {
        Some(dir) => dir.clone(),
        None if study.kind == StudyKind::Training => {
            Path::new("results").join(training::folder(args, study))
        }
        None => Path::new("results").join(study.name),
    };
    let mut code = ExitCode::SUCCESS;
    let card = match study.kind {
        StudyKind::Training => match training::card(args, study, &dir, signals)? {
            (Some(card), ended) => {
                code = ended;
                card
            }
            (None, interrupted) => return Ok(interrupted),
        },
        StudyKind::Tracing => tracing_card(args, study)?,
        StudyKind::Latency => match latency_card(args, study, signals)? {
            Ok(card) => card,
            Err(unfinished) => return Ok(say_unfinished(&unfinished)),
        },
    };
    write(study, &card, &dir)?;
    if !args.quiet {
        output(&format!(
            "{card}results      {}/report.html, scorecard.json, {}, figures/\n",
            dir.display(),
            table_name(study)
        ))?;
    }
    Ok(code)
}

/// Returns the reason why the options do not fit the study, if they do not.
fn refusal(args: &ReproduceArgs, study: &Study) -> Option<String> {
    let name = study.name;
    if study.kind == StudyKind::Training {
        let refused = args
            .traffic
            .map(|_| format!("{name} runs one iteration instead of traffic: leave out --traffic"));
        return refused;
    }
    let of_sweeps = [
        ("--set", !args.set.is_empty()),
        ("--only", !args.only.is_empty()),
        ("--judge-only", args.judge_only),
        ("--full", args.full),
    ];
    for (option, given) in of_sweeps {
        if given {
            return Some(format!(
                "{name} is no sweep and has no {option}: leave it out"
            ));
        }
    }
    match (study.kind, args.traffic) {
        (StudyKind::Tracing, Some(_)) => Some(format!(
            "{name} has trials instead of traffic: leave out --traffic"
        )),
        (StudyKind::Latency, Some(traffic)) if traffic < Duration::from_us(10) => Some(format!(
            "--traffic {traffic} is too short; give at least 10us"
        )),
        (StudyKind::Latency, Some(traffic)) if traffic > MOST_TRAFFIC => Some(format!(
            "--traffic {traffic} would fill the memory with the latency of every packet; give at most \
             {MOST_TRAFFIC}"
        )),
        _ => None,
    }
}

/// Returns the number of threads: one for each job.
fn threads(args: &ReproduceArgs) -> usize {
    threads_of(args.jobs)
}

fn tracing_card(args: &ReproduceArgs, study: &Study) -> Result<StudyCard, Error> {
    let count = if args.quick { TRIALS.1 } else { TRIALS.0 };
    let threads = Threads::start(threads(args)).map_err(|error| Error::Threads {
        count: error.count,
        reason: error.reason,
    })?;
    let linked: NetworkName = LINKED.parse().expect("the name of a network");
    let cells = tracing::cells(count, &linked.load()?);
    let total = cells.len();
    let mut rows = Vec::new();
    for (number, cell) in (1..).zip(cells) {
        if !args.quiet {
            note!("{number} of {total}: {}", cell.title());
        }
        rows.push(cell.run(&threads).map_err(|error| refused(study, &error))?);
    }
    Ok(tracing::judge(study, count, &rows))
}

fn latency_card(
    args: &ReproduceArgs,
    study: &Study,
    signals: &Signals,
) -> Result<Result<StudyCard, Unfinished>, Error> {
    let usual = if args.quick { TRAFFIC.1 } else { TRAFFIC.0 };
    let settings = latency::settings(args.traffic.unwrap_or(usual));
    let mut lines = Vec::new();
    for scenario in &settings.scenarios()? {
        let mut display = Display::new(args.quiet, signals);
        let measured = settings.measure(scenario, threads(args), &mut display)?;
        display.finish();
        let measured = match measured {
            Ok(measured) => measured,
            Err(unfinished) => return Ok(Err(unfinished)),
        };
        if measured.is_empty {
            note!(
                "{}: no flow has {} packets; give longer --traffic",
                scenario.0,
                settings.longest()
            );
        }
        lines.extend(measured.lines.map_err(|error| refused(study, &error))?);
    }
    Ok(Ok(latency::judge(study, &settings, &lines)))
}

fn refused(study: &Study, error: &ConfigError) -> Error {
    Error::Unsupported {
        scenario: study.name.to_owned(),
        message: format!("{}: {}", error.key, error.message),
        help: error.help.clone(),
    }
}

/// Returns the name of the file with all numbers.
const fn table_name(study: &Study) -> &'static str {
    match study.kind {
        StudyKind::Latency => "latency.csv",
        StudyKind::Tracing => "tracing.csv",
        StudyKind::Training => "training.csv",
    }
}

fn write(study: &Study, card: &StudyCard, dir: &Path) -> Result<(), Error> {
    let figures = dir.join("figures");
    std::fs::create_dir_all(&figures).map_err(|source| Error::Write {
        path: figures.clone(),
        source,
    })?;
    let json = serde_json::to_vec_pretty(card).expect("a card is JSON");
    let svg = card.figure.to_svg(Theme::Light).into_bytes();
    let mut files: Vec<(&Path, String, Vec<u8>)> = vec![
        (dir, "scorecard.json".to_owned(), json),
        (dir, table_name(study).to_owned(), card.table.clone().into()),
        (&figures, format!("{}.svg", study.name), svg),
    ];
    if DRAWS_PIXELS {
        let name = format!("{}.png", study.name);
        let png = card.figure.to_png(Theme::Light, PNG_SCALE);
        let png = png.map_err(|error| Error::Write {
            path: PathBuf::from(&name),
            source: std::io::Error::other(error),
        })?;
        files.push((&figures, name, png));
    }
    files.push((dir, "report.html".to_owned(), card.page(study).into()));
    for (folder, name, bytes) in &files {
        write_in_folder(folder, name, |file| file.write_all(bytes))?;
    }
    Ok(())
}
