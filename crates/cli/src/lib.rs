//! The `fabricsim` command: runs, sweeps, checks and lists scenarios of datacenter networks, and
//! compares their results.
//!
//! The library (the crate [`fabricsim`]) does the work. This crate parses arguments, shows
//! progress, handles signals, and prints results and errors.
//!
//! [`main_with`] is the whole command with your own congestion-control algorithms. The crate of
//! such a command depends on this one alone:
//! ```no_run
//! use fabricsim_cli::fabricsim::cc::CcRegistry;
//!
//! fn main() -> std::process::ExitCode {
//!     let mut registry = CcRegistry::default();
//!     // registry.register::<MyConfig>("my-algorithm", "what it is, in one line");
//!     fabricsim_cli::main_with(&registry)
//! }
//! ```

mod args;
mod check;
mod check_buffers;
mod class_table;
mod compare;
mod console;
mod error_report;
mod exit;
mod explain;
mod explain_buffers;
mod export;
mod first_process;
#[cfg(feature = "studies")]
mod harm;
mod import;
mod import_trace;
mod jobs;
#[cfg(not(feature = "studies"))]
mod left_out;
mod list;
mod load;
mod mpi_probe;
mod offered;
#[cfg(feature = "studies")]
mod parallelism;
#[cfg(feature = "studies")]
mod pint;
mod plot;
mod progress;
mod queries;
mod query_table;
mod ranks;
mod report;
#[cfg(feature = "studies")]
mod reproduce;
mod results;
mod rpc;
mod run;
mod scenario_args;
mod schema;
mod serving;
mod signals;
mod slowdown;
#[cfg(feature = "studies")]
mod sweep;
mod text;
mod timeline;
mod view;

use std::process::ExitCode;

pub use check::facts;
pub use explain::critical_path;
pub use fabricsim;
pub use plot::{FigureError, figure};

use args::{Args, Command};
use clap::CommandFactory;
use fabricsim_scenario::kinds::Registry;
#[cfg(not(feature = "studies"))]
use left_out::{harm, parallelism, pint, reproduce, sweep};
use signals::Signals;

/// Runs the command with the arguments of the process and returns its exit code.
///
/// Scenarios may name the kinds of `registry`, which is a [`Registry`] or, if you only add
/// algorithms, a [`CcRegistry`](fabricsim::cc::CcRegistry).
#[must_use]
pub fn main_with(registry: impl Into<Registry>) -> ExitCode {
    let registry = &registry.into();
    signals::keep_file_size_limit_an_error();
    let args: Args = console::arguments();
    let ranks = match ranks::join(args.command.processes()) {
        Ok(ranks) => ranks,
        Err(code) => return code,
    };
    let signals = Signals::listen();
    let result = match args.command {
        Command::Run(options) => run::run(&options, &signals, registry, ranks.as_ref()),
        Command::Import(options) => import::import(&options, registry),
        Command::Export(options) => export::export(&options),
        Command::ImportTrace(options) => import_trace::import_trace(&options),
        Command::Sweep(options) => sweep::sweep(&options, &signals, registry),
        Command::Check(options) => check::check(&options, registry),
        Command::Buffers(options) => explain_buffers::explain(&options),
        Command::Compare(options) => compare::compare(&options),
        Command::Slowdown(options) => slowdown::slowdown(&options),
        Command::Explain(options) => explain::explain(&options),
        Command::Plot(options) => plot::plot(&options),
        Command::Reproduce(options) => reproduce::reproduce(&options, &signals),
        Command::Timeline(options) => timeline::timeline(&options),
        Command::Report(options) => report::report(&options),
        Command::View(options) => view::view(&options),
        Command::Harm(options) => harm::harm(&options),
        Command::Pint(options) => pint::pint(&options, registry),
        Command::MpiProbe(options) => mpi_probe::mpi_probe(&options, ranks.as_deref()),
        Command::List(options) => list::list(&options, registry),
        Command::Schema(options) => schema::schema(&options),
        Command::Man(options) => schema::man(&options, Args::command()),
        Command::Completions(options) => schema::completions(&options, Args::command()),
    };
    ranks::conclude(result, ranks)
}
