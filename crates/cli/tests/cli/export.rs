//! `fabricsim export`: analysis scripts of other simulators, applied to exported files, agree with
//! our numbers.
//!
//! The golden numbers are outputs of these scripts for the files that the tests export, run once:
//! `fctAnalysis.py` of conweave-ns3 unchanged (Python 3.11, NumPy), `fct_analysis.py` of
//! High-Precision-Congestion-Control ported from Python 2 to Python 3 (`print` with brackets, `//`
//! for integer divisions, decoded output of awk), and `validate.py` of csg-htsim with a script in
//! place of `htsim_eqds` that prints our `htsim.log`.

use crate::support::Folder;

/// Two racks of four hosts.
const TOPOLOGY: &str = "10 2 9\n8 9\n0 8 100Gbps 1000ns 0\n1 8 100Gbps 1000ns 0\n\
    2 8 100Gbps 1000ns 0\n3 8 100Gbps 1000ns 0\n4 9 100Gbps 1000ns 0\n5 9 100Gbps 1000ns 0\n\
    6 9 100Gbps 1000ns 0\n7 9 100Gbps 1000ns 0\n8 9 200Gbps 1000ns 0\n";

const SCENARIO: &str = "profile = \"ns3-hpcc\"\n[topology]\nkind = \"file\"\npath = \"topology.txt\"\n\
    [[workload]]\nkind = \"list\"\npath = \"flow.txt\"\n[cc]\nkind = \"hpcc\"\n[output]\n\
    fct_txt = true\npauses = true\n[observe]\nlinks = true\nqueue_distribution = true\n\
    from = \"2s\"\ninterval = \"10us\"\ntowards = \"switches\"\n";

/// Returns 200 flows of sizes from 0.4 to 400 KB, a microsecond apart.
fn flows() -> String {
    (0..200u64).fold("200\n".to_owned(), |text, flow| {
        let (src, step) = (flow % 8, 1 + (flow / 8) % 7);
        let size = 400 * (1 + (flow * 37) % 200) * if flow % 3 == 0 { 5 } else { 1 };
        let start = 6_000_000 + 1_000 * flow;
        text + &format!("{src} {} 3 100 {size} 2.{start:09}\n", (src + step) % 8)
    })
}

fn results() -> Folder {
    let folder = Folder::new();
    folder.write("topology.txt", TOPOLOGY);
    folder.write("flow.txt", &flows());
    folder.write("s.toml", SCENARIO);
    folder
        .run(&["run", "s.toml", "--out", "r", "--quiet"])
        .succeeded();
    folder
}

/// A flow of `fct.csv`, in whole nanoseconds as in other simulators.
struct Flow {
    size: u64,
    start: f64,
    fct: f64,
    slowdown: f64,
}

fn flows_of(folder: &Folder) -> Vec<Flow> {
    let fct = folder.read("r/fct.csv");
    let rows = fct
        .lines()
        .skip(1)
        .map(|line| line.split(',').collect::<Vec<_>>());
    rows.map(|row| {
        let number = |place: usize| row[place].parse::<f64>().expect("a number");
        let (fct, ideal) = (number(6).floor(), number(7).floor());
        Flow {
            size: row[4].parse().expect("a size"),
            start: number(5),
            fct,
            slowdown: (fct / ideal).max(1.0),
        }
    })
    .collect()
}

/// Parses lines of `fct.txt`. The analysis reads five columns: port, size, start, time and ideal
/// time.
fn flows_of_lines(text: &str) -> Vec<Flow> {
    let rows = text.lines().map(|line| line.split(' ').collect::<Vec<_>>());
    rows.map(|row| {
        assert_eq!(row.len(), 8, "{row:?}");
        assert_eq!(row[3], "100", "a port of traffic that is no incast");
        let number = |place: usize| row[place].parse::<f64>().expect("a number");
        let [start, fct, ideal] = [5, 6, 7].map(number);
        assert!(start > 2_005e6 && start + fct < 3e9, "{row:?}");
        Flow {
            size: row[4].parse().expect("a size"),
            start,
            fct,
            slowdown: (fct / ideal).max(1.0),
        }
    })
    .collect()
}

