//! The `fabricsim` command.

use std::process::ExitCode;

use fabricsim_cli::fabricsim::cc::CcRegistry;

fn main() -> ExitCode {
    fabricsim_cli::main_with(&CcRegistry::default())
}
