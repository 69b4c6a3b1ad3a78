//! `fabricsim run` over several processes under `mpirun`.

use std::collections::BTreeMap;
use std::fs;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::random_scenario;
use crate::support::{Folder, Outcome, project};

/// Keys that depend on the machine or on the number of processes.
const MEASURED: [&str; 6] = [
    "cpu_s",
    "packet_hops_per_cpu_s",
    "peak_memory_bytes",
    "ranks",
    "threads",
    "wall_s",
];

/// Returns the path of an example.
fn example(name: &str) -> String {
    project("examples").join(name).display().to_string()
}

/// Returns `mpirun` with `args`, in which `@` is the command; `None` if there is no `mpirun`.
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

/// Returns the files of results, with the parts of the summary that do not depend on the machine.
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

/// Starts a long run over three processes. Returns the launcher and the process numbers; `None` if
/// there is no `mpirun`.
fn begun(folder: &Folder, scenario: &str) -> Option<(Child, Vec<String>)> {
    let args = ["-n", "3", "@", "run", scenario, "--out", "results"];
    let mut command = mpirun(folder, &[&args[..], &["--threads", "1"]].concat())?;
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut launcher = command.spawn().expect("it was there before");
    loop {
        let ranks = children(launcher.id());
        if ranks.len() == 3 && folder.has("results") {
            sleep(Duration::from_secs(1));
            return Some((launcher, ranks));
        }
        let ended = launcher.try_wait().expect("a child");
        assert!(ended.is_none(), "it runs for minutes");
        sleep(Duration::from_millis(50));
    }
}

/// Waits for the end of the run that [`begun`] has started, after a signal to end.
fn ended_soon(launcher: Child, ranks: &[String]) -> Outcome {
    let begun = Instant::now();
    let output = launcher.wait_with_output().expect("a child");
    // The launcher may end a moment before the processes that it has signaled.
    while ranks.iter().any(|rank| is_running(rank)) && begun.elapsed() < Duration::from_secs(30) {
        sleep(Duration::from_millis(50));
    }
    let took = begun.elapsed();
    assert!(took < Duration::from_secs(30), "{took:?}");
    Outcome::from(output)
}

/// Lets the next run replace the folder `results`. A process that was just killed may hold its lock
/// until the last of its threads is gone.
fn take_over(folder: &Folder, scenario: &str) {
    let short = ["run", scenario, "--set", "workload.0.duration=5us"];
    let again = [&short[..], &["--out", "results", "--force"]].concat();
    let begun = Instant::now();
    loop {
        let outcome = folder.run(&again);
        let held = outcome.stderr.contains("another fabricsim is writing");
        if !held || begun.elapsed() > Duration::from_secs(10) {
            outcome.succeeded();
            return;
        }
        sleep(Duration::from_millis(50));
    }
}

/// Sends `signal` to a process.
fn send(signal: &str, process: &str) {
    let sent = Command::new("kill").args([signal, process]).status();
    assert!(sent.expect("there is a kill").success());
}

#[test]
fn an_interrupt_ends_all() {
    let folder = Folder::new();
    let scenario = example("scenarios/fat320-websearch-50.toml");
    let Some((launcher, ranks)) = begun(&folder, &scenario) else {
        return;
    };
    send("-INT", &launcher.id().to_string());
    let ended = ended_soon(launcher, &ranks);
    assert!(ended.code != Some(0), "{}", ended.stderr);
    let half = folder.has("results/summary.json") != folder.has("results/fct.csv");
    assert!(!half, "{}", ended.stderr);
    take_over(&folder, &scenario);
}

#[test]
fn a_process_that_is_killed_ends_all() {
    let folder = Folder::new();
    let scenario = example("scenarios/fat320-websearch-50.toml");
    let Some((launcher, ranks)) = begun(&folder, &scenario) else {
        return;
    };
    send("-9", &ranks[1]);
    let ended = ended_soon(launcher, &ranks);
    assert!(ended.code != Some(0), "{}", ended.stderr);
    assert!(!folder.has("results/fct.csv") && !folder.has("results/summary.json"));
    take_over(&folder, &scenario);
    let left = files(&folder, "results");
    assert!(
        left.keys().all(|name| !name.starts_with('.')),
        "{:?}",
        left.keys()
    );
}

/// Asserts that `scenario`, called `name`, has the same results under `mpirun` as in one process,
/// for the ranks and threads in `numbers`. Returns the number of runs; `None` if there is no
/// `mpirun`.
fn compared(scenario: &[&str], numbers: &[(&str, &str)], name: &str) -> Option<usize> {
    let folder = Folder::new();
    let args = [&["run", "--quiet"], scenario, &["--out"]].concat();
    let alone = folder.run(&[&args[..], &["one", "--threads", "1"]].concat());
    for (ranks, threads) in numbers {
        let together = [&["-n", ranks, "@"], &args[..], &["several"]].concat();
        let more = [&together[..], &["--threads", threads, "--force"]].concat();
        let outcome = outcome(mpirun(&folder, &more)?);
        let what = format!("{name} over {ranks} processes of {threads} threads");
        assert_eq!(outcome.code, alone.code, "{what}: {}", outcome.stderr);
        let (one, several) = (files(&folder, "one"), files(&folder, "several"));
        assert!(one.keys().eq(several.keys()), "{what}: other files");
        let other = one.keys().find(|file| one[*file] != several[*file]);
        assert_eq!(other, None, "{what}");
    }
    Some(numbers.len())
}

#[test]
#[ignore = "takes a quarter of an hour"]
fn all_examples_and_a_hundred_random_scenarios_over_processes() {
    let mut runs = 0;
    let all = [
        ("1", "2"),
        ("2", "1"),
        ("2", "2"),
        ("3", "1"),
        ("3", "2"),
        ("4", "1"),
        ("4", "2"),
    ];
    for entry in fs::read_dir(project("examples/scenarios")).expect("the examples") {
        let path = entry.expect("an entry").path();
        let scenario = path.display().to_string();
        let mut args = vec![&scenario[..]];
        if path.extension().is_none_or(|kind| kind != "toml") {
            continue;
        } else if scenario.ends_with("fat320-websearch-50.toml") {
            args.extend(["--set", "workload.0.duration=300us"]);
        }
        let Some(more) = compared(&args, &all, &scenario) else {
            return;
        };
        runs += more;
    }
    let texts = Folder::new();
    for seed in 0..100 {
        texts.write("random.toml", &random_scenario::scenario(seed));
        let path = texts.path("random.toml").display().to_string();
        let some = [("2", "1"), ("3", "2"), ("4", "1")];
        let more = compared(&[&path], &some, &format!("random scenario {seed}"));
        runs += more.expect("there was an mpirun before");
    }
    println!("{runs} runs over several processes, each with the files of one");
}

/// Returns the numbers of the children of a process.
fn children(of: u32) -> Vec<String> {
    let list = format!("/proc/{of}/task/{of}/children");
    let text = fs::read_to_string(list).unwrap_or_default();
    text.split_whitespace().map(str::to_owned).collect()
}

/// Returns `true` if a process exists and is not a zombie.
fn is_running(process: &str) -> bool {
    let status = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    let state = status
        .rsplit(") ")
        .next()
        .and_then(|rest| rest.chars().next());
    state.is_some_and(|state| state != 'Z')
}
