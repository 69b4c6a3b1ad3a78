//! Sweeps through the library: reading, running and keeping results.

#![allow(
    clippy::unwrap_used,
    reason = "a test may stop at what it did not expect"
)]

mod panics;
mod stopped;

use std::fs;
use std::path::Path;

use fabricsim::outcome::Existing;
use fabricsim_experiments::sweep;
use fabricsim_experiments::sweep::{
    BaseScenario, PointState, Shard, Sweep, SweepInput, SweepOptions, SweepOutcome,
};

const BASE: &str = "\
[topology]
kind = \"star\"
hosts = 5
[[workload]]
kind = \"incast\"
fan_in = 4
size = \"20KB\"
at = \"0s\"
[cc]
kind = \"hpcc\"
eta = 0.9
";

const AXES: &str = "\
scenario = \"base.toml\"
[[axis]]
key = \"workload.0.fan_in\"
values = [2, 4]
[[axis]]
name = \"scheme\"
[[axis.variant]]
name = \"HPCC\"
set = { cc.eta = 0.95 }
[[axis.variant]]
name = \"DCTCP\"
set = { cc = { kind = \"dctcp\" } }
";

fn with_base(text: &str, base: &str) -> Result<Sweep, fabricsim::Error> {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("base.toml"), base).unwrap();
    Sweep::from_text("s.toml", text, folder.path(), &[])
}

fn sweep(text: &str) -> Sweep {
    with_base(text, BASE).unwrap()
}

fn names(sweep: &Sweep) -> Vec<&str> {
    sweep.points().iter().map(|point| point.name()).collect()
}

fn run(sweep: &Sweep, dir: &Path) -> SweepOutcome {
    run_with(sweep, dir, Existing::Keep).unwrap()
}

/// Runs the sweep over results of other settings.
fn replace(sweep: &Sweep, dir: &Path) -> SweepOutcome {
    run_with(sweep, dir, Existing::Replace).unwrap()
}

fn run_with(
    sweep: &Sweep,
    dir: &Path,
    existing: Existing,
) -> Result<SweepOutcome, fabricsim::Error> {
    let options = SweepOptions {
        jobs: 2,
        existing,
        ..SweepOptions::default()
    };
    sweep::run(sweep, dir, &options, &mut ())
}

fn table(dir: &Path) -> String {
    fs::read_to_string(dir.join("points.csv")).unwrap()
}

/// Returns the cells of column `name`.
fn column(table: &str, name: &str) -> Vec<String> {
    // Names of points are quoted, and no other cell of these tests is.
    let cells = |row: &str| -> Vec<String> {
        let mut quoted = false;
        let kept: String = row
            .chars()
            .map(|c| {
                quoted ^= c == '"';
                if quoted && c == ',' { ';' } else { c }
            })
            .collect();
        kept.split(',').map(str::to_owned).collect()
    };
    let mut rows = table.lines();
    let header = cells(rows.next().unwrap());
    let place = header.iter().position(|column| column == name).unwrap();
    rows.map(|row| {
        let cells = cells(row);
        assert_eq!(cells.len(), header.len(), "{row}");
        cells[place].clone()
    })
    .collect()
}

#[test]
fn the_last_axis_changes_fastest_and_tables_are_replaced_whole() {
    let sweep = sweep(AXES);
    assert_eq!(
        names(&sweep),
        [
            "fan_in=2,scheme=HPCC",
            "fan_in=2,scheme=DCTCP",
            "fan_in=4,scheme=HPCC",
            "fan_in=4,scheme=DCTCP"
        ]
    );
    assert_eq!(sweep.axes(), ["fan_in", "scheme"]);
    let factory = |at: usize| sweep.points()[at].scenario().resolved()["cc"].clone();
    assert_eq!(factory(0)["eta"], 0.95);
    assert_eq!(factory(1)["kind"], "dctcp");
    assert_eq!(factory(1)["eta"], serde_json::Value::Null);
    let expected = sweep.points()[2].expected();
    assert_eq!((expected.flows, expected.bytes), (4.0, 80_000.0));
}

#[test]
fn points_can_be_left_out_and_changed() {
    let text = format!(
        "{AXES}[[exclude]]\nscheme = \"DCTCP\"\nfan_in = [2]\n\
         [[override]]\nwhen = {{ fan_in = 4, scheme = [\"HPCC\"] }}\nset = {{ \"run.stop_at\" = \"1ms\" }}\n"
    );
    let sweep = sweep(&text);
    assert_eq!(
        names(&sweep),
        [
            "fan_in=2,scheme=HPCC",
            "fan_in=4,scheme=HPCC",
            "fan_in=4,scheme=DCTCP"
        ]
    );
    let stops: Vec<bool> = sweep
        .points()
        .iter()
        .map(|point| point.scenario().run().stop_at.is_some())
        .collect();
    assert_eq!(stops, [false, true, false]);
}

#[test]
fn points_of_at_least_one_only_are_kept_unless_they_are_excluded() {
    let only = "[[only]]\nfan_in = 2\n[[only]]\nscheme = [\"DCTCP\"]\n";
    let kept = sweep(&format!("{AXES}{only}"));
    assert_eq!(
        names(&kept),
        [
            "fan_in=2,scheme=HPCC",
            "fan_in=2,scheme=DCTCP",
            "fan_in=4,scheme=DCTCP"
        ]
    );
    let both = sweep(&format!("{AXES}{only}[[exclude]]\nfan_in = 4\n"));
    assert_eq!(
        names(&both),
        ["fan_in=2,scheme=HPCC", "fan_in=2,scheme=DCTCP"]
    );
}

#[test]
fn the_base_can_be_given_from_outside() {
    let text = AXES.replace("scenario = \"base.toml\"\n", "");
    let input = SweepInput {
        overrides: vec!["seed=9".to_owned()],
        base: Some(BaseScenario {
            source: "built-in.toml".to_owned(),
            text: BASE.to_owned(),
        }),
        ..SweepInput::default()
    };
    let sweep = Sweep::from_text_with("s.toml", &text, ".".as_ref(), &input).unwrap();
    assert_eq!(sweep.points().len(), 4);
    assert!(
        sweep
            .points()
            .iter()
            .all(|point| point.scenario().seed() == 9)
    );
    assert_eq!(sweep.points()[0].scenario().name(), "built-in");
}

#[test]
fn tables_do_not_depend_on_how_a_sweep_is_run() {
    let sweep = sweep(AXES);
    let folder = tempfile::tempdir().unwrap();
    let dir = |name: &str| folder.path().join(name);
    assert!(run(&sweep, &dir("one")).is_complete());
    for (jobs, threads) in [(1, 2), (3, 1)] {
        let out = dir(&format!("{jobs}x{threads}"));
        let options = SweepOptions {
            jobs,
            threads,
            shard: Shard::ALL,
            existing: Existing::Keep,
        };
        sweep::run(&sweep, &out, &options, &mut ()).unwrap();
        assert_eq!(table(&out), table(&dir("one")));
    }
    for index in 1..=3 {
        let before = match index {
            1 => 0,
            _ => done(&sweep, &dir("shards")),
        };
        let options = SweepOptions {
            jobs: 1,
            threads: 1,
            shard: Shard::new(index, 3).unwrap(),
            existing: Existing::Keep,
        };
        let outcome = sweep::run(&sweep, &dir("shards"), &options, &mut ()).unwrap();
        assert_eq!(outcome.is_complete(), index == 3);
        assert_eq!(done(&sweep, &dir("shards")), before + outcome.count_run());
        let missing = column(&table(&dir("shards")), "status");
        let missing = missing.iter().filter(|status| *status == "missing").count();
        assert_eq!(missing, 4 - before - outcome.count_run());
    }
    assert_eq!(table(&dir("shards")), table(&dir("one")));
}

fn done(sweep: &Sweep, dir: &Path) -> usize {
    let points = sweep.points().iter();
    points
        .filter(|point| matches!(PointState::of(point, dir), PointState::Done(_)))
        .count()
}

#[test]
fn only_what_has_changed_runs_again() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    let text = AXES.replace("[2, 4]", "[2, 3, 4]");
    assert_eq!(run(&sweep(AXES), dir).count_run(), 4);
    assert_eq!(run(&sweep(AXES), dir).count_run(), 0);
    // More points, then another setting of half of them, then a base that concerns all.
    assert_eq!(run(&sweep(&text), dir).count_run(), 2);
    let eta = text.replace("0.95", "0.8");
    let before = table(dir);
    let refused = run_with(&sweep(&eta), dir, Existing::Keep).expect_err("other settings");
    let said = refused.to_string();
    for words in [
        "scheme=HPCC`: it has other results",
        "cc.eta: 0.95 there, 0.8 now",
        "2 more points of the sweep have other results, too",
    ] {
        assert!(said.contains(words), "{said}");
    }
    assert_eq!(table(dir), before);
    assert_eq!(
        run(&sweep(&text), dir).count_run(),
        0,
        "they are as they were"
    );
    assert_eq!(replace(&sweep(&eta), dir).count_run(), 3);
    let base = BASE.replace("20KB", "30KB");
    assert_eq!(
        replace(&with_base(&eta, &base).unwrap(), dir).count_run(),
        6
    );
    // Fewer points: the others are named and stay.
    let outcome = replace(&with_base(AXES, &base).unwrap(), dir);
    assert_eq!(outcome.count_run(), 2);
    assert_eq!(
        outcome.stale,
        ["fan_in=3,scheme=DCTCP", "fan_in=3,scheme=HPCC"]
    );
    assert!(dir.join("points/fan_in=3,scheme=HPCC/fct.csv").exists());
    let fresh = tempfile::tempdir().unwrap();
    run(&with_base(AXES, &base).unwrap(), fresh.path());
    assert_eq!(table(dir), table(fresh.path()));
}

