//! Signals and limits: a terminated run keeps its completed results, a killed run leaves nothing in
//! the way, and a file-size limit is reported.

#![cfg(unix)]

use std::fs;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::support::{Folder, Outcome};

/// Longest time that the command may take to start or to end on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// Arguments of a run that takes minutes.
const LONG: &[&str] = &[
    "run",
    "--threads",
    "1",
    "--out",
    "out",
    "--set",
    "workload.0.duration=10s",
];

/// Returns the temporary files of a run.
fn temporary(folder: &Folder, dir: &str) -> Vec<String> {
    let entries = fs::read_dir(folder.path(dir))
        .into_iter()
        .flatten()
        .flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    names.filter(|name| name.starts_with('.')).collect()
}

/// Starts a run and waits until it writes.
fn begun(folder: &Folder, args: &[&str]) -> Child {
    // The parent of the tests may ignore this signal, as nohup does.
    let mut command = Command::new("env");
    let inner = folder.command(args);
    command
        .arg("--default-signal=HUP")
        .arg(inner.get_program())
        .args(inner.get_args());
    command.current_dir(folder.path("."));
    let child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    let since = Instant::now();
    while !temporary(folder, "out")
        .iter()
        .any(|name| name.starts_with(".tmp"))
    {
        assert!(since.elapsed() < PATIENCE, "the run does not begin");
        sleep(Duration::from_millis(10));
    }
    sleep(Duration::from_millis(300));
    child
}

fn signal(child: &Child, name: &str) {
    let sent = Command::new("kill")
        .args([&format!("-{name}"), &child.id().to_string()])
        .status();
    assert!(sent.expect("`kill` is there").success());
}

fn ended(mut child: Child) -> Outcome {
    let since = Instant::now();
    while child.try_wait().expect("it can be waited for").is_none() {
        assert!(since.elapsed() < PATIENCE, "the run does not end");
        sleep(Duration::from_millis(10));
    }
    child.wait_with_output().expect("it has ended").into()
}

#[test]
fn every_request_to_end_keeps_old_and_new_results() {
    let folder = Folder::new();
    let short = ["run", "--set", "workload.0.duration=50us", "--out", "out"];
    folder.run(&short).succeeded();
    let old = ["fct.csv", "summary.json"].map(|name| folder.read(&format!("out/{name}")));
    for name in ["INT", "TERM", "HUP"] {
        let child = begun(&folder, &[LONG, &["--force"]].concat());
        signal(&child, name);
        let outcome = ended(child);
        assert_eq!(outcome.code, Some(130), "{name}\n{}", outcome.stderr);
        let says = "out/fct.partial.csv, summary.partial.json";
        assert!(outcome.stdout.contains(says), "{}", outcome.stdout);
        let now = ["fct.csv", "summary.json"].map(|name| folder.read(&format!("out/{name}")));
        assert!(now == old, "{name}");
        let partial: serde_json::Value =
            serde_json::from_str(&folder.read("out/summary.partial.json")).expect("JSON");
        assert_eq!(partial["status"], "interrupted");
        let rows = folder.read("out/fct.partial.csv").lines().count() as u64 - 1;
        assert_eq!(partial["flows"]["finished"], rows, "{name}");
        assert_eq!(temporary(&folder, "out"), [""; 0], "{name}");
    }
    // Readers take the whole run, or the other one when they are told so.
    let whole = folder.run(&["slowdown", "out"]).succeeded();
    assert!(
        !whole.stderr.contains("have not finished"),
        "{}",
        whole.stderr
    );
    folder.run(&["slowdown", "out/fct.partial.csv"]).succeeded();
    folder.run(&short).succeeded();
    assert!(!folder.has("out/fct.partial.csv") && !folder.has("out/summary.partial.json"));
}

#[test]
fn an_interrupted_run_alone_is_named_by_who_reads_it() {
    let folder = Folder::new();
    let child = begun(&folder, LONG);
    signal(&child, "TERM");
    assert_eq!(ended(child).code, Some(130));
    let refused = folder.run(&["slowdown", "out"]);
    assert_eq!(refused.code, Some(2));
    assert!(
        refused.stderr.contains("out/fct.partial.csv"),
        "{}",
        refused.stderr
    );
    folder.run(&["report", "out"]).succeeded();
    let page = folder.read("report.html");
    assert!(page.contains("the run was interrupted"));
    assert!(page.contains("the run ended as interrupted"));
    // It is nothing that has to be kept.
    folder
        .run(&["run", "--set", "workload.0.duration=50us", "--out", "out"])
        .succeeded();
}

