//! The expected utilisation, in lines of `name` and value.

use fabricsim::utilisation::ExpectedUtilisation;

/// A line for each tier of links and for what is not counted; the first one is named.
pub(crate) fn lines(utilisation: &ExpectedUtilisation) -> Vec<(&'static str, String)> {
    let lines = utilisation.lines();
    let width = lines.iter().map(|(what, _)| what.len()).max().unwrap_or(0);
    let names = std::iter::once("expected").chain(std::iter::repeat(""));
    names
        .zip(lines)
        .map(|(name, (what, value))| (name, format!("{what:<width$}  {value}")))
        .collect()
}
