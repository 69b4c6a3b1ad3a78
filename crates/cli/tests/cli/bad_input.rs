//! Every error ends the command before anything runs: exit code 2, the file and the line, the
//! faulty text, a suggested fix, and no folder of results.

use crate::support::{Folder, Outcome};

/// An error and the expected message.
struct Case {
    name: &'static str,
    /// Files beside the scenario.
    files: &'static [(&'static str, &'static str)],
    scenario: &'static str,
    args: &'static [&'static str],
    /// Place of the error: a file and a line.
    place: &'static str,
    /// Texts that the message contains; they include the faulty text.
    says: &'static [&'static str],
    /// Suggested fix.
    help: &'static str,
}

/// Four hosts at a switch; `{}` is replaced by the text of a case.
macro_rules! star {
    ($topology:literal, $workload:literal, $cc:literal) => {
        concat!(
            "[topology]\nkind = \"star\"\nhosts = 4\n",
            $topology,
            "\n[[workload]]\n",
            $workload,
            "\n[cc]\n",
            $cc,
            "\n"
        )
    };
}

const GOOD_WORKLOAD: &str =
    "kind = \"poisson\"\nsizes = \"websearch\"\nload = 0.5\nduration = \"100us\"";

/// A scenario with `$text` after a valid topology, workload and algorithm.
macro_rules! good_and {
    ($text:literal) => {
        concat!(
            "[topology]\nkind = \"star\"\nhosts = 4\n[[workload]]\nkind = \"incast\"\nfan_in = 3\n",
            "size = \"10KB\"\nat = \"0s\"\n[cc]\nkind = \"hpcc\"\n",
            $text,
            "\n"
        )
    };
}

/// The network of a GraphML file named by `$key`.
macro_rules! from_graphml {
    ($key:literal) => {
        concat!(
            "[topology]\nkind = \"graphml\"\npath = \"network.graphml\"\n",
            $key,
            "[[workload]]\nkind = \"permutation\"\nsize = \"1KB\"\n[cc]\nkind = \"hpcc\"\n"
        )
    };
}

/// A topology file as a network, with one flow list or an incast.
macro_rules! from_file {
    ($workload:literal) => {
        concat!(
            "[topology]\nkind = \"file\"\npath = \"topology.txt\"\n[[workload]]\n",
            $workload,
            "\n[cc]\nkind = \"hpcc\"\n"
        )
    };
}

mod capture;
mod congestion_control;
mod events;
mod files;
mod graphs;
mod keys;
mod limits;
mod nodes;
mod observation;
mod overrides;
mod places;
mod queries;
mod reduction;
mod routing;
mod rpc;
mod serving;
mod tcp;
mod units;
mod values;

const FILES: &[(&str, &str)] = &[];

/// Returns all cases of one shape, by topic.
fn cases() -> impl Iterator<Item = &'static Case> {
    [
        observation::CASES,
        capture::CASES,
        keys::CASES,
        units::CASES,
        values::CASES,
        files::CASES,
        events::CASES,
        overrides::CASES,
        places::CASES,
        queries::CASES,
        routing::CASES,
        rpc::CASES,
        serving::CASES,
        graphs::CASES,
        reduction::CASES,
        tcp::CASES,
        nodes::CASES,
    ]
    .into_iter()
    .flatten()
}

fn report(case: &Case) -> (Folder, Outcome) {
    let folder = Folder::new();
    for (name, text) in case.files {
        folder.write(name, text);
    }
    folder.write("t.toml", case.scenario);
    let mut args = vec!["run", "t.toml", "--out", "results"];
    args.extend(case.args);
    let outcome = folder.run(&args);
    (folder, outcome)
}

#[test]
fn every_error_is_placed_and_comes_with_a_suggested_fix() {
    let mut missing = Vec::new();
    for case in cases() {
        let (folder, outcome) = report(case);
        let name = case.name;
        let said = unwrapped(&outcome.stderr);
        assert_eq!(outcome.code, Some(2), "{name}: {}", outcome.stderr);
        assert_eq!(outcome.stdout, "", "{name}");
        assert!(!folder.has("results"), "{name}: a folder was made");
        for fragment in [case.place, case.help].iter().chain(case.says) {
            if !said.contains(fragment) {
                let stderr = &outcome.stderr;
                missing.push(format!("{name}: no `{fragment}` in\n{stderr}"));
            }
        }
        for raw in [
            "invalid type",
            "invalid value",
            "expected f64",
            "struct ",
            "panicked",
        ] {
            assert!(!said.contains(raw), "{name}: `{raw}` is not our word");
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

/// Returns a message as one line, so that wrapping does not matter.
fn unwrapped(message: &str) -> String {
    message
        .split_whitespace()
        .filter(|word| *word != "|")
        .collect::<Vec<_>>()
        .join(" ")
}

#[test]
fn a_scenario_that_does_not_exist() {
    let folder = Folder::new();
    let outcome = folder.run(&["run", "nowhere.toml", "--out", "results"]);
    assert_eq!(outcome.code, Some(2));
    let said = unwrapped(&outcome.stderr);
    assert!(
        said.contains("cannot read the scenario `nowhere.toml`"),
        "{said}"
    );
    assert!(said.contains("help: give the path of a scenario"), "{said}");
    assert!(!folder.has("results"));
}

#[test]
fn check_finds_the_same_errors_as_run() {
    for case in cases().filter(|case| case.args.is_empty()) {
        let (folder, run) = report(case);
        let check = folder.run(&["check", "t.toml"]);
        assert_eq!(check.code, Some(2), "{}", case.name);
        assert_eq!(check.stderr, run.stderr, "{}", case.name);
    }
}

#[test]
fn what_the_command_line_itself_refuses() {
    let folder = Folder::new();
    for args in [
        &["run", "--threads", "0"][..],
        &["run", "--seed", "-1"],
        &["run", "--sed", "1"],
        &["runn"],
        &["list", "algorithms"],
        &[],
    ] {
        let outcome = folder.run(args);
        assert_eq!(outcome.code, Some(2), "{args:?}");
        assert!(
            outcome.stderr.contains("--help") || outcome.stderr.contains("Usage"),
            "{args:?}"
        );
    }
    assert!(!folder.has("results"));
}

#[test]
fn the_profile_says_what_its_telemetry_cannot_hold() {
    let folder = Folder::new();
    folder.write(
        "t.toml",
        "profile = \"ns3-hpcc\"\n[topology]\nkind = \"chain\"\nswitches = 6\n[[workload]]\nkind = \"permutation\"\nsize = \"1KB\"\n[cc]\nkind = \"hpcc\"\n",
    );
    let outcome = folder.run(&["run", "t.toml", "--out", "results"]);
    assert_eq!(outcome.code, Some(2));
    let said = unwrapped(&outcome.stderr);
    assert!(said.contains("5 hops"), "{said}");
    assert!(said.contains("leave out the profile"), "{said}");
    assert!(!folder.has("results"));
}

#[test]
fn the_table_covers_a_good_scenario_too() {
    let folder = Folder::new();
    let text = format!(
        "[topology]\nkind = \"star\"\nhosts = 4\n[[workload]]\n{GOOD_WORKLOAD}\n[cc]\nkind = \"hpcc\"\n"
    );
    folder.write("t.toml", &text);
    folder
        .run(&["run", "t.toml", "--out", "results"])
        .succeeded();
    assert!(folder.has("results/fct.csv"));
}
