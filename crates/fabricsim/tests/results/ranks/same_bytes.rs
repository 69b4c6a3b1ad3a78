//! Results of one process, compared with ranks that are threads of this process.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use fabricsim::Scenario;
use fabricsim::outcome::{RunParts, run_in_parts_to_folder};
use fabricsim_base::ranks::{LocalRanks, Ranks};

use crate::cases::cases;

/// Keys that depend on the machine, or on the number of ranks.
const MEASURED: [&str; 6] = [
    "cpu_s",
    "packet_hops_per_cpu_s",
    "peak_memory_bytes",
    "ranks",
    "threads",
    "wall_s",
];

/// Returns the files of `folder` by name, and of the summary all keys that do not depend on the
/// machine.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        let mut bytes = fs::read(entry.path()).unwrap();
        if name.starts_with("summary") {
            let mut summary: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
            let summary = summary.as_object_mut().unwrap();
            MEASURED.iter().for_each(|key| drop(summary.remove(*key)));
            bytes = serde_json::to_vec_pretty(summary).unwrap();
        }
        files.insert(name, bytes);
    }
    files
}

/// Runs `scenario` on `count` ranks and returns the results.
fn run(scenario: &Scenario, count: usize, threads: usize) -> BTreeMap<String, Vec<u8>> {
    let folder = tempfile::tempdir().unwrap();
    run_in(folder.path(), scenario, count, threads);
    files(folder.path())
}

/// Runs `scenario` on `count` ranks, with results in `dir`.
fn run_in(dir: &Path, scenario: &Scenario, count: usize, threads: usize) {
    std::thread::scope(|scope| {
        let ranks = LocalRanks::new(count).into_iter();
        let ranks = ranks.map(|ranks| {
            scope.spawn(move || {
                let parts = RunParts {
                    ranks: Some(Arc::new(ranks) as Arc<dyn Ranks>),
                    ..RunParts::default()
                };
                run_in_parts_to_folder(scenario, dir, threads, &mut (), parts)
            })
        });
        for rank in ranks.collect::<Vec<_>>() {
            rank.join().unwrap().unwrap();
        }
    });
}

/// Checks that `scenario`, with the name `name`, has the same results on ranks and threads of
/// `numbers` as in one process. Returns the summary.
pub(crate) fn assert_ranks_do_not_matter(
    scenario: &Scenario,
    numbers: &[(usize, usize)],
    name: &str,
) -> serde_json::Value {
    let alone = run(scenario, 1, 1);
    for &(count, threads) in numbers {
        let together = run(scenario, count, threads);
        let what = format!("{name} on {count} ranks of {threads} threads");
        assert!(alone.keys().eq(together.keys()), "{what}: other files");
        for (file, bytes) in &alone {
            if together[file] != *bytes {
                let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
                let (one, other) = (text(bytes), text(&together[file]));
                let mut lines = one.lines().zip(other.lines()).zip(1..);
                let first = lines.find(|((one, other), _)| one != other);
                panic!("{what}: {file} differs: {first:?}");
            }
        }
    }
    serde_json::from_slice(&alone["summary.json"]).unwrap()
}

#[test]
fn ranks_have_the_results_of_one_process() {
    for case in cases() {
        assert_ranks_do_not_matter(&case.scenario(), &[(2, 1), (3, 2), (4, 1)], case.name);
    }
}

#[test]
fn ranks_see_a_deadlock_together() {
    let scenario = example("deadlock/deadlock-ring.toml", &[]);
    let summary = assert_ranks_do_not_matter(&scenario, &[(2, 1), (4, 1)], "deadlock");
    assert_eq!(summary["status"], "deadlocked");
}

/// Packets on a link that fails are lost, also if another rank has counted their arrivals.
#[test]
fn ranks_forget_the_packets_on_a_link_that_fails() {
    let text = r#"
        seed = 82
        [topology]
        kind = "dumbbell"
        hosts_per_side = 4
        host_delay = "100ns"
        [cc]
        kind = "none"
        [[workload]]
        kind = "serving"
        model = "llama-3-8b"
        rate = 100000
        tokens = "exponential"
        input_tokens = 3
        front_end = 7
        [[event]]
        kind = "link-down"
        link = [8, 9]
        at = "29us"
    "#;
    let scenario = Scenario::from_text("down", text, Path::new("."), &[]).unwrap();
    let summary = assert_ranks_do_not_matter(&scenario, &[(2, 1), (3, 1)], "down");
    assert_eq!(summary["status"], "stalled");
}

#[test]
#[ignore = "takes minutes"]
fn ranks_have_the_results_of_one_process_in_all_examples() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/scenarios");
    for entry in fs::read_dir(folder).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        if !name.ends_with(".toml") {
            continue;
        }
        let shorter = match name.as_str() {
            "fat320-websearch-50.toml" => vec!["workload.0.duration=300us".to_owned()],
            _ => Vec::new(),
        };
        let scenario = example(&format!("scenarios/{name}"), &shorter);
        let numbers = [(1, 2), (2, 1), (2, 2), (3, 1), (3, 2), (4, 1), (4, 2)];
        assert_ranks_do_not_matter(&scenario, &numbers, &name);
    }
}

/// An example, by its path in the folder of examples.
fn example(path: &str, changes: &[String]) -> Scenario {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    Scenario::from_file(&folder.join(path), changes).unwrap()
}

/// Prints the CPU time of ranks, next to the CPU time of one process. Other programs share the
/// cores of the machine, so wall times say little here.
#[test]
#[ignore = "measures"]
fn what_ranks_take() {
    let shorter = vec!["workload.0.duration=2ms".to_owned()];
    let scenario = example("scenarios/fat320-websearch-50.toml", &shorter);
    let cpu = |summary: &serde_json::Value| summary["cpu_s"].as_f64().unwrap();
    for count in [1, 2, 4, 1, 2, 4] {
        let folder = tempfile::tempdir().unwrap();
        run_in(folder.path(), &scenario, count, 1);
        let summary = fs::read(folder.path().join("summary.json")).unwrap();
        let summary: serde_json::Value = serde_json::from_slice(&summary).unwrap();
        let ranks: Vec<f64> = match summary["ranks"].as_array() {
            Some(ranks) => ranks.iter().map(cpu).collect(),
            None => vec![cpu(&summary)],
        };
        println!("{count} ranks: {:.2} s, each {ranks:.2?}", cpu(&summary));
    }
}
