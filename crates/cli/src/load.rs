//! Oversubscription and expected utilization of links, as lines of a name and a value.

use fabricsim::oversubscription::TierOversubscription;
use fabricsim::utilization::ExpectedUtilization;

/// Returns the oversubscription of all tiers that have uplinks, or `None` if no tier has.
pub(crate) fn oversubscription(tiers: &[TierOversubscription]) -> Option<String> {
    let told: Vec<String> = tiers.iter().map(ToString::to_string).collect();
    (!told.is_empty()).then(|| told.join(", "))
}

/// Returns a line for each tier of links and for each part that is not counted. Only the first line
/// has a name.
pub(crate) fn lines(utilization: &ExpectedUtilization) -> Vec<(&'static str, String)> {
    let lines = utilization.lines();
    let width = lines.iter().map(|(what, _)| what.len()).max().unwrap_or(0);
    let names = std::iter::once("expected").chain(std::iter::repeat(""));
    names
        .zip(lines)
        .map(|(name, (what, value))| (name, format!("{what:<width$}  {value}")))
        .collect()
}
