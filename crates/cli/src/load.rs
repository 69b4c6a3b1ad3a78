//! The expected utilization, in lines of `name` and value.

use fabricsim::utilization::ExpectedUtilization;

/// A line for each tier of links and for what is not counted; the first one is named.
pub(crate) fn lines(utilization: &ExpectedUtilization) -> Vec<(&'static str, String)> {
    let lines = utilization.lines();
    let width = lines.iter().map(|(what, _)| what.len()).max().unwrap_or(0);
    let names = std::iter::once("expected").chain(std::iter::repeat(""));
    names
        .zip(lines)
        .map(|(name, (what, value))| (name, format!("{what:<width$}  {value}")))
        .collect()
}
