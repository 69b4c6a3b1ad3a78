//! Slowdowns by flow size, on the command line.

mod choice;

use std::fmt::Write;

use crate::support::{Folder, Outcome};

const HEADER: &str = "src,dst,class,size_bytes,start_ns,fct_ns,ideal_fct_ns";

/// Returns a result of `flows` flows, 1 us apart, of 1 KB, 2 KB and so on. The k-th has a slowdown
/// of 1 + k/100 + `more`, and every fourth has class 1.
fn result(flows: u32, more: u32) -> String {
    let mut text = format!("{HEADER}\n");
    for k in 1..=flows {
        let class = u32::from(k % 4 == 0);
        let (size, start, fct) = (k * 1_000, k * 1_000, 10_000 + 100 * (k + more));
        writeln!(text, "0,1,{class},{size},{start},{fct},10000").expect("a string");
    }
    text
}

fn folder() -> Folder {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("a")).expect("a folder");
    folder.write("a/fct.csv", &result(40, 0));
    folder.write("b.csv", &result(40, 10));
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
fn a_result_is_summed_up_by_size() {
    let outcome = folder()
        .run(&["slowdown", "a", "--bins", "4", "--percentile", "50,90"])
        .succeeded();
    let expected = "\
a: 40 flows that start from 1us to 40us; left out 0 that start before and 0 that start after

flows upto   bytes upto         n       p50       p90      mean  geo mean
    25.00%        10000        10     1.060     1.100     1.055     1.055
    50.00%        20000        10     1.160     1.200     1.155     1.155
    75.00%        30000        10     1.260     1.300     1.255     1.255
   100.00%        40000        10     1.360     1.400     1.355     1.355
       all                     40     1.210     1.370     1.205     1.199
";
    assert_eq!(outcome.stdout, expected);
    assert_eq!(outcome.stderr, "");
}

#[test]
fn two_results_are_beside_each_other() {
    let outcome = folder()
        .run(&[
            "slowdown",
            "a",
            "b.csv",
            "--sizes",
            "20KB,1MB",
            "--percentile",
            "50,99",
        ])
        .succeeded();
    let expected = "\
a: 40 flows that start from 1us to 40us; left out 0 that start before and 0 that start after
b.csv: 40 flows that start from 1us to 40us; left out 0 that start before and 0 that start after

  bytes upto   n first  n second               first    second     ratio
       20000        20        20  p50          1.110     1.210     0.917
                                  p99              -         -         -
                                  mean         1.105     1.205     0.917
                                  geo mean     1.103     1.204     0.917
     1000000        20        20  p50          1.310     1.410     0.929
                                  p99              -         -         -
                                  mean         1.305     1.405     0.929
                                  geo mean     1.304     1.404     0.929
        more         0         0  p50              -         -         -
                                  p99              -         -         -
                                  mean             -         -         -
                                  geo mean         -         -         -
         all        40        40  p50          1.210     1.310     0.924
                                  p99              -         -         -
                                  mean         1.205     1.305     0.923
                                  geo mean     1.199     1.300     0.923
-: too few flows for the percentile (p99 needs 100)
";
    assert_eq!(outcome.stdout, expected);
}

#[test]
fn three_results_come_one_after_another() {
    let folder = folder();
    folder.write("c.csv", &result(40, 20));
    let args = [
        "slowdown",
        "a",
        "b.csv",
        "c.csv",
        "--sizes",
        "20KB,1MB",
        "--percentile",
        "50",
    ];
    let outcome = folder.run(&args).succeeded();
    let rows: Vec<&str> = outcome
        .stdout
        .lines()
        .filter(|line| line.starts_with("    50.00%"))
        .collect();
    let expected = [
        "    50.00%        20000        20     1.110     1.105     1.103",
        "    50.00%        20000        20     1.210     1.205     1.204",
        "    50.00%        20000        20     1.310     1.305     1.304",
    ];
    assert_eq!(rows, expected, "{}", outcome.stdout);
}

#[test]
fn flows_are_cut_by_start_and_class() {
    let args = [
        "slowdown",
        "a",
        "--bins",
        "1",
        "--warm-up",
        "10us",
        "--cool-down",
        "5us",
        "--class",
        "1",
    ];
    let outcome = folder().run(&args).succeeded();
    // Class 1 starts at 4, 8, ... 40 us; the remaining flows start from 14 to 35 us.
    let expected = "a: 5 flows that start from 14us to 35us; left out 3 that start before and 2 \
                    that start after, and 30 of other classes\n";
    assert!(outcome.stdout.starts_with(expected), "{}", outcome.stdout);
    let until = folder()
        .run(&["slowdown", "a", "--until", "10.5us"])
        .succeeded();
    assert!(until.stdout.starts_with("a: 10 flows"), "{}", until.stdout);
    let nothing = folder()
        .run(&["slowdown", "a", "--warm-up", "1s"])
        .succeeded();
    assert_eq!(nothing.stderr, "no flow of a is left\n");
    assert!(
        nothing
            .stdout
            .contains("all                      0         -")
    );
}

