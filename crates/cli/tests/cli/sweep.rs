//! Sweeps from the user's view: stopped, killed, divided, and with errors.

use std::process::Stdio;
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::support::{Folder, Outcome, project, project_text};

mod errors;
mod lines;
mod stopped;
mod warm;

/// Longest time that the command may take for a part of its work on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// Points that take some tenths of a second each.
const SLOW: &str = "\
[scenario.topology]
kind = \"leaf-spine\"
leaves = 2
hosts_per_leaf = 8
spines = 2
[[scenario.workload]]
kind = \"poisson\"
sizes = \"websearch\"
load = 0.5
duration = \"8ms\"
[scenario.cc]
kind = \"hpcc\"
[[axis]]
key = \"workload.0.load\"
values = [0.3, 0.5]
[[axis]]
key = \"seed\"
range = { from = 1, to = 4 }
";

/// Three quick points.
const QUICK: &str = "\
scenario = \"base.toml\"
[[axis]]
key = \"workload.0.fan_in\"
values = [2, 3, 4]
";

const BASE: &str = "\
[topology]
kind = \"star\"
hosts = 5
[[workload]]
kind = \"incast\"
fan_in = 4
size = \"20KB\"
at = \"0s\"
[cc]
kind = \"hpcc\"
";

fn quick() -> Folder {
    let folder = Folder::new();
    folder.write("base.toml", BASE);
    folder.write("s.toml", QUICK);
    folder
}

/// Returns the number of rows of a table without its header.
fn rows(folder: &Folder, dir: &str) -> usize {
    folder.read(&format!("{dir}/points.csv")).lines().count() - 1
}

/// Returns the number of finished points of `dir`.
fn ended(folder: &Folder, dir: &str) -> usize {
    let Ok(points) = std::fs::read_dir(folder.path(&format!("{dir}/points"))) else {
        return 0;
    };
    points
        .flatten()
        .filter(|point| point.path().join("point.json").exists())
        .count()
}

/// Returns the number before `what` in the line `points` of a summary.
fn told(outcome: &Outcome, what: &str) -> usize {
    let line = outcome
        .stdout
        .lines()
        .find(|line| line.starts_with("points "));
    let line = line.unwrap_or_else(|| panic!("{}", outcome.stdout));
    let before = line.split(what).next().unwrap_or_default();
    let number = before.split_whitespace().next_back().unwrap_or_default();
    number.parse().unwrap_or_else(|_| panic!("{line}"))
}

#[test]
fn the_example_runs_and_its_table_has_the_documented_columns() {
    let folder = Folder::new();
    let example = project("examples/sweeps/loads.toml").display().to_string();
    let outcome = folder.run(&["sweep", &example]).succeeded();
    assert_eq!(outcome.stderr, "");
    assert_eq!(told(&outcome, " run"), 12);
    assert_eq!(rows(&folder, "results/loads"), 12);
    assert!(outcome.stdout.contains("results/loads/points.csv"));
    let point = "results/loads/points/load=0.3,scheme=DCQCN+w,seed=2";
    let summary = folder.summary(point);
    assert_eq!(summary["status"], "finished");
    assert_eq!(summary["scenario"]["cc"]["kind"], "dcqcn");
    assert_eq!(summary["scenario"]["workload"][0]["load"], 0.3);
    assert_eq!(summary["scenario"]["seed"], 2);
    let record: serde_json::Value =
        serde_json::from_str(&folder.read(&format!("{point}/point.json"))).expect("JSON");
    let table = folder.read("results/loads/points.csv");
    let checksum = summary["checksum"].as_str().expect("a checksum");
    let row = table
        .lines()
        .find(|row| row.contains("DCQCN+w,2,"))
        .expect("a row");
    for cell in [
        checksum,
        record["scenario_checksum"].as_str().expect("a checksum"),
    ] {
        assert!(row.contains(&format!(",{cell},")), "{row}");
    }
    let documented = project_text("docs/sweeps.md");
    let cost = folder.read("results/loads/points_cost.csv");
    assert_eq!(cost.lines().count(), 13);
    let columns = [&table, &cost].map(|text| text.lines().next().unwrap_or_default());
    let keys = record
        .as_object()
        .expect("a table")
        .keys()
        .map(String::as_str);
    let axes = ["load", "scheme", "seed"];
    for name in columns.iter().flat_map(|line| line.split(',')).chain(keys) {
        let is_axis = axes.contains(&name);
        assert!(
            is_axis || documented.contains(&format!("`{name}`")),
            "`{name}` is not in docs/sweeps.md"
        );
    }
    // Nothing is left to do.
    let again = folder.run(&["sweep", &example]).succeeded();
    assert_eq!(
        (told(&again, " run"), told(&again, " done before")),
        (0, 12)
    );
    assert_eq!(folder.read("results/loads/points.csv"), table);
    assert_eq!(folder.read("results/loads/points_cost.csv"), cost);
}

