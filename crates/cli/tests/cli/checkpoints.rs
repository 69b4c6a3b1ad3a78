//! `fabricsim run --checkpoint-at` and `--from`.

use std::fs;

use crate::support::{Folder, Outcome};

const SCENARIO: &str = "name = \"warm\"\n[topology]\nkind = \"star\"\nhosts = 5\n\
    [[workload]]\nkind = \"poisson\"\nsizes = \"sizes.txt\"\nload = 0.5\nduration = \"100us\"\n\
    [[workload]]\nkind = \"incast\"\nfan_in = 4\nsize = \"100KB\"\nat = \"10us\"\n\
    [cc]\nkind = \"dcqcn\"\n";
const SIZES: &str = "1000 0\n20000 50\n90000 100\n";

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("warm.toml", SCENARIO);
    folder.write("sizes.txt", SIZES);
    folder
}

/// Asserts that the command refuses with these words before it writes to `out`.
fn refused(folder: &Folder, outcome: &Outcome, words: &[&str]) {
    assert_eq!(outcome.code, Some(2), "{}", outcome.stderr);
    for words in words {
        assert!(outcome.stderr.contains(words), "{}", outcome.stderr);
    }
    assert!(!folder.path("out").exists());
}

#[test]
fn a_run_goes_on_from_a_checkpoint_to_the_same_results() {
    let folder = folder();
    let first = [
        "run",
        "warm.toml",
        "--checkpoint-at",
        "20us,60us",
        "--threads",
        "2",
    ];
    let said = folder.run(&first).succeeded().stdout;
    for time in ["20us", "60us"] {
        let file = format!("results/warm.{time}.checkpoint");
        assert!(said.contains(&format!("checkpoint   {file}")), "{said}");
        let from = ["run", "--from", &file, "--out", time, "--threads", "1"];
        folder.run(&from).succeeded();
        let fct = |dir: &str| folder.read(&format!("{dir}/fct.csv"));
        assert_eq!(fct(time), fct("results/warm"));
        let checksum = |dir: &str| folder.summary(dir)["scenario_checksum"].clone();
        assert_eq!(checksum(time), checksum("results/warm"));
    }
    let taken = folder.summary("results/warm")["checkpoints"].clone();
    assert_eq!(taken[1]["time_ns"], 60_000.0);
    // The whole run again, into its own folder.
    let again = ["run", "--from", "results/warm.20us.checkpoint"];
    folder.run(&again).succeeded();
    // From a checkpoint to the next one.
    let next = [
        "--checkpoint-at",
        "50us",
        "--checkpoint",
        "next.ckpt",
        "--out",
        "next",
    ];
    folder.run(&[&again[..], &next].concat()).succeeded();
    folder
        .run(&["run", "--from", "next.ckpt", "--out", "last"])
        .succeeded();
    assert_eq!(
        folder.read("last/fct.csv"),
        folder.read("results/warm/fct.csv")
    );
}

#[test]
fn a_branch_has_results_of_its_own() {
    let folder = folder();
    folder
        .run(&[
            "run",
            "warm.toml",
            "--checkpoint-at",
            "20us",
            "--checkpoint",
            "w",
        ])
        .succeeded();
    let timely = ["run", "--from", "w", "--set", "cc.kind=timely"];
    let kept = folder.run(&timely);
    assert_eq!(kept.code, Some(2));
    assert!(
        kept.stderr.contains("it has other results"),
        "{}",
        kept.stderr
    );
    folder
        .run(&[&timely[..], &["--out", "timely"]].concat())
        .succeeded();
    let branch = folder.summary("timely")["scenario"]["checkpoint"].clone();
    assert_eq!(branch["changed"]["cc.kind"]["after"], "timely");
    assert_ne!(
        folder.read("timely/fct.csv"),
        folder.read("results/warm/fct.csv")
    );
}

