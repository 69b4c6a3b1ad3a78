//! The crates import only the crates that ARCHITECTURE.md lists.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use crate::support::{project, project_text};

/// The crates that each crate of the workspace imports, by name.
type Imports = BTreeMap<String, BTreeSet<String>>;

/// Reads the documented dependencies: the lines `name -> names` of ARCHITECTURE.md, from the top
/// layer down.
fn documented() -> Vec<(String, BTreeSet<String>)> {
    let text = project_text("ARCHITECTURE.md");
    let lines = text.lines().filter(|line| line.starts_with("fabricsim"));
    let arrows = lines.filter_map(|line| line.split_once(" ->"));
    let names = |text: &str| text.split_whitespace().map(str::to_owned).collect();
    arrows
        .map(|(name, imports)| (name.to_owned(), names(imports)))
        .collect()
}

/// Returns the packages of the workspace as cargo describes them.
pub(crate) fn packages() -> Vec<serde_json::Value> {
    let output = Command::new(env!("CARGO"))
        .args([
            "metadata",
            "--no-deps",
            "--offline",
            "--format-version",
            "1",
        ])
        .current_dir(project(""))
        .output()
        .expect("cargo runs");
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let packages = metadata["packages"].as_array().expect("packages");
    packages.clone()
}

/// Reads the dependencies between the crates from the manifests, without dev-dependencies.
fn in_manifests() -> Imports {
    let packages = packages();
    let text = |value: &serde_json::Value| value.as_str().expect("a name").to_owned();
    let imports = |package: &serde_json::Value| {
        let dependencies = package["dependencies"].as_array().expect("dependencies");
        let own = dependencies
            .iter()
            .filter(|dependency| dependency["kind"].is_null() && !dependency["path"].is_null());
        own.map(|dependency| text(&dependency["name"])).collect()
    };
    packages
        .iter()
        .map(|package| (text(&package["name"]), imports(package)))
        .collect()
}

#[test]
fn the_crates_import_what_the_architecture_says() {
    let documented = documented();
    assert_eq!(Imports::from_iter(documented.clone()), in_manifests());
    for (place, (name, imports)) in documented.iter().enumerate() {
        for import in imports {
            let below = documented[place + 1..]
                .iter()
                .any(|(other, _)| other == import);
            assert!(below, "{name} does not stand above {import}");
        }
    }
}
