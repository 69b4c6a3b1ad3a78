//! Ctrl-C: what is complete is kept, under a name that says so.

#![cfg(unix)]

use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::support::{Folder, Outcome};

/// How long the command may take to start or to end on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

#[test]
fn an_interrupted_run_keeps_what_is_complete() {
    let folder = Folder::new();
    let begun = Instant::now();
    let mut child = folder
        .command(&[
            "run",
            "--threads",
            "1",
            "--out",
            "out",
            "--set",
            "workload.0.duration=10s",
        ])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    // The folder is made when the run begins; by then Ctrl-C is listened to.
    while !folder.has("out") {
        assert!(begun.elapsed() < PATIENCE, "the run does not begin");
        sleep(Duration::from_millis(10));
    }
    sleep(Duration::from_millis(500));
    let signal = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .expect("`kill` is there");
    assert!(signal.success());
    let signalled = Instant::now();
    while child
        .try_wait()
        .expect("the command can be waited for")
        .is_none()
    {
        assert!(signalled.elapsed() < PATIENCE, "the run does not end");
        sleep(Duration::from_millis(10));
    }
    let outcome: Outcome = child
        .wait_with_output()
        .expect("the command has ended")
        .into();
    assert_eq!(outcome.code, Some(130), "{}", outcome.stderr);
    assert!(folder.has("out/fct.partial.csv"));
    assert!(!folder.has("out/fct.csv"));
    assert!(!folder.has("out/summary.json"));
    let summary: serde_json::Value =
        serde_json::from_str(&folder.read("out/summary.partial.json")).expect("JSON");
    assert_eq!(summary["status"], "interrupted");
    let rows = folder.read("out/fct.partial.csv").lines().count() as u64 - 1;
    assert_eq!(summary["flows"]["finished"], rows);
    assert!(
        outcome.stderr.contains("did not finish: interrupted"),
        "{}",
        outcome.stderr
    );
    assert!(
        outcome.stdout.contains("fct.partial.csv"),
        "{}",
        outcome.stdout
    );
}
