//! The documents say what the code does.

mod commands;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use fabricsim_base::input::Key;
use fabricsim_scenario::cc::registry::CONGESTION_CONTROLS;
use fabricsim_scenario::schema::profile::Profile;

use crate::support::{project, project_text};

/// A word of a command, where it names an example with the path of that.
fn of_project(word: &str) -> String {
    if word.starts_with("examples/") {
        project(word).display().to_string()
    } else {
        word.to_owned()
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
        for Key { name: key, .. } in cc.keys() {
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
        "docs/sql.md",
        "docs/sweeps.md",
        "docs/reproduce.md",
        "docs/micro.md",
        "docs/pint.md",
        "docs/python.md",
        "docs/harm.md",
        "docs/fidelity.md",
        "docs/checkpoints.md",
        "docs/install.md",
        "docs/traces.md",
        "docs/artifact.md",
        "SECURITY.md",
    ] {
        let text = project_text(name);
        let folder = Path::new(name).parent().expect("a file is in a folder");
        let links = text
            .split("](")
            .skip(1)
            .filter_map(|rest| rest.split(')').next())
            .filter(|link| !link.starts_with("http") && !link.starts_with('#'));
        for link in links {
            let (file, _heading) = link.split_once('#').unwrap_or((link, ""));
            let target = project(&folder.join(file).display().to_string());
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
