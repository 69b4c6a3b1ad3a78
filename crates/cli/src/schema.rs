//! `fabricsim schema`, `fabricsim completions` and `fabricsim man`, for editors and shells.

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Command;
use fabricsim::Error;
use fabricsim::output::cannot_write;
use fabricsim_scenario::json_schema::scenario_schema;

use crate::console::output;
use crate::sweep;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  fabricsim schema > scenario.schema.json
  fabricsim schema sweep > sweep.schema.json

With `#:schema scenario.schema.json` in the first line of a scenario, editors that know schemas of
TOML files complete its keys and mark errors, and `taplo check` points at them. The path is relative
to the scenario.")]
pub(crate) struct SchemaArgs {
    /// Kind of file
    #[arg(default_value = "scenario")]
    pub(crate) of: SchemaTopic,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq, clap::ValueEnum)]
pub(crate) enum SchemaTopic {
    /// Scenarios
    Scenario,
    /// Sweeps
    Sweep,
}

/// Prints the JSON Schema of a kind of file.
pub(crate) fn schema(args: &SchemaArgs) -> Result<ExitCode, Error> {
    let schema = match args.of {
        SchemaTopic::Scenario => scenario_schema(),
        SchemaTopic::Sweep => sweep::schema()?,
    };
    output(&format!("{schema:#}\n"))?;
    Ok(ExitCode::SUCCESS)
}

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  fabricsim man ~/.local/share/man/man1")]
pub(crate) struct ManArgs {
    /// The folder, created if missing
    pub(crate) dir: PathBuf,
}

/// Writes a manual page for the command and for each of its subcommands.
pub(crate) fn man(args: &ManArgs, command: Command) -> Result<ExitCode, Error> {
    let written = fs::create_dir_all(&args.dir)
        .and_then(|()| clap_mangen::generate_to(command, &args.dir).map(drop));
    written.map_err(cannot_write(&args.dir))?;
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
