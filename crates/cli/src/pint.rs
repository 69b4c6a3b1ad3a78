//! `fabricsim pint`: PINT's queries, planned and judged.

mod compare;
mod drive;
mod latency;
mod plan;

use std::process::ExitCode;

use clap::Subcommand;
use fabricsim::Error;

use compare::CompareArgs;
use latency::LatencyArgs;
use plan::PlanArgs;

#[derive(Debug, clap::Args)]
pub(crate) struct PintArgs {
    #[command(subcommand)]
    query: Query,
}

#[derive(Debug, Subcommand)]
enum Query {
    /// Errors of latency quantiles, against packets and space, on the latencies of a simulation
    Latency(LatencyArgs),

    /// Which packets serve which queries of a scenario
    Plan(PlanArgs),

    /// What the queries of a scenario lose by sharing packets
    Compare(CompareArgs),
}

pub(crate) fn pint(args: &PintArgs) -> Result<ExitCode, Error> {
    match &args.query {
        Query::Latency(args) => latency::latency(args),
        Query::Plan(args) => plan::plan(args),
        Query::Compare(args) => compare::compare(args),
    }
}
