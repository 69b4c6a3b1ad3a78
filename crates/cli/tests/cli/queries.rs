//! PINT queries on the command line: plans, results, comparison and errors of latencies.

use crate::support::Folder;

const COMBINED: &str = r#"
name = "small"
[topology]
kind = "fat-tree"
k = 4
[[workload]]
kind = "permutation"
size = "300KB"
count = 4
gap = "20us"
[cc]
kind = "hpcc-pint"
[pint]
bits = 16
[[query]]
name = "path"
value = "switch-id"
[[query]]
name = "latency"
value = "hop-latency"
frequency = 0.9375
[[query]]
name = "control"
value = "egress-utilization"
aggregation = "max"
frequency = 0.0625
"#;

/// Returns the columns of a CSV file's rows.
fn rows(text: &str) -> Vec<Vec<&str>> {
    text.lines()
        .skip(1)
        .map(|line| line.split(',').collect())
        .collect()
}

#[test]
fn a_run_leaves_the_results_of_its_queries() {
    let folder = Folder::new();
    folder.write("small.toml", COMBINED);
    let run = folder.run(&["run", "small.toml", "--out", "results"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    for name in ["path", "latency", "control"] {
        assert!(
            run.stdout.contains(&format!("query_{name}.csv")),
            "{}",
            run.stdout
        );
    }
    let paths = folder.read("results/query_path.csv");
    assert_eq!(
        paths.lines().next(),
        Some(
            "flow,src,dst,part,hops,packets,packets_to_decode,decoded_ns,path,correct,\
             unnoticed_packets,ended_by"
        )
    );
    assert_eq!(rows(&paths).len(), 64);
    assert!(rows(&paths).iter().all(|row| row[9] == "true"), "{paths}");
    let latency = folder.read("results/query_latency.csv");
    assert!(latency.starts_with(
        "flow,src,dst,hop,statistic,share,estimate_ns,truth_ns,relative_error,clipped,digests,packets\n"
    ));
    assert!(latency.contains(",p99,"));
    let control = folder.read("results/query_control.csv");
    assert!(
        control.starts_with("flow,src,dst,statistic,share,estimate_thousandths,clipped,digests\n")
    );
    let summary = folder.read("results/summary.json");
    assert!(summary.contains("\"plan\""));
    // Another run without queries takes the files away, and nothing that is not its own.
    folder.write("results/query_mine.csv", "mine\n");
    folder.write(
        "plain.toml",
        &COMBINED
            .split("[pint]")
            .next()
            .unwrap_or_default()
            .replace("small", "plain"),
    );
    let plain = folder.run(&["run", "plain.toml", "--out", "results", "--force"]);
    assert_eq!(plain.code, Some(0), "{}", plain.stderr);
    assert!(!folder.has("results/query_path.csv"));
    assert!(folder.has("results/query_mine.csv"));
}

#[test]
fn a_plan_is_printed_without_a_run() {
    let folder = Folder::new();
    folder.write("small.toml", COMBINED);
    let plan = folder.run(&["pint", "plan", "small.toml"]);
    assert_eq!(plan.code, Some(0), "{}", plan.stderr);
    for line in [
        "16 bits of each packet, 2 bytes on the wire",
        "  93.75%  path (8 bits)  latency (8 bits)",
        "   6.25%  path (8 bits)  control (8 bits)",
    ] {
        assert!(plan.stdout.contains(line), "{}", plan.stdout);
    }
    let json = folder.run(&["pint", "plan", "small.toml", "--json"]);
    assert!(json.stdout.contains("\"share\": 0.9375"), "{}", json.stdout);
    folder.write(
        "tight.toml",
        "[pint]\nbits = 8\n[[query]]\nvalue = \"switch-id\"\n[[query]]\nvalue = \"hop-latency\"\n",
    );
    let tight = folder.run(&["pint", "plan", "tight.toml"]);
    assert_eq!(tight.code, Some(2));
    assert!(tight.stderr.contains("tight.toml:2"), "{}", tight.stderr);
    assert!(tight.stderr.contains("16.00 bits"), "{}", tight.stderr);
    folder.write("none.toml", "[pint]\nbits = 8\n");
    assert_eq!(folder.run(&["pint", "plan", "none.toml"]).code, Some(2));
}

#[test]
fn queries_are_compared_with_themselves_alone() {
    let folder = Folder::new();
    folder.write("small.toml", COMBINED);
    let compare = folder.run(&["pint", "compare", "small.toml", "--threads", "1"]);
    assert_eq!(compare.code, Some(0), "{}", compare.stderr);
    let figure = |name: &str| {
        let line = compare.stdout.lines().find(|line| line.contains(name));
        let line = line.unwrap_or_else(|| panic!("no {name} in {}", compare.stdout));
        let last = line.split_whitespace().last().unwrap_or_default();
        last.parse::<f64>().unwrap_or(f64::NAN)
    };
    assert!((figure("packets to decode a path") - 1.0).abs() < 0.2);
    assert!((figure("packets for each digest") - 16.0 / 15.0).abs() < 0.03);
    let other = folder.run(&["pint", "compare", "small.toml", "--threads", "2"]);
    assert_eq!(compare.stdout, other.stdout);
    folder.write(
        "plain.toml",
        COMBINED.split("[pint]").next().unwrap_or_default(),
    );
    let plain = folder.run(&["pint", "compare", "plain.toml"]);
    assert_eq!(plain.code, Some(2));
    assert!(
        plain.stderr.contains("add [[query]] tables"),
        "{}",
        plain.stderr
    );
}

#[test]
fn errors_of_latencies_are_measured_and_drawn() {
    let folder = Folder::new();
    folder.write("small.toml", COMBINED);
    let args = [
        "pint",
        "latency",
        "small.toml",
        "--packets",
        "100,300",
        "--at",
        "200",
        "--sketches",
        "10,50",
        "--bits",
        "4,8",
        "--out",
        "latency",
    ];
    let latency = folder.run(&args);
    assert_eq!(latency.code, Some(0), "{}", latency.stderr);
    let csv = folder.read("latency/latency.csv");
    assert!(csv.starts_with(
        "traffic,bits,sketch,packets,quantile,hops,mean_digests,mean_error,median_error\n"
    ));
    // Two bits, two storages, two numbers of packets, two quantiles; then three storages at one
    // number.
    assert_eq!(rows(&csv).len(), 2 * 2 * 2 * 2 + 2 * 3 * 2, "{csv}");
    let error = |bits: &str| -> f64 {
        let wanted = |row: &&Vec<&str>| {
            row[1] == bits && row[2].is_empty() && row[3] == "300" && row[4] == "0.99"
        };
        let rows = rows(&csv);
        let row = rows.iter().find(wanted).cloned().unwrap_or_default();
        row[7].parse().unwrap_or(f64::NAN)
    };
    assert!(error("8") < error("4"), "{csv}");
    assert!(
        folder
            .read("latency/latency.svg")
            .contains("8 bits, sketch of 100")
    );
    for (args, says) in [
        (["pint", "latency", "--packets", "5,3"], "ascending"),
        (
            ["pint", "latency", "--quantiles", "50"],
            "not above 0 and at most 1",
        ),
        (["pint", "latency", "--bits", "17"], "17"),
    ] {
        let refused = folder.run(&args);
        assert_eq!(refused.code, Some(2), "{}", refused.stderr);
        assert!(refused.stderr.contains(says), "{}", refused.stderr);
    }
}
