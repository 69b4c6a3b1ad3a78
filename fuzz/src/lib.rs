//! Runs the input of a fuzz target: the same functions as the tests with mutants
//! (`crates/cli/tests/mutants`), with the same conditions.

mod entry;
#[path = "../../crates/cli/tests/mutants/targets.rs"]
mod targets;

use entry::{TARGETS, read};

/// Processes `data` as the fuzz target called `name`.
///
/// # Panics
/// If the input is not handled as required, or if there is no such target.
pub fn run(name: &str, data: &[u8]) {
    let Some((_, kind)) = TARGETS.iter().find(|(target, _)| *target == name) else {
        panic!("no fuzz target is called `{name}`");
    };
    read(*kind, data);
}