/// Returns the `points.csv` of the whole sweep `SLOW`, run without interruption.
fn undisturbed(folder: &Folder) -> String {
    folder.write("s.toml", SLOW);
    folder
        .run(&["sweep", "s.toml", "--jobs", "2", "--out", "whole"])
        .succeeded();
    folder.read("whole/points.csv")
}

/// The CPU time of a point on one thread does not include other points.
#[test]
fn points_side_by_side_measure_themselves() {
    let folder = Folder::new();
    undisturbed(&folder);
    let cost = folder.read("whole/points_cost.csv");
    for row in cost.lines().skip(1) {
        // threads, wall_s, cpu_s, packet_hops_per_cpu_s, peak_memory_bytes
        let cells: Vec<&str> = row.rsplit(',').take(5).collect();
        let [_memory, _speed, cpu, wall, threads] = cells[..] else {
            panic!("{row}");
        };
        let seconds = |cell: &str| cell.parse::<f64>().expect("a number");
        assert_eq!(threads, "1", "{row}");
        assert!(
            seconds(cpu) > 0.0 && seconds(cpu) <= seconds(wall) + 0.02,
            "{row}"
        );
    }
}

#[test]
fn shards_at_the_same_time_give_the_same_table() {
    let folder = Folder::new();
    let whole = undisturbed(&folder);
    let shards: Vec<_> = ["1/3", "2/3", "3/3"]
        .map(|shard| {
            folder
                .command(&[
                    "sweep", "s.toml", "--jobs", "1", "--shard", shard, "--out", "parts",
                ])
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .expect("the command starts")
        })
        .into_iter()
        .collect();
    let mut run = 0;
    for shard in shards {
        let outcome: Outcome = shard.wait_with_output().expect("it ends").into();
        let outcome = outcome.succeeded();
        let mine = told(&outcome, " run");
        assert!((2..=3).contains(&mine), "{}", outcome.stdout);
        run += mine;
    }
    // No process has run a point that another one was running.
    assert_eq!(run, 8);
    assert_eq!(folder.read("parts/points.csv"), whole);
}

#[test]
fn a_shard_alone_leaves_rows_that_say_so() {
    let folder = quick();
    let args = ["sweep", "s.toml", "--out", "out"];
    folder
        .run(&[&args[..], &["--shard", "2/3"]].concat())
        .succeeded();
    let table = folder.read("out/points.csv");
    let missing = table.lines().filter(|row| row.contains(",missing,"));
    assert_eq!(missing.count(), 2, "{table}");
    assert_eq!(rows(&folder, "out"), 3);
    std::fs::remove_file(folder.path("out/points.csv")).expect("a table");
    let only = folder
        .run(&[&args[..], &["--table-only"]].concat())
        .succeeded();
    assert!(
        only.stdout.contains("1 of 3 points are done"),
        "{}",
        only.stdout
    );
    assert_eq!(folder.read("out/points.csv"), table);
    for bad in ["0/3", "4/3", "1", "x/y"] {
        let outcome = folder.run(&[&args[..], &["--shard", bad]].concat());
        assert_eq!(outcome.code, Some(2), "{bad}");
        assert!(outcome.stderr.contains("--shard"), "{}", outcome.stderr);
    }
    let zero = folder.run(&["sweep", "s.toml", "--shard", "0/3"]).stderr;
    assert!(zero.contains("--array=1-8"), "{zero}");
}

#[test]
fn a_dry_run_lists_the_points_and_writes_nothing() {
    let folder = quick();
    let args = ["sweep", "s.toml", "--dry-run"];
    let said = folder.run(&args).succeeded().stdout;
    for line in [
        "  to run              2            40000  fan_in=2",
        "  to run              4            80000  fan_in=4",
        "to run       3 points, about 9 flows and 180000 bytes",
    ] {
        assert!(said.contains(line), "{said}");
    }
    assert!(!folder.has("results"));
    folder.run(&["sweep", "s.toml"]).succeeded();
    let changed = QUICK.replace("[2, 3, 4]", "[2, 3]");
    folder.write(
        "s.toml",
        &format!("{changed}[[override]]\nwhen = {{ fan_in = 3 }}\nset = {{ seed = 2 }}\n"),
    );
    let said = folder.run(&args).succeeded().stdout;
    assert!(said.contains("  done "), "{said}");
    assert!(said.contains("  changed "), "{said}");
    assert!(said.contains("to run       1 points"), "{said}");
}

