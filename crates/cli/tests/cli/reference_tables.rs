//! Tables of keys in documents are generated from the descriptions of the keys.
//!
//! `FABRICSIM_WRITE_TABLES=1 cargo test -p fabricsim-cli --test cli reference_tables` rewrites
//! them.

use std::collections::BTreeMap;
use std::env;
use std::fs;

use fabricsim_base::input::{DefaultValue, Key, ValueKind};
use fabricsim_experiments::harm::HarmSettings;
use fabricsim_experiments::sweep;
use fabricsim_scenario::json_schema::{TablePlace, described_tables};
use fabricsim_scenario::schema::root::ROOT_KEYS;
use fabricsim_topology::{ClosRack, ClosTier};

use crate::support::{project, project_text};

/// The line above the columns of a table of keys.
const COLUMNS: &str = "| key | value | meaning |\n|---|---|---|\n";

/// Returns `document` with the rows of `keys` in the first table below the line `heading`; a table
/// without keys needs only the line.
fn with_rows(document: &str, heading: &str, keys: &[Key]) -> Option<String> {
    let section = document.find(&format!("\n{heading}\n"))?;
    if keys.is_empty() {
        return Some(document.to_owned());
    }
    let rows = section + document[section..].find(COLUMNS)? + COLUMNS.len();
    let old: usize = document[rows..]
        .split_inclusive('\n')
        .take_while(|line| line.starts_with('|'))
        .map(str::len)
        .sum();
    let new: String = keys.iter().map(|key| key.row() + "\n").collect();
    Some([&document[..rows], &new, &document[rows + old..]].concat())
}

/// Returns the tables of keys in documents: the document, the line above the table, and the keys.
fn tables() -> Vec<(&'static str, String, Vec<Key>)> {
    let of_scenarios = described_tables().into_iter().map(|table| {
        let level = match table.place {
            TablePlace::Kind => "###",
            TablePlace::Own => "##",
        };
        let heading = format!("{level} `{}`", table.name);
        ("docs/scenarios.md", heading, table.keys)
    });
    let others = [
        ("docs/scenarios.md", "## Keys before any table", ROOT_KEYS),
        ("docs/scenarios.md", "A tier of `tiers`:", ClosTier::KEYS),
        ("docs/scenarios.md", "An entry of `racks`:", ClosRack::KEYS),
        ("docs/harm.md", "## Keys", HarmSettings::KEYS),
        ("docs/sweeps.md", "## The file", sweep::SWEEP_KEYS),
        ("docs/sweeps.md", "### `[[axis]]`", sweep::AXIS_KEYS),
        ("docs/sweeps.md", "A `range`:", sweep::NumberSteps::KEYS),
        (
            "docs/sweeps.md",
            "An `[[axis.variant]]`:",
            sweep::VARIANT_KEYS,
        ),
        ("docs/sweeps.md", "### `[[override]]`", sweep::OVERRIDE_KEYS),
    ];
    let others = others
        .into_iter()
        .map(|(name, line, keys)| (name, line.to_owned(), keys.to_vec()));
    of_scenarios.chain(others).collect()
}

#[test]
fn the_tables_of_keys_are_those_of_the_code() {
    let mut documents: BTreeMap<&str, String> = BTreeMap::new();
    for (name, heading, keys) in tables() {
        let document = documents.entry(name).or_insert_with(|| project_text(name));
        *document = with_rows(document, &heading, &keys)
            .unwrap_or_else(|| panic!("{name} has no table of keys below `{heading}`"));
    }
    for (name, wanted) in documents {
        if env::var_os("FABRICSIM_WRITE_TABLES").is_some() {
            fs::write(project(name), wanted).expect("a document that can be written");
            continue;
        }
        let document = project_text(name);
        let old = document.lines().zip(wanted.lines());
        let changed: Vec<_> = old.filter(|(old, new)| old != new).collect();
        assert!(
            document == wanted,
            "{name} is not what the code says; FABRICSIM_WRITE_TABLES=1 and this test write it \
             anew: {changed:#?}"
        );
    }
}

/// A default that is a name is one of the choices.
#[test]
fn defaults_are_among_the_choices() {
    for (_, heading, keys) in tables() {
        for key in &keys {
            if let (ValueKind::Name(choices), DefaultValue::Value(default)) =
                (key.kind, key.default)
            {
                let chosen = choices
                    .iter()
                    .any(|choice| format!("\"{}\"", choice.name) == default);
                assert!(chosen, "{heading}, `{}`: {default}", key.name);
            }
        }
    }
}