#[test]
fn what_may_not_change_is_refused_by_name() {
    let folder = folder();
    folder
        .run(&[
            "run",
            "warm.toml",
            "--checkpoint-at",
            "20us",
            "--checkpoint",
            "w",
        ])
        .succeeded();
    let with = |set: &str| folder.run(&["run", "--from", "w", "--out", "out", "--set", set]);
    refused(
        &folder,
        &with("workload.0.load=0.9"),
        &["`workload.0.load` was 0.5", "`cc`"],
    );
    refused(&folder, &with("cc.kind=hpcc"), &["carry different"]);
    refused(&folder, &with("cc.knid=hpcc"), &["knid"]);
    refused(
        &folder,
        &with("run.stop_at=5us"),
        &["`run.stop_at` is before 20us"],
    );
    refused(&folder, &with("observe.interval=5us"), &["observe"]);
    // A file that the scenario names.
    folder.write("sizes.txt", "1000 0\n20000 50\n80000 100\n");
    refused(
        &folder,
        &with("cc.g=0.5"),
        &["sizes.txt", "has changed since"],
    );
    fs::remove_file(folder.path("sizes.txt")).expect("it is there");
    refused(&folder, &with("cc.g=0.5"), &["sizes.txt"]);
}

#[test]
fn a_file_that_is_no_checkpoint_is_refused() {
    let folder = folder();
    folder
        .run(&[
            "run",
            "warm.toml",
            "--checkpoint-at",
            "20us",
            "--checkpoint",
            "w",
        ])
        .succeeded();
    let good = fs::read(folder.path("w")).expect("a checkpoint");
    let from = |bytes: &[u8]| {
        fs::write(folder.path("bad"), bytes).expect("a file");
        folder.run(&["run", "--from", "bad", "--out", "out"])
    };
    refused(
        &folder,
        &from(&good[..good.len() / 2]),
        &["bad", "truncated or altered"],
    );
    let mut altered = good.clone();
    let middle = altered.len() / 2;
    altered[middle] ^= 1;
    refused(&folder, &from(&altered), &["bad", "truncated or altered"]);
    refused(
        &folder,
        &from(b""),
        &["bad", "not a checkpoint of fabricsim"],
    );
    refused(
        &folder,
        &from(SCENARIO.as_bytes()),
        &["not a checkpoint of fabricsim"],
    );
    let missing = folder.run(&["run", "--from", "nowhere", "--out", "out"]);
    refused(&folder, &missing, &["the checkpoint", "nowhere"]);
}

/// The run changes none of its input files, whatever path names them, and nothing runs.
#[test]
fn a_checkpoint_does_not_take_the_place_of_what_the_run_reads() {
    let folder = folder();
    let taken = [
        "run",
        "warm.toml",
        "--checkpoint-at",
        "20us",
        "--checkpoint",
        "w",
        "-q",
    ];
    folder.run(&taken).succeeded();
    fs::hard_link(folder.path("warm.toml"), folder.path("other.toml")).expect("a link");
    let first = [
        "run",
        "warm.toml",
        "--out",
        "out",
        "--checkpoint-at",
        "50us",
    ];
    let again = [
        "run",
        "--from",
        "w",
        "--out",
        "out",
        "--checkpoint-at",
        "50us",
    ];
    for (run, input) in [
        (&first[..], "warm.toml"),
        (&first, "./warm.toml"),
        (&first, "other.toml"),
        (&first, "sizes.txt"),
        (&again, "w"),
        (&again, "sizes.txt"),
    ] {
        let before = fs::read(folder.path(input)).expect("an input");
        let outcome = folder.run(&[run, &["--checkpoint", input]].concat());
        refused(&folder, &outcome, &[input, "is one of the input files"]);
        assert_eq!(fs::read(folder.path(input)).expect("an input"), before);
    }
}