/// Sorts as `sort -n -k 2` does for lines `slowdown size`: by size, then by the text of the line.
fn sorted(flows: &[Flow]) -> Vec<(f64, u64)> {
    let mut lines: Vec<(f64, u64)> = flows
        .iter()
        .map(|flow| (flow.slowdown, flow.size))
        .collect();
    lines.sort_by(|a, b| a.1.cmp(&b.1).then(a.0.total_cmp(&b.0)));
    // The scripts leave out the last line, the largest flow.
    lines.pop();
    lines
}

/// Divides the flows into twentieths by size, each with the largest size and sorted slowdowns.
fn bins(flows: &[(f64, u64)]) -> Vec<(u64, Vec<f64>)> {
    let count = flows.len();
    let bin = |place: usize| {
        let part = &flows[place * 5 * count / 100..(place + 1) * 5 * count / 100];
        let mut slowdowns: Vec<f64> = part.iter().map(|flow| flow.0).collect();
        slowdowns.sort_by(f64::total_cmp);
        (part.last().expect("flows").1, slowdowns)
    };
    (0..20).map(bin).collect()
}

/// Returns the value at `share` thousandths of the sorted values, without interpolation.
fn at(sorted: &[f64], share: usize) -> f64 {
    sorted[sorted.len() * share / 1_000]
}

/// Returns the percentile of `share` thousandths as NumPy does, interpolated linearly.
fn percentile(sorted: &[f64], share: usize) -> f64 {
    let place = (sorted.len() - 1) * share;
    let (below, beyond) = (place / 1_000, place % 1_000);
    let above = (below + 1).min(sorted.len() - 1);
    sorted[below] + (sorted[above] - sorted[below]) * (beyond as f64 / 1_000.0)
}

/// Output of `fct_analysis.py -t 0 -T 3000000000 -b 100`, with `fct.txt` as the only scheme.
const PUBLISHED: &str = "\
    0.000 3600\t2.192 3.158 3.158\n\
    0.050 10800\t2.431 3.813 3.813\n\
    0.100 14800\t1.971 3.361 3.361\n\
    0.150 21600\t3.331 3.842 3.842\n\
    0.200 28400\t3.056 3.891 3.891\n\
    0.250 32000\t2.695 3.739 3.739\n\
    0.300 38000\t2.264 3.032 3.032\n\
    0.350 41200\t2.216 3.132 3.132\n\
    0.400 47200\t2.057 3.025 3.025\n\
    0.450 54400\t2.208 3.923 3.923\n\
    0.500 58400\t2.780 4.742 4.742\n\
    0.550 65200\t2.761 4.458 4.458\n\
    0.600 72000\t3.057 4.776 4.776\n\
    0.650 76000\t3.054 4.945 4.945\n\
    0.700 90000\t3.030 4.568 4.568\n\
    0.750 170000\t3.440 6.129 6.129\n\
    0.800 220000\t6.134 9.443 9.443\n\
    0.850 268000\t5.658 12.049 12.049\n\
    0.900 348000\t5.397 7.012 7.012\n\
    0.950 398000\t5.702 8.929 8.929";

#[test]
fn the_published_analysis_says_the_same() {
    let folder = results();
    let said = folder
        .run(&["export", "r", "--format", "hpcc", "-o", "theirs"])
        .succeeded();
    for name in ["fct.txt", "pfc.txt", "qlen.txt"] {
        assert!(
            said.stderr.contains(name) && folder.has(&format!("theirs/{name}")),
            "{name}"
        );
    }
    assert_eq!(folder.read("theirs/fct.txt"), folder.read("r/fct.txt"));
    let printed = |flows: &[Flow]| {
        let rows = (0..20).zip(bins(&sorted(flows)));
        let row = rows.map(|(place, (size, slowdowns))| {
            let [p50, p95, p99] = [500, 950, 990].map(|share| at(&slowdowns, share));
            let upto = f64::from(place) * 0.05;
            format!("{upto:.3} {size}\t{p50:.3} {p95:.3} {p99:.3}")
        });
        row.collect::<Vec<_>>().join("\n")
    };
    let exported = flows_of_lines(&folder.read("theirs/fct.txt"));
    assert_eq!(printed(&exported), PUBLISHED);
    assert_eq!(printed(&flows_of(&folder)), PUBLISHED);
}

