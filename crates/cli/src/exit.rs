//! Exit codes on which scripts can rely.

use fabricsim::Error;

/// A file could not be written, threads could not be started, a point of a sweep failed, or results
/// deviate by more than the user allows.
pub(crate) const FAILURE: u8 = 1;
/// The user's input is wrong and nothing ran. clap uses the same code.
pub(crate) const BAD_INPUT: u8 = 2;
/// The run could not finish: it stalled, or flows have no route to their destinations.
pub(crate) const STALLED: u8 = 3;
/// Interrupted by Ctrl-C, as shells number it, or by another termination signal.
pub(crate) const INTERRUPTED: u8 = 130;

/// Returns the code of a command that ends with `error`.
pub(crate) const fn of(error: &Error) -> u8 {
    match error {
        Error::Write { .. } | Error::Threads { .. } | Error::Elsewhere { .. } => FAILURE,
        _ => BAD_INPUT,
    }
}
