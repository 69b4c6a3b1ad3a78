//! What can be said on the command line.

use std::path::{Path, PathBuf};

use clap::error::ErrorKind;
use clap::{Args as _, Parser, Subcommand};
use fabricsim::{Error, Scenario};
use fabricsim_scenario::kinds::Registry;

use crate::console::note;
use crate::harm::HarmArgs;
use crate::pint::PintArgs;
use crate::plot::PlotArgs;
use crate::report::ReportArgs;
use crate::reproduce::ReproduceArgs;
use crate::slowdown::SlowdownArgs;
use crate::sweep::SweepArgs;

/// The scenario that runs when none is named.
const DEFAULT_SCENARIO: &str = include_str!("../../../examples/scenarios/default.toml");

/// A seed is a TOML integer, which has a sign.
const LARGEST_SEED: u64 = i64::MAX.unsigned_abs();

/// A packet-level simulator of datacenter networks.
#[derive(Debug, Parser)]
#[command(
    name = "fabricsim",
    version,
    about,
    max_term_width = 100,
    after_help = "\
Examples:
  fabricsim run                                     the built-in scenario, a few seconds
  fabricsim run examples/scenarios/fat320-websearch-50.toml
  fabricsim run my.toml --set cc.eta=0.99 --seed 2 --out results/eta99
  fabricsim check my.toml                           read a scenario without running it
  fabricsim sweep examples/sweeps/loads.toml        many points of a scenario, and a table
  fabricsim compare results/a results/b             how far apart two results are
  fabricsim slowdown results/a                      slowdowns by flow size
  fabricsim plot slowdown results/a results/b -o slowdown.svg
  fabricsim report results/a results/b -o report.html
  fabricsim reproduce hpcc-results --quick          a published figure, run again
  fabricsim harm --quick                            what Prague does to CUBIC's completion times
  fabricsim pint trace --scheme mininet             packets until PINT knows a path
  fabricsim list cc                                 algorithms and their keys"
)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run a scenario and write fct.csv and summary.json
    Run(RunArgs),
    /// Check a scenario: print every setting, base RTT, BDP, expected flows and bytes
    Check(CheckArgs),
    /// Run a scenario at many points: resumed where it ended, divided among machines
    Sweep(SweepArgs),
    /// Compare two results of the same flows, ours or the published simulator's
    Compare(CompareArgs),
    /// Slowdown by flow size, of one result or of several seeds
    Slowdown(SlowdownArgs),
    /// Draw results: slowdown over size, distributions, time series (SVG or PNG)
    Plot(PlotArgs),
    /// Run the experiments of a published figure and say how near the results are
    Reproduce(ReproduceArgs),
    /// Make one HTML page of results: runs, settings, figures, tables
    Report(ReportArgs),
    /// Measure what competing algorithms of TCP do to flow completion times
    Harm(HarmArgs),
    /// Ask what PINT's queries need, tell and cost
    Pint(PintArgs),
    /// List algorithms, topologies, workloads and settings with their keys
    List(ListArgs),
    /// Print a JSON Schema of scenarios, for editors and other programs
    #[command(after_help = "\
Examples:
  fabricsim schema > scenario.schema.json

With `#:schema scenario.schema.json` in the first line of a scenario, editors that know schemas of
TOML files complete its keys and mark errors.")]
    Schema,
    /// Print completions for a shell: bash, zsh, fish, elvish or powershell
    Completions(CompletionsArgs),
}

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  fabricsim check my.toml
  fabricsim check my.toml --set workload.0.load=0.7
  fabricsim check                                   the built-in scenario

Nothing is simulated and nothing is written. Exit codes: 0 good, 2 bad input.")]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    pub(crate) scenario: ScenarioArgs,
}

/// Which scenario, and how it is changed.
#[derive(Debug, clap::Args)]
pub(crate) struct ScenarioArgs {
    /// The scenario, a TOML file; without one the built-in scenario
    pub(crate) scenario: Option<PathBuf>,

    /// Change a setting: --set cc.eta=0.99 --set workload.0.load=0.7 (lists count from 0)
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,

    /// Seed of every random stream, instead of the scenario's (default 1)
    #[arg(long, value_parser = clap::value_parser!(u64).range(..=LARGEST_SEED))]
    pub(crate) seed: Option<u64>,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  fabricsim run                                     the built-in scenario
  fabricsim run my.toml --threads 2
  fabricsim run my.toml --set workload.0.load=0.7 --out results/load70
  fabricsim run my.toml --profile-parallelism       how many cores would be worth it

The folder gets fct.csv (one row for each flow, in the order of completion) and
summary.json (every setting, counts, slowdowns, checksum). Results do not depend on
--threads. Complete results of other settings, other files or another version of fabricsim
stay: nothing is run then, unless --force lets the new results replace them. The very same
scenario can run again. Old results go when the new ones are complete.

Exit codes: 0 done, 2 bad input or a folder with other results, 3 flows are left that cannot
finish, 130 interrupted (fct.partial.csv and summary.partial.json have what was complete).
1: a file cannot be written.")]
pub(crate) struct RunArgs {
    #[command(flatten)]
    pub(crate) scenario: ScenarioArgs,