/// Lines of slowdowns in the output of `python3 fctAnalysis.py -id 7 -dir . -bdp 104000`.
const CONWEAVE: &str = "\
    <1BDP,2.533,2.472,4.142,4.759,4.920\n\
    >1BDP,5.137,4.842,9.163,10.772,11.921\n\
    #0.050 3600\t2.055 2.192 3.158 3.158 3.158\n\
    #0.100 10800\t2.368 2.431 3.813 3.813 3.813\n\
    #0.150 14800\t2.183 1.971 3.361 3.361 3.361\n\
    #0.200 21600\t2.901 3.331 3.842 3.842 3.842\n\
    #0.250 28400\t2.772 3.056 3.891 3.891 3.891\n\
    #0.300 32000\t2.551 2.695 3.739 3.739 3.739\n\
    #0.350 38000\t2.105 2.264 3.032 3.032 3.032\n\
    #0.400 41200\t2.107 2.216 3.132 3.132 3.132\n\
    #0.450 47200\t1.898 2.057 3.025 3.025 3.025\n\
    #0.500 54400\t2.328 2.208 3.923 3.923 3.923\n\
    #0.550 58400\t2.693 2.780 4.742 4.742 4.742\n\
    #0.600 65200\t2.868 2.761 4.458 4.458 4.458\n\
    #0.650 72000\t3.096 3.057 4.776 4.776 4.776\n\
    #0.700 76000\t3.089 3.054 4.945 4.945 4.945\n\
    #0.750 90000\t2.930 3.030 4.568 4.568 4.568\n\
    #0.800 170000\t3.617 3.440 6.129 6.129 6.129\n\
    #0.850 220000\t5.685 6.134 9.443 9.443 9.443\n\
    #0.900 268000\t5.937 5.658 12.049 12.049 12.049\n\
    #0.950 348000\t4.996 5.397 7.012 7.012 7.012\n\
    #1.000 398000\t5.448 5.702 8.929 8.929 8.929";

#[test]
fn conweaves_analysis_says_the_same() {
    let folder = results();
    folder
        .run(&["export", "r", "--format", "conweave", "-o", "mix/output/7"])
        .succeeded();
    for name in ["fct", "pfc", "uplink"] {
        assert!(
            folder.has(&format!("mix/output/7/7_out_{name}.txt")),
            "{name}"
        );
    }
    let exported = flows_of_lines(&folder.read("mix/output/7/7_out_fct.txt"));
    assert_eq!(printed_by_conweave(&sorted(&exported)), CONWEAVE);
    assert_eq!(printed_by_conweave(&sorted(&flows_of(&folder))), CONWEAVE);
}

/// Returns the lines of slowdowns that `fctAnalysis.py` prints for flows by size.
fn printed_by_conweave(flows: &[(f64, u64)]) -> String {
    let group = |name: &str, is_in: &dyn Fn(u64) -> bool| {
        let mut part: Vec<f64> = flows
            .iter()
            .filter(|it| is_in(it.1))
            .map(|it| it.0)
            .collect();
        part.sort_by(f64::total_cmp);
        let mean = part.iter().sum::<f64>() / part.len() as f64;
        let tails = [500, 950, 990, 999].map(|share| percentile(&part, share));
        let tails: Vec<String> = tails.iter().map(|value| format!("{value:.3}")).collect();
        format!("{name},{mean:.3},{}", tails.join(","))
    };
    let mut ours = vec![
        group("<1BDP", &|size| size < 104_000),
        group(">1BDP", &|size| size >= 104_000),
    ];
    ours.extend((0..20).zip(bins(flows)).map(|(place, (size, slowdowns))| {
        let mean = slowdowns.iter().sum::<f64>() / slowdowns.len() as f64;
        let tails = [500, 950, 990, 999].map(|share| format!("{:.3}", at(&slowdowns, share)));
        let upto = f64::from(place + 1) * 0.05;
        format!("#{upto:.3} {size:>3}\t{mean:.3} {}", tails.join(" "))
    }));
    ours.join("\n")
}

