//! Packages of the workspace have the metadata that registries show, and the license texts.

use std::fs;

use serde_json::Value;

use crate::support::{Folder, project, project_text};

/// Folders below `crates` of the packages that are not published.
const UNPUBLISHED: [&str; 3] = ["capi", "playground", "python"];

/// Folders below `crates` of the packages with a stable interface.
const PUBLIC: [&str; 2] = ["cli", "fabricsim"];

/// Features that documentation on docs.rs cannot have: their libraries are not installed there.
const NOT_ON_DOCS_RS: [&str; 2] = ["default", "mpi"];

/// Reads the manifests of the workspace, each with the name of its folder below `crates`.
fn packages() -> Vec<(String, Value)> {
    let packages = crate::crates::packages();
    let folder = |package: &Value| {
        let manifest = package["manifest_path"].as_str().expect("a path");
        let mut parts = manifest.rsplit(['/', '\\']);
        parts.nth(1).expect("a folder").to_owned()
    };
    packages
        .iter()
        .map(|package| (folder(package), package.clone()))
        .collect()
}

/// Returns the packages that are published.
fn published() -> Vec<(String, Value)> {
    let mut packages = packages();
    packages.retain(|(folder, _)| !UNPUBLISHED.contains(&folder.as_str()));
    packages
}

#[test]
fn only_crates_for_other_languages_stay_unpublished() {
    for (folder, package) in packages() {
        let publish = &package["publish"];
        if UNPUBLISHED.contains(&folder.as_str()) {
            assert_eq!(*publish, serde_json::json!([]), "{folder}");
        } else {
            assert!(publish.is_null(), "{folder}: {publish}");
        }
    }
}

/// The limits are those of crates.io: https://doc.rust-lang.org/cargo/reference/manifest.html
#[test]
fn published_packages_have_the_metadata_of_a_registry() {
    let published = published();
    assert!(published.len() > 15, "{}", published.len());
    for (folder, package) in published {
        for key in ["description", "license", "repository", "homepage", "readme"] {
            let value = package[key].as_str().unwrap_or_default();
            assert!(!value.is_empty(), "{folder} has no {key}");
        }
        for key in ["keywords", "categories"] {
            let values = package[key].as_array().expect("a list");
            assert!((1..=5).contains(&values.len()), "{folder}: {key}");
        }
        let description = package["description"].as_str().unwrap_or_default();
        assert!(description.len() <= 120, "{folder}: {description}");
        assert_eq!(
            description.contains("internal"),
            !PUBLIC.contains(&folder.as_str()),
            "{folder}: {description}"
        );
    }
}

#[test]
fn docs_rs_builds_all_features_that_it_can() {
    for (folder, package) in published() {
        let features = package["features"].as_object().expect("features");
        let docs = &package["metadata"]["docs"]["rs"];
        if docs["all-features"] == true {
            assert!(!features.contains_key("mpi"), "{folder}");
            continue;
        }
        let default = features.get("default").and_then(Value::as_array);
        let named = docs["features"].as_array();
        for feature in features.keys() {
            let built = [default, named]
                .into_iter()
                .flatten()
                .flatten()
                .any(|name| name == feature);
            let expected = !NOT_ON_DOCS_RS.contains(&feature.as_str());
            assert_eq!(built, expected, "{folder}: {feature}");
        }
    }
}

/// Packages are packed one by one, so each has copies.
#[test]
fn packages_have_a_readme_and_the_license_texts() {
    for (folder, package) in packages() {
        if folder == "playground" {
            continue;
        }
        for license in ["LICENSE-APACHE", "LICENSE-MIT"] {
            let copy = project_text(&format!("crates/{folder}/{license}"));
            assert_eq!(copy, project_text(license), "{folder}: {license}");
        }
        let readme = project_text(&format!("crates/{folder}/README.md"));
        let name = package["name"].as_str().expect("a name");
        let internal = readme.contains("This crate is internal.");
        assert!(
            readme.starts_with(&format!("# {name}\n")) || !internal,
            "{folder}"
        );
        let expected = !PUBLIC.contains(&folder.as_str()) && package["publish"].is_null();
        assert_eq!(internal, expected, "{folder}");
    }
}

/// The program in the README of the library is the first one of its documentation, which runs as a
/// test.
#[test]
fn the_program_of_the_readme_is_tested() {
    let readme = project_text("crates/fabricsim/README.md");
    let (_, rest) = readme.split_once("```rust\n").expect("a program");
    let (shown, _) = rest.split_once("```").expect("its end");
    let shown: Vec<&str> = shown.lines().map(str::trim).collect();
    let library = project_text("crates/fabricsim/src/lib.rs");
    let documentation = library
        .lines()
        .filter_map(|line| line.strip_prefix("//!"))
        .map(str::trim);
    let tested: Vec<&str> = documentation
        .skip_while(|line| *line != "```")
        .skip(1)
        .take_while(|line| *line != "```")
        .filter(|line| !line.starts_with("# "))
        .collect();
    assert_eq!(shown, tested);
}

#[test]
fn every_description_of_the_project_has_its_version() {
    let version = env!("CARGO_PKG_VERSION");
    for (path, line) in [
        ("CITATION.cff", format!("version: {version}")),
        ("codemeta.json", format!("\"version\": \"{version}\",")),
        (
            "packaging/spack/package.py",
            format!("version(\"{version}\", tag=\"v{version}\")"),
        ),
    ] {
        let text = project_text(path);
        let found = text.lines().any(|found| found.trim() == line);
        assert!(found, "{path} has no line `{line}`");
    }
}

#[test]
fn the_artifact_guide_has_the_checksum_of_the_built_in_scenario() {
    let folder = Folder::new();
    folder.run(&["run", "--quiet", "--out", "out"]).succeeded();
    let summary = folder.summary("out");
    let checksum = summary["checksum"].as_str().expect("a checksum");
    let guide = project_text("docs/artifact.md");
    assert!(
        guide.contains(&format!("checksum {checksum}")),
        "{checksum}"
    );
}

/// The command has the default scenario built in, from a copy inside of its package.
#[test]
fn the_default_scenario_is_the_one_of_the_examples() {
    let copy = project_text("crates/cli/data/default.toml");
    assert_eq!(copy, project_text("examples/scenarios/default.toml"));
}

/// A package that includes a file from outside does not compile from a registry.
#[test]
fn no_published_source_includes_a_file_from_outside_of_its_package() {
    for (folder, _) in published() {
        let root = project("crates").join(&folder);
        let mut sources = Vec::new();
        crate::glossary::add_texts(&root.join("src"), &mut sources);
        sources.retain(|path| path.extension().is_some_and(|end| end == "rs"));
        assert!(!sources.is_empty(), "{folder}");
        for source in sources {
            let text = fs::read_to_string(&source).expect("a text");
            let depth = source.strip_prefix(&root).expect("below").components();
            let outside = "../".repeat(depth.count());
            assert!(
                !text.contains(&format!("\"{outside}")),
                "{} names a file outside of its package",
                source.display()
            );
        }
    }
}
