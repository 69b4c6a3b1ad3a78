//! What can be said on the command line.

use clap::{Parser, Subcommand};

use crate::check::CheckArgs;
use crate::compare::CompareArgs;
use crate::export::ExportArgs;
use crate::harm::HarmArgs;
use crate::import::ImportArgs;
use crate::import_trace::ImportTraceArgs;
use crate::list::ListArgs;
use crate::mpi_probe::MpiProbeArgs;
use crate::pint::PintArgs;
use crate::plot::PlotArgs;
use crate::ranks::Processes;
use crate::report::ReportArgs;
use crate::reproduce::ReproduceArgs;
use crate::run::RunArgs;
use crate::schema::{CompletionsArgs, ManArgs, SchemaArgs};
use crate::slowdown::SlowdownArgs;
use crate::sweep::SweepArgs;
use crate::timeline::TimelineArgs;

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
  fabricsim import mix -o mine.toml                 files of another simulator
  fabricsim sweep examples/sweeps/loads.toml        many points of a scenario, and a table
  fabricsim compare results/a results/b             how far apart two results are
  fabricsim slowdown results/a                      slowdowns by flow size
  fabricsim plot slowdown results/a results/b -o slowdown.svg
  fabricsim report results/a results/b -o report.html
  fabricsim timeline results/a -o a.json            flows and pauses, for ui.perfetto.dev
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
    /// Make a scenario of files of another simulator: ns-3 HPCC, ConWeave, htsim, SimAI
    Import(ImportArgs),
    /// Write results as another simulator does: ns-3 HPCC, ConWeave, htsim
    Export(ExportArgs),
    /// Make a list of operations of Chakra execution traces
    ImportTrace(ImportTraceArgs),
    /// Run a scenario at many points: resumed where it ended, divided among machines
    Sweep(SweepArgs),
    /// Compare two results of the same flows, ours or the published simulator's
    Compare(CompareArgs),
    /// Slowdown by flow size, of one result or of several seeds
    Slowdown(SlowdownArgs),
    /// Draw results: slowdown over size, distributions, time series (SVG, PNG or PDF)
    Plot(PlotArgs),
    /// Run the experiments of a published figure and say how near the results are
    Reproduce(ReproduceArgs),
    /// Make one HTML page of results: runs, settings, figures, tables
    Report(ReportArgs),
    /// Make a timeline of a result, for Perfetto and Chrome's tracing
    Timeline(TimelineArgs),
    /// Measure what competing algorithms of TCP do to flow completion times
    Harm(HarmArgs),
    /// Ask what PINT's queries need, tell and cost
    Pint(PintArgs),
    /// Measure what messages between the ranks of a run over MPI cost
    MpiProbe(MpiProbeArgs),
    /// List algorithms, topologies, workloads and settings with their keys
    List(ListArgs),
    /// Print a JSON Schema of scenarios or sweeps, for editors and other programs
    Schema(SchemaArgs),
    /// Print completions for a shell: bash, zsh, fish, elvish or powershell
    Completions(CompletionsArgs),
    /// Write manual pages into a folder
    Man(ManArgs),
}

impl Command {
    /// Returns what several processes are to the command.
    pub(crate) const fn processes(&self) -> Processes {
        match self {
            Self::Run(_) | Self::MpiProbe(_) => Processes::Several,
            _ => Processes::One,
        }
    }
}