/// The same for results, even if they may replace other results.
#[test]
fn results_do_not_take_the_place_of_what_the_run_reads() {
    let folder = Folder::new();
    let flows = "src,dst,size_bytes,start_ns\n0,1,5000,0\n";
    folder.write("flows.csv", flows);
    folder.write(
        "list.toml",
        "[topology]\nkind = \"star\"\nhosts = 4\n[cc]\nkind = \"hpcc\"\n[[workload]]\n\
         kind = \"list\"\npath = \"flows.csv\"\n[observe]\ninterval = \"1us\"\nflows = true\n",
    );
    let outcome = folder.run(&["run", "list.toml", "--out", ".", "--force"]);
    assert_eq!(outcome.code, Some(2), "{}", outcome.stderr);
    assert!(outcome.stderr.contains("flows.csv"), "{}", outcome.stderr);
    assert_eq!(folder.read("flows.csv"), flows);
    folder
        .run(&["run", "list.toml", "--out", "out"])
        .succeeded();
    // Nor do outputs of other commands.
    for command in [
        &["report", "out", "-o", "out/summary.json"][..],
        &["timeline", "out", "-o", "out/topology.csv"],
        &["plot", "cdf", "out/fct.csv", "-o", "out/fct.svg"],
        &["slowdown", "out", "--csv", "out/flows.csv"],
        &["compare", "out", "out", "--flows", "out/fct.csv"],
    ] {
        if command[0] == "plot" {
            fs::hard_link(folder.path("out/fct.csv"), folder.path("out/fct.svg")).expect("a link");
        }
        let last = command.last().expect("a file");
        let before = folder.read(last);
        let outcome = folder.run(command);
        assert_eq!(outcome.code, Some(2), "{command:?}: {}", outcome.stderr);
        let words = "it is one of the input files";
        assert!(outcome.stderr.contains(words), "{}", outcome.stderr);
        assert_eq!(folder.read(last), before);
    }
}

#[test]
fn options_that_contradict_one_another_are_refused() {
    let folder = folder();
    for args in [
        &["run", "warm.toml", "--from", "w"][..],
        &["run", "--from", "w", "--seed", "3"],
        &["run", "warm.toml", "--checkpoint", "w"],
        &["run", "warm.toml", "--checkpoint-at", "soon"],
        &[
            "run",
            "warm.toml",
            "--checkpoint-at",
            "20us",
            "--profile-parallelism",
        ],
    ] {
        assert_eq!(folder.run(args).code, Some(2), "{args:?}");
    }
    folder
        .run(&[
            "run",
            "warm.toml",
            "--checkpoint-at",
            "20us",
            "--checkpoint",
            "w",
        ])
        .succeeded();
    let early = [
        "run",
        "--from",
        "w",
        "--checkpoint-at",
        "10us",
        "--out",
        "out",
    ];
    refused(
        &folder,
        &folder.run(&early),
        &["continues from 20us", "give a time after 20us"],
    );
}

/// A long run does not end at its checkpoint.
#[test]
fn a_checkpoint_without_a_place_is_refused_before_the_run() {
    let folder = folder();
    for place in ["nowhere/w", "."] {
        let args = [
            "run",
            "warm.toml",
            "--checkpoint-at",
            "20us",
            "--checkpoint",
            place,
        ];
        let outcome = folder.run(&args);
        assert_eq!(outcome.code, Some(1), "{}", outcome.stderr);
        let words = format!("cannot write `{place}`");
        assert!(outcome.stderr.contains(&words), "{}", outcome.stderr);
        assert!(!folder.path("results/warm/fct.csv").exists());
    }
}

#[test]
fn a_run_that_ends_before_says_so() {
    let folder = folder();
    let late = folder.run(&[
        "run",
        "warm.toml",
        "--checkpoint-at",
        "10s",
        "--checkpoint",
        "w",
    ]);
    assert_eq!(late.code, Some(0));
    let words = "the run ended before 10s, so there is no checkpoint of that time";
    assert!(late.stderr.contains(words), "{}", late.stderr);
    assert!(!folder.path("w").exists());
}
