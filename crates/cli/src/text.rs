//! Helpers for the text output of several commands.

use fabricsim::outcome::Existing;

/// Adds a line to a text.
macro_rules! line {
    ($text:expr, $($arguments:tt)*) => {
        writeln!($text, $($arguments)*).expect("a string takes everything")
    };
}
pub(crate) use line;

/// Returns the policy for complete results of other settings, as `--force` selects it.
pub(crate) const fn existing(force: bool) -> Existing {
    match force {
        true => Existing::Replace,
        false => Existing::Keep,
    }
}