    /// Threads [default: all cores]; results are the same for any number
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,

    /// Folder of the results [default: the scenario's, or results/NAME]
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,

    /// Let the results replace complete ones of another scenario or version
    #[arg(long)]
    pub(crate) force: bool,

    /// Print nothing but errors
    #[arg(long, short)]
    pub(crate) quiet: bool,

    /// Run on one thread and measure what 2 to 128 workers would gain: prints a table, writes
    /// parallelism.json and parallelism_nodes.csv; results are the same
    #[arg(long)]
    pub(crate) profile_parallelism: bool,
}

impl RunArgs {
    /// Refuses what cannot be together.
    pub(crate) fn check(&self) -> Result<(), clap::Error> {
        match self.threads {
            Some(threads) if threads != 1 && self.profile_parallelism => {
                let mut command = Self::augment_args(clap::Command::new("fabricsim run"));
                Err(command.error(
                    ErrorKind::ArgumentConflict,
                    format!(
                        "--profile-parallelism runs on one thread, and --threads asks for {threads}; \
                         leave out --threads: the report estimates 2 to 128 workers from one run"
                    ),
                ))
            }
            _ => Ok(()),
        }
    }
}

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  fabricsim compare results/eta95 results/eta99     two folders of results
  fabricsim compare results/tiny fct.txt            ours with the published simulator's
  fabricsim compare a.csv b.csv --flows apart.csv   also a row for each flow
  fabricsim compare a.csv b.csv --tolerance 0.005   a test: every flow within 0.5%

A flow is the same in both when source, destination, size and start (to 1 ns) agree. Ratios
are A over B. Slowdowns are at least 1; their percentiles are not interpolated: of n sorted
values the one at place floor(n p), from 0. Exit codes: 0 compared, 1 a flow is further apart
than --tolerance or missing, or a file cannot be written, 2 bad input.")]
pub(crate) struct CompareArgs {
    /// An fct.csv, a folder with one, or the published simulator's fct.txt
    pub(crate) a: PathBuf,

    /// Another one of the same flows
    pub(crate) b: PathBuf,

    /// Write a CSV with both completion times of every flow, in nanoseconds
    #[arg(long, value_name = "FILE")]
    pub(crate) flows: Option<PathBuf>,

    /// Print the comparison as JSON
    #[arg(long)]
    pub(crate) json: bool,

    /// Exit with 1 when the completion time of a flow deviates by more than this share of B's
    /// (0.005 is half a percent), or a flow is missing in A or B
    #[arg(long, value_name = "SHARE", value_parser = share)]
    pub(crate) tolerance: Option<f64>,
}

fn share(text: &str) -> Result<f64, String> {
    let value = text.parse::<f64>().ok();
    value
        .filter(|value| value.is_finite() && *value >= 0.0)
        .ok_or_else(|| "write a number from 0 up, such as 0.005".to_owned())
}

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  fabricsim list                                    everything
  fabricsim list cc                                 algorithms and the keys of [cc]
  fabricsim list workload                           workloads and the keys of [[workload]]")]
pub(crate) struct ListArgs {
    /// What to list [default: everything]
    pub(crate) what: Option<ListTopic>,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  fabricsim completions bash > ~/.local/share/bash-completion/completions/fabricsim
  fabricsim completions zsh > ~/.zfunc/_fabricsim
  fabricsim completions fish > ~/.config/fish/completions/fabricsim.fish")]
pub(crate) struct CompletionsArgs {
    /// The shell
    pub(crate) shell: clap_complete::Shell,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq, clap::ValueEnum)]
pub(crate) enum ListTopic {
    /// Congestion-control algorithms
    Cc,
    /// Topologies
    Topology,
    /// Workloads
    Workload,
    /// The other tables of a scenario
    Settings,
}

impl ScenarioArgs {
    /// Reads the scenario.
    pub(crate) fn load(&self, registry: &Registry) -> Result<Scenario, Error> {
        let mut overrides = self.set.clone();
        overrides.extend(self.seed.map(|seed| format!("seed={seed}")));
        let scenario = match &self.scenario {
            Some(path) => Scenario::from_file_with(path, &overrides, registry),
            None => {
                let (name, text) = ("default.toml", DEFAULT_SCENARIO);
                Scenario::from_text_with(name, text, Path::new("."), &overrides, registry)
            }
        }?;
        for class in scenario.unused_classes() {
            note!("note: class {class} has an algorithm of its own, and no flow is of that class");
        }
        Ok(scenario)
    }
}
