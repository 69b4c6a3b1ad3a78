//! Results are the same for any number of threads, byte for byte, on every scenario of the
//! examples.

use std::fs;
use std::path::{Path, PathBuf};

use fabricsim::Scenario;
use fabricsim::outcome::{Status, run_to_folder};

const THREADS: [usize; 4] = [1, 2, 3, 8];

/// Long scenarios, and overrides that shorten them.
const SHORTENED: &[(&str, &str)] = &[("fat320-websearch-50.toml", "workload.0.duration=300us")];

fn examples() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples/scenarios")
}

/// The scenario files of the examples in the order of their names.
fn scenario_files() -> Vec<PathBuf> {
    let files = fs::read_dir(examples()).unwrap();
    let mut files: Vec<PathBuf> = files
        .map(|file| file.unwrap().path())
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "toml")
        })
        .collect();
    files.sort();
    assert!(!files.is_empty());
    files
}

/// Returns the files of flows, queries, collectives, requests and buffers, the reactions of congestion
/// control, and the checksum after a run of `scenario` on `threads` threads.
fn results(scenario: &Scenario, threads: usize) -> ([String; 6], String) {
    let dir = tempfile::tempdir().unwrap();
    let summary = run_to_folder(scenario, dir.path(), threads, &mut ()).unwrap();
    assert_eq!(summary.status, Status::Finished, "{}", scenario.name());
    let fct = fs::read_to_string(dir.path().join("fct.csv")).unwrap();
    let rpc = fs::read_to_string(dir.path().join("rpc.csv")).unwrap_or_default();
    let collectives = fs::read_to_string(dir.path().join("collectives.csv")).unwrap_or_default();
    let requests = fs::read_to_string(dir.path().join("requests.csv")).unwrap_or_default();
    // A query and its response are a flow each, and share one row. Messages of ranks have none.
    let [flows, queries] = [&fct, &rpc].map(|text| text.lines().skip(1).count() as u64);
    if summary.jobs.is_empty() && summary.serving.is_empty() {
        assert_eq!(flows + 2 * queries, summary.flows.finished);
    }
    let buffers = fs::read_to_string(dir.path().join("buffers.csv")).unwrap();
    let control = format!("{:?}", summary.congestion_control);
    let files = [fct, rpc, collectives, requests, buffers, control];
    (files, summary.checksum)
}

fn assert_threads_do_not_matter(scenario: &Scenario) {
    let [first, others @ ..] = THREADS;
    let expected = results(scenario, first);
    for threads in others {
        let found = results(scenario, threads);
        assert_eq!(found, expected, "{} on {threads} threads", scenario.name());
    }
}

fn load(path: &Path, overrides: &[String]) -> Scenario {
    Scenario::from_file(path, overrides).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn threads_do_not_change_the_results_of_the_examples() {
    for path in scenario_files() {
        let name = path.file_name().unwrap().to_str().unwrap();
        let overrides: Vec<String> = SHORTENED
            .iter()
            .filter(|(long, _)| *long == name)
            .map(|(_, change)| (*change).to_owned())
            .collect();
        assert_threads_do_not_matter(&load(&path, &overrides));
    }
}

#[test]
#[ignore = "takes minutes"]
fn threads_do_not_change_the_results_of_the_examples_at_full_length() {
    for (name, _) in SHORTENED {
        assert_threads_do_not_matter(&load(&examples().join(name), &[]));
    }
}

#[test]
fn threads_do_not_change_an_incast_under_the_profile() {
    let text = r#"
        profile = "ns3-hpcc"
        [topology]
        kind = "star"
        hosts = 17
        [[workload]]
        kind = "list"
        path = "incast.flows.csv"
        [cc]
        kind = "hpcc"
        additive_increase = "40Mbps""#;
    let base = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/reference");
    let scenario = Scenario::from_text("incast", text, &base, &[]).unwrap();
    assert_threads_do_not_matter(&scenario);
}

#[test]
fn the_seed_changes_the_results() {
    let path = examples().join("leaf-spine-hadoop.toml");
    let with_seed = |seed| results(&load(&path, &[format!("seed={seed}")]), 1);
    assert_eq!(with_seed(7), with_seed(7));
    assert_ne!(with_seed(7), with_seed(8));
}
