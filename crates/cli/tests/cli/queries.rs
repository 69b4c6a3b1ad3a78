//! PINT queries on the command line: plans, results, comparison and errors of latencies.

use std::collections::BTreeMap;

use serde_json::Value;

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

/// The absolute errors of one statistic by path length, computed from the rows of a file alone: each
/// estimate over its truth, and the last hop of each flow as the length.
fn errors_by_length(text: &str, statistic: &str) -> BTreeMap<u32, Vec<f64>> {
    let rows = rows(text);
    let mut length: BTreeMap<&str, u32> = BTreeMap::new();
    for row in &rows {
        let hop = row[3].parse().expect("a hop");
        let last = length.entry(row[0]).or_insert(hop);
        *last = hop.max(*last);
    }
    let mut errors: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
    for row in rows.iter().filter(|row| row[4] == statistic) {
        let number = |place: usize| row[place].parse::<f64>().ok();
        if let (Some(estimate), Some(truth)) = (number(6), number(7))
            && truth > 0.0
        {
            let own = errors.entry(length[row[0]]).or_default();
            own.push((estimate - truth).abs() / truth);
        }
    }
    errors
        .values_mut()
        .for_each(|own| own.sort_by(f64::total_cmp));
    errors
}

#[test]
fn a_run_says_how_good_its_queries_are() {
    let folder = Folder::new();
    folder.write("small.toml", COMBINED);
    let run = folder.run(&["run", "small.toml", "--out", "results"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let said = &run.stdout;
    assert!(said.contains("64 of 64 paths decoded, 0 wrong"), "{said}");
    let reason = "the true value of each packet's whole path is not recorded";
    assert!(said.contains(reason), "{said}");
    let summary: Value = serde_json::from_str(&folder.read("results/summary.json")).expect("JSON");
    let [path, latency, control] = &summary["queries"].as_array().expect("a list")[..] else {
        panic!("{summary}");
    };
    assert_eq!(control["not_compared"], reason);
    // Packets to decode, from the file.
    let paths = folder.read("results/query_path.csv");
    let needed: Vec<f64> = rows(&paths)
        .iter()
        .map(|row| row[6].parse().expect("a decoded path"))
        .collect();
    let mean = needed.iter().sum::<f64>() / needed.len() as f64;
    let found = path["paths"]["packets_mean"].as_f64().expect("a mean");
    assert!((found - mean).abs() < 1e-9, "{found}, not {mean}");
    // Errors, from the file. Its values have three decimals.
    let text = folder.read("results/query_latency.csv");
    let p99 = latency["errors"].as_array().expect("a list").iter();
    let p99 = p99.clone().find(|own| own["statistic"] == "p99");
    let lengths = p99.expect("a p99")["by_length"].as_array();
    let lengths = lengths.expect("a list");
    let expected = errors_by_length(&text, "p99");
    assert!(expected.len() > 1, "{expected:?}");
    for (switches, errors) in &expected {
        let mut lengths = lengths.iter();
        let own = lengths.find(|own| own["switches"] == *switches);
        let own = own.expect("the length");
        assert_eq!(own["hops"], errors.len());
        // A single value has no median.
        let Some(found) = own["error_p50"].as_f64() else {
            assert_eq!(errors.len(), 1);
            continue;
        };
        let median = errors[errors.len() / 2];
        assert!((found - median).abs() < 1e-3, "{found}, not {median}");
    }
    // The figure has the same medians, in percent.
    let plot = folder.run(&[
        "plot", "queries", "results", "-o", "q.svg", "--csv", "q.csv",
    ]);
    assert_eq!(plot.code, Some(0), "{}", plot.stderr);
    assert!(
        plot.stdout.contains("control is left out"),
        "{}",
        plot.stdout
    );
    let data = folder.read("q.csv");
    for (switches, errors) in expected.iter().filter(|(_, own)| own.len() > 1) {
        let begin = format!("latency: error of the p99,median,{switches},");
        let line = data.lines().find_map(|line| line.strip_prefix(&begin));
        let cell = line.and_then(|rest| rest.split(',').next());
        let found: f64 = cell.expect("a point").parse().expect("a number");
        let median = errors[errors.len() / 2] * 100.0;
        assert!((found - median).abs() < 0.01, "{found}, not {median}");
    }
    let report = folder.run(&["report", "results", "-o", "r.html"]);
    assert_eq!(report.code, Some(0), "{}", report.stderr);
    let page = folder.read("r.html");
    for words in [
        "Queries of packets (PINT)",
        "3 switches",
        "not compared with the truth",
    ] {
        assert!(page.contains(words), "{words}");
    }
}

#[test]
fn queries_that_cannot_be_compared_say_why() {
    let folder = Folder::new();
    let text = COMBINED.replace("bits = 16", "bits = 16\ntruth = false");
    folder.write("blind.toml", &text);
    let run = folder.run(&["run", "blind.toml", "--out", "results"]);
    let reason = "true values are not recorded: set truth = true in [pint]";
    assert!(run.stdout.contains(reason), "{}", run.stdout);
    folder.write(
        "plain.toml",
        COMBINED.split("[pint]").next().unwrap_or_default(),
    );
    folder.run(&["run", "plain.toml", "--out", "plain"]);
    for (args, expected) in [
        (&["plain"][..], "has no query_NAME.csv"),
        (
            &["results", "--query", "x"],
            "its queries are control, latency, path",
        ),
        (&["results/fct.csv"], "this is no file of query results"),
    ] {
        let args: Vec<&str> = ["plot", "queries", "-o", "q.svg"]
            .into_iter()
            .chain(args.iter().copied())
            .collect();
        let plot = folder.run(&args);
        assert_eq!(plot.code, Some(2), "{args:?}");
        assert!(plot.stderr.contains(expected), "{}", plot.stderr);
    }
}

#[test]
fn a_sweep_has_the_queries_of_each_point() {
    let folder = Folder::new();
    let scenario = COMBINED
        .replace("name = \"small\"", "")
        .replace("[[workload]]", "[[scenario.workload]]")
        .replace("[[query]]", "[[scenario.query]]")
        .replace("[topology]", "[scenario.topology]")
        .replace("[cc]", "[scenario.cc]")
        .replace("[pint]", "[scenario.pint]");
    folder.write(
        "sweep.toml",
        &format!("name = \"sweep\"\n{scenario}[[axis]]\nkey = \"seed\"\nvalues = [1, 2]\n"),
    );
    let sweep = folder.run(&["sweep", "sweep.toml", "--out", "s"]);
    assert_eq!(sweep.code, Some(0), "{}", sweep.stderr);
    let table = folder.read("s/points.csv");
    let header: Vec<&str> = table
        .lines()
        .next()
        .unwrap_or_default()
        .split(',')
        .collect();
    let place = |name: &str| {
        let place = header.iter().position(|column| *column == name);
        place.unwrap_or_else(|| panic!("{name} in {header:?}"))
    };
    for row in rows(&table) {
        assert_eq!(row.len(), header.len());
        assert_eq!(row[place("query_path_decoded")], "64");
        let error: f64 = row[place("query_latency_p99_error_p50")]
            .parse()
            .expect("a number");
        assert!(error > 0.0 && error < 1.0, "{error}");
    }
    assert!(
        !header
            .iter()
            .any(|column| column.starts_with("query_control"))
    );
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
