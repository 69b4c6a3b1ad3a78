//! Closed loops from the user's view: queries and downloads on the terminal and in files, and
//! warnings about them.

use crate::support::{Folder, Outcome, project_text};

const STAR: &str = "[topology]\nkind = \"star\"\nhosts = 4\n";
const RPC: &str =
    "[[workload]]\nkind = \"rpc\"\nclients = [\"0\"]\nservers = [\"1\"]\nquery = \"4KB\"\n";

/// Runs `text` in its own folder.
fn run(text: &str) -> (Folder, Outcome) {
    let folder = Folder::new();
    folder.write("s.toml", text);
    let outcome = folder.run(&["run", "s.toml", "--out", "out"]);
    (folder, outcome)
}

#[test]
fn a_run_of_queries_alone_has_no_table_of_slowdowns() {
    let hpcc = "[cc]\nkind = \"hpcc\"\n";
    let (_, alone) = run(&format!("{STAR}{hpcc}{RPC}queries = 5\n"));
    let said = alone.succeeded().stdout;
    assert!(
        said.contains("rpc, QCT us") && !said.contains("slowdown"),
        "{said}"
    );
    let flows = "[[workload]]\nkind = \"permutation\"\nsize = \"1KB\"\n";
    let (_, both) = run(&format!("{STAR}{hpcc}{RPC}queries = 5\n{flows}"));
    let said = both.succeeded().stdout;
    assert!(
        said.contains("rpc, QCT us") && said.contains("slowdown"),
        "{said}"
    );
}

#[test]
fn a_query_without_a_route_is_told_with_what_it_waits_for() {
    let text = format!(
        "{STAR}[cc]\nkind = \"hpcc\"\n{RPC}queries = 5\n[[event]]\nat = \"0s\"\n\
         kind = \"link-down\"\nlink = [1, 4]\n"
    );
    let (_, outcome) = run(&text);
    assert_eq!(outcome.code, Some(3), "{}", outcome.stderr);
    let reason = "0 of 4000 bytes acknowledged; no route from host0 (node 0) to host1 (node 1): \
                  the link between host1 (node 1) and switch0 (node 4) is down since 0ps; has not started, and waits for a route";
    assert!(outcome.stderr.contains(reason), "{}", outcome.stderr);
}

fn downloads(count: usize, more: &str) -> String {
    let mut text = format!("{STAR}[cc]\nkind = \"cubic\"\n[run]\nstop_at = \"300us\"\n{more}");
    for _ in 0..count {
        text += "[[workload]]\nkind = \"download\"\nclient = 0\nserver = 1\n";
    }
    text
}

#[test]
fn many_downloads_are_one_line() {
    let (_, few) = run(&downloads(10, ""));
    let said = few.succeeded().stdout;
    assert_eq!(said.matches("\ndownload     flow ").count(), 10, "{said}");
    let (folder, many) = run(&downloads(11, ""));
    let said = many.succeeded().stdout;
    assert!(!said.contains("download     flow "), "{said}");
    let line = said
        .lines()
        .find(|line| line.starts_with("downloads    11 flows, "));
    let words: Vec<&str> = line.expect("a line").split_whitespace().collect();
    let number = |place: usize| words[place].parse::<f64>().expect("a number");
    let rates = folder.summary("out")["downloads"].clone();
    let rates = rates.as_array().expect("a list").iter();
    let mbps: Vec<f64> = rates
        .map(|one| one["goodput_bps"].as_f64().expect("a rate") / 1e6)
        .collect();
    let least = mbps.iter().copied().fold(f64::INFINITY, f64::min);
    let most = mbps.iter().copied().fold(0.0, f64::max);
    for (place, expected) in [(3, mbps.iter().sum()), (6, least), (8, most)] {
        assert!(
            (number(place) - expected).abs() < 0.001,
            "{words:?}: {expected}"
        );
    }
}

