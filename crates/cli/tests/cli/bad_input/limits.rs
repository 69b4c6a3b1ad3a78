//! Quantities beyond the limits of docs/scenarios.md, in every place that accepts them.

mod cases;

use cases::{other_commands, texts};

use super::unwrapped;
use crate::support::Folder;

const INCAST: &str = "kind = \"incast\"\nfan_in = 3\nsize = \"10KB\"\nat = \"0s\"";
const STAR: &str = "kind = \"star\"\nhosts = 4";

fn scenario(topology: &str, workload: &str, more: &str) -> String {
    format!("[topology]\n{topology}\n[[workload]]\n{workload}\n[cc]\nkind = \"hpcc\"\n{more}\n")
}

/// Contents of `t.toml` and of one other file, the arguments, and texts of the message.
struct Beyond {
    scenario: String,
    file: (&'static str, &'static str),
    args: &'static [&'static str],
    /// The place and the error; the last text is the suggested fix.
    says: &'static [&'static str],
}

impl Beyond {
    fn new(scenario: String, says: &'static [&'static str]) -> Self {
        Self {
            scenario,
            file: ("unused.txt", ""),
            args: &["check", "t.toml"],
            says,
        }
    }

    fn file(mut self, name: &'static str, text: &'static str) -> Self {
        self.file = (name, text);
        self
    }

    fn args(mut self, args: &'static [&'static str]) -> Self {
        self.args = args;
        self
    }
}

#[test]
fn quantities_beyond_the_limits_are_refused_with_place_and_suggested_fix() {
    let mut missing = Vec::new();
    for case in texts().into_iter().chain(other_commands()) {
        let folder = Folder::new();
        folder.write("t.toml", &case.scenario);
        folder.write(case.file.0, case.file.1);
        let outcome = folder.run(case.args);
        let said = unwrapped(&outcome.stderr);
        let what = format!("{:?}\n{}\n{}", case.args, case.scenario, outcome.stderr);
        assert_eq!(outcome.code, Some(2), "{what}");
        assert_eq!(outcome.stdout, "", "{what}");
        for fragment in case.says {
            if !said.contains(fragment) {
                missing.push(format!("no `{fragment}` for {what}"));
            }
        }
        assert!(!folder.has("results"), "{what}");
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

/// The values in suggested fixes are accepted.
#[test]
fn the_limits_themselves_are_taken() {
    let folder = Folder::new();
    let text = scenario(
        "kind = \"star\"\nhosts = 3\nrate = \"100Tbps\"\ndelay = \"10s\"",
        "kind = \"incast\"\nfan_in = 2\nsize = \"1000TB\"\nat = \"1000000s\"",
        "[run]\nstop_at = \"1000000s\"\npacket_memory = \"1000TB\"\n[switch]\nbuffer = \"1000TB\"\nreserve = \"1B\"",
    );
    folder.write("t.toml", &text);
    folder.run(&["check", "t.toml"]).succeeded();
    folder
        .run(&["run", "t.toml", "--out", "results"])
        .succeeded();
    assert_eq!(folder.summary("results")["status"], "time-reached");
}

#[test]
fn a_key_of_thousands_of_parts_is_refused_at_once() {
    let folder = Folder::new();
    folder.write("t.toml", &scenario(STAR, INCAST, ""));
    let begun = std::time::Instant::now();
    let change = format!("cc{}=1", ".x".repeat(10_000));
    let outcome = folder.run(&["check", "t.toml", "--set", &change]);
    assert_eq!(outcome.code, Some(2), "{}", outcome.stderr);
    let said = unwrapped(&outcome.stderr);
    assert!(
        said.contains("a key of 10001 parts leads nowhere"),
        "{said}"
    );
    assert!(begun.elapsed().as_secs() < 5);
}

/// If flows start faster than they finish, the run stops before memory is exhausted.
#[test]
#[ignore = "takes gigabytes of memory"]
fn a_run_ends_when_there_are_too_many_flows() {
    let folder = Folder::new();
    let text = scenario(
        STAR,
        "kind = \"incast\"\nfan_in = 3\nsize = \"1KB\"\nperiod = \"1ps\"\nduration = \"1ms\"",
        "",
    );
    folder.write("t.toml", &text);
    let outcome = folder.run(&["run", "t.toml", "--out", "results"]);
    assert_eq!(outcome.code, Some(3), "{}", outcome.stderr);
    let said = unwrapped(&outcome.stderr);
    assert!(said.contains("5000000 flows are under way"), "{said}");
    let summary = folder.summary("results");
    assert_eq!(summary["status"], "overloaded");
    let memory = summary["peak_memory_bytes"].as_u64().unwrap_or(0);
    println!("{memory} bytes");
    assert!(memory < 8_000_000_000, "{memory} bytes");
}
