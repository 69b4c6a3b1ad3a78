//! deny.toml allows all packages that fabricsim depends on. This test also works on machines
//! without `cargo deny`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::process::Command;

use serde_json::Value;
use spdx::{Expression, Licensee, ParseMode};
use toml::Table;

use crate::support::project;

const REGISTRY: &str = "registry+https://github.com/rust-lang/crates.io-index";

/// A package as `cargo metadata` describes it.
struct Package {
    name: String,
    version: String,
    license: String,
    /// Origin of the package, such as a registry; `None` for a package of the workspace.
    source: Option<String>,
    /// The oldest compiler that it supports.
    rust_version: Option<String>,
}

/// Returns the output of cargo for the arguments in `command` and `more`.
fn cargo(command: &str, more: &[&str]) -> String {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(command.split(' '))
        .args(more)
        .current_dir(project(""))
        .output()
        .expect("cargo runs");
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "cargo {command}: {error}");
    String::from_utf8(output.stdout).expect("text")
}

/// Returns the packages of this build, for this platform and its features. Cargo has all of them
/// already, so the test needs no network.
fn packages() -> Vec<Package> {
    let mut features = vec!["--locked"];
    if cfg!(all(feature = "parquet", feature = "mpi")) {
        features.push("--all-features");
    }
    // `cargo metadata` also lists packages that only features that are off would need, and `cargo
    // tree` does not.
    let tree = "tree --workspace --prefix none --no-dedupe --format {p}";
    let tree = cargo(tree, &features);
    let used: BTreeSet<(&str, &str)> = tree
        .lines()
        .filter_map(|line| {
            let mut words = line.split(' ');
            Some((words.next()?, words.next()?.strip_prefix('v')?))
        })
        .collect();

    let version = cargo("-vV", &[]);
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    let host = host.expect("a host");
    let metadata = format!("metadata --format-version 1 --filter-platform {host}");
    let metadata = cargo(&metadata, &features);
    let metadata: Value = serde_json::from_str(&metadata).expect("metadata is JSON");
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let packages = metadata["packages"].as_array().expect("packages").iter();
    let packages: Vec<Package> = packages
        .map(|package| Package {
            name: text(&package["name"]).expect("a name"),
            version: text(&package["version"]).expect("a version"),
            license: text(&package["license"]).unwrap_or_default(),
            source: text(&package["source"]),
            rust_version: text(&package["rust_version"]),
        })
        .filter(|package| used.contains(&(&*package.name, &*package.version)))
        .collect();
    assert_eq!(packages.len(), used.len());
    packages
}

/// Returns a table of deny.toml.
fn rules(table: &str) -> Table {
    let text = fs::read_to_string(project("deny.toml")).expect("deny.toml");
    let rules: Table = text.parse().expect("deny.toml is TOML");
    rules[table].as_table().expect("a table").clone()
}

#[test]
fn licenses_are_allowed() {
    let rules = rules("licenses");
    let allowed: Vec<Licensee> = rules["allow"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|name| Licensee::parse(name.as_str().expect("a name")).expect("an SPDX name"))
        .collect();
    // Packages from before 2021 write `MIT/Apache-2.0`.
    let mode = ParseMode {
        allow_slash_as_or_operator: true,
        ..ParseMode::STRICT
    };
    for package in packages() {
        let Package { name, license, .. } = &package;
        let expression = Expression::parse_mode(license, mode)
            .unwrap_or_else(|error| panic!("{name}: `{license}` is no SPDX expression: {error}"));
        assert!(
            expression.evaluate(|wanted| allowed.iter().any(|one| one.satisfies(wanted))),
            "{name}: deny.toml does not allow `{license}`"
        );
    }
}

#[test]
fn packages_have_one_version_or_are_listed() {
    let rules = rules("bans");
    let skipped: BTreeSet<&str> = rules["skip"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|skip| skip["crate"].as_str().expect("a package"))
        .collect();
    let mut versions: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for package in packages() {
        // `name@1` and `name@0.2` cover all versions that begin so.
        let covered = |skip: &&str| {
            let (name, version) = skip.split_once('@').expect("a name and a version");
            let rest = package.version.strip_prefix(version);
            name == package.name && rest.is_some_and(|rest| rest.starts_with('.'))
        };
        if !skipped.iter().any(covered) {
            let of_name = versions.entry(package.name).or_default();
            of_name.push(package.version);
        }
    }
    versions.retain(|_, versions| versions.len() > 1);
    assert_eq!(versions, BTreeMap::new());
}

#[test]
fn packages_come_from_the_registry_or_the_workspace() {
    for package in packages() {
        let Package { name, source, .. } = &package;
        assert!(
            matches!(source.as_deref(), None | Some(REGISTRY)),
            "{name} comes from {source:?}"
        );
    }
}

/// The workspace requires at least the compiler that each package requires.
#[test]
fn packages_work_with_the_oldest_compiler() {
    let numbers = |text: &str| -> Vec<u32> {
        let parts = text.split('.');
        parts
            .map(|part| part.parse().expect("a version of the compiler"))
            .chain([0])
            .take(3)
            .collect()
    };
    let packages = packages();
    let ours = packages
        .iter()
        .find(|package| package.name == "fabricsim")
        .and_then(|package| package.rust_version.as_deref())
        .expect("the workspace has a rust-version");
    for package in &packages {
        if let Some(theirs) = &package.rust_version {
            assert!(
                numbers(theirs) <= numbers(ours),
                "{} needs Rust {theirs}, and the workspace promises {ours}",
                package.name
            );
        }
    }
}