#[test]
fn the_files_that_a_scenario_names_are_part_of_it() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("t.txt", "3 1 2\n2\n0 2 100Gbps 1us 0\n1 2 100Gbps 1us 0\n");
    write("f.txt", "1\n0 1 3 100 1000 2.0\n");
    write("c.txt", "0 0\n2000 1\n");
    let text = "
        [scenario.topology]
        kind = \"file\"
        path = \"t.txt\"
        [[scenario.workload]]
        kind = \"list\"
        path = \"f.txt\"
        [[scenario.workload]]
        kind = \"poisson\"
        sizes = \"c.txt\"
        load = 0.1
        duration = \"10us\"
        [scenario.cc]
        kind = \"hpcc\"
        [[axis]]
        key = \"seed\"
        values = [1]";
    let read = || Sweep::from_text("s.toml", text, folder.path(), &[]).unwrap();
    let checksum = || read().points()[0].scenario_checksum().to_owned();
    let out = folder.path().join("out");
    assert_eq!(run(&read(), &out).count_run(), 1);
    let mut seen = vec![checksum()];
    for (name, text) in [
        ("t.txt", "3 1 2\n2\n0 2 100Gbps 1us 0\n1 2 100Gbps 2us 0\n"),
        ("f.txt", "1\n0 1 3 100 1001 2.0\n"),
        ("c.txt", "0 0\n2001 1\n"),
    ] {
        write(name, text);
        assert!(!seen.contains(&checksum()), "{name}");
        seen.push(checksum());
        let refused = run_with(&read(), &out, Existing::Keep).expect_err("another file");
        let said = refused.to_string();
        assert!(
            said.contains("a file that the settings name has another content"),
            "{said}"
        );
        assert_eq!(replace(&read(), &out).count_run(), 1, "{name}");
    }
    assert_eq!(run(&read(), &out).count_run(), 0);
}

