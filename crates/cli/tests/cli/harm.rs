//! `fabricsim harm`: its table, its files and its errors.

use crate::support::{Folder, Outcome};

/// A test of two cells that takes a fraction of a second.
const SHORT: [&str; 6] = ["harm", "--quick", "--cca", "prague", "--rtt", "10ms"];

fn run(folder: &Folder, more: &[&str]) -> Outcome {
    folder.run(&[&SHORT[..], more].concat())
}

#[test]
fn every_file_is_written_and_threads_change_nothing() {
    let folder = Folder::new();
    let files = |threads: &'static str| {
        let more = [
            "--threads",
            threads,
            "--repeats",
            "2",
            "--compare-sample",
            "--csv",
            "h.csv",
            "--json",
            "h.json",
            "--flows",
            "results/harm",
            "--plot",
            "h.svg",
        ];
        let outcome = run(&folder, &more).succeeded();
        let names = ["h.csv", "h.json", "results/harm/flows.csv", "h.svg"];
        let texts = names.map(|name| folder.read(name));
        (outcome.stdout, texts)
    };
    let (table, texts) = files("1");
    assert!(table.contains("10ms  prague"), "{table}");
    assert!(
        table.contains("10ms  prague  sample  1171.3ms (0.850)"),
        "{table}"
    );
    let [csv, json, flows, svg] = &texts;
    // Two seeds, alone and in competition, 25 flows each.
    assert_eq!(csv.lines().count(), 1 + 4, "{csv}");
    assert_eq!(flows.lines().count(), 1 + 4 * 25);
    assert!(svg.contains("round-trip time (ms)") && svg.contains("prague, sample"));
    let json: serde_json::Value = serde_json::from_str(json).expect("JSON");
    assert_eq!(json["status"], "complete");
    assert_eq!(json["settings"]["slow_start_delay"], "0s");
    assert_eq!(json["settings"]["qdisc"]["kind"], "fq-codel");
    let harm = json["rows"][1]["harm"]["geomean"]["mean"].as_f64();
    assert!(
        harm.is_some_and(|harm| (0.0..1.0).contains(&harm)),
        "{harm:?}"
    );
    assert_eq!((table, texts), files("2"));

    run(&folder, &["--plot", "h.png", "--quiet"]).succeeded();
    let png = std::fs::read(folder.path("h.png")).expect("a picture");
    assert!(png.starts_with(b"\x89PNG"));
}

#[test]
fn a_file_is_read_and_options_override_it() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("sub")).expect("a folder");
    folder.write(
        "sub/flows.csv",
        "start_ns,size_bytes\n0,1000\n100000000,20000\n",
    );
    folder.write(
        "sub/h.toml",
        "cca = [\"newreno\"]\nrtt = [\"10ms\", \"20ms\"]\nworkload = \"flows.csv\"\n\
         slow_start_delay = \"1s\"\nqdisc = { kind = \"codel\", target = \"1ms\" }\n",
    );
    let args = ["harm", "sub/h.toml", "--rtt", "5ms", "--competitors", "2"];
    let outcome = folder.run(&args).succeeded();
    for part in [
        "CCAs under test:  newreno\n",
        "RTTs:             5ms\n",
        "Qdisc:            codel\n",
        "Slow start delay: 1s\n",
        "Competing flows:  2\n",
        "Workload:          flows.csv\n",
        "Flows:             2\n",
        "Duration:          100ms\n",
        "|- Mean:           10500\n",
    ] {
        assert!(outcome.stdout.contains(part), "{part}{}", outcome.stdout);
    }
    assert_eq!(outcome.stderr.lines().count(), 2, "{}", outcome.stderr);
}

#[test]
fn flows_that_are_left_give_code_3() {
    let folder = Folder::new();
    let more = ["--timeout", "0s", "--mean-arrival", "20ms"];
    let outcome = run(&folder, &more);
    assert_eq!(outcome.code, Some(3), "{}", outcome.stderr);
    assert!(
        outcome.stdout.contains(" complete, timeout"),
        "{}",
        outcome.stdout
    );
}

#[test]
fn errors_are_refused_with_a_suggested_fix() {
    let folder = Folder::new();
    folder.write("h.toml", "seed = 2\ncca = [\"cubik\"]\n");
    folder.write("bad.csv", "start_ns,size_bytes\n0,many\n");
    for (args, says) in [
        (
            &["h.toml"][..],
            &["h.toml:2", "`cubik` is not a TCP algorithm", "prague"][..],
        ),
        (
            &["none.toml"],
            &["cannot read the harm test `none.toml`", "docs/harm.md"],
        ),
        (
            &["--cca", "vegas"],
            &["`cca`", "`vegas` is not a TCP algorithm", "newreno"],
        ),
        (
            &["--qdisc", "fq_codel flow 1"],
            &["--qdisc:1:10", "`flow`", "flows"],
        ),
        (&["--rtt", "10"], &["no unit", "1us"]),
        (
            &["--workload", "none.csv"],
            &["cannot read the workload", "ccafct-seed1"],
        ),
        (
            &["--workload", "bad.csv"],
            &["bad.csv:2:1", "`0,many`", "whole numbers"],
        ),
        (&["--reuse", "all"], &["late-binding or none"]),
        (&["--workload-ecn", "yes"], &["classic"]),
        (&["--plot", "h.gif"], &[".svg, .png or .pdf"]),
        (&["--repeats", "0"], &["`repeats`", "1 or more"]),
        (
            &["--workload", "ccafct-seed1", "--len-p5", "1KB"],
            &["`len_p5`", "are not drawn", "leave"],
        ),
    ] {
        let outcome = folder.run(&[&["harm"], args].concat());
        assert_eq!(outcome.code, Some(2), "{args:?}: {}", outcome.stderr);
        // Messages are wrapped.
        let said: Vec<&str> = outcome.stderr.split(['|', ' ', '\n']).collect();
        let said: Vec<&str> = said.into_iter().filter(|word| !word.is_empty()).collect();
        let said = said.join(" ");
        for part in says {
            assert!(said.contains(part), "{args:?}: {part}\n{}", outcome.stderr);
        }
        assert_eq!(outcome.stdout, "", "{args:?}");
    }
}
