//! `fabricsim schema` and `fabricsim completions`.

use std::fs;
use std::path::PathBuf;

use jsonschema::Validator;
use serde_json::Value;

use crate::support::{Folder, project};

/// Returns a validator of the printed schema.
fn validator() -> Validator {
    let printed = Folder::new().run(&["schema"]).succeeded().stdout;
    let schema: Value = serde_json::from_str(&printed).expect("the schema is JSON");
    assert!(jsonschema::meta::is_valid(&schema));
    jsonschema::validator_for(&schema).expect("a schema")
}

fn scenario(text: &str) -> Value {
    let tables: toml::Table = text.parse().expect("TOML");
    serde_json::to_value(tables).expect("JSON")
}

#[test]
fn the_examples_follow_the_schema() {
    let validator = validator();
    let mut count = 0;
    for folder in ["examples/scenarios", "examples/deadlock"] {
        for entry in fs::read_dir(project(folder)).expect("the examples") {
            let path: PathBuf = entry.expect("an entry").path();
            if path.extension().is_none_or(|ending| ending != "toml") {
                continue;
            }
            let text = fs::read_to_string(&path).expect("a scenario");
            if let Err(error) = validator.validate(&scenario(&text)) {
                panic!("{}: {error} at {}", path.display(), error.instance_path());
            }
            count += 1;
        }
    }
    assert!(count > 15, "{count}");
}

#[test]
fn errors_are_against_the_schema() {
    let validator = validator();
    let good = "[topology]\nkind = \"star\"\nhosts = 4\n[[workload]]\nkind = \"permutation\"\n\
                size = \"1MB\"\n[cc]\nkind = \"hpcc\"\neta = 0.9\n[run]\nstop_at = \"1ms\"\n";
    assert!(validator.is_valid(&scenario(good)));
    for (right, wrong) in [
        ("eta = 0.9", "etta = 0.9"),
        ("eta = 0.9", "eta = 0.0"),
        ("eta = 0.9", "eta = \"0.9\""),
        ("eta = 0.9", "form = \"both\""),
        ("kind = \"hpcc\"", "kind = \"hpc\""),
        ("hosts = 4", "hosts = 1"),
        ("hosts = 4", "delay = 5"),
        ("size = \"1MB\"", "count = 2"),
        ("stop_at", "stop_att"),
        ("[run]", "[runs]"),
    ] {
        let bad = good.replace(right, wrong);
        assert_ne!(bad, good);
        assert!(!validator.is_valid(&scenario(&bad)), "{wrong}");
    }
}

#[test]
fn shells_complete_every_command() {
    for shell in ["bash", "zsh", "fish"] {
        let script = Folder::new()
            .run(&["completions", shell])
            .succeeded()
            .stdout;
        for word in [
            "run",
            "sweep",
            "check",
            "completions",
            "schema",
            "profile-parallelism",
        ] {
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
}