#[test]
fn a_download_without_a_route_has_no_size() {
    let event = "[[event]]\nat = \"0s\"\nkind = \"link-down\"\nlink = [1, 4]\n";
    let (folder, outcome) = run(&downloads(1, event));
    assert!(
        outcome.stderr.contains("which never ends: "),
        "{}",
        outcome.stderr
    );
    assert!(
        !outcome.stderr.contains("4611686018427387904"),
        "{}",
        outcome.stderr
    );
    let listed = &folder.summary("out")["unfinished"][0];
    assert!(listed["size_bytes"].is_null(), "{listed}");
}

#[test]
fn a_workload_that_may_make_nothing_is_told() {
    let poisson =
        "[[workload]]\nkind = \"poisson\"\nsizes = \"1MB\"\nload = 1e-9\nduration = \"1ms\"\n";
    let rpc = format!("{RPC}mode = \"poisson\"\nrate = 1e-9\nduration = \"1ms\"\n");
    for (workload, warning) in [
        (
            poisson,
            "[[workload]] 0 (poisson) is expected to make 5.0e-8 flows",
        ),
        (
            &rpc,
            "[[workload]] 0 (rpc) is expected to make 2.0e-12 flows",
        ),
    ] {
        let (folder, outcome) = run(&format!("{STAR}[cc]\nkind = \"hpcc\"\n{workload}"));
        let outcome = outcome.succeeded();
        assert!(outcome.stderr.contains(warning), "{}", outcome.stderr);
        let warnings = folder.summary("out")["warnings"].to_string();
        assert!(warnings.contains(warning), "{warnings}");
        let check = folder.run(&["check", "s.toml"]).succeeded();
        assert!(check.stderr.contains(warning), "{}", check.stderr);
    }
}

#[test]
fn a_service_time_beyond_the_end_of_time_is_told() {
    let service = "service = \"1000000s\"\nstart = \"1000000s\"\nqueries = 4\n";
    let service = format!("{RPC}{service}");
    let (_, outcome) = run(&format!("{STAR}[cc]\nkind = \"hpcc\"\n{service}"));
    assert_ne!(outcome.code, Some(0), "{}", outcome.stderr);
    assert!(
        outcome.stderr.contains("waits for one response of host 1")
            && outcome.stderr.contains("one more waits"),
        "{}",
        outcome.stderr
    );
}

#[test]
fn settings_without_effect_are_told() {
    let limit = "[switch]\nlossy_limit = \"64KB\"\n";
    let said = |cc: &str| {
        let (folder, _) = run(&format!(
            "{STAR}[cc]\nkind = \"{cc}\"\n{limit}{RPC}queries = 1\n"
        ));
        folder.run(&["check", "s.toml"]).succeeded().stderr
    };
    assert!(said("hpcc").starts_with("note: [switch] lossy_limit has no effect"));
    assert_eq!(said("cubic"), "");
    let alpha = |more: &str| {
        let (folder, _) = run(&format!(
            "{STAR}[cc]\nkind = \"none\"\n[switch]\nlossy_alpha = 0.5\npfc = false\n{more}\
             {RPC}queries = 1\n"
        ));
        folder.run(&["check", "s.toml"]).succeeded().stderr
    };
    assert!(alpha("").starts_with("note: [switch] lossy_alpha has no effect"));
    assert_eq!(alpha("trim_above = \"80KB\"\n"), "");
}

#[test]
fn queues_that_are_observed_too_late_are_told() {
    let observe = "[observe]\nqueue_distribution = true\nfrom = \"1s\"\n";
    let (folder, outcome) = run(&format!(
        "{STAR}[cc]\nkind = \"hpcc\"\n{observe}{RPC}queries = 5\n"
    ));
    let outcome = outcome.succeeded();
    let warning = "no queue length was observed: [observe] begins at 1s";
    assert!(outcome.stderr.contains(warning), "{}", outcome.stderr);
    assert!(!outcome.stdout.contains("p50 (B)"), "{}", outcome.stdout);
    assert!(folder.summary("out")["queue_groups"].is_null());
}