#[test]
fn two_runs_at_once_do_not_share_a_folder_and_a_killed_one_blocks_nobody() {
    let folder = Folder::new();
    let mut child = begun(&folder, LONG);
    let short = ["run", "--set", "workload.0.duration=50us", "--out", "out"];
    let refused = folder.run(&short);
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    for words in ["`out`", "another fabricsim is writing to it", "--out DIR"] {
        assert!(refused.stderr.contains(words), "{}", refused.stderr);
    }
    child.kill().expect("it is running");
    child.wait().expect("it has ended");
    assert!(
        !temporary(&folder, "out").is_empty(),
        "it had no time to tidy up"
    );
    folder.write("out/.tmpmine", "");
    folder.run(&short).succeeded();
    assert_eq!(temporary(&folder, "out"), [".tmpmine"]);
    assert!(folder.has("out/fct.csv"));
}

#[test]
fn a_limit_of_file_sizes_is_an_error() {
    let folder = Folder::new();
    let short = ["run", "--set", "workload.0.duration=200us", "--out"];
    folder.run(&[&short[..], &["good"]].concat()).succeeded();
    let limited = |args: &[&str]| -> Outcome {
        let inner = folder.command(args);
        let mut command = Command::new("bash");
        command.args(["-c", "ulimit -f 1; exec \"$0\" \"$@\""]);
        command.arg(inner.get_program()).args(inner.get_args());
        command.current_dir(folder.path("."));
        command.output().expect("bash is there").into()
    };
    for (args, file) in [
        (
            &["run", "--set", "workload.0.duration=200us", "--out", "new"][..],
            "new/fct.csv",
        ),
        (
            &["slowdown", "good", "--bins", "30", "--csv", "bins.csv"],
            "bins.csv",
        ),
        (&["report", "good", "-o", "page.html"], "page.html"),
    ] {
        let outcome = limited(args);
        assert_eq!(outcome.code, Some(1), "{args:?}\n{}", outcome.stderr);
        let says = format!("cannot write `{file}`");
        assert!(outcome.stderr.contains(&says), "{}", outcome.stderr);
        assert!(
            outcome.stderr.contains("File too large"),
            "{}",
            outcome.stderr
        );
        assert!(!folder.has(file), "{file}");
    }
    assert_eq!(temporary(&folder, "."), [""; 0]);
    assert_eq!(temporary(&folder, "new"), [""; 0]);
}

/// Two processes run one sweep at the same time. Both succeed, with the same files as one process
/// alone.
fn sweeps_at_once(rounds: usize) {
    let folder = Folder::new();
    folder.write(
        "s.toml",
        "[scenario.topology]\nkind = \"star\"\nhosts = 5\n[[scenario.workload]]\nkind = \"incast\"\n\
         fan_in = 4\nsize = \"200KB\"\nat = \"0s\"\n[scenario.cc]\nkind = \"hpcc\"\n[[axis]]\n\
         key = \"seed\"\nrange = { from = 1, to = 12 }\n",
    );
    folder
        .run(&["sweep", "s.toml", "--out", "alone"])
        .succeeded();
    for round in 0..rounds {
        let dir = format!("out{round}");
        let args = ["sweep", "s.toml", "--jobs", "2", "--out", &dir];
        let both = [(), ()].map(|()| {
            let mut command = folder.command(&args);
            command.stdout(Stdio::piped()).stderr(Stdio::piped());
            command.spawn().expect("the command starts")
        });
        let mut run = 0;
        for child in both {
            let outcome = ended(child).succeeded();
            let line = outcome
                .stdout
                .lines()
                .find(|line| line.starts_with("points "));
            let words = line.expect("a line").split_whitespace().nth(1);
            run += words
                .and_then(|word| word.parse::<usize>().ok())
                .expect("a number");
        }
        assert_eq!(run, 12, "round {round}: each point ran once");
        let table = folder.read(&format!("{dir}/points.csv"));
        assert_eq!(table, folder.read("alone/points.csv"), "round {round}");
        assert_eq!(temporary(&folder, &dir), [""; 0], "round {round}");
        for point in fs::read_dir(folder.path(&format!("{dir}/points"))).expect("points") {
            let name = point.expect("a point").file_name();
            let name = format!("{dir}/points/{}", name.to_string_lossy());
            assert_eq!(temporary(&folder, &name), [""; 0], "round {round}");
        }
        // Tables alone beside a sweep do no harm either.
        folder
            .run(&["sweep", "s.toml", "--out", &dir, "--table-only"])
            .succeeded();
        assert_eq!(folder.read(&format!("{dir}/points.csv")), table);
    }
}

#[test]
fn two_processes_share_a_sweep() {
    sweeps_at_once(4);
}

#[test]
#[ignore = "as above, in 25 rounds"]
fn two_processes_share_a_sweep_in_many_rounds() {
    sweeps_at_once(25);
}
