//! Reactions of congestion control, and the largest use of buffers, of whole runs.

use fabricsim::buffers::BufferSummary;
use fabricsim::serde::de::DeserializeOwned;
use fabricsim::summary::CcSummary;
use fabricsim_plot::figure::{Unit, quantity};
use fabricsim_plot::html::{Cell, Page};

use super::runs::{Run, thousands};

/// Returns the value `name` of the summary of `run`, if it has one.
fn part<T: DeserializeOwned>(run: &Run, name: &str) -> Option<T> {
    let value = run.summary.get(name)?;
    T::deserialize(value).ok()
}

/// Adds a table of the reactions of each class's algorithm.
pub(super) fn reactions(page: &mut Page, runs: &[Run]) {
    let share = |value: Option<f64>| {
        Cell::from(value.map_or_else(String::new, |share| format!("{:.1}%", 100.0 * share)))
    };
    let mut rows: Vec<Vec<Cell>> = Vec::new();
    for run in runs {
        let classes: Vec<CcSummary> = part(run, "congestion_control").unwrap_or_default();
        for own in classes {
            rows.push(vec![
                Cell::from(run.name.as_str()),
                own.class.to_string().into(),
                own.algorithm.into(),
                thousands(own.marks_echoed).into(),
                thousands(own.decreases).into(),
                thousands(own.senders).into(),
                thousands(own.slowed_senders).into(),
                share(own.time_at_line_rate),
                share(own.time_at_lowest_rate),
                own.never_acted.unwrap_or_default().into(),
            ]);
        }
    }
    if rows.is_empty() {
        return;
    }
    page.section("Reactions of congestion control").table(
        &[
            "run",
            "class",
            "algorithm",
            "marks echoed",
            "decreases",
            "senders",
            "slowed",
            "time at line rate",
            "time at the lowest rate",
            "never acted",
        ],
        &rows,
    );
}

/// Adds a table of the largest use of buffers.
pub(super) fn buffers(page: &mut Page, runs: &[Run]) {
    let bytes = |bytes: u64| Cell::from(quantity(bytes as f64, Unit::Bytes));
    let rows: Vec<Vec<Cell>> = runs
        .iter()
        .filter_map(|run| {
            let own: BufferSummary = part(run, "buffers")?;
            let most = quantity(own.shared_max_bytes as f64, Unit::Bytes);
            Some(vec![
                Cell::from(run.name.as_str()),
                match own.shared_max_is_exact {
                    true => most.into(),
                    false => format!("at most {most}").into(),
                },
                bytes(own.shared_bytes),
                own.shared_max_switch.into(),
                bytes(own.headroom_max_bytes),
                bytes(own.headroom_bytes),
                own.headroom_max_switch.into(),
            ])
        })
        .collect();
    if rows.is_empty() {
        return;
    }
    page.section("Largest use of buffers").table(
        &[
            "run",
            "shared part used",
            "of",
            "at",
            "headroom of a port used",
            "of",
            "at",
        ],
        &rows,
    );
}
