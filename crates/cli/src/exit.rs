//! Exit codes: what scripts can rely on.

use fabricsim::Error;

/// A file could not be written, threads could not be started, a point of a sweep failed, or results
/// are further apart than the user allows.
pub(crate) const FAILURE: u8 = 1;
/// The user's input is wrong; nothing was run. clap uses the same code.
pub(crate) const BAD_INPUT: u8 = 2;
/// The run could not finish: flows are left and nothing moves, or nothing leads to them.
pub(crate) const STALLED: u8 = 3;
/// Ctrl-C, as shells number it; other requests to end come to the same.
pub(crate) const INTERRUPTED: u8 = 130;

/// Returns the code of a command that ends with `error`.
pub(crate) const fn of(error: &Error) -> u8 {
    match error {
        Error::Write { .. } | Error::Threads { .. } | Error::Elsewhere { .. } => FAILURE,
        _ => BAD_INPUT,
    }
}
