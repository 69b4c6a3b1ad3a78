//! The documents say what the code does.

mod commands;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use fabricsim::pint::query::QueryConfig;
use fabricsim_experiments::harm::HarmSettings;
use fabricsim_experiments::sweep;
use fabricsim_scenario::cc::registry::CONGESTION_CONTROLS;
use fabricsim_scenario::schema::keys::Keys;
use fabricsim_scenario::schema::observe::ObserveSettings;
use fabricsim_scenario::schema::profile::Profile;
use fabricsim_scenario::schema::queries::BudgetSettings;
use fabricsim_scenario::schema::queue::QUEUE_KEYS;
use fabricsim_scenario::schema::root::{CLASS_KEYS, ROOT_KEYS};
use fabricsim_scenario::schema::routing::RoutingSettings;
use fabricsim_scenario::schema::run::{OutputSettings, RunSettings};
use fabricsim_scenario::schema::switch::SwitchSettings;
use fabricsim_scenario::schema::{discipline_kinds, event, rdma_keys, tcp_keys};

use crate::support::{project, project_text};

/// Every table of a scenario: its heading in docs/scenarios.md and its keys.
fn tables() -> Vec<(String, Keys)> {
    let mut tables = vec![
        ("## Keys before any table".to_owned(), ROOT_KEYS),
        ("## `[[class]]`".to_owned(), CLASS_KEYS),
        ("## `[switch]`".to_owned(), SwitchSettings::MEANINGS),
        ("## `[rdma]`".to_owned(), rdma_keys()),
        ("## `[tcp]`".to_owned(), tcp_keys()),
        ("## `[[queue]]`".to_owned(), QUEUE_KEYS),
        ("## `[routing]`".to_owned(), RoutingSettings::MEANINGS),
        ("## `[run]`".to_owned(), RunSettings::MEANINGS),
        ("## `[output]`".to_owned(), OutputSettings::MEANINGS),
        ("## `[observe]`".to_owned(), ObserveSettings::MEANINGS),
        ("## `[pint]`".to_owned(), BudgetSettings::MEANINGS),
        ("## `[[query]]`".to_owned(), QueryConfig::MEANINGS),
    ];
    let algorithms = CONGESTION_CONTROLS
        .iter()
        .map(|cc| (cc.name, &*cc.keys().leak()));
    let topologies = fabricsim_topology::KINDS
        .iter()
        .map(|&(name, _, keys)| (name, keys));
    let workloads = fabricsim_workload::KINDS
        .iter()
        .map(|&(name, _, keys)| (name, keys));
    let events = event::KINDS.iter().map(|&(name, _, keys)| (name, keys));
    let queues = discipline_kinds().iter();
    let queues = queues.map(|&(name, _, keys)| (name, keys));
    let kinds = algorithms.chain(topologies).chain(workloads).chain(events);
    for (name, keys) in kinds.chain(queues) {
        tables.push((format!("### `{name}`"), keys));
    }
    tables
}

#[test]
fn every_key_of_a_scenario_is_documented_under_its_table() {
    for (heading, keys) in tables() {
        assert_documented("docs/scenarios.md", &heading, keys);
    }
}

#[test]
fn every_key_of_a_harm_test_is_documented() {
    assert_documented("docs/harm.md", "## Keys", HarmSettings::KEYS);
}

#[test]
fn every_key_of_a_sweep_is_documented_under_its_table() {
    for (heading, keys) in [
        ("## The file", sweep::SWEEP_KEYS),
        ("### `[[axis]]`", sweep::AXIS_KEYS),
        ("### `[[axis]]`", sweep::RANGE_KEYS),
        ("### `[[axis]]`", sweep::VARIANT_KEYS),
        ("### `[[override]]`", sweep::OVERRIDE_KEYS),
    ] {
        assert_documented("docs/sweeps.md", heading, keys);
    }
}

/// A word of a command, where it names an example with the path of that.
fn of_project(word: &str) -> String {
    if word.starts_with("examples/") {
        project(word).display().to_string()
    } else {
        word.to_owned()
    }
}

/// Checks that the section below `heading` has a row for each key that says what it means.
fn assert_documented(name: &str, heading: &str, keys: Keys) {
    let document = project_text(name);
    let start = document
        .find(&format!("\n{heading}\n"))
        .unwrap_or_else(|| panic!("{name} has no heading `{heading}`"));
    let section = &document[start + heading.len() + 2..];
    let section = section.split("\n#").next().unwrap_or_default();
    for (key, meaning) in keys {
        let rows: Vec<&str> = section
            .lines()
            .filter(|line| line.starts_with(&format!("| `{key}` |")))
            .collect();
        assert!(!rows.is_empty(), "{name}, {heading}: no row for `{key}`");
        assert!(
            rows.iter().any(|row| plain(row).contains(&plain(meaning))),
            "{name}, {heading}, `{key}` says\n{rows:?}\nand the code says\n{meaning}"
        );
    }
}

