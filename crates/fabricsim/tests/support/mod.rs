//! What several tests need.

use fabricsim::registry::{LAWS, LawEntry, Transport};

/// Every law of `transport`.
pub(crate) fn laws_of(transport: Transport) -> impl Iterator<Item = &'static LawEntry> {
    LAWS.iter().filter(move |law| law.transport == transport)
}

/// The keys of `[cc]` of every law of `transport`: as it comes where a window is no question, else with
/// and without one.
pub(crate) fn law_tables(transport: Transport) -> Vec<String> {
    let mut tables = Vec::new();
    for law in laws_of(transport) {
        if law.keys.iter().any(|(key, _)| *key == "window") {
            for window in [true, false] {
                tables.push(format!("kind = \"{}\"\nwindow = {window}", law.name));
            }
        } else {
            tables.push(format!("kind = \"{}\"", law.name));
        }
    }
    tables
}