#[test]
fn data_frames_get_the_intervals() {
    let folder = folder();
    let args = [
        "slowdown",
        "a",
        "b.csv",
        "--bins",
        "2",
        "--percentile",
        "50",
        "--csv",
    ];
    let outcome = folder.run(&[&args[..], &["-"]].concat()).succeeded();
    let expected = "\
result,from_pct,upto_pct,above_bytes,upto_bytes,flows,p50,p50_low,p50_high,mean,geometric_mean
a,0,50,0,20000,20,1.110000,1.060000,1.150000,1.105000,1.103493
a,50,100,20000,40000,20,1.310000,1.260000,1.350000,1.305000,1.303724
b.csv,0,50,0,20000,20,1.210000,1.160000,1.250000,1.205000,1.203618
b.csv,50,100,20000,40000,20,1.410000,1.360000,1.450000,1.405000,1.403815
";
    assert_eq!(outcome.stdout, expected);
    let outcome = folder.run(&[&args[..], &["bins.csv"]].concat()).succeeded();
    assert!(outcome.stdout.contains("geo mean"), "{}", outcome.stdout);
    assert_eq!(folder.read("bins.csv"), expected);
    // With --confidence the table has them, too: ranks 6 and 15 of 20.
    let args = [
        "slowdown",
        "a",
        "--bins",
        "2",
        "--percentile",
        "50",
        "--confidence",
        "95",
    ];
    let outcome = folder.run(&args).succeeded();
    let row = "    50.00%        20000        20     1.110 [1.060, 1.150]         1.105";
    assert!(outcome.stdout.contains(row), "{}", outcome.stdout);
}

#[test]
fn scripts_get_json() {
    let folder = folder();
    folder.write(
        "long.csv",
        &format!("{HEADER}\n0,1,0,20000000,0,2000000,1600000\n"),
    );
    let outcome = folder
        .run(&["slowdown", "a", "long.csv", "--json"])
        .succeeded();
    let json: serde_json::Value = serde_json::from_str(&outcome.stdout).expect("JSON");
    assert_eq!(json[0]["result"], "a");
    assert_eq!(json[0]["cut"]["kept"], 40);
    // Of 40 flows, 20 in each bin.
    assert_eq!(json[0]["table"]["bins"].as_array().map(Vec::len), Some(2));
    assert_eq!(json[0]["table"]["percentiles"][3], 99.9);
    assert_eq!(json[0]["table"]["all"]["flows"], 40);
    assert_eq!(json[0]["goodput"], serde_json::Value::Null);
    // 20 MB in 2 ms are 80 Gbps.
    assert_eq!(json[1]["goodput"]["mean_bps"], 8e10);
    let bin = &json[1]["table"]["bins"][0];
    assert_eq!(bin["percentiles"][0]["slowdown"], serde_json::Value::Null);
    assert_eq!(bin["mean"], 1.25);
    assert_eq!(bin["percentiles"][0]["interval"], serde_json::Value::Null);
    let text = folder.run(&["slowdown", "long.csv"]).succeeded().stdout;
    assert!(
        text.ends_with("goodput of 1 flows above 10 MB: mean 80.000 Gbps, median 80.000 Gbps, bytes over time 80.000 Gbps\n"),
        "{text}"
    );
}

