//! `fabricsim pint compare`: the loss of precision if queries share the bits of packets.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use fabricsim::{Error, Scenario};
use fabricsim_experiments::pint::compare as study;
use fabricsim_scenario::kinds::Registry;

use super::threads_of;
use super::unfinished::say_unfinished;
use crate::console::output;
use crate::progress::Display;
use crate::signals::Signals;
use crate::text::line;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  fabricsim pint compare examples/scenarios/pint-combined.toml
  fabricsim pint compare scenario.toml --set workload.0.duration=5ms

Runs the scenario as it is, and then once for each query with that query in every packet. If
hpcc-pint reads a query, that query is in every packet of all runs, too. Packets have the same size
in all runs unless two queries exceed the bits of a packet. Exit codes: 0 done, 2 bad input, 3 a run
does not finish.")]
pub(crate) struct CompareArgs {
    /// A scenario with [[query]] tables
    #[arg(value_name = "SCENARIO")]
    scenario: PathBuf,

    /// Change a setting: --set workload.0.load=0.3
    #[arg(long = "set", value_name = "KEY=VALUE")]
    overrides: Vec<String>,

    /// Threads [default: all cores]; results are the same for any number
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,

    /// Show no progress
    #[arg(long, short)]
    quiet: bool,
}

pub(crate) fn compare(args: &CompareArgs, registry: &Registry) -> Result<ExitCode, Error> {
    let scenario = Scenario::from_file_with(&args.scenario, &args.overrides, registry)?;
    if scenario.queries().is_none() {
        return Err(Error::Unsupported {
            scenario: args.scenario.display().to_string(),
            message: "the scenario has no queries to compare".to_owned(),
            help: "add [[query]] tables".to_owned(),
        });
    }
    let compared = study::compare(&scenario, threads_of(args.threads), &mut |run| {
        let mut display = Display::new(args.quiet, &Signals::default());
        run(&mut display);
        display.finish();
    })?;
    let rows = match compared {
        Ok(rows) => rows,
        Err(unfinished) => return Ok(say_unfinished(&unfinished)),
    };
    let mut text = String::new();
    line!(
        text,
        "{:<12} {:<34} {:>10} {:>10} {:>8}",
        "query",
        "figure",
        "alone",
        "together",
        "ratio"
    );
    for row in rows {
        line!(
            text,
            "{:<12} {:<34} {:>10} {:>10} {:>8}",
            row.query,
            row.figure,
            number(row.alone),
            number(row.together),
            number(row.together / row.alone)
        );
    }
    output(&text)?;
    Ok(ExitCode::SUCCESS)
}

/// Formats with three decimals; a dash if the value is not finite (0 divided by 0).
fn number(value: f64) -> String {
    if value.is_finite() {
        format!("{value:.3}")
    } else {
        "-".to_owned()
    }
}
