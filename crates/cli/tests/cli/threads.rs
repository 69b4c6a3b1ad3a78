//! The requested number of threads, or an error if the system does not provide them.

#![cfg(unix)]

use std::process::Command;

use crate::support::{Folder, Outcome};

/// Runs the command under the shell's `limit`.
fn limited(folder: &Folder, limit: &str, arguments: &str) -> Outcome {
    let line = format!(
        "{limit} && exec {} {arguments}",
        env!("CARGO_BIN_EXE_fabricsim")
    );
    Command::new("sh")
        .args(["-c", &line])
        .current_dir(folder.path("."))
        .output()
        .expect("a shell")
        .into()
}

const SHORT: &str = "--quiet --out out --set workload.0.duration=20us";

#[test]
fn an_absurd_number_in_the_environment_is_not_read() {
    let folder = Folder::new();
    let outcome = folder
        .command(&["run", "--threads", "2", "--out", "out", "--quiet"])
        .args(["--set", "workload.0.duration=20us"])
        .env("RAYON_NUM_THREADS", "99999999")
        .output()
        .expect("the command starts");
    Outcome::from(outcome).succeeded();
    let outcome = folder
        .command(&["check"])
        .env("RAYON_NUM_THREADS", "99999999")
        .output()
        .expect("the command starts");
    Outcome::from(outcome).succeeded();
}

/// 1,000 threads have 2 GB of stacks.
#[test]
fn threads_that_the_system_does_not_give_are_an_error() {
    let folder = Folder::new();
    let limit = "ulimit -v 700000";
    for arguments in [
        format!("run --threads 1000 {SHORT}"),
        "harm --quick --quiet --threads 1000".to_owned(),
        "pint trace --hops 5 --trials 1 --threads 1000".to_owned(),
    ] {
        let outcome = limited(&folder, limit, &arguments);
        assert_eq!(outcome.code, Some(1), "{arguments}: {}", outcome.stderr);
        for words in ["cannot start 1000 threads", "--threads"] {
            assert!(
                outcome.stderr.contains(words),
                "{arguments}: {}",
                outcome.stderr
            );
        }
        assert!(!outcome.stderr.contains("panicked"), "{}", outcome.stderr);
        assert!(!folder.has("out"), "{arguments}");
    }
}

#[test]
fn one_thread_needs_none_to_be_started() {
    let folder = Folder::new();
    limited(
        &folder,
        "ulimit -v 700000",
        &format!("run --threads 1 {SHORT}"),
    )
    .succeeded();
    #[cfg(target_os = "linux")]
    {
        let arguments = ["run", "--threads", "1", "--out", "long", "--quiet"];
        let mut child = folder
            .command(&arguments)
            .args(["--set", "workload.0.duration=10s"])
            .spawn()
            .expect("the command starts");
        while !folder.has("long") {
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        let tasks = std::fs::read_dir(format!("/proc/{}/task", child.id()));
        let count = tasks.map(Iterator::count);
        child.kill().expect("it runs");
        child.wait().expect("it ends");
        assert_eq!(count.expect("the process is there"), 1);
    }
}

#[test]
fn the_most_threads_are_stated() {
    let folder = Folder::new();
    for command in ["run", "harm"] {
        let outcome = folder.run(&[command, "--threads", "1025"]);
        assert_eq!(outcome.code, Some(2));
        assert!(outcome.stderr.contains("1..=1024"), "{}", outcome.stderr);
    }
}
