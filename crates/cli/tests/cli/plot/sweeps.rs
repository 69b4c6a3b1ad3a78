//! Figures of sweeps.

use super::{assert_has, result, texts};
use crate::support::Folder;

const POINTS: &str = "\
point,workload.0.load,scheme,seed,status,flows_finished,slowdown_p99,max_queue_bytes
\"load=0.3,scheme=HPCC,seed=1\",0.3,HPCC,1,finished,500,2,20000
\"load=0.3,scheme=HPCC,seed=2\",0.3,HPCC,2,finished,500,4,20000
\"load=0.3,scheme=DCQCN,seed=1\",0.3,DCQCN,1,finished,500,9,90000
\"load=0.5,scheme=HPCC,seed=1\",0.5,HPCC,1,finished,50,7,20000
";

#[test]
fn a_sweep_is_drawn_over_an_axis() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("s")).expect("a folder");
    folder.write("s/points.csv", POINTS);
    let base = ["plot", "sweep", "s", "-o", "s.svg", "--x", "load"];
    let with = |more: &[&str]| folder.run(&[&base, more].concat());
    let outcome = with(&["--by", "scheme"]).succeeded();
    let notes = "means over 1 to 2 seeds; bands hold the true mean with 95% confidence \
                 (Student)\n1 points have too few flows for the percentile (at most 50 of 100) and are left out\n";
    assert_eq!(outcome.stdout, format!("{notes}s.svg\n"));
    let drawn = texts(&folder, "s.svg");
    assert_has(&drawn, &["HPCC", "DCQCN", "load"]);
    assert_has(&drawn, &["slowdown (99th percentile)"]);
    with(&["--by", "scheme", "--of", "max_queue_bytes"]).succeeded();
    assert_has(&texts(&folder, "s.svg"), &["80 KB", "longest queue"]);
    for (more, words) in [
        (
            &["--by", "cc"][..],
            "its axes are workload.0.load, scheme, seed",
        ),
        (&[], "the points also differ in scheme"),
        (&["--where", "scheme"], "`scheme` is not AXIS=VALUE"),
        (
            &["--where", "scheme=hpcc"],
            "the values of scheme are HPCC, DCQCN",
        ),
        (&["--by", "scheme", "--of", "p98"], "no column `p98`"),
    ] {
        let outcome = with(more);
        assert_eq!(outcome.code, Some(2), "{more:?}");
        assert!(outcome.stderr.contains(words), "{}", outcome.stderr);
    }
}

/// Between two schemes there is nothing that a line could show.
#[test]
fn schemes_side_by_side_are_points_with_error_bars_in_their_colors() {
    let folder = Folder::new();
    folder.write("points.csv", POINTS);
    let args = [
        "plot",
        "sweep",
        "points.csv",
        "-o",
        "s.svg",
        "--x",
        "scheme",
    ];
    let outcome = folder
        .run(&[&args[..], &["--by", "load", "--of", "max_queue_bytes"]].concat())
        .succeeded();
    assert!(
        outcome.stdout.contains("bars hold the true mean"),
        "{}",
        outcome.stdout
    );
    assert_has(
        &texts(&folder, "s.svg"),
        &["load = 0.3", "load = 0.5", "scheme"],
    );
    // No line has dashes or joins points; HPCC is blue and DCQCN green in every figure.
    let more = ["--where", "load=0.3", "--of", "max_queue_bytes"];
    folder.run(&[&args[..], &more].concat()).succeeded();
    let svg = folder.read("s.svg");
    assert!(
        !svg.contains("stroke-dasharray") && !svg.contains("stroke-linejoin=\"round\" stroke-d")
    );
    assert!(svg.contains("#0072b2") && svg.contains("#009e73"), "{svg}");
    let by = ["--x", "load", "--by", "scheme", "--of", "max_queue_bytes"];
    folder.run(&[&args[..5], &by].concat()).succeeded();
    let svg = folder.read("s.svg");
    assert!(svg.contains("#0072b2") && svg.contains("#009e73"), "{svg}");
}

