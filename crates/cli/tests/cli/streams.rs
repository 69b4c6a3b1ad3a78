//! Destinations of output (files, links, devices, FIFOs and the standard output), and the message
//! if output cannot be written.

#![cfg(unix)]

use std::fs::{self, File};
use std::os::unix::fs::{FileTypeExt, symlink};
use std::process::{Command, Stdio};

use crate::support::{Folder, Outcome};

fn with_results() -> Folder {
    let folder = Folder::new();
    folder
        .run(&[
            "run",
            "--set",
            "workload.0.duration=50us",
            "--out",
            "r",
            "--quiet",
        ])
        .succeeded();
    folder.write(
        "s.toml",
        "[scenario.topology]\nkind = \"star\"\nhosts = 3\n[[scenario.workload]]\n\
         kind = \"permutation\"\nsize = \"1KB\"\n[scenario.cc]\nkind = \"hpcc\"\n[[axis]]\n\
         key = \"seed\"\nvalues = [1]\n",
    );
    folder.write(
        "q.toml",
        "[pint]\nbits = 8\n[[query]]\nvalue = \"switch-id\"\nbits = 8\n[topology]\n\
         kind = \"star\"\nhosts = 3\n[[workload]]\nkind = \"permutation\"\nsize = \"1KB\"\n[cc]\n\
         kind = \"hpcc\"\n",
    );
    folder
}

/// Runs `script` in bash, with the command in `$F`.
fn shell(folder: &Folder, script: &str) -> Outcome {
    let mut command = Command::new("bash");
    command.args(["-c", script]).current_dir(folder.path("."));
    command
        .env("F", env!("CARGO_BIN_EXE_fabricsim"))
        .env("NO_COLOR", "1");
    command.output().expect("bash is there").into()
}

#[test]
fn links_stay_and_what_they_lead_to_is_replaced() {
    let folder = with_results();
    folder.write("real.csv", "old");
    symlink("real.csv", folder.path("link.csv")).expect("a link");
    folder
        .run(&["slowdown", "r", "--csv", "link.csv"])
        .succeeded();
    let facts = fs::symlink_metadata(folder.path("link.csv")).expect("a link");
    assert!(facts.is_symlink());
    assert!(folder.read("real.csv").starts_with("result,"));
}

#[test]
fn devices_and_fifos_are_written_straight() {
    let folder = with_results();
    symlink("/dev/null", folder.path("null.svg")).expect("a link");
    for args in [
        &["slowdown", "r", "--csv", "/dev/null"][..],
        &["report", "r", "-o", "/dev/null"],
        &["plot", "cdf", "r", "-o", "null.svg"],
        &["compare", "r", "r", "--flows", "/dev/null"],
    ] {
        folder.run(args).succeeded();
        let facts = fs::symlink_metadata("/dev/null").expect("a device");
        assert!(facts.file_type().is_char_device(), "{args:?}");
    }
    let full = folder.run(&["report", "r", "-o", "/dev/full"]);
    assert_eq!(full.code, Some(1), "{}", full.stderr);
    assert!(
        full.stderr.contains("cannot write `/dev/full`"),
        "{}",
        full.stderr
    );

    folder.run(&["report", "r", "-o", "page.html"]).succeeded();
    let page = folder.read("page.html");
    for script in [
        "mkfifo fifo; cat fifo >got & \"$F\" report r -o fifo && wait && [ -p fifo ]",
        "\"$F\" report r -o >(cat >got; touch done); until [ -e done ]; do sleep .01; done",
        "exec 5>got; \"$F\" report r -o /dev/fd/5",
    ] {
        let outcome = shell(&folder, script).succeeded();
        assert_eq!(outcome.stderr, "", "{script}");
        assert_eq!(folder.read("got"), page, "{script}");
        fs::remove_file(folder.path("got")).expect("a file");
    }
    // A reader that stops early is not an error.
    shell(&folder, "\"$F\" report r -o >(head -c 10 >got)").succeeded();
}

/// The standard output by its file name receives the same text as everything else that is printed.
#[test]
fn the_standard_output_has_a_name() {
    let folder = with_results();
    let csv = folder
        .run(&["slowdown", "r", "--csv", "-"])
        .succeeded()
        .stdout;
    let table = folder.run(&["slowdown", "r"]).succeeded().stdout;
    let before = fs::symlink_metadata("/dev/stdout").expect("a link");
    for script in [
        "\"$F\" slowdown r --csv /dev/stdout",
        "\"$F\" slowdown r --csv /dev/stdout | cat",
        "echo first >got; \"$F\" slowdown r --csv /dev/stdout >>got; tail -n +2 got",
        "\"$F\" slowdown r --csv /dev/fd/1 >got; cat got",
    ] {
        let outcome = shell(&folder, script).succeeded();
        assert_eq!(outcome.stdout, format!("{csv}{table}"), "{script}");
    }
    let after = fs::symlink_metadata("/dev/stdout").expect("a link");
    assert_eq!(before.is_symlink(), after.is_symlink());
}

/// The arguments of every command that prints.
const PRINTING: &[&[&str]] = &[
    &["list"],
    &["list", "cc"],
    &["schema"],
    &["completions", "bash"],
    &["check"],
    &["--help"],
    &["--version"],
    &["help", "run"],
    &["sweep", "--help"],
    &["run", "--set", "workload.0.duration=50us"],
    &["slowdown", "r"],
    &["slowdown", "r", "--csv", "-"],
    &["slowdown", "r", "--json"],
    &["slowdown", "r", "--published"],
    &["slowdown", "r", "r", "--replications"],
    &["compare", "r", "r"],
    &["compare", "r", "r", "--json"],
    &["plot", "cdf", "r", "-o", "p.svg"],
    &["report", "r"],
    &["sweep", "s.toml"],
    &["sweep", "s.toml", "--dry-run"],
    &["sweep", "s.toml", "--table-only"],
    &["reproduce"],
    &["pint", "plan", "q.toml"],
    &["pint", "plan", "q.toml", "--json"],
    &["pint", "compare", "q.toml"],
    &[
        "pint", "trace", "--hops", "3", "--scheme", "baseline", "--trials", "3",
    ],
    &[
        "harm",
        "--cca",
        "cubic",
        "--rtt",
        "10ms",
        "--duration",
        "1s",
        "--slow-start-delay",
        "0s",
    ],
];

#[test]
fn a_full_disk_under_the_standard_output_is_told() {
    let folder = with_results();
    for args in PRINTING {
        let full = File::options()
            .write(true)
            .open("/dev/full")
            .expect("a device");
        let mut command = folder.command(args);
        command.stdout(full).stderr(Stdio::piped());
        let outcome: Outcome = command.output().expect("the command starts").into();
        assert_eq!(outcome.code, Some(1), "{args:?}\n{}", outcome.stderr);
        for words in ["cannot write `the standard output`", "No space left"] {
            assert!(
                outcome.stderr.contains(words),
                "{args:?}\n{}",
                outcome.stderr
            );
        }
    }
    // The results of the run exist all the same.
    assert!(folder.has("results/default/fct.csv"));
}

#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    let folder = with_results();
    for args in PRINTING {
        let script = format!("\"$F\" {} | true; echo ${{PIPESTATUS[0]}}", args.join(" "));
        let outcome = shell(&folder, &script);
        assert_eq!(outcome.stdout, "0\n", "{args:?}\n{}", outcome.stderr);
        assert!(
            !outcome.stderr.contains("cannot write"),
            "{}",
            outcome.stderr
        );
    }
}