#[test]
fn the_base_can_be_changed_on_the_command_line() {
    let folder = quick();
    folder.run(&["sweep", "s.toml"]).succeeded();
    let before = folder.read("results/s/points.csv");
    let args = ["sweep", "s.toml", "--set", "workload.0.size=30KB"];
    let refused = folder.run(&args);
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    for words in [
        "results/s/points/fan_in=2",
        "workload.0.size",
        "--force",
        "--out",
    ] {
        assert!(refused.stderr.contains(words), "{}", refused.stderr);
    }
    assert_eq!(folder.read("results/s/points.csv"), before);
    let outcome = folder.run(&[&args[..], &["--force"]].concat()).succeeded();
    assert_eq!(told(&outcome, " run"), 3);
    assert_ne!(folder.read("results/s/points.csv"), before);
    folder.write("i.toml", &SLOW.replace("8ms", "20us"));
    let args = ["sweep", "i.toml", "--set", "cc.eta=0.5", "--jobs", "2"];
    folder.run(&args).succeeded();
    let summary = folder.summary("results/i/points/load=0.3,seed=1");
    assert_eq!(summary["scenario"]["cc"]["eta"], 0.5);
}

#[test]
fn folders_of_points_that_are_gone_are_named() {
    let folder = quick();
    folder.run(&["sweep", "s.toml"]).succeeded();
    folder.write("s.toml", &QUICK.replace("[2, 3, 4]", "[2]"));
    let outcome = folder.run(&["sweep", "s.toml"]).succeeded();
    assert!(
        outcome
            .stderr
            .contains("results/s/points/fan_in=3 is of no point")
            && outcome.stderr.contains("nor are 1 other folders"),
        "{}",
        outcome.stderr
    );
    assert!(folder.has("results/s/points/fan_in=4/fct.csv"));
    assert_eq!(rows(&folder, "results/s"), 1);
}

/// A deadlock is a result: the point is done, and the exit code reports it.
#[test]
fn a_point_whose_flows_cannot_finish_is_told() {
    let folder = Folder::new();
    for name in ["deadlock-ring.toml", "ring.topology.txt", "ring.flows.csv"] {
        folder.write(name, &project_text(&format!("examples/deadlock/{name}")));
    }
    folder.write(
        "s.toml",
        "scenario = \"deadlock-ring.toml\"\n[[axis]]\nkey = \"seed\"\nvalues = [1]\n",
    );
    for kept in [0, 1] {
        let outcome = folder.run(&["sweep", "s.toml"]);
        assert_eq!(outcome.code, Some(3), "{}", outcome.stderr);
        assert_eq!(told(&outcome, " done before"), kept);
        assert!(
            outcome
                .stderr
                .contains("point seed=1: deadlocked, 10 flows cannot finish"),
            "{}",
            outcome.stderr
        );
    }
    let table = folder.read("results/s/points.csv");
    assert!(table.contains("\nseed=1,1,deadlocked,13,3,10,"), "{table}");
}

#[test]
fn a_point_that_cannot_be_written_fails_and_the_others_go_on() {
    let folder = quick();
    std::fs::create_dir_all(folder.path("results/s/points")).expect("a folder");
    folder.write("results/s/points/fan_in=3", "in the way");
    let outcome = folder.run(&["sweep", "s.toml"]);
    assert_eq!(outcome.code, Some(1), "{}", outcome.stderr);
    assert_eq!((told(&outcome, " run"), told(&outcome, " failed")), (2, 1));
    assert!(
        outcome
            .stderr
            .contains("point fan_in=3 failed: cannot write"),
        "{}",
        outcome.stderr
    );
}

#[test]
fn a_pipe_gets_the_summary_and_nothing_else() {
    let folder = quick();
    let outcome = folder.run(&["sweep", "s.toml"]).succeeded();
    assert_eq!(outcome.stderr, "");
    assert!(!outcome.stdout.contains('\u{1b}'));
    let quiet = folder.run(&["sweep", "s.toml", "--quiet"]).succeeded();
    assert_eq!(quiet.stdout + &quiet.stderr, "");
}
