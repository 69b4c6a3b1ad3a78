//! `fabricsim schema` and `fabricsim completions`: what editors and shells ask for.

use std::process::ExitCode;

use clap::Command;
use fabricsim::Error;
use fabricsim_scenario::json_schema::scenario_schema;

use crate::console::output;

/// Prints the JSON Schema of scenarios.
pub(crate) fn schema() -> Result<ExitCode, Error> {
    output(&format!("{:#}\n", scenario_schema()))?;
    Ok(ExitCode::SUCCESS)
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

/// Prints the completions of `command` for a shell.
pub(crate) fn completions(args: &CompletionsArgs, mut command: Command) -> Result<ExitCode, Error> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, "fabricsim", &mut script);
    output(&String::from_utf8_lossy(&script))?;
    Ok(ExitCode::SUCCESS)
}
