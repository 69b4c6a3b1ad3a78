//! `fabricsim pint latency`.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{Args as _, Command};
use fabricsim::output::Destination;
use fabricsim::{Error, Scenario};
use fabricsim_base::input::ConfigError;
use fabricsim_base::units::Duration;
use fabricsim_experiments::pint::latency::{LatencySettings, Line, SET, percent};
use fabricsim_scenario::kinds::Registry;

use super::threads_of;
use super::unfinished::say_unfinished;
use crate::console::{exit_with, note, output};
use crate::plot::png_flag;
use crate::progress::Display;
use crate::signals::Signals;
use crate::text::{existing, line};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  fabricsim pint latency                            320 hosts, web search and Hadoop at 50%, 2 ms
  fabricsim pint latency --sizes websearch --load 0.3 --traffic 5ms --out results/latency
  fabricsim pint latency scenario.toml --packets 250,500,1000 --bits 4,6,8

A simulation measures the wait of packets at each hop. In flows with enough packets, some packets,
chosen by a hash, each carry the code of one hop's latency. The sink keeps the codes of each hop, and
the study compares their quantile with the quantile of all packets at the hop. The first row of the
figure has the error over packets, the second over the size of the sketch. latency.csv has all
numbers, latency.json the settings. Complete results of other settings are replaced only with
--force. Exit codes: 0 done, 1 a file cannot be written, 2 bad input, 3 the run does not finish.")]
pub(crate) struct LatencyArgs {
    /// Scenario that provides the latencies [default: the built-in ones]
    #[arg(value_name = "SCENARIO", conflicts_with_all = ["sizes", "load", "traffic"])]
    scenario: Option<PathBuf>,

    /// Flow sizes of the built-in scenario
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "NAME",
        default_value = "websearch,hadoop"
    )]
    sizes: Vec<String>,

    /// Load of host links in the built-in scenario
    #[arg(long, value_name = "SHARE", default_value_t = 0.5)]
    load: f64,

    /// Time during which flows start
    #[arg(long, value_name = "TIME", default_value = "2ms")]
    traffic: Duration,

    /// Packets of each flow that carry a digest, ascending; flows have at least as many as the last
    /// value
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "N",
        default_value = "100,200,300,400,500,600,700,800,900,1000"
    )]
    packets: Vec<usize>,

    /// Bits of digests, 1 to 16
    #[arg(long, value_delimiter = ',', value_name = "BITS", default_value = "4,8",
          value_parser = clap::value_parser!(u32).range(1..=16))]
    bits: Vec<u32>,

    /// Digests of the sketch in the first row
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=1_048_576))]
    sketch: u32,

    /// Digests of the sketches in the second row
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "N",
        default_value = "5,10,20,50,100,200"
    )]
    sketches: Vec<u32>,

    /// Packets with a digest in the second row
    #[arg(long, value_name = "N", default_value_t = 500)]
    at: usize,

    /// Quantiles
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "SHARE",
        default_value = "0.5,0.99"
    )]
    quantiles: Vec<f64>,

    /// Judge only hops with a true quantile of at least this, because relative errors of tiny values
    /// say nothing
    #[arg(long, value_name = "TIME", default_value = "100ns")]
    least: Duration,

    /// Seed of the simulation and of the digests
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// Threads [default: all cores]; results are the same for any number
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,

    /// Folder for latency.csv and latency.svg
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Write latency.png, too
    #[arg(long, requires = "out", value_parser = png_flag)]
    png: bool,

    /// Let the results replace complete ones of other settings or another version
    #[arg(long, requires = "out")]
    force: bool,
}

pub(crate) fn latency(args: &LatencyArgs, registry: &Registry) -> Result<ExitCode, Error> {
    let settings = args.settings();
    settings
        .check()
        .unwrap_or_else(|error| exit_with(refuse(&error)));
    let mut lines = Vec::new();
    let scenarios = args.scenarios(&settings, registry)?;
    let origin = settings.origin(&scenarios)?;
    if let Some(destination) = args.destination() {
        origin.check_files(destination, &SET, settings.files())?;
    }
    for scenario in &scenarios {
        let mut display = Display::new(false, &Signals::default());
        let measured = settings.measure(scenario, threads_of(args.threads), &mut display)?;
        display.finish();
        let measured = match measured {
            Ok(measured) => measured,
            Err(unfinished) => return Ok(say_unfinished(&unfinished)),
        };
        if measured.is_empty {
            note!(
                "{}: no flow has {} packets; give fewer --packets and --at, or longer traffic",
                scenario.0,
                settings.longest()
            );
        }
        lines.extend(
            measured
                .lines
                .unwrap_or_else(|error| exit_with(refuse(&error))),
        );
    }
    let printed = output(&table(&lines));
    if let Some(destination) = args.destination() {
        settings.write(&lines, &origin, destination)?;
    }
    printed?;
    Ok(ExitCode::SUCCESS)
}

fn refuse(error: &ConfigError) -> clap::Error {
    let mut command = LatencyArgs::augment_args(Command::new("fabricsim pint latency"));
    command.error(
        ErrorKind::ValueValidation,
        format!("--{}: {}; {}", error.key, error.message, error.help),
    )
}

impl LatencyArgs {
    fn settings(&self) -> LatencySettings {
        LatencySettings {
            sizes: self.sizes.clone(),
            load: self.load,
            traffic: self.traffic,
            packets: self.packets.clone(),
            bits: self.bits.clone(),
            sketch: self.sketch,
            sketches: self.sketches.clone(),
            at: self.at,
            quantiles: self.quantiles.clone(),
            least: self.least,
            seed: self.seed,
            png: self.png,
        }
    }

    /// Returns the scenarios by name, each with a query for the latencies of hops.
    fn scenarios(
        &self,
        settings: &LatencySettings,
        registry: &Registry,
    ) -> Result<Vec<(String, Scenario)>, Error> {
        let Some(path) = &self.scenario else {
            return settings.scenarios();
        };
        let scenario = Scenario::from_file_with(path, &[], registry)?;
        let scenario = scenario.with_queries(scenario.latency_queries()?)?;
        Ok(vec![(scenario.name().to_owned(), scenario)])
    }

    /// Returns the folder of the results if `--out` is given.
    fn destination(&self) -> Option<Destination<'_>> {
        let folder = self.out.as_deref();
        folder.map(|folder| Destination::new(folder, existing(self.force)))
    }
}

/// Returns the errors as a table for a terminal.
fn table(lines: &[Line]) -> String {
    let mut text = String::new();
    line!(
        text,
        "{:<12} {:>4} {:>7} {:>8} {:>9} {:>7} {:>8} {:>7} {:>7}",
        "traffic",
        "bits",
        "sketch",
        "packets",
        "quantile",
        "hops",
        "digests",
        "mean",
        "median"
    );
    for line in lines {
        for error in &line.errors {
            line!(
                text,
                "{:<12} {:>4} {:>7} {:>8} {:>9} {:>7} {:>8.1} {:>6.1}% {:>6.1}%",
                line.traffic,
                line.bits,
                line.sketch
                    .map_or_else(|| "-".to_owned(), |items| items.to_string()),
                error.packets,
                format!("p{}", percent(error.quantile)),
                error.hops,
                error.mean_digests,
                error.mean * 100.0,
                error.median * 100.0
            );
        }
    }
    text
}