/// Returns a folder with a sweep of two schemes and two loads; only HPCC has two seeds.
fn sweep() -> Folder {
    let folder = Folder::new();
    std::fs::create_dir_all(folder.path("s/points")).expect("a folder");
    folder.write("s/points.csv", POINTS);
    for (point, percent) in [
        ("load=0.3,scheme=HPCC,seed=1", 20),
        ("load=0.3,scheme=HPCC,seed=2", 40),
        ("load=0.3,scheme=DCQCN,seed=1", 80),
    ] {
        std::fs::create_dir(folder.path(&format!("s/points/{point}"))).expect("a folder");
        folder.write(&format!("s/points/{point}/fct.csv"), &result(percent));
    }
    folder
}

#[test]
fn slowdowns_of_schemes_are_means_over_seeds_with_bands() {
    let folder = sweep();
    let base = [
        "plot",
        "slowdown",
        "s",
        "-o",
        "s.svg",
        "--percentile",
        "50,99",
    ];
    let with = |more: &[&str]| folder.run(&[&base, more].concat());
    let outcome = with(&["--by", "scheme", "--where", "load=0.30"]).succeeded();
    let note = "means over 1 to 2 seeds; bands hold the true mean with 95% confidence (Student)";
    assert_eq!(outcome.stdout, format!("{note}\ns.svg\n"));
    let drawn = texts(&folder, "s.svg");
    assert_has(&drawn, &["HPCC", "DCQCN", "median", "99th percentile"]);
    assert_has(&drawn, &["Slowdown (load = 0.30)"]);
    let svg = folder.read("s.svg");
    assert_eq!(
        svg.matches("fill-opacity=\"0.18\"").count(),
        2,
        "a band in each panel"
    );
    for (more, words) in [
        (
            &["--by", "cc"][..],
            "its axes are workload.0.load, scheme, seed",
        ),
        (
            &["--by", "scheme"],
            "the points also differ in workload.0.load",
        ),
        (
            &["--by", "scheme", "--where", "load=0.4"],
            "the values of workload.0.load are 0.3, 0.5",
        ),
    ] {
        let outcome = with(more);
        assert_eq!(outcome.code, Some(2), "{more:?}");
        assert!(outcome.stderr.contains(words), "{}", outcome.stderr);
    }
    let outcome = with(&["--by", "scheme", "--where", "load=0.5"]);
    assert!(
        outcome.stderr.contains("has no flows"),
        "{}",
        outcome.stderr
    );
}

/// No seed has the 100 flows that p99 needs.
#[test]
fn seeds_with_too_few_flows_are_drawn_together() {
    let folder = sweep();
    let text = folder.read("s/points.csv");
    // Say that each seed has 60 flows: together the files have 400.
    folder.write("s/points.csv", &text.replace(",500,", ",60,"));
    let base = [
        "plot", "sweep", "s", "-o", "s.svg", "--csv", "s.csv", "--x", "scheme",
    ];
    let with = |more: &[&str]| folder.run(&[&base, more].concat());
    let outcome = with(&["--where", "load=0.3"]).succeeded();
    let note = "2 values are percentiles of the flows of all seeds together";
    assert!(outcome.stdout.starts_with(note), "{}", outcome.stdout);
    assert!(
        !outcome.stdout.contains("too few flows"),
        "{}",
        outcome.stdout
    );
    let rows: Vec<usize> = ["HPCC,1.4899", "DCQCN,1.8899"]
        .iter()
        .map(|row| folder.read("s.csv").matches(row).count())
        .collect();
    assert_eq!(rows, [1, 1], "{}", folder.read("s.csv"));
}

#[test]
fn a_class_of_flows_can_be_drawn_alone() {
    let folder = sweep();
    let base = [
        "plot", "sweep", "s", "-o", "s.svg", "--x", "scheme", "--where", "load=0.3",
    ];
    let with = |more: &[&str]| folder.run(&[&base, more].concat());
    with(&["--class", "0", "--size", "below-30KB", "--of", "p95"]).succeeded();
    assert_has(
        &texts(&folder, "s.svg"),
        &["slowdown of flows < 30 KB (95th percentile)", "class 0)"],
    );
    for (more, words) in [
        (&["--class", "3"][..], "the classes of its flows are 0"),
        (
            &["--class", "0", "--of", "max_queue_bytes"],
            "`max_queue_bytes` is a column",
        ),
    ] {
        let outcome = with(more);
        assert_eq!(outcome.code, Some(2), "{more:?}");
        let said: Vec<&str> = outcome.stderr.split_whitespace().collect();
        assert!(said.join(" ").contains(words), "{}", outcome.stderr);
    }
}
