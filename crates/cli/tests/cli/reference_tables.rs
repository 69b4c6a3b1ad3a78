//! Tables of keys in documents are made from the descriptions of the keys.
//!
//! `FABRICSIM_WRITE_TABLES=1 cargo test -p fabricsim-cli --test cli reference_tables` writes them anew.

use std::env;
use std::fs;

use fabricsim_core::input::{DefaultValue, Key, ValueKind};
use fabricsim_scenario::json_schema::described_tables;

use crate::support::{project, project_text};

/// The document with the tables of scenarios.
const DOCUMENT: &str = "docs/scenarios.md";

/// The line above the columns of a table of keys.
const COLUMNS: &str = "| key | value | meaning |\n|---|---|---|\n";

/// `document` with the rows of `keys` in the first table below `heading`.
fn with_rows(document: &str, heading: &str, keys: &[Key]) -> Option<String> {
    let section = document.find(&format!("\n{heading}\n"))?;
    let rows = section + document[section..].find(COLUMNS)? + COLUMNS.len();
    let old: usize = document[rows..]
        .split_inclusive('\n')
        .take_while(|line| line.starts_with('|'))
        .map(str::len)
        .sum();
    let new: String = keys.iter().map(|key| key.row() + "\n").collect();
    Some([&document[..rows], &new, &document[rows + old..]].concat())
}

#[test]
fn the_tables_of_keys_are_those_of_the_code() {
    let document = project_text(DOCUMENT);
    let wanted = described_tables()
        .iter()
        .filter(|table| !table.keys.is_empty())
        .fold(document.clone(), |text, table| {
            let level = if table.group.is_some() { "###" } else { "##" };
            let heading = format!("{level} `{}`", table.name);
            with_rows(&text, &heading, &table.keys)
                .unwrap_or_else(|| panic!("{DOCUMENT} has no table of keys below `{heading}`"))
        });
    if env::var_os("FABRICSIM_WRITE_TABLES").is_some() {
        fs::write(project(DOCUMENT), wanted).expect("a document that can be written");
        return;
    }
    let old = document.lines().zip(wanted.lines());
    let changed: Vec<_> = old.filter(|(old, new)| old != new).collect();
    assert!(
        document == wanted,
        "{DOCUMENT} is not what the code says; FABRICSIM_WRITE_TABLES=1 and this test write it \
         anew: {changed:#?}"
    );
}

/// A name that is a default is one of the choices.
#[test]
fn defaults_are_among_the_choices() {
    for table in described_tables() {
        for key in &table.keys {
            if let (ValueKind::Name(choices), DefaultValue::Value(default)) =
                (key.kind, key.default)
            {
                let chosen = choices
                    .iter()
                    .any(|choice| format!("\"{}\"", choice.name) == default);
                assert!(chosen, "`{}`, `{}`: {default}", table.name, key.name);
            }
        }
    }
}
