//! `fabricsim pint`: what PINT's queries come to, without a network around them.

mod trace;

use std::process::ExitCode;

use clap::Subcommand;
use fabricsim::Error;

use trace::TraceArgs;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  fabricsim pint trace --scheme multilayer          packets until a sink knows a path")]
pub(crate) struct PintArgs {
    #[command(subcommand)]
    query: Query,
}

#[derive(Debug, Subcommand)]
enum Query {
    /// Packets needed to know a path, against its length, by scheme and bits in each packet
    Trace(TraceArgs),
}

pub(crate) fn pint(args: &PintArgs) -> Result<ExitCode, Error> {
    match &args.query {
        Query::Trace(args) => trace::trace(args),
    }
}
