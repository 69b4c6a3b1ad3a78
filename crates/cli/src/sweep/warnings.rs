//! Warnings about the points of a sweep, each once with the number of points that have it.

use fabricsim_experiments::sweep::{Sweep, SweepOutcome};

use crate::console::note;
use crate::report::counted;

/// Prints the warnings about the points of `sweep` before they run, in the order of the points.
pub(super) fn of_points(sweep: &Sweep, warnings: Vec<Vec<String>>) {
    let names = sweep.points().iter().map(|point| point.name());
    print(&names.zip(warnings).collect::<Vec<_>>());
}

/// Prints the warnings of the points that have results.
pub(super) fn of_outcome(outcome: &SweepOutcome) {
    let points = outcome.points.iter();
    let done = points.filter_map(|point| {
        let results = point.results()?;
        Some((point.name.as_str(), results.warnings.clone()))
    });
    print(&done.collect::<Vec<_>>());
}

fn print(warnings: &[(&str, Vec<String>)]) {
    for warning in counted(warnings, "points") {
        note!("warning: {warning}");
    }
}
