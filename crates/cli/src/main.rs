//! The `fabricsim` command: runs, sweeps, checks and lists scenarios of datacentre networks, and
//! compares their results.
//!
//! What it does is the library's work (the crate `fabricsim`); here are the arguments, the progress
//! bar, Ctrl-C, and how results and mistakes are shown.

mod args;
mod check;
mod compare;
mod console;
mod harm;
mod list;
mod parallelism;
mod pint;
mod plot;
mod progress;
mod report;
mod reproduce;
mod results;
mod run;
mod slowdown;
mod sweep;

use std::process::ExitCode;

use args::{Args, Command};
use clap::Parser;
use progress::Signals;

/// Exit codes: what scripts can rely on.
mod exit {
    /// A file could not be written, threads could not be started, a point of a sweep failed, or results are further apart than the user allows.
    pub(crate) const FAILURE: u8 = 1;
    /// What the user wrote is wrong; nothing was run. clap uses the same code.
    pub(crate) const BAD_INPUT: u8 = 2;
    /// The run could not finish: flows are left and nothing moves, or nothing leads to them.
    pub(crate) const STALLED: u8 = 3;
    /// Ctrl-C, as shells number it.
    pub(crate) const INTERRUPTED: u8 = 130;
}

fn main() -> ExitCode {
    let args = Args::parse();
    let signals = Signals::listen();
    let result = match args.command {
        Command::Run(options) => run::run(&options, &signals),
        Command::Sweep(options) => sweep::sweep(&options, &signals),
        Command::Check(options) => check::check(&options),
        Command::Compare(options) => compare::compare(&options),
        Command::Slowdown(options) => slowdown::slowdown(&options),
        Command::Plot(options) => plot::plot(&options),
        Command::Reproduce(options) => reproduce::reproduce(&options, &signals),
        Command::Report(options) => report::report(&options),
        Command::Harm(options) => harm::harm(&options),
        Command::Pint(options) => pint::pint(&options),
        Command::List(options) => {
            list::list(&options);
            Ok(ExitCode::SUCCESS)
        }
    };
    result.unwrap_or_else(|error| {
        let code = match &error {
            fabricsim::Error::Write { .. } | fabricsim::Error::Threads { .. } => exit::FAILURE,
            _ => exit::BAD_INPUT,
        };
        console::complain(error);
        ExitCode::from(code)
    })
}
