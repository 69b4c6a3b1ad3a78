//! Ctrl-C keeps completed results, under a name that marks them as partial.

#![cfg(unix)]

use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::support::{Folder, Outcome};

/// Longest time that the command may take to start or to end on a busy machine.
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

/// Longest time in which the command must end: half a second, with a margin for a busy machine.
const SOON: Duration = Duration::from_secs(4);

/// Starts the command, waits until `begun` returns `true`, lets it work for `after`, and sends
/// SIGINT. Returns the time that it took to end, and its outcome.
fn interrupted(
    folder: &Folder,
    args: &[&str],
    begun: impl Fn() -> bool,
    after: Duration,
) -> (Duration, Outcome) {
    let mut child = folder
        .command(args)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    let start = Instant::now();
    while !begun() {
        assert!(start.elapsed() < PATIENCE, "{args:?} does not begin");
        sleep(Duration::from_millis(5));
    }
    sleep(after);
    assert!(
        child.try_wait().expect("it can be waited for").is_none(),
        "{args:?} has ended by itself"
    );
    let signal = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .expect("`kill` is there");
    assert!(signal.success());
    let signalled = Instant::now();
    while child.try_wait().expect("it can be waited for").is_none() {
        assert!(signalled.elapsed() < PATIENCE, "{args:?} does not end");
        sleep(Duration::from_millis(1));
    }
    let took = signalled.elapsed();
    let outcome = child.wait_with_output().expect("it has ended").into();
    println!("{args:?}: {} ms", took.as_millis());
    (took, outcome)
}

/// Traffic for a very long time.
const ENDLESS: &str =
    "[[workload]]\nkind = \"poisson\"\nsizes = \"websearch\"\nload = 0.6\nduration = \"2s\"\n";

#[test]
fn long_links_and_many_hosts_end_soon() {
    let networks = [
        // Windows of 10 ms, each of them seconds of work.
        "kind = \"star\"\nhosts = 64\ndelay = \"10ms\"\nrate = \"100Gbps\"",
        "kind = \"leaf-spine\"\nleaves = 32\nspines = 8\nhosts_per_leaf = 32",
        "kind = \"isp\"",
    ];
    for network in networks {
        for threads in ["1", "2"] {
            let folder = Folder::new();
            let text = format!("[topology]\n{network}\n[cc]\nkind = \"dctcp\"\n{ENDLESS}");
            folder.write("long.toml", &text);
            let args = ["run", "long.toml", "--threads", threads, "--out", "out"];
            let work = Duration::from_secs(2);
            let (took, outcome) = interrupted(&folder, &args, || folder.has("out"), work);
            assert_eq!(outcome.code, Some(130), "{}", outcome.stderr);
            assert!(took < SOON, "{network}: {took:?}");
            let summary: serde_json::Value =
                serde_json::from_str(&folder.read("out/summary.partial.json")).expect("JSON");
            assert_eq!(summary["status"], "interrupted");
            let rows = folder.read("out/fct.partial.csv").lines().count() as u64 - 1;
            let flows = &summary["flows"];
            assert_eq!(flows["finished"], rows);
            let sum = rows + flows["unfinished"].as_u64().expect("a number");
            assert_eq!(flows["started"], sum);
        }
    }
}

/// Nothing happens for a second of simulated time; the run only writes gigabytes of rows.
#[test]
fn time_series_of_an_idle_network_end_soon() {
    let folder = Folder::new();
    folder.write(
        "idle.toml",
        "[topology]\nkind = \"fat-tree\"\n[cc]\nkind = \"hpcc\"\n[[workload]]\nkind = \"incast\"\n\
         fan_in = 3\nsize = \"1KB\"\nat = \"1s\"\n[observe]\ninterval = \"1us\"\nqueues = true\n\
         flows = true\nlinks = true\nmax_rows = 1000000000\n",
    );
    let args = ["run", "idle.toml", "--threads", "1", "--out", "out"];
    let work = Duration::from_millis(500);
    let (took, outcome) = interrupted(&folder, &args, || folder.has("out"), work);
    assert_eq!(outcome.code, Some(130), "{}", outcome.stderr);
    assert!(took < SOON, "{took:?}");
    let rows = folder.read("out/queues.partial.csv");
    assert!(rows.ends_with('\n') && rows.lines().count() > 1);
}

#[test]
fn queries_that_are_complete_are_kept() {
    let folder = Folder::new();
    folder.write(
        "s.toml",
        "[topology]\nkind = \"star\"\nhosts = 4\n[cc]\nkind = \"hpcc\"\n[[workload]]\nkind = \"rpc\"\n\
         query = \"4KB\"\nduration = \"100s\"\n",
    );
    let args = ["run", "s.toml", "--threads", "1", "--out", "out"];
    let work = Duration::from_millis(500);
    let (_, outcome) = interrupted(&folder, &args, || folder.has("out"), work);
    assert_eq!(outcome.code, Some(130), "{}", outcome.stderr);
    assert!(!folder.has("out/rpc.csv") && !folder.has("out/summary.json"));
    let rows = folder.read("out/rpc.partial.csv").lines().count() as u64 - 1;
    let summary: serde_json::Value =
        serde_json::from_str(&folder.read("out/summary.partial.json")).expect("JSON");
    let rpc = &summary["rpc"][0];
    assert!(rows > 0);
    assert_eq!(rpc["queries"], rows);
    // Twelve pairs of hosts; some queries may be between a response and the next one.
    assert!(rpc["unfinished"].as_u64().is_some_and(|left| left <= 12));
    let ended = summary["simulated_ns"].as_f64().expect("a time") / 1e9;
    let qps = rpc["qps"].as_f64().expect("a rate");
    assert!((qps * ended / rows as f64 - 1.0).abs() < 0.01, "{qps}");
    assert!(
        outcome.stdout.contains("rpc.partial.csv"),
        "{}",
        outcome.stdout
    );
}

#[test]
fn commands_without_results_to_keep_end_at_once() {
    let folder = Folder::new();
    let big = format!(
        "[topology]\nkind = \"chain\"\nswitches = 8000\nhosts_per_switch = 1\n[cc]\nkind = \"dctcp\"\n{ENDLESS}"
    );
    folder.write("big.toml", &big);
    let commands: [&[&str]; 4] = [
        &["check", "big.toml"],
        &["run", "big.toml", "--out", "out"],
        &["harm", "--threads", "1"],
        &["pint", "trace", "--hops", "59", "--threads", "2"],
    ];
    for args in commands {
        let work = Duration::from_millis(2_000);
        let (took, outcome) = interrupted(&folder, args, || true, work);
        assert_eq!(outcome.code, Some(130), "{args:?}: {}", outcome.stderr);
        assert!(took < SOON, "{args:?}: {took:?}");
    }
    assert!(!folder.has("out"), "nothing was to be kept");
}
