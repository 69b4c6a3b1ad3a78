//! `fabricsim run` over several processes that `mpirun` has started.

use std::collections::BTreeMap;
use std::fs;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::support::{Folder, Outcome, project};

/// What depends on the machine, or on how many took part.
const MEASURED: [&str; 6] = [
    "cpu_s",
    "packet_hops_per_cpu_s",
    "peak_memory_bytes",
    "ranks",
    "threads",
    "wall_s",
];

/// The path of an example.
fn example(name: &str) -> String {
    project("examples").join(name).display().to_string()
}

/// `mpirun` with `args`, where `@` stands for the command; `None` where there is no `mpirun`.
fn mpirun(folder: &Folder, args: &[&str]) -> Option<Command> {
    let known = Command::new("mpirun").arg("--version").output();
    if let Err(error) = known {
        eprintln!("skipped: mpirun cannot be started: {error}");
        return None;
    }
    let one = folder.command(&[]);
    let program = one.get_program().to_str().expect("a path of text");
    let mut command = Command::new("mpirun");
    command
        .args(["--oversubscribe", "--quiet"])
        .args(args.iter().map(|arg| arg.replace('@', program)))
        .current_dir(folder.path("."))
        .env("NO_COLOR", "1")
        .env("OMPI_ALLOW_RUN_AS_ROOT", "1")
        .env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    Some(command)
}

fn outcome(mut command: Command) -> Outcome {
    command.output().expect("it was there before").into()
}

/// The files of results, and of the summary all that does not depend on the machine.
fn files(folder: &Folder, dir: &str) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(folder.path(dir)).expect("a folder of results");
    let file = |entry: fs::DirEntry| {
        let name = entry.file_name().into_string().expect("names are text");
        let mut bytes = fs::read(entry.path()).expect("a file of results");
        if name == "summary.json" {
            let mut summary: Value = serde_json::from_slice(&bytes).expect("JSON");
            let keys = summary.as_object_mut().expect("an object");
            MEASURED.iter().for_each(|key| drop(keys.remove(*key)));
            bytes = serde_json::to_vec_pretty(&summary).expect("JSON");
        }
        (name, bytes)
    };
    entries
        .map(|entry| file(entry.expect("an entry")))
        .collect()
}

#[test]
fn several_processes_write_what_one_does() {
    for (name, change) in [
        ("tcp-and-rdma", "seed=2"),
        ("all-reduce", "seed=2"),
        ("testbed-queries", "seed=2"),
        ("link-flap", "output.pauses=true"),
    ] {
        let folder = Folder::new();
        let scenario = example(&format!("scenarios/{name}.toml"));
        let args = ["run", &scenario, "--set", change, "--out"];
        let one = [&args[..], &["one", "--threads", "1"]].concat();
        folder.run(&one).succeeded();
        for (ranks, threads) in [("2", "1"), ("3", "2")] {
            let more = ["-n", ranks, "@"];
            let several = [&more[..], &args, &["several", "--threads", threads]].concat();
            let Some(command) = mpirun(&folder, &several) else {
                return;
            };
            let said = outcome(command).succeeded().stdout;
            assert_eq!(said.matches("checksum ").count(), 1, "{said}");
            let (one, several) = (files(&folder, "one"), files(&folder, "several"));
            assert!(one.keys().eq(several.keys()), "{name}");
            let other = one.keys().find(|file| one[*file] != several[*file]);
            assert_eq!(other, None, "{name} over {ranks} processes");
        }
    }
}

#[test]
fn another_scenario_at_one_process_ends_all() {
    let folder = Folder::new();
    let scenario = example("scenarios/default.toml");
    let args = ["run", &scenario, "--out", "results"];
    let other = [&args[..], &["--set", "seed=7"]].concat();
    let parts = [&["-n", "2", "@"][..], &args, &[":", "-n", "1", "@"], &other].concat();
    let Some(command) = mpirun(&folder, &parts) else {
        return;
    };
    let outcome = outcome(command);
    assert_eq!(outcome.code, Some(2), "{}", outcome.stderr);
    let said = outcome
        .stderr
        .matches("another scenario than rank 0")
        .count();
    assert_eq!(said, 1, "{}", outcome.stderr);
    assert!(outcome.stderr.contains("rank 2"), "{}", outcome.stderr);
    assert!(!folder.has("results/fct.csv") && !folder.has("results/summary.json"));
}