#[test]
fn the_expected_load_says_that_it_knows_nothing_of_nics() {
    let text = "[topology]\nkind = \"testbed\"\n[routing]\nnic = \"round-robin\"\n[cc]\nkind = \"hpcc\"\n\
                [[workload]]\nkind = \"poisson\"\nsizes = \"1MB\"\nload = 0.2\nduration = \"1ms\"\n";
    let folder = Folder::new();
    folder.write("s.toml", text);
    let told = "`nic` and `nics` of [routing]: flows are spread over all NICs here";
    assert!(
        folder
            .run(&["check", "s.toml"])
            .succeeded()
            .stdout
            .contains(told)
    );
    let other = ["check", "s.toml", "--set", "routing.nic=hash"];
    assert!(!folder.run(&other).succeeded().stdout.contains(told));
}

/// Returns a cell of the table `points.csv`.
fn cell<'t>(table: &'t str, row: usize, column: &str) -> &'t str {
    let mut lines = table.lines();
    let names = lines.next().expect("a header").split(',');
    let place = names.enumerate().find(|(_, name)| *name == column);
    let (place, _) = place.unwrap_or_else(|| panic!("{column} in {table}"));
    let row = lines.nth(row).expect("a row");
    row.split(',').nth(place).expect("a cell")
}

#[test]
fn the_table_of_a_sweep_has_columns_of_queries() {
    let folder = Folder::new();
    folder.write(
        "base.toml",
        &format!("{STAR}[cc]\nkind = \"dcqcn\"\n{RPC}queries = 3\nthink = \"20us\"\n"),
    );
    folder.write(
        "s.toml",
        "scenario = \"base.toml\"\n[[axis]]\nkey = \"workload.0.queries\"\nvalues = [1, 5]\n",
    );
    folder.run(&["sweep", "s.toml", "--out", "out"]).succeeded();
    let table = folder.read("out/points.csv");
    let number = |row, column: &str| -> f64 {
        let cell = cell(&table, row, column);
        cell.parse().unwrap_or_else(|_| panic!("{column}: {cell}"))
    };
    for (row, queries) in [(0, 1.0), (1, 5.0)] {
        assert_eq!(cell(&table, row, "queries_class0"), format!("{queries}"));
        assert_eq!(cell(&table, row, "queries_unfinished_class0"), "0");
        let qct = number(row, "qct_mean_ns_class0");
        // One query has no median, and five no 99th percentile.
        assert_eq!(cell(&table, row, "qct_p50_ns_class0").is_empty(), row == 0);
        assert_eq!(cell(&table, row, "qct_p99_ns_class0"), "");
        assert_eq!(cell(&table, row, "qct_slowdown_p99_class0"), "");
        let span = queries * qct + (queries - 1.0) * 20_000.0;
        let qps = number(row, "qps_class0");
        assert!((qps * span / 1e9 / queries - 1.0).abs() < 1e-6, "{qps}");
    }
}

/// A preset is the file of a sweep, and its points are scenarios. `check` accepts the scenarios
/// that a sweep writes into the folders of its points.
#[test]
fn the_presets_of_reproduce_are_read() {
    let folder = Folder::new();
    for name in [
        "buffer-sizing",
        "hpcc-eta",
        "hpcc-incast",
        "hpcc-results",
        "pint-fraction",
        "pint-goodput",
        "pint-slowdown",
    ] {
        let preset = project_text(&format!("crates/experiments/data/presets/{name}.toml"));
        folder.write("preset.toml", &preset);
        let listed = folder
            .run(&["sweep", "preset.toml", "--dry-run"])
            .succeeded();
        assert!(
            listed.stdout.contains("points"),
            "{name}: {}",
            listed.stdout
        );
        // Figures of overload are meant to have it.
        let is_load = |line: &str| line.contains("are expected to carry up to");
        assert!(
            listed.stderr.lines().all(is_load),
            "{name}: {}",
            listed.stderr
        );
    }
}