/// Half-written folders, replaced results, and files of a killed process are detected.
#[test]
fn what_is_not_whole_is_not_done() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    let sweep = sweep(AXES);
    run(&sweep, dir);
    let whole = table(dir);
    let point = |at: usize| sweep.points()[at].folder(dir);
    fs::remove_file(point(0).join("point.json")).unwrap();
    fs::write(point(0).join(".tmp-fabricsim-AbCdEf"), "flow,src").unwrap();
    fs::remove_file(point(1).join("summary.json")).unwrap();
    fs::copy(point(3).join("summary.json"), point(2).join("summary.json")).unwrap();
    let states: Vec<bool> = sweep
        .points()
        .iter()
        .map(|point| matches!(PointState::of(point, dir), PointState::Done(_)))
        .collect();
    assert_eq!(states, [false, false, false, true]);
    sweep::write_tables(&sweep, dir).unwrap();
    let status = column(&table(dir), "status");
    assert_eq!(status, ["missing", "missing", "missing", "finished"]);
    assert_eq!(run(&sweep, dir).count_run(), 3);
    assert_eq!(table(dir), whole);
    assert!(!point(0).join(".tmp-fabricsim-AbCdEf").exists());
    // A list of flows is large, and the table does not need it.
    fs::remove_file(point(0).join("fct.csv")).unwrap();
    assert_eq!(run(&sweep, dir).count_run(), 0);
}

#[test]
fn a_point_of_the_wrong_kind_is_refused_before_anything_runs() {
    let text = AXES.replace("values = [2, 4]", "values = [2, 5]");
    let error = with_base(&text, BASE).unwrap_err();
    let said = error.to_string();
    assert!(said.starts_with("s.toml:4:"), "{said}");
    assert!(said.contains("point fan_in=5,scheme=HPCC"), "{said}");
    assert!(said.contains("key `fan_in`"), "{said}");
    assert_eq!(error.diagnostic().unwrap().faulty_text(), "5");
}