/// Output of `validate.py` for a matrix of 200 connections.
const HTSIM: &str = "\
    [PASS] Tail FCT 2006348.899 us below the target of 3000000 us\n\
    [PASS] Connection count 200";

#[test]
fn htsims_validation_says_the_same() {
    let folder = results();
    folder
        .run(&["export", "r", "--format", "htsim", "-o", "theirs"])
        .succeeded();
    // The ninth word of a line with `finished` is a time in microseconds, and the last one the tail.
    let log = folder.read("theirs/htsim.log");
    let finished = log.lines().filter(|line| line.contains("finished"));
    let times: Vec<&str> = finished
        .filter_map(|line| line.split_whitespace().nth(8))
        .collect();
    assert_eq!(times.len(), 200);
    let flows = flows_of(&folder);
    let last = flows
        .iter()
        .map(|flow| flow.start + flow.fct)
        .fold(0.0, f64::max);
    let tail = HTSIM
        .split_whitespace()
        .nth(3)
        .and_then(|word| word.parse::<f64>().ok());
    let tail = tail.expect("[PASS] Tail FCT <us>");
    assert_eq!(times.last().and_then(|time| time.parse().ok()), Some(tail));
    assert!((tail * 1_000.0 - last).abs() < 1.0, "{tail} {last}");
    assert!(
        HTSIM.ends_with(&format!("[PASS] Connection count {}", flows.len())),
        "{HTSIM}"
    );
}

#[test]
fn what_cannot_be_exported_is_said() {
    let folder = Folder::new();
    let list = folder.run(&["export", "--list"]).succeeded().stdout;
    let names: Vec<&str> = list
        .lines()
        .filter_map(|line| line.split(' ').next())
        .collect();
    assert_eq!(names, ["hpcc", "conweave", "htsim", "arrow"]);
    let refused = |arguments: &[&str]| {
        let outcome = folder.run(arguments);
        assert_eq!(outcome.code, Some(2), "{}", outcome.stderr);
        outcome.stderr
    };
    let said = refused(&["export", "r", "--format", "hpcc", "-o", "x"]);
    assert!(said.contains("no such folder"), "{said}");
    std::fs::create_dir(folder.path("r")).expect("a folder");
    let said = refused(&["export", "r", "--format", "hpcc", "-o", "x"]);
    assert!(said.contains("fct_txt = true"), "{said}");
    let said = refused(&["export", "r", "--format", "ns2", "-o", "x"]);
    assert!(said.contains("no format `ns2`"), "{said}");
    folder.write("r/fct.txt", "host0 0b000101 10000 100 9 2 1 1\n");
    let said = refused(&["export", "r", "--format", "conweave", "-o", "x"]);
    assert!(said.contains("r/fct.txt:1:1:"), "{said}");
    assert!(!folder.has("x"));
}

#[cfg(feature = "arrow")]
#[test]
fn tables_of_arrow_have_the_rows_of_the_csv_files() {
    use arrow_array::cast::AsArray;
    use arrow_array::types::Int64Type;

    let folder = results();
    folder
        .run(&["export", "r", "--format", "arrow", "-o", "tables"])
        .succeeded();
    let file = std::fs::File::open(folder.path("tables/fct.arrow")).expect("a table");
    let reader = arrow_ipc::reader::FileReader::try_new(file, None).expect("an Arrow file");
    let mut sizes: Vec<u64> = Vec::new();
    for batch in reader {
        let batch = batch.expect("a batch");
        let column = batch.column_by_name("size_bytes").expect("a column");
        let column = column.as_primitive::<Int64Type>();
        sizes.extend(column.values().iter().map(|size| size.unsigned_abs()));
    }
    let expected: Vec<u64> = flows_of(&folder).iter().map(|flow| flow.size).collect();
    assert_eq!(sizes, expected);
    assert!(folder.has("tables/links.arrow") && folder.has("tables/pauses.arrow"));
}

#[test]
fn a_folder_without_tables_is_refused() {
    let folder = Folder::new();
    folder.write("notes.txt", "");
    let outcome = folder.run(&["export", ".", "--format", "arrow", "-o", "tables"]);
    assert_eq!(outcome.code, Some(2));
    assert!(outcome.stderr.contains("no table"), "{}", outcome.stderr);
    assert!(!folder.has("tables"));
}