#[test]
fn replicas_have_means() {
    let folder = folder();
    folder.write("c.csv", &result(40, 20));
    let args = [
        "slowdown",
        "a",
        "b.csv",
        "c.csv",
        "--replications",
        "--bins",
        "2",
        "--percentile",
        "50",
    ];
    let outcome = folder.run(&args).succeeded();
    // 0.1 apart, three of them: 4.303 x 0.1 / sqrt(3).
    let expected = "
means over 3 replications, with half the width of the 95% interval

flows upto   bytes upto         n                p50               mean     geometric_mean
    50.00%        20000        60     1.210 +- 0.248     1.205 +- 0.248     1.204 +- 0.249
   100.00%        40000        60     1.410 +- 0.248     1.405 +- 0.248     1.404 +- 0.249
       all                    120     1.310 +- 0.248     1.305 +- 0.248     1.300 +- 0.249
";
    assert!(outcome.stdout.ends_with(expected), "{}", outcome.stdout);
    let outcome = folder.run(&[&args[..], &["--json"]].concat()).succeeded();
    let json: serde_json::Value = serde_json::from_str(&outcome.stdout).expect("JSON");
    assert_eq!(json["table"]["replications"], 3);
    assert_eq!(json["results"][2]["result"], "c.csv");
    let csv = folder
        .run(&[&args[..], &["--csv", "-"]].concat())
        .succeeded()
        .stdout;
    let header = "from_pct,upto_pct,above_bytes,upto_bytes,flows,p50,p50_replicas,p50_sd,";
    assert!(csv.starts_with(header), "{csv}");
    assert_eq!(csv.lines().count(), 3);
}

/// 41 flows: the published script drops the largest and forms 20 bins of two.
#[test]
fn the_published_form_is_csv_of_its_own() {
    let folder = Folder::new();
    let mut text = String::new();
    for k in 1..=41 {
        let fct = 10_000 + 100 * k;
        writeln!(text, "0b000101 0b000201 1 100 {}000 {k} {fct} 10000", k).expect("a string");
    }
    folder.write("fct.txt", &text);
    let outcome = folder
        .run(&["slowdown", "fct.txt", "--published"])
        .succeeded();
    let lines: Vec<&str> = outcome.stdout.lines().collect();
    assert_eq!(lines.len(), 21);
    assert_eq!(lines[0], "pct_from,size_upto,n,p50,p95,p99");
    assert_eq!(lines[1], "0.00,2000,2,1.020,1.020,1.020");
    assert_eq!(lines[20], "0.95,40000,2,1.400,1.400,1.400");
    let args = ["slowdown", "fct.txt", "--published", "--csv", "bins.csv"];
    assert_eq!(folder.run(&args).succeeded().stdout, "");
    assert_eq!(folder.read("bins.csv"), outcome.stdout);
}

#[test]
fn flows_that_have_not_finished_are_mentioned() {
    let folder = folder();
    let summary =
        "{\"flows\": {\"started\": 45, \"finished\": 40, \"unfinished\": 5, \"unreachable\": 1}}";
    folder.write("a/summary.json", summary);
    let outcome = folder.run(&["slowdown", "a"]).succeeded();
    let note = "note: 6 flows of a have not finished; they have no slowdown\n";
    assert_eq!(outcome.stderr, note);
}

#[test]
fn errors_are_placed() {
    let folder = folder();
    folder.write("bad.csv", &format!("{HEADER}\n0,1,0,10,0,x,5\n"));
    let run = |args: &[&str]| folder.run(&[&["slowdown"], args].concat());
    refused(
        &run(&["bad.csv"]),
        &["bad.csv:2:12", "`x` does not fit `fct_ns`"],
    );
    refused(
        &run(&["nowhere"]),
        &["cannot read the results `nowhere`", "give an fct.csv"],
    );
    refused(&run(&[]), &["RESULT"]);
    refused(
        &run(&["a", "--percentile", "50,100"]),
        &["`100` is not a percentile", "like `99.9`"],
    );
    refused(
        &run(&["a", "--confidence", "1e9"]),
        &["is not a confidence", "like `95`"],
    );
    refused(
        &run(&["a", "--sizes", "10KB,9KB"]),
        &["sizes do not increase"],
    );
    refused(&run(&["a", "--sizes", "10"]), &["`10` has no unit"]);
    refused(&run(&["a", "--sizes", "8Kb"]), &["`8KB` or `1KB`"]);
    refused(&run(&["a", "--warm-up", "10"]), &["`10` has no unit"]);
    refused(&run(&["a", "--bins", "0"]), &["--bins"]);
    refused(
        &run(&["a", "--bins", "9", "--sizes", "default"]),
        &["cannot be used with"],
    );
    refused(&run(&["a", "b.csv", "--published"]), &["one RESULT"]);
    refused(
        &run(&["a", "--json", "--csv", "-"]),
        &["both go to the standard output"],
    );

    let outcome = run(&["a", "--csv", "a/fct.csv"]);
    refused(&outcome, &["it is one of the input files"]);
    let outcome = run(&["a", "--csv", "nowhere/bins.csv"]);
    assert_eq!(outcome.code, Some(1));
    assert!(outcome.stderr.contains("--csv"), "{}", outcome.stderr);
}
