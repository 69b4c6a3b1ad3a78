//! `--profile-parallelism`: its output, and that it changes nothing else.

use serde_json::Value;

use crate::support::{Folder, project_text};

/// The built-in scenario, short: 64 hosts for 100 us.
const SHORT: &[&str] = &["run", "--set", "workload.0.duration=100us"];
const PROFILE: &str = "--profile-parallelism";
const FILES: [&str; 2] = ["out/parallelism.json", "out/parallelism_nodes.csv"];

fn profiled() -> (Folder, String) {
    let folder = Folder::new();
    let args = [SHORT, &["--out", "out", PROFILE]].concat();
    let stdout = folder.run(&args).succeeded().stdout;
    (folder, stdout)
}

fn report(folder: &Folder) -> Value {
    serde_json::from_str(&folder.read(FILES[0])).expect("JSON")
}

fn number(value: &Value) -> f64 {
    value
        .as_f64()
        .unwrap_or_else(|| panic!("{value} is not a number"))
}

#[test]
fn a_profile_leaves_its_files_and_the_same_results() {
    let (folder, stdout) = profiled();
    let plain = [SHORT, &["--out", "plain", "--threads", "2"]].concat();
    folder.run(&plain).succeeded();
    assert_eq!(folder.read("out/fct.csv"), folder.read("plain/fct.csv"));
    let (ours, theirs) = (folder.summary("out"), folder.summary("plain"));
    for key in ["checksum", "epochs", "events", "packet_hops"] {
        assert_eq!(ours[key], theirs[key], "{key}");
    }
    assert_eq!(ours["threads"], 1);
    for words in [
        "critical path",
        "costliest",
        "advice ",
        "parallelism.json, parallelism_nodes.csv",
    ] {
        assert!(stdout.contains(words), "{words}\n{stdout}");
    }
    // A run without a profile leaves none that could be taken for its own.
    assert!(FILES.iter().all(|file| folder.has(file)));
    folder.run(&[SHORT, &["--out", "out"]].concat()).succeeded();
    assert!(!FILES.iter().any(|file| folder.has(file)));
}

#[test]
fn a_profile_adds_up() {
    let (folder, _) = profiled();
    let report = report(&folder);
    // An epoch of several lookaheads is several here.
    assert!(number(&report["epochs"]) >= number(&folder.summary("out")["epochs"]));
    let sum_of = |keys: &[&str]| -> f64 { keys.iter().map(|key| number(&report[*key])).sum() };
    let alone = sum_of(&["work_ns", "search_ns", "driver_ns"]);
    let least = sum_of(&["critical_path_ns", "driver_ns"]);
    let bound = number(&report["speedup_bound"]);
    assert!((bound - alone / least).abs() < 1e-6 * bound);
    let rows = report["workers"].as_array().expect("a list");
    let workers: Vec<f64> = rows.iter().map(|row| number(&row["workers"])).collect();
    assert_eq!(workers, [2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0]);
    let epochs = number(&report["epochs"]);
    let mut before = alone;
    for (row, workers) in rows.iter().zip(workers) {
        let speedup = number(&row["speedup"]);
        assert!(speedup > 0.0 && speedup <= workers.min(bound), "{row}");
        assert!((number(&row["efficiency"]) - speedup / workers).abs() < 1e-9);
        assert!((number(&row["time_ns"]) - alone / speedup).abs() < 1e-6 * alone);
        let without_barriers = number(&row["time_ns"]) - epochs * number(&row["barrier_ns"]);
        assert!(without_barriers <= before * (1.0 + 1e-9), "{row}");
        before = without_barriers;
    }

    let table = folder.read(FILES[1]);
    let mut lines = table.lines();
    assert_eq!(lines.next(), Some("node,kind,cost_ns,epochs"));
    let rows: Vec<Vec<&str>> = lines.map(|line| line.split(',').collect()).collect();
    assert_eq!(
        rows.len() as u64,
        report["nodes"].as_u64().expect("a count")
    );
    let mut costs = Vec::new();
    for (row, index) in rows.iter().zip(0..) {
        assert_eq!(row[0].parse::<u64>(), Ok(index));
        // The hosts of this network come first.
        assert_eq!(row[1], if index < 64 { "host" } else { "switch" });
        costs.push(row[2].parse::<u64>().expect("nanoseconds"));
        assert!(row[3].parse::<f64>().expect("a count") <= epochs);
    }
    assert_eq!(report["work_ns"], costs.iter().sum::<u64>());
    let costliest = report["costliest"].as_array().expect("a list");
    let top: Vec<u64> = costliest
        .iter()
        .map(|row| row["cost_ns"].as_u64().expect("nanoseconds"))
        .collect();
    costs.sort_unstable_by(|a, b| b.cmp(a));
    assert_eq!(top, costs[..10]);
}

#[test]
fn a_profile_is_taken_on_one_thread() {
    let folder = Folder::new();
    let with = |threads| [SHORT, &["--out", "out", PROFILE, "--threads", threads]].concat();
    let outcome = folder.run(&with("4"));
    assert_eq!(outcome.code, Some(2));
    for words in ["not on --threads 4", "leave out --threads"] {
        assert!(outcome.stderr.contains(words), "{}", outcome.stderr);
    }
    assert!(!folder.has("out"));
    folder.run(&with("1")).succeeded();
}

#[test]
fn the_documents_name_every_key_of_a_profile() {
    let (folder, _) = profiled();
    let report = report(&folder);
    let documented = project_text("docs/outputs.md");
    let tables = [
        &report,
        &report["workers"][0],
        &report["costliest"][0],
        &report["epoch_work_ns"],
    ];
    for table in tables {
        for name in table.as_object().expect("a table").keys() {
            assert!(
                documented.contains(&format!("`{name}`")),
                "`{name}` is not in docs/outputs.md"
            );
        }
    }
}