#[test]
fn an_error_in_the_scenario_is_said_once() {
    let folder = Folder::new();
    let scenario = example("scenarios/default.toml");
    let args = ["-n", "3", "@", "run", &scenario, "--set", "cc.kind=hpc"];
    let Some(command) = mpirun(&folder, &args) else {
        return;
    };
    let outcome = outcome(command);
    assert_eq!(outcome.code, Some(2), "{}", outcome.stderr);
    assert_eq!(
        outcome.stderr.matches("`hpc`").count(),
        1,
        "{}",
        outcome.stderr
    );
}

#[test]
fn a_full_disk_at_one_process_ends_all() {
    let scenario = example("scenarios/default.toml");
    for limited in [0, 1] {
        let folder = Folder::new();
        let args = format!("@ run {scenario} --quiet --out results");
        let shell = |rank| match rank == limited {
            true => format!("ulimit -f 8; exec {args}"),
            false => format!("exec {args}"),
        };
        let (first, second) = (shell(0), shell(1));
        let parts = [
            "-n", "1", "sh", "-c", &first, ":", "-n", "1", "sh", "-c", &second,
        ];
        let Some(command) = mpirun(&folder, &parts) else {
            return;
        };
        let outcome = outcome(command);
        assert_eq!(outcome.code, Some(1), "{}", outcome.stderr);
        let said = outcome.stderr.matches("cannot write").count();
        assert_eq!(said, 1, "{}", outcome.stderr);
        let rank = format!("rank {limited} of 2");
        assert!(outcome.stderr.contains(&rank), "{}", outcome.stderr);
        assert!(!folder.has("results/fct.csv") && !folder.has("results/summary.json"));
    }
}

#[test]
fn a_process_that_is_killed_ends_all() {
    let folder = Folder::new();
    let scenario = example("scenarios/fat320-websearch-50.toml");
    let args = [
        "-n",
        "3",
        "@",
        "run",
        &scenario,
        "--out",
        "results",
        "--threads",
        "1",
    ];
    let Some(mut command) = mpirun(&folder, &args) else {
        return;
    };
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut launcher = command.spawn().expect("it was there before");
    let ranks = loop {
        let ranks = children(launcher.id());
        if ranks.len() == 3 && folder.has("results") {
            break ranks;
        }
        assert!(
            launcher.try_wait().expect("a child").is_none(),
            "it runs for minutes"
        );
        sleep(Duration::from_millis(50));
    };
    sleep(Duration::from_secs(1));
    let killed = Command::new("kill").args(["-9", &ranks[1]]).status();
    assert!(killed.expect("there is a kill").success());
    let begun = Instant::now();
    let output = launcher.wait_with_output().expect("a child");
    assert!(
        begun.elapsed() < Duration::from_secs(30),
        "{:?}",
        begun.elapsed()
    );
    let ended = Outcome::from(output);
    assert!(ended.code != Some(0), "{}", ended.stderr);
    assert!(ranks.iter().all(|rank| !is_running(rank)), "{ranks:?}");
    assert!(!folder.has("results/fct.csv") && !folder.has("results/summary.json"));
    // The next run takes the folder over.
    let short = [
        "run",
        &scenario,
        "--set",
        "workload.0.duration=5us",
        "--out",
        "results",
    ];
    folder.run(&short).succeeded();
    let left = files(&folder, "results");
    assert!(
        left.keys().all(|name| !name.starts_with('.')),
        "{:?}",
        left.keys()
    );
}

/// The children of a process, by their numbers.
fn children(of: u32) -> Vec<String> {
    let list = format!("/proc/{of}/task/{of}/children");
    let text = fs::read_to_string(list).unwrap_or_default();
    text.split_whitespace().map(str::to_owned).collect()
}

/// Returns whether a process is there and no zombie.
fn is_running(process: &str) -> bool {
    let status = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    let state = status
        .rsplit(") ")
        .next()
        .and_then(|rest| rest.chars().next());
    state.is_some_and(|state| state != 'Z')
}
