//! `fabricsim pint`: plans and studies of PINT queries.

mod compare;
mod latency;
mod plan;
mod trace;
mod unfinished;

use std::process::ExitCode;
use std::thread::available_parallelism;

use clap::Subcommand;
use fabricsim::Error;
use fabricsim_scenario::kinds::Registry;

use compare::CompareArgs;
use latency::LatencyArgs;
use plan::PlanArgs;
use trace::TraceArgs;
pub(crate) use unfinished::say_unfinished;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  fabricsim pint trace --scheme multilayer          packets until a sink knows a path
  fabricsim pint latency --traffic 1ms              errors of latency quantiles on a fat-tree
  fabricsim pint plan examples/scenarios/pint-combined.toml
  fabricsim pint compare examples/scenarios/pint-combined.toml

Queries on the packets of a simulation are [[query]] tables of its scenario: docs/pint.md.")]
pub(crate) struct PintArgs {
    #[command(subcommand)]
    query: Query,
}

#[derive(Debug, Subcommand)]
enum Query {
    /// Packets needed to decode a path, over its length, by scheme and bits in each packet
    Trace(TraceArgs),

    /// Errors of latency quantiles over packets and sketch size, from simulated latencies
    Latency(LatencyArgs),

    /// Plan of a scenario's queries: the sets of queries that share packets
    Plan(PlanArgs),

    /// Effect on query results when the queries of a scenario share packets
    Compare(CompareArgs),
}

pub(crate) fn pint(args: &PintArgs, registry: &Registry) -> Result<ExitCode, Error> {
    match &args.query {
        Query::Trace(args) => trace::trace(args),
        Query::Latency(args) => latency::latency(args, registry),
        Query::Plan(args) => plan::plan(args),
        Query::Compare(args) => compare::compare(args, registry),
    }
}

/// Returns the given number of threads, or the number of cores.
pub(crate) fn threads_of(asked: Option<u16>) -> usize {
    asked.map_or_else(
        || available_parallelism().map_or(1, std::num::NonZero::get),
        usize::from,
    )
}
