//! Sweeps with points that continue from a checkpoint.

use std::fs;

use crate::support::{Folder, Outcome};

const SCENARIO: &str = "\
name = \"warm\"
[topology]
kind = \"star\"
hosts = 5
[[workload]]
kind = \"poisson\"
sizes = \"sizes.txt\"
load = 0.5
duration = \"100us\"
[[workload]]
kind = \"incast\"
fan_in = 4
size = \"100KB\"
at = \"10us\"
[cc]
kind = \"dcqcn\"
";

const SWEEP: &str = "\
from = \"states/w\"
[[axis]]
name = \"scheme\"
[[axis.variant]]
name = \"as-before\"
set = { cc = { kind = \"dcqcn\" } }
[[axis.variant]]
name = \"TIMELY\"
set = { cc = { kind = \"timely\" } }
[[axis.variant]]
name = \"gentle\"
set = { cc.g = 0.5 }
";

/// Returns a folder with a checkpoint at 20 us in another folder than the scenario, and a sweep
/// that continues from it.
fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("warm.toml", SCENARIO);
    folder.write("sizes.txt", "1000 0\n20000 50\n90000 100\n");
    folder.write("s.toml", SWEEP);
    fs::create_dir(folder.path("states")).expect("a folder");
    checkpoint(&folder, &["warm.toml"], "20us");
    folder
}

/// Writes the checkpoint `states/w` at `time` of a run with `args`.
fn checkpoint(folder: &Folder, args: &[&str], time: &str) {
    let at = ["--checkpoint-at", time, "--checkpoint", "states/w"];
    let run = [&["run"], args, &at, &["--out", "whole", "--force"]].concat();
    folder.run(&run).succeeded();
}

fn sweep(folder: &Folder, more: &[&str]) -> Outcome {
    folder.run(&[&["sweep", "s.toml", "--out", "out"], more].concat())
}

/// Returns the result files by name, without files and parts of the summary that depend on the
/// machine.
fn results(folder: &Folder, dir: &str) -> (Vec<(String, String)>, serde_json::Value) {
    let mut summary = folder.summary(dir);
    let names = summary["files"].as_array().expect("a list").clone();
    let names = names.iter().filter_map(serde_json::Value::as_str);
    let names = names.filter(|name| *name != "summary.json" && *name != "point.json");
    let files = names.map(|name| (name.to_owned(), folder.read(&format!("{dir}/{name}"))));
    let files: Vec<(String, String)> = files.collect();
    assert!(files.len() >= 3, "flows, topology and queues: {files:?}");
    for own in [
        "wall_s",
        "cpu_s",
        "packet_hops_per_cpu_s",
        "threads",
        "files",
        "peak_memory_bytes",
    ] {
        summary[own] = serde_json::Value::Null;
    }
    (files, summary)
}

#[test]
fn points_are_the_runs_from_the_checkpoint() {
    let folder = folder();
    let observed = format!("{SCENARIO}[observe]\ninterval = \"5us\"\nqueues = true\n");
    folder.write("warm.toml", &observed);
    checkpoint(&folder, &["warm.toml"], "20us");
    sweep(&folder, &["--jobs", "2"]).succeeded();
    for (name, set) in [
        ("as-before", "cc.kind=dcqcn"),
        ("TIMELY", "cc.kind=timely"),
        ("gentle", "cc.g=0.5"),
    ] {
        let from = ["run", "--from", "states/w", "--set", set, "--out", name];
        folder.run(&from).succeeded();
        let point = format!("out/points/scheme={name}");
        assert_eq!(results(&folder, &point), results(&folder, name), "{name}");
    }
    let rows = |dir: &str| folder.read(&format!("{dir}/fct.csv"));
    assert_eq!(rows("as-before"), rows("whole"));
    assert_ne!(rows("TIMELY"), rows("whole"));
    // In parts, and with a change of all points.
    for shard in ["1/2", "2/2"] {
        let part = ["sweep", "s.toml", "--out", "parts", "--shard", shard];
        folder.run(&part).succeeded();
    }
    let table = |dir: &str| folder.read(&format!("{dir}/points.csv"));
    assert_eq!(table("parts"), table("out"));
    let short = [
        "sweep",
        "s.toml",
        "--out",
        "short",
        "--set",
        "run.stop_at=50us",
    ];
    folder.run(&short).succeeded();
    let stopped = folder.summary("short/points/scheme=TIMELY");
    assert_eq!(stopped["simulated_ns"], 50_000.0);
}

#[test]
fn what_is_done_stays_until_the_checkpoint_is_another_one() {
    let folder = folder();
    sweep(&folder, &[]).succeeded();
    let again = sweep(&folder, &[]).succeeded().stdout;
    assert!(again.contains("0 run, 3 done before"), "{again}");
    let plan = sweep(&folder, &["--dry-run"]).succeeded().stdout;
    assert!(plan.contains("from         states/w (20us)"), "{plan}");
    // The very same state again, taken on another number of threads.
    checkpoint(&folder, &["warm.toml", "--threads", "2"], "20us");
    let again = sweep(&folder, &[]).succeeded().stdout;
    assert!(again.contains("0 run, 3 done before"), "{again}");
    // With a later checkpoint, points without changes still equal the whole run.
    checkpoint(&folder, &["warm.toml"], "30us");
    let refused = sweep(&folder, &[]);
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    let words = "checkpoint.time_ns: 20000.0 there, 30000.0 now";
    assert!(refused.stderr.contains(words), "{}", refused.stderr);
    let forced = sweep(&folder, &["--force"]).succeeded().stdout;
    assert!(forced.contains("2 run, 1 done before"), "{forced}");
    // One of other settings.
    checkpoint(&folder, &["warm.toml", "--seed", "2"], "30us");
    let refused = sweep(&folder, &[]);
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    assert!(
        refused.stderr.contains("2 more points"),
        "{}",
        refused.stderr
    );
}

/// If a run has itself continued from a checkpoint with other settings, its own checkpoint has a
/// past that its settings do not describe.
#[test]
fn branches_of_branches_are_told_apart() {
    let folder = folder();
    let without_gentle = SWEEP.split("[[axis.variant]]\nname = \"gentle\"").next();
    folder.write("s.toml", without_gentle.expect("all of it"));
    fs::copy(folder.path("states/w"), folder.path("first")).expect("a copy");
    let timely = ["--set", "cc.kind=timely"];
    checkpoint(
        &folder,
        &[&["--from", "first"], &timely[..]].concat(),
        "40us",
    );
    sweep(&folder, &[]).succeeded();
    let point = "out/points/scheme=TIMELY";
    let past = folder.summary(point)["scenario"]["checkpoint"].clone();
    assert_eq!(past["time_ns"], 20_000.0);
    assert_eq!(past["changed"]["cc.kind"]["after"], "timely");
    let back = folder.summary("out/points/scheme=as-before")["scenario"]["checkpoint"].clone();
    assert_eq!(back["time_ns"], 40_000.0);
    assert_eq!(back["before"], past);
    // Now TIMELY from the start: the same settings at the same time, and another state.
    checkpoint(&folder, &[&["warm.toml"], &timely[..]].concat(), "40us");
    let refused = sweep(&folder, &[]);
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    sweep(&folder, &["--force"]).succeeded();
    let whole = folder.summary(point)["scenario"]["checkpoint"].clone();
    assert_eq!(whole, serde_json::Value::Null);
    let checksum =
        |point: &str| folder.summary(point)["scenario"]["checkpoint"]["checksum"].clone();
    assert_ne!(checksum("out/points/scheme=as-before"), back["checksum"]);
}

/// Asserts that the sweep `text` is refused at `place` with these words, and that nothing is
/// written.
fn refused(folder: &Folder, text: &str, place: &str, words: &[&str]) {
    folder.write("s.toml", text);
    for more in [&[][..], &["--dry-run"]] {
        let outcome = sweep(folder, more);
        assert_eq!(outcome.code, Some(2), "{text}\n{}", outcome.stderr);
        // Without the breaks of lines.
        let lines = outcome.stderr.lines();
        let lines: Vec<&str> = lines
            .map(|line| line.trim_start_matches([' ', '|']))
            .collect();
        let said = lines.join(" ");
        for words in [&[place], words].concat() {
            assert!(said.contains(words), "{words}: {said}");
        }
        assert!(!folder.has("out"));
    }
}

#[test]
fn what_cannot_go_on_is_refused_before_anything_runs() {
    let folder = folder();
    let axis = |key: &str, values: &str| {
        format!("from = \"states/w\"\n[[axis]]\nkey = \"{key}\"\nvalues = [{values}]\n")
    };
    let taken = "the checkpoint: `workload.0.load` was 0.5 at the checkpoint, and is 0.7 now";
    let may_change = "you may change `cc`";
    for (text, place, words) in [
        (
            axis("workload.0.load", "0.5, 0.7"),
            "s.toml:3:7",
            &["point load=0.7", taken, may_change][..],
        ),
        (
            axis("seed", "1, 2"),
            "s.toml:3:7",
            &["point seed=2", "`seed` was 1", may_change],
        ),
        (
            axis("run.stop_at", "\"5us\""),
            "s.toml:3:7",
            &["`run.stop_at` is before 20us"],
        ),
        (
            axis("cc.knid", "\"timely\""),
            "s.toml:3:7",
            &["[cc] has no key `knid`", "known here"],
        ),
        (
            axis("cc.kind", "\"timely\", \"hpcc\""),
            "point kind=hpcc",
            &["carry different telemetry"],
        ),
        (
            SWEEP.replace("from", "form"),
            "s.toml:1:1",
            &["a sweep has no key or table `form`", "did you mean `from`?"],
        ),
        (
            SWEEP.replace("states/w", "states/v"),
            "s.toml:1:8",
            &[
                "cannot read the checkpoint `states/v`",
                "relative to the sweep file",
            ],
        ),
        (
            SWEEP.replace("states/w", "warm.toml"),
            "s.toml:1:8",
            &["warm.toml: it is not a checkpoint of fabricsim"],
        ),
        (
            SWEEP.replace("\"states/w\"", "3"),
            "s.toml:1:8",
            &["`from` is the path of a checkpoint"],
        ),
        (
            format!("scenario = \"warm.toml\"\n{SWEEP}"),
            "s.toml:1:12",
            &["the sweep has a base scenario, and `from` names a checkpoint"],
        ),
    ] {
        refused(&folder, &text, place, words);
    }
}

#[test]
fn files_that_have_changed_are_refused() {
    let folder = folder();
    let good = fs::read(folder.path("states/w")).expect("a checkpoint");
    let mut altered = good.clone();
    altered[good.len() / 2] ^= 1;
    fs::write(folder.path("states/w"), altered).expect("a file");
    refused(&folder, SWEEP, "s.toml:1:8", &["truncated or altered"]);
    fs::write(folder.path("states/w"), good).expect("a file");
    folder.write("sizes.txt", "1000 0\n20000 50\n80000 100\n");
    let words = ["the checkpoint", "sizes.txt", "has changed since"];
    refused(&folder, SWEEP, "point scheme=as-before", &words);
}
