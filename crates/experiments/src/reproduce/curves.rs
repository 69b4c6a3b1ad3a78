//! The published curves in the project's files.

use crate::judge::{PublishedPanel, read_published};

/// Files of curves, each with its figure.
const RESULTS: &[&str] = &[
    include_str!("../../data/hpcc-results/websearch-30.csv"),
    include_str!("../../data/hpcc-results/websearch-50.csv"),
    include_str!("../../data/hpcc-results/websearch-70.csv"),
    include_str!("../../data/hpcc-results/hadoop-50.csv"),
];
const ETA: &[&str] = &[include_str!("../../data/hpcc-results/websearch-50-eta.csv")];

const GOOD: &str = "the curves are part of the project and are read by its tests";

fn read(texts: &[&str]) -> Vec<PublishedPanel> {
    let panels = texts.iter().map(|text| read_published(text).expect(GOOD));
    panels.flatten().collect()
}

/// Returns the panels of the figure called `name`; none if the project has no curves of it.
pub(super) fn of(name: &str) -> Vec<PublishedPanel> {
    match name {
        "hpcc-results" => read(RESULTS),
        "hpcc-eta" => read(ETA),
        _ => Vec::new(),
    }
}

/// Returns a panel of `workload` without curves, with the points and ticks of its axis of sizes.
///
/// # Panics
/// If no published panel has the workload.
pub(super) fn axis_of(workload: &str) -> PublishedPanel {
    let panels = read(RESULTS).into_iter();
    let mut same = panels.filter(|panel| panel.workload == workload);
    let panel = same
        .next()
        .expect("the presets use the published workloads");
    PublishedPanel {
        curves: Vec::new(),
        ..panel
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_curves_are_all_there() {
        let results = of("hpcc-results");
        assert_eq!(results.len(), 4 * 3, "four figures, three percentiles each");
        for panel in &results {
            assert_eq!(panel.curves.len(), 5);
            let ticks = panel.axis.iter().filter(|point| point.tick.is_some());
            assert_eq!(ticks.count(), 10, "{} {}", panel.workload, panel.load_pct);
        }
        assert_eq!(of("hpcc-eta").len(), 3);
        assert!(of("pint-goodput").is_empty());
        assert!(axis_of("hadoop").curves.is_empty());
    }
}
