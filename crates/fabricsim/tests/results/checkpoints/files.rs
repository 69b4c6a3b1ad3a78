//! Runs that write results: a run that continues from a checkpoint writes the results of the whole
//! run.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use fabricsim::Scenario;
use fabricsim::checkpoint::Checkpoint;
use fabricsim::outcome::{RunParts, Summary, WantedCheckpoint, run_in_parts_to_folder};
use fabricsim_base::units::Time;
use serde_json::Value;

use crate::cases::{Case, cases};
use crate::checkpoints::state::instants;

/// Keys of `summary.json` that describe the run instead of its results: times of the computer, and
/// the division of simulated time.
const OF_THE_RUN: &[&str] = &[
    "checkpoints",
    "cpu_s",
    "epochs",
    "packet_hops_per_cpu_s",
    "peak_memory_bytes",
    "threads",
    "wall_s",
];

/// Returns the files of a folder of results, without the values that belong to one run.
fn files(dir: &Path) -> BTreeMap<String, String> {
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        let mut text = fs::read_to_string(&path).unwrap();
        if name == "summary.json" {
            let mut summary: Value = serde_json::from_str(&text).unwrap();
            for key in OF_THE_RUN {
                summary.as_object_mut().unwrap().remove(*key);
            }
            text = format!("{summary:#}");
        }
        files.insert(name, text);
    }
    files
}

fn run(scenario: &Scenario, dir: &Path, threads: usize, parts: RunParts<'_>) -> Summary {
    let ran = run_in_parts_to_folder(scenario, dir, threads, &mut (), parts);
    ran.unwrap_or_else(|error| panic!("{}: {error}", scenario.name()))
}

/// Runs a case as a whole, in one run that leaves checkpoints at `count` instants, and from each of
/// these to the end.
fn check(case: &Case, count: usize, threads: usize) {
    let scenario = case.scenario();
    let name = case.name;
    let root = tempfile::tempdir().unwrap();
    let dir = root.path();
    let whole = run(&scenario, &dir.join("whole"), 1, RunParts::default());
    let expected = files(&dir.join("whole"));
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a time of less than a second"
    )]
    let end = Time::from_ns(whole.simulated_ns as u64);
    let wanted = instants(11, end, count).into_iter().enumerate();
    let checkpoints: Vec<WantedCheckpoint> = wanted
        .map(|(number, at)| WantedCheckpoint {
            at,
            path: dir.join(format!("{number}.checkpoint")),
        })
        .collect();
    let parts = RunParts {
        checkpoints: checkpoints.clone(),
        ..RunParts::default()
    };
    let taken = run(&scenario, &dir.join("taken"), threads, parts).checkpoints;
    assert_eq!(taken.len(), count, "{name}");
    assert!(files(&dir.join("taken")) == expected, "{name}");
    for (number, wanted) in checkpoints.iter().enumerate() {
        let from = Checkpoint::read(&wanted.path).unwrap();
        assert_eq!(from.time(), wanted.at, "{name}");
        let parts = RunParts {
            from: Some(&from),
            ..RunParts::default()
        };
        let to = dir.join(format!("from{number}"));
        run(&scenario, &to, 1 + (threads + number) % 3, parts);
        for (file, text) in files(&to) {
            assert!(expected[&file] == text, "{name} at {}: {file}", wanted.at);
        }
        assert_eq!(files(&to).len(), expected.len(), "{name}");
    }
}

#[test]
fn results_are_those_of_the_whole_run() {
    for (number, case) in cases().iter().enumerate() {
        check(case, 2, 1 + number % 3);
    }
}

/// Twenty instants of every scenario, with different numbers of threads before and after.
#[test]
#[ignore = "takes minutes"]
fn results_are_those_of_the_whole_run_at_twenty_instants() {
    for (number, case) in cases().iter().enumerate() {
        check(case, 20, 1 + number % 3);
    }
}
