//! What the screens of several commands share.

use fabricsim::outcome::Existing;

/// Adds a line to a text.
macro_rules! line {
    ($text:expr, $($arguments:tt)*) => {
        writeln!($text, $($arguments)*).expect("a string takes everything")
    };
}
pub(crate) use line;

/// What `--force` says of complete results of something else.
pub(crate) const fn existing(force: bool) -> Existing {
    match force {
        true => Existing::Replace,
        false => Existing::Keep,
    }
}
