//! The subcommands and the main help text.

use clap::{Parser, Subcommand};

use crate::check::CheckArgs;
use crate::compare::CompareArgs;
use crate::explain::ExplainArgs;
use crate::explain_buffers::BuffersArgs;
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
use crate::view::ViewArgs;

/// A packet-level simulator of datacenter networks.
#[derive(Debug, Parser)]
#[command(
    name = "fabricsim",
    version,
    about,
    max_term_width = 100,
    after_help = "\
Examples:
  fabricsim run                                     the built-in scenario (a few seconds)
  fabricsim run examples/scenarios/fat320-websearch-50.toml
  fabricsim run my.toml --set cc.eta=0.99 --seed 2 --out results/eta99
  fabricsim check my.toml                           validate a scenario without running it
  fabricsim list                                    algorithms, topologies, workloads, tables
  fabricsim list hpcc                               the keys of one of them
  fabricsim import mix -o mine.toml                 convert files of another simulator
  fabricsim sweep examples/sweeps/loads.toml        run a scenario with many settings
  fabricsim compare results/a results/b             differences between two results
  fabricsim slowdown results/a                      slowdown by flow size
  fabricsim plot slowdown results/a results/b -o slowdown.svg
  fabricsim report results/a results/b -o report.html
  fabricsim view results/a -o a.html                the fabric over time, in a browser
  fabricsim explain results/a                       why flows were slow
  fabricsim timeline results/a -o a.json            flows and pauses, for ui.perfetto.dev
  fabricsim reproduce hpcc-results --quick          rerun the experiments of a published figure
  fabricsim harm --quick                            harm of Prague to CUBIC's completion times
  fabricsim pint trace --scheme mininet             packets that PINT needs to decode a path"
)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run a scenario and write fct.csv, summary.json, topology.csv and buffers.csv
    Run(RunArgs),
    /// Check a scenario: print every setting, base RTT, BDP, buffers, expected flows and bytes
    Check(CheckArgs),
    /// Print the used and the unused bytes of switch buffers and headroom, of a run or a sweep
    Buffers(BuffersArgs),
    /// Convert files of another simulator to a scenario: ns-3 HPCC, ConWeave, htsim, SimAI
    Import(ImportArgs),
    /// Write results in the format of another simulator: ns-3 HPCC, ConWeave, htsim
    Export(ExportArgs),
    /// Convert Chakra execution traces to a list of operations
    ImportTrace(ImportTraceArgs),
    /// Run a scenario with many settings; an interrupted sweep continues, and machines can share one
    Sweep(SweepArgs),
    /// Compare two results of the same flows, from fabricsim or the published simulator
    Compare(CompareArgs),
    /// Print slowdown by flow size, for one result or over several seeds
    Slowdown(SlowdownArgs),
    /// Divide completion times by what flows waited for
    Explain(ExplainArgs),
    /// Draw results: slowdown over size, distributions, time series (SVG, PNG or PDF)
    Plot(PlotArgs),
    /// Rerun the experiments of a published figure and compare the results
    Reproduce(ReproduceArgs),
    /// Write an HTML page of results: runs, settings, figures, tables
    Report(ReportArgs),
    /// Write an HTML page that shows the fabric of a run over time
    View(ViewArgs),
    /// Write a timeline of a result for Perfetto or chrome://tracing
    Timeline(TimelineArgs),
    /// Measure how competing TCP algorithms change flow completion times
    Harm(HarmArgs),
    /// Plan PINT queries and measure their packets, errors and overhead
    Pint(PintArgs),
    /// Measure the cost of messages between MPI ranks
    MpiProbe(MpiProbeArgs),
    /// List algorithms, topologies, workloads and tables, or the keys of one of them
    List(ListArgs),
    /// Print the JSON Schema of scenarios or sweeps, for editors and other programs
    Schema(SchemaArgs),
    /// Print completions for a shell: bash, zsh, fish, elvish or powershell
    Completions(CompletionsArgs),
    /// Write manual pages into a folder
    Man(ManArgs),
}

impl Command {
    /// Returns the number of processes that the command supports.
    pub(crate) const fn processes(&self) -> Processes {
        match self {
            Self::Run(_) | Self::MpiProbe(_) => Processes::Several,
            _ => Processes::One,
        }
    }
}
