//! Tests of the published curves in this crate.

#![allow(
    clippy::unwrap_used,
    reason = "a test may stop at what it did not expect"
)]

use std::fs;
use std::path::Path;

use fabricsim_experiments::judge::{
    PublishedPanel, Reading, Smoothing, order, read_published, score,
};
use fabricsim_report::{FctRecord, Percentile, SizeBins, read_fct};
use fabricsim_workload::SizeCdf;

const FILES: [(&str, usize); 5] = [
    ("hadoop-50.csv", 102),
    ("websearch-30.csv", 100),
    ("websearch-50.csv", 100),
    ("websearch-70.csv", 100),
    ("websearch-50-eta.csv", 100),
];

fn panels(file: &str) -> Vec<PublishedPanel> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/hpcc-results");
    let text = fs::read_to_string(folder.join(file)).unwrap();
    read_published(&text).unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// Returns a file of a reference run without its line of comment.
fn table(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fabricsim/tests/reference");
    let text = fs::read_to_string(folder.join(name)).unwrap();
    let (_source, rows) = text.split_once('\n').unwrap();
    rows.to_owned()
}

/// Reads the results of the published simulator for the flows on `network` under `scheme`, in the
/// order of the flows.
fn reference(network: &str, scheme: &str) -> Vec<FctRecord> {
    let flows = table(&format!("{network}.flows.csv"));
    let times = table(&format!("{network}.fct.csv"));
    let header = times.lines().next().unwrap();
    let column = header.split(',').position(|name| name == scheme).unwrap();
    let times = times.lines().map(|row| row.split(',').nth(column).unwrap());
    let mut rows = String::new();
    for (flow, time) in flows.lines().zip(times) {
        let time = if time == scheme { "fct_ns" } else { time };
        rows.push_str(&format!("{flow},{time}\n"));
    }
    let records = read_fct(&rows).unwrap();
    assert_eq!(records.len(), flows.lines().count() - 1, "{network}");
    records
}

#[test]
fn every_file_has_three_panels_with_ten_ticks() {
    for (file, points) in FILES {
        let panels = panels(file);
        let percentiles: Vec<_> = panels.iter().map(|panel| panel.percentile).collect();
        let wanted = [Percentile::P50, Percentile::P95, Percentile::P99];
        assert_eq!(percentiles, wanted, "{file}");
        for panel in &panels {
            assert!(file.starts_with(&panel.workload), "{file}");
            assert_eq!(panel.axis.len(), points, "{file}");
            let ticks: Vec<f64> = panel
                .axis
                .iter()
                .filter(|point| point.tick.is_some())
                .map(|point| point.size_pct)
                .collect();
            let tenths: Vec<f64> = (1..=10).map(|tenth| f64::from(tenth) * 10.0).collect();
            assert_eq!(ticks, tenths, "{file}");
            for curve in &panel.curves {
                let sane = |reading: &Reading| {
                    reading
                        .slowdown()
                        .is_none_or(|s| (0.99..200.0).contains(&s))
                };
                assert!(curve.points.iter().all(sane), "{file} {}", curve.scheme);
            }
        }
    }
}

/// The sizes along the axis equal the sizes of the flow-size distribution of the workloads.
#[test]
fn sizes_are_those_of_the_workload() {
    for (file, _) in FILES {
        for panel in panels(file) {
            let cc = SizeCdf::builtin(&panel.workload).unwrap();
            for point in &panel.axis {
                let drawn = cc.sample(point.size_pct / 100.0).as_f64();
                let off = (drawn - point.size.as_f64()).abs();
                assert!(off <= 1.0, "{file}: {point:?} and {drawn}");
            }
        }
    }
}

#[test]
fn the_main_panels_have_the_five_schemes_and_eta_has_four_curves() {
    let names = |file| -> Vec<String> {
        let panel = panels(file).remove(0);
        panel.curves.into_iter().map(|curve| curve.scheme).collect()
    };
    let main = ["HPCC-INT", "HPCC-PINT", "DCQCN+w", "TIMELY+w", "DCTCP"];
    for (file, _) in &FILES[..4] {
        assert_eq!(names(file), main, "{file}");
    }
    let eta = ["INT-eta95", "INT-eta99", "PINT-eta95", "PINT-eta99"];
    assert_eq!(names(FILES[4].0), eta.map(|name| format!("HPCC-{name}")));
}

/// There is no order for flows without a curve, or for curves without flows.
#[test]
fn nothing_to_compare_gives_no_order() {
    let panel = panels("websearch-50.csv").remove(2);
    assert!(order(&panel, &[]).is_empty());
    let bins = SizeBins::between(&[], &panel.edges());
    assert!(order(&panel, &[("DCTCP", &bins)]).is_empty());
}

/// Compares a 5 ms run of the published simulator (5,492 flows) with the curve of the same scheme
/// from a long run. The short run starts from an empty network, so it is below the curve.
#[test]
fn a_short_run_of_the_published_simulator_lies_below_its_curve() {
    let records = reference("fat320", "dcqcn_w");
    for panel in panels("websearch-50.csv") {
        let bins = SizeBins::between(&records, &panel.edges());
        for smoothing in [
            Smoothing::Off,
            Smoothing::Median(2.0),
            Smoothing::Pooled(2.0),
        ] {
            let score = score(&panel, "DCQCN+w", &bins, smoothing).unwrap();
            let ticks = score.ticks.unwrap();
            println!("DCQCN+w {} {smoothing:?}: {ticks:.3?}", panel.percentile);
            assert_eq!((score.flows, score.outside), (5_492, 0));
            assert!(ticks.points >= 9, "{ticks:?}");
            assert!((-0.6..0.0).contains(&ticks.bias), "{ticks:?}");
        }
    }
}
