//! The questions about the axes of its runs that a report covers.

use fabricsim_plot::figure::numeric_values;

/// Parts of the names of axes whose values are alternatives, from which a reader chooses one.
const ALTERNATIVES: [&str; 9] = [
    "algorithm",
    "cc",
    "control",
    "kind",
    "policy",
    "routing",
    "scheme",
    "schemes",
    "setting",
];
/// Beginnings of the names of axes whose values are variants of the first one.
const VARIANTS: [&str; 6] = ["degrad", "event", "fail", "fault", "state", "variant"];
/// First values to which all others are compared.
const BASELINES: [&str; 7] = [
    "base", "baseline", "default", "healthy", "none", "normal", "off",
];

/// A question about the values of an axis.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Role {
    /// Which one is best?
    Alternatives,
    /// At which value does a ranking turn? The values as numbers.
    Ordered(Vec<f64>),
    /// What does each one cost, compared with the first?
    Variants,
}

/// Decides the role of each of `axes`, from their names and values.
pub(super) fn roles(axes: &[(String, Vec<String>)]) -> Vec<Role> {
    let begins = |name: &str| {
        VARIANTS
            .iter()
            .any(|own| name.to_lowercase().starts_with(own))
    };
    let certain = |(name, values): &(String, Vec<String>)| {
        if let Some(numbers) = numeric_values(values) {
            return Some(Role::Ordered(numbers));
        }
        let lower = name.to_lowercase();
        if lower
            .split([' ', '-'])
            .any(|part| ALTERNATIVES.contains(&part))
        {
            return Some(Role::Alternatives);
        }
        let first = values.first().map(|value| value.to_lowercase());
        let is_baseline = first.is_some_and(|first| BASELINES.contains(&first.as_str()));
        (begins(name) || is_baseline).then_some(Role::Variants)
    };
    let found: Vec<Option<Role>> = axes.iter().map(certain).collect();
    let has_alternatives = found.contains(&Some(Role::Alternatives));
    let role = |found: Option<Role>| {
        found.unwrap_or(match has_alternatives {
            true => Role::Variants,
            false => Role::Alternatives,
        })
    };
    found.into_iter().map(role).collect()
}
