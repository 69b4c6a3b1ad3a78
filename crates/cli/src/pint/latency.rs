//! `fabricsim pint latency`: how far quantiles of latencies are from the truth.

mod output;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{Args as _, Command};
use fabricsim::pint::dynamic::Storage;
use fabricsim::pint::query::{HopSeries, ReplayConfig, ReplayError, replay};
use fabricsim::{Error, Scenario};
use fabricsim_core::input::ConfigError;
use fabricsim_core::units::Duration;
use fabricsim_scenario::kinds::Registry;

use super::drive::drive;
use crate::console::{exit_with, note, output};
use crate::progress::Display;
use crate::signals::Signals;

/// The range of codes: 2^16 ns.
const LARGEST_NS: f64 = 65_536.0;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  fabricsim pint latency                            320 hosts, web search and Hadoop at 50%, 2 ms
  fabricsim pint latency --sizes websearch --load 0.3 --traffic 5ms --out results/latency
  fabricsim pint latency scenario.toml --packets 250,500,1000 --bits 4,6,8

The packets of a simulation measure their wait at each hop. Flows with enough packets are then looked
at: some of their packets, chosen by a hash, carry the code of one hop's latency each, the sink keeps the
codes of each hop, and the quantile that they tell is compared with that of all packets at the hop. The first row of the
figure is the error against packets, the second against the size of the sketch. latency.csv has all
numbers, latency.json the settings; complete results of other settings stay without --force. Exit codes: 0 done, 1 a file cannot be written, 2 bad input, 3 the run does not end.")]
pub(crate) struct LatencyArgs {
    /// A scenario whose latencies to use, instead of the built-in ones
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

    /// Its load, of host links
    #[arg(long, value_name = "SHARE", default_value_t = 0.5)]
    load: f64,

    /// For how long flows start
    #[arg(long, value_name = "TIME", default_value = "2ms")]
    traffic: Duration,

    /// Packets of each flow that carry a checksum, ascending; flows have at least as many as the last
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

    /// Packets with a checksum in the second row
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

    /// Hops are judged where the true quantile is at least that; nothing can be told of nothing
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
    #[arg(long, requires = "out")]
    png: bool,

    /// Let the results replace complete ones of other settings or another version
    #[arg(long, requires = "out")]
    force: bool,
}

/// The errors of one way to make and keep digests, on the latencies of one scenario.
struct Line {
    traffic: String,
    bits: u32,
    /// Digests of the sketch; none where all are kept.
    sketch: Option<u32>,
    errors: Vec<ReplayError>,
}

pub(crate) fn latency(args: &LatencyArgs, registry: &Registry) -> Result<ExitCode, Error> {
    args.check()
        .unwrap_or_else(|error| exit_with(refuse(&error)));
    let mut lines = Vec::new();
    let scenarios = args.scenarios(registry)?;
    let origin = args.origin(&scenarios)?;
    if let Some(destination) = args.destination() {
        origin.check_files(destination, &output::SET, args.files())?;
    }
    for (name, scenario) in scenarios {
        let mut display = Display::new(false, &Signals::default());
        let driven = match drive(&scenario, args.threads, &mut display)? {
            Ok(driven) => driven,
            Err(code) => return Ok(code),
        };
        let longest = args.longest();
        let series = driven.simulation.hop_series(longest);
        if series.is_empty() {
            note!(
                "{name}: no flow has {longest} packets; give fewer --packets and --at, or longer traffic"
            );
        }
        args.measure(&name, &series, &mut lines)
            .unwrap_or_else(|error| exit_with(refuse(&error)));
    }
    let printed = output(&output::table(&lines));
    if let Some(destination) = args.destination() {
        args.write(&lines, &origin, destination)?;
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
    fn check(&self) -> Result<(), ConfigError> {
        let ascending = self.packets.is_sorted_by(|a, b| a < b);
        if !ascending || self.packets.first().is_none_or(|&first| first == 0) {
            return Err(ConfigError::new(
                "packets",
                "the numbers are not ascending from 1 on",
                "write them like 100,500,1000",
            ));
        }
        if self.at == 0 {
            return Err(ConfigError::new(
                "at",
                "no packet tells nothing",
                "give a number such as 500",
            ));
        }
        let wrong = self.quantiles.iter().find(|&&q| !(q > 0.0 && q <= 1.0));
        if let Some(wrong) = wrong {
            return Err(ConfigError::new(
                "quantiles",
                format!("a quantile of {wrong} is not above 0 and at most 1"),
                "give shares, such as 0.5 for the median",
            ));
        }
        Ok(())
    }

    /// The most packets of a flow that are looked at.
    fn longest(&self) -> usize {
        self.packets
            .iter()
            .copied()
            .chain([self.at])
            .max()
            .unwrap_or(self.at)
    }

    /// The scenarios by name, each with a query for the latencies of hops.
    fn scenarios(&self, registry: &Registry) -> Result<Vec<(String, Scenario)>, Error> {
        if let Some(path) = &self.scenario {
            let scenario = Scenario::from_file_with(path, &[], registry)?;
            let scenario = scenario.with_queries(scenario.latency_queries()?)?;
            return Ok(vec![(scenario.name().to_owned(), scenario)]);
        }
        let scenario = |sizes: &String| {
            // What JSON escapes TOML reads alike.
            let sizes_in_quotes = serde_json::Value::from(sizes.as_str());
            let text = format!(
                "name = {sizes_in_quotes}\nseed = {}\n[topology]\nkind = \"fat-tree\"\npreset = \
                 \"hpcc-fat320\"\n[[workload]]\nkind = \"poisson\"\nsizes = {sizes_in_quotes}\nload = {}\n\
                 duration = \"{}ps\"\n[cc]\nkind = \"hpcc-pint\"\n",
                self.seed,
                self.load,
                self.traffic.as_ps()
            );
            let base = Path::new(".");
            let scenario = Scenario::from_text("the built-in scenario", &text, base, &[])?;
            let scenario = scenario.with_queries(scenario.latency_queries()?)?;
            Ok((sizes.clone(), scenario))
        };
        self.sizes.iter().map(scenario).collect()
    }

    fn measure(
        &self,
        traffic: &str,
        series: &[HopSeries],
        lines: &mut Vec<Line>,
    ) -> Result<(), ConfigError> {
        let mut add = |bits, sketch: Option<u32>, packets: &[usize]| {
            let config = ReplayConfig {
                bits,
                largest: LARGEST_NS,
                least: self.least.as_ps() as f64 / 1e3,
                storage: sketch.map_or(Storage::All, |items| Storage::Sketch { items }),
            };
            let errors = replay(series, &config, packets, &self.quantiles, self.seed)?;
            lines.push(Line {
                traffic: traffic.to_owned(),
                bits,
                sketch,
                errors,
            });
            Ok(())
        };
        for &bits in &self.bits {
            add(bits, None, &self.packets)?;
            add(bits, Some(self.sketch), &self.packets)?;
        }
        for &bits in &self.bits {
            add(bits, None, &[self.at])?;
            for &items in &self.sketches {
                add(bits, Some(items), &[self.at])?;
            }
        }
        Ok(())
    }
}
