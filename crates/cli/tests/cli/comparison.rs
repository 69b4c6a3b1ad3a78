//! Comparison of two results of the same flows.

use std::fmt::Write;
use std::time::{Duration, Instant};

use crate::support::{Folder, Outcome};

const HEADER: &str = "src,dst,size_bytes,start_ns,fct_ns,ideal_fct_ns";

/// Two flows in the format of fabricsim, the second one 10% slower than in [`THEIRS`].
const OURS: &str = "\
src,dst,size_bytes,start_ns,fct_ns,ideal_fct_ns
35,20,77908,2000005948,20000,18772
1,2,5000,2000000000.5,6600,5000
";
/// The same flows in the format of the published simulator.
const THEIRS: &str = "\
0b000101 0b000201 10000 100 5000 2000000000 6000 5000
0b002301 0b001401 10000 100 77908 2000005948 20000 18772
";

fn folder() -> Folder {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("ours")).expect("a folder");
    folder.write("ours/fct.csv", OURS);
    folder.write("theirs.txt", THEIRS);
    folder
}

fn refused(outcome: &Outcome, says: &[&str]) {
    assert_eq!(outcome.code, Some(2), "{}", outcome.stderr);
    assert_eq!(outcome.stdout, "");
    for fragment in says {
        assert!(outcome.stderr.contains(fragment), "{}", outcome.stderr);
    }
}

#[test]
fn a_folder_is_compared_with_the_published_form() {
    let outcome = folder().run(&["compare", "ours", "theirs.txt"]).succeeded();
    let expected = "\
first   ours
second  theirs.txt

flows in both                        2
only in the first                    0
only in the second                   0
FCT apart, median              10.000%
FCT apart, 99th percentile     10.000%
FCT apart, greatest            10.000%
FCT ratio, mean of flows      1.050000
FCT ratio, of the means       1.023077

slowdowns           n      p50   second   ratio      p95   second   ratio      p99   second   ratio
all                 2    1.320    1.200   1.100        -        -       -        -        -       -
< 10 KB             1        -        -       -        -        -       -        -        -       -
< 30 KB             1        -        -       -        -        -       -        -        -       -
30 KB - 1 MB        1        -        -       -        -        -       -        -        -       -
> 1 MB              0        -        -       -        -        -       -        -        -       -
-: too few flows for the percentile (p50 needs 2, p95 20, p99 100)

worst flow: 5000 bytes from host 1 to host 2, start 2000000000.5 ns: 6600 and 6000 ns
";
    assert_eq!(outcome.stdout, expected);
    assert_eq!(outcome.stderr, "");
}

#[test]
fn every_flow_goes_into_a_table_of_its_own() {
    let folder = folder();
    folder.write(
        "b.txt",
        &THEIRS[..THEIRS.find('\n').expect("two lines") + 1],
    );
    let args = ["compare", "ours", "b.txt", "--flows", "apart.csv"];
    let outcome = folder.run(&args).succeeded();
    assert!(
        outcome.stdout.ends_with("every flow in apart.csv\n"),
        "{}",
        outcome.stdout
    );
    let expected = "\
src,dst,size_bytes,start_ns,fct_a_ns,fct_b_ns,ratio,ideal_fct_a_ns,ideal_fct_b_ns,slowdown_a,slowdown_b
1,2,5000,2000000000.5,6600,6000,1.100000,5000,5000,1.320000,1.200000
35,20,77908,2000005948,20000,,,18772,,1.065417,
";
    assert_eq!(folder.read("apart.csv"), expected);
    let mut names: Vec<_> = std::fs::read_dir(folder.path(""))
        .expect("the folder")
        .map(|entry| entry.expect("an entry").file_name())
        .collect();
    names.sort();
    assert_eq!(names, ["apart.csv", "b.txt", "ours", "theirs.txt"]);
}

#[test]
fn scripts_get_json() {
    let args = [
        "compare",
        "ours",
        "theirs.txt",
        "--json",
        "--tolerance",
        "0.2",
    ];
    let outcome = folder().run(&args).succeeded();
    let json: serde_json::Value = serde_json::from_str(&outcome.stdout).expect("JSON");
    assert_eq!(json["matched"], 2);
    assert_eq!((&json["only_a"], &json["only_b"]), (&0.into(), &0.into()));
    let deviation = json["max_deviation"].as_f64().expect("a number");
    assert!((deviation - 0.1).abs() < 1e-9, "{deviation}");
    assert_eq!(json["worst"]["fct_a_ns"], 6600.0);
    assert_eq!(json["slowdown"][0]["class"], "all");
    assert_eq!(json["slowdown"][4]["p50_ratio"], serde_json::Value::Null);
    assert_eq!(json["within_tolerance"], true);
}

