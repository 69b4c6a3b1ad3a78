//! The `fabricsim` command with PowerTCP added.

mod powertcp;

use fabricsim_cli::fabricsim::cc::CcRegistry;

fn main() -> std::process::ExitCode {
    let mut registry = CcRegistry::default();
    registry.register::<powertcp::PowerTcpConfig>("my-powertcp", "PowerTCP on INT (NSDI 2022)");
    fabricsim_cli::main_with(&registry)
}
