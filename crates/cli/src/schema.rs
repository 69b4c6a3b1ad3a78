//! `fabricsim schema` and `fabricsim completions`: what editors and shells ask for.

use std::process::ExitCode;

use clap::CommandFactory;
use fabricsim::Error;
use fabricsim_scenario::json_schema::scenario_schema;

use crate::args::{Args, CompletionsArgs};
use crate::console::output;

/// Prints the JSON Schema of scenarios.
pub(crate) fn schema() -> Result<ExitCode, Error> {
    output(&format!("{:#}\n", scenario_schema()))?;
    Ok(ExitCode::SUCCESS)
}

/// Prints the completions of a shell.
pub(crate) fn completions(args: &CompletionsArgs) -> Result<ExitCode, Error> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Args::command(), "fabricsim", &mut script);
    output(&String::from_utf8_lossy(&script))?;
    Ok(ExitCode::SUCCESS)
}