/// Every algorithm has a section in docs/congestion-control.md, with a row for each of its keys.
#[test]
fn every_algorithm_is_described_with_its_keys() {
    let document = project_text("docs/congestion-control.md");
    for cc in CONGESTION_CONTROLS {
        let heading = format!("\n## `{}`\n", cc.name);
        let (_, section) = document.split_once(&heading).unwrap_or_else(|| {
            panic!(
                "docs/congestion-control.md has no heading `{}`",
                heading.trim()
            )
        });
        let section = section.split("\n## ").next().unwrap_or_default();
        for (key, _) in cc.keys() {
            assert!(
                section
                    .lines()
                    .any(|line| line.starts_with(&format!("| `{key}` |"))),
                "docs/congestion-control.md, {}: no row for `{key}`",
                heading.trim()
            );
        }
    }
}

/// A text without quotation marks and backticks, which the two places use differently.
fn plain(text: &str) -> String {
    text.replace(['`', '"'], "")
}

#[test]
fn every_profile_is_documented() {
    let fidelity = project_text("docs/fidelity.md");
    for name in Profile::NAMES {
        assert!(
            fidelity.contains(&format!("`profile = \"{name}\"`")),
            "{name}"
        );
    }
}

/// The files of `folder` whose text holds `mark`, with how often.
fn marked(folder: &Path, mark: &str, found: &mut BTreeMap<String, usize>) {
    for entry in fs::read_dir(folder).expect("a folder of sources") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            marked(&path, mark, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            let count = fs::read_to_string(&path)
                .expect("a source")
                .matches(mark)
                .count();
            if count > 0 {
                let root = project("crates");
                let path = path.strip_prefix(root).expect("below crates").display();
                found.insert(format!("crates/{path}"), count);
            }
        }
    }
}

#[test]
fn every_deviation_from_a_paper_is_documented() {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(project("crates")).expect("the crates") {
        let sources = entry.expect("an entry").path().join("src");
        marked(&sources, "Differs from the paper:", &mut found);
    }
    assert!(
        !found.is_empty(),
        "the marks are spelled in another way now"
    );
    let document = project_text("docs/fidelity.md");
    for (file, count) in found {
        let rows = document
            .lines()
            .filter(|line| line.starts_with('|') && line.contains(&format!("`{file}`")))
            .count();
        assert_eq!(
            rows, count,
            "docs/fidelity.md has {rows} of the {count} deviations of {file}"
        );
    }
}

/// Files that a document points to, and examples that it runs, are there.
#[test]
fn what_the_documents_point_to_exists() {
    for name in [
        "README.md",
        "ARCHITECTURE.md",
        "CONTRIBUTING.md",
        "docs/scenarios.md",
        "docs/congestion-control.md",
        "docs/outputs.md",
        "docs/sweeps.md",
        "docs/reproduce.md",
        "docs/micro.md",
        "docs/pint.md",
        "docs/harm.md",
        "docs/fidelity.md",
    ] {
        let text = project_text(name);
        let folder = Path::new(name).parent().expect("a file is in a folder");
        let links = text
            .split("](")
            .skip(1)
            .filter_map(|rest| rest.split(')').next())
            .filter(|link| !link.starts_with("http") && !link.starts_with('#'));
        for link in links {
            let target = project(&folder.join(link).display().to_string());
            assert!(target.exists(), "{name} links to {link}");
        }
        for rest in text.split("--example ").skip(1) {
            let example = rest.split_whitespace().next().unwrap_or_default();
            let source = project(&format!("examples/{example}.rs"));
            assert!(source.exists(), "{name} runs the example {example}");
        }
        for folder in [
            "examples/scenarios/",
            "examples/deadlock/",
            "examples/sweeps/",
        ] {
            for path in text.split(folder).skip(1) {
                let file: String = path
                    .chars()
                    .take_while(|c| c.is_alphanumeric() || matches!(c, '-' | '.' | '_'))
                    .collect();
                let source = project(&format!("{folder}{file}"));
                assert!(source.exists(), "{name} names the scenario {folder}{file}");
            }
        }
    }
}
