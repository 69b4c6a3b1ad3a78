//! How much links are asked to carry, in lines of `name` and value.

use fabricsim::oversubscription::TierOversubscription;
use fabricsim::utilization::ExpectedUtilization;

/// The oversubscription of all tiers that have links upwards, if there are any.
pub(crate) fn oversubscription(tiers: &[TierOversubscription]) -> Option<String> {
    let told: Vec<String> = tiers.iter().map(ToString::to_string).collect();
    (!told.is_empty()).then(|| told.join(", "))
}

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