#[test]
fn a_tolerance_is_a_test() {
    let folder = folder();
    let code = |b: &str, tolerance: &str| {
        let args = ["compare", "ours", b, "--tolerance", tolerance];
        folder.run(&args).code
    };
    assert_eq!(code("theirs.txt", "0.11"), Some(0));
    assert_eq!(code("theirs.txt", "0.09"), Some(1));
    assert_eq!(code("ours", "0"), Some(0));
    // A flow that one of the two lacks is out of any tolerance.
    folder.write("less.csv", &OURS[..OURS.find("1,2").expect("the flow")]);
    assert_eq!(code("less.csv", "10"), Some(1));
    let outcome = folder.run(&["compare", "less.csv", "ours", "--tolerance", "10"]);
    assert_eq!(outcome.code, Some(1));
    assert!(outcome.stderr.contains("missing"), "{}", outcome.stderr);
    for wrong in ["-1", "nan", "half"] {
        assert_eq!(code("theirs.txt", wrong), Some(2), "{wrong}");
    }
}

#[test]
fn results_without_a_flow_in_common_are_refused() {
    let folder = folder();
    folder.write("other.csv", &format!("{HEADER}\n8,9,10,0,5000,5000\n"));
    refused(
        &folder.run(&["compare", "ours", "other.csv"]),
        &["no flow is in both: the first has 2 flows, the second 1"],
    );
}

#[test]
fn a_class_can_be_compared_alone() {
    let folder = Folder::new();
    let header = HEADER.replace("dst,", "dst,class,");
    for (name, fct) in [("a.csv", 6_000), ("b.csv", 5_000)] {
        let rows = format!("0,1,0,10,0,{fct},5000\n0,2,3,10,0,5500,5000\n");
        folder.write(name, &format!("{header}\n{rows}"));
    }
    let outcome = folder
        .run(&["compare", "a.csv", "b.csv", "--class", "3"])
        .succeeded();
    let (matched, apart) = (
        "flows in both                        1",
        "greatest             0.000%",
    );
    assert!(outcome.stdout.contains(matched), "{}", outcome.stdout);
    assert!(outcome.stdout.contains(apart), "{}", outcome.stdout);
    refused(
        &folder.run(&["compare", "a.csv", "b.csv", "--class", "9"]),
        &["no flow has class 9", "the classes of its flows are 0, 3"],
    );
}

#[test]
fn errors_are_placed() {
    let folder = folder();
    folder.write("bad.csv", &format!("{HEADER}\n0,1,10,0,x,5\n"));
    folder.write("bad.txt", "0b000101 0b000201 1 100 5000 0 6000\n");
    folder.write("empty.csv", "");
    refused(
        &folder.run(&["compare", "bad.csv", "theirs.txt"]),
        &["bad.csv:2:10", "`x` does not fit `fct_ns`"],
    );
    refused(
        &folder.run(&["compare", "ours", "bad.txt"]),
        &["bad.txt:1:1", "the line stops too soon", "eight fields"],
    );
    refused(
        &folder.run(&["compare", "ours", "empty.csv"]),
        &["empty.csv:1:1", "the file is empty"],
    );
    std::fs::create_dir(folder.path("nothing")).expect("a folder");
    refused(
        &folder.run(&["compare", "ours", "nothing"]),
        &[
            "cannot read the results",
            "nothing/fct.csv",
            "give an fct.csv",
        ],
    );
    let args = ["compare", "ours", "ours", "--flows", "nowhere/apart.csv"];
    let outcome = folder.run(&args);
    assert_eq!(outcome.code, Some(1));
    assert!(
        outcome.stderr.contains("cannot write `nowhere/apart.csv`"),
        "{}",
        outcome.stderr
    );
    assert!(outcome.stderr.contains("--flows"), "{}", outcome.stderr);
}

/// A comparison of 300,000 flows is fast.
#[test]
fn long_files_are_compared_at_once() {
    let folder = Folder::new();
    let mut text = format!("{HEADER}\n");
    for flow in 0..300_000u32 {
        let (src, dst) = (flow % 320, flow * 7 % 319);
        writeln!(
            text,
            "{src},{dst},{},{},{},9000",
            flow % 977,
            flow * 11,
            9_000 + flow
        )
        .expect("a string takes everything");
    }
    folder.write("long.csv", &text);
    let begun = Instant::now();
    let args = ["compare", "long.csv", "long.csv", "--flows", "apart.csv"];
    let outcome = folder.run(&args).succeeded();
    let took = begun.elapsed();
    assert!(
        outcome
            .stdout
            .contains("flows in both                   300000"),
        "{}",
        outcome.stdout
    );
    assert_eq!(folder.read("apart.csv").lines().count(), 300_001);
    // About 0.4 s on one core; the bound leaves room for a machine that does other things.
    assert!(took < Duration::from_secs(10), "{took:?}");
}
