//! What several tests need.

use fabricsim::registry::LAWS;

/// The keys of `[cc]` of every law: as it comes where a window is no question, else with and without
/// one.
pub(crate) fn law_tables() -> Vec<String> {
    let mut tables = Vec::new();
    for law in LAWS {
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
