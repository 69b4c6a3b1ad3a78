//! Runs that do not finish.

use std::process::ExitCode;

use fabricsim_core::network::Stop;
use fabricsim_experiments::pint::Unfinished;

use crate::console::note;
use crate::exit;

/// Prints the reason why a run has no results, and returns the exit code.
pub(crate) fn say_unfinished(unfinished: &Unfinished) -> ExitCode {
    if unfinished.stop == Stop::Interrupted {
        return ExitCode::from(exit::INTERRUPTED);
    }
    note!(
        "{}: {} flows do not finish; `fabricsim run` shows them with the reason",
        unfinished.scenario,
        unfinished.flows
    );
    ExitCode::from(exit::STALLED)
}
