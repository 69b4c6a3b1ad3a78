//! The tables of all points. `points.csv` does not depend on the way the sweep ran;
//! `points_cost.csv` has the times and the memory of the runs.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

use fabricsim_report::{SizeClass, quoted};

use super::Sweep;
use super::flow_columns::{flow_cells, flow_classes, flow_columns, is_flow_column};
use super::job_columns::{is_job_column, job_cells, job_classes, job_columns};
use super::point::Point;
use super::query_columns::{QueryColumns, is_query_column};
use super::record::{PointResults, PointState};
use super::rpc_columns::{is_rpc_column, rpc_cells, rpc_classes, rpc_columns};
use super::serving_columns::{is_serving_column, serving_cells, serving_classes, serving_columns};
use fabricsim::buffers::BufferSummary;
use fabricsim::output::{FolderLock, cannot_write, remove_left_over, write_in_folder};
use fabricsim::summary::{CcSummary, SlowdownSummary};
use fabricsim_scenario::text::error::Error;

/// The table of results.
pub const POINTS_CSV: &str = "points.csv";
/// The table of times and memory.
pub const POINTS_COST_CSV: &str = "points_cost.csv";

/// The columns of `points.csv` after the axes, before the size classes.
pub const POINT_COLUMNS: &[&str] = &[
    "status",
    "flows_started",
    "flows_finished",
    "flows_unfinished",
    "flows_unreachable",
    "scenario_checksum",
    "checksum",
    "simulated_ns",
    "packet_hops",
    "drops",
    "buffer_drops",
    "queue_drops",
    "trimmed_packets",
    "trimmed_headers_lost",
    "link_losses",
    "link_down_drops",
    "no_route_drops",
    "timeouts",
    "marked_packets",
    "pfc_pauses",
    "pfc_paused_ns",
    "max_queue_bytes",
    "shared_max_bytes",
    "headroom_max_bytes",
    "marks_echoed",
    "decreases",
    "retransmitted_bytes",
];

/// The columns of `points_cost.csv` after the axes.
pub const COST_COLUMNS: &[&str] = &[
    "status",
    "threads",
    "wall_s",
    "cpu_s",
    "packet_hops_per_cpu_s",
    "peak_memory_bytes",
];

/// The first column.
const POINT: &str = "point";

/// Names of the statistics of a class's slowdowns.
const STATISTICS: [&str; 4] = ["p50", "p95", "p99", "mean"];

/// Returns the columns of `class`: the number of its flows (except for all flows), and their
/// slowdowns.
fn class_columns(class: SizeClass) -> Vec<String> {
    let ending = class.column_ending();
    let count = (class != SizeClass::All).then(|| format!("flows{ending}"));
    let slowdowns = STATISTICS.map(|statistic| format!("slowdown_{statistic}{ending}"));
    count.into_iter().chain(slowdowns).collect()
}

/// Returns `true` if one of the tables has a column `name` that is not an axis.
pub(super) fn is_column(name: &str) -> bool {
    name == POINT
        || POINT_COLUMNS.contains(&name)
        || COST_COLUMNS.contains(&name)
        || is_rpc_column(name)
        || is_serving_column(name)
        || is_job_column(name)
        || is_query_column(name)
        || is_flow_column(name)
        || SizeClass::ALL
            .iter()
            .any(|class| class_columns(*class).iter().any(|column| column == name))
}

/// The lock of the process that writes the tables.
const LOCK: &str = ".fabricsim-tables.lock";

/// Writes both tables of the sweep in `dir` from the files of its points, and returns the state of
/// each point.
///
/// Other processes may do the same at the same time. They take turns, so the last one writes
/// complete tables.
///
/// # Errors
/// If a table cannot be written.
pub fn write_tables(sweep: &Sweep, dir: &Path) -> Result<Vec<PointState>, Error> {
    let lock = FolderLock::take(dir, LOCK).map_err(cannot_write(dir))?;
    remove_left_over(dir)?;
    let points = sweep.points().iter();
    let states: Vec<PointState> = points.map(|point| PointState::of(point, dir)).collect();
    for (name, text) in [
        (POINTS_COST_CSV, cost_table(sweep, &states)),
        (POINTS_CSV, point_table(sweep, &states)),
    ] {
        write_in_folder(dir, name, |file| file.write_all(text.as_bytes()))?;
    }
    drop(lock);
    Ok(states)
}

fn header(sweep: &Sweep, columns: impl Iterator<Item = String>) -> String {
    let axes = sweep.axes().iter().cloned();
    let names: Vec<String> = std::iter::once(POINT.to_owned())
        .chain(axes)
        .chain(columns)
        .collect();
    names.join(",") + "\n"
}

/// Adds the point, its axes and the status.
fn begin_row(text: &mut String, point: &Point, state: &PointState) {
    text.push_str(&quoted(point.name()));
    for value in point.values() {
        text.push(',');
        text.push_str(&quoted(value));
    }
    text.push(',');
    text.push_str(match state {
        PointState::Done(results) => results.status.name(),
        PointState::Failed(_) => "failed",
        PointState::Outdated | PointState::Missing => "missing",
    });
}

fn point_table(sweep: &Sweep, states: &[PointState]) -> String {
    let fixed = POINT_COLUMNS.iter().map(|&name| name.to_owned());
    let classes = SizeClass::ALL
        .iter()
        .flat_map(|class| class_columns(*class));
    let (rpc, jobs) = (rpc_classes(states), job_classes(states));
    let serving = serving_classes(states);
    let columns = fixed.chain(classes).chain(rpc_columns(&rpc));
    let columns = columns.chain(serving_columns(&serving));
    let (flows, queries) = (flow_classes(states), QueryColumns::of(states));
    let columns = columns
        .chain(job_columns(&jobs))
        .chain(flow_columns(&flows))
        .chain(queries.names());
    let mut text = header(sweep, columns);
    for (point, state) in sweep.points().iter().zip(states) {
        begin_row(&mut text, point, state);
        let cells = match state {
            PointState::Done(results) => {
                let rpc = rpc_cells(&rpc, &results.rpc);
                result_cells(point, results)
                    .into_iter()
                    .chain(rpc)
                    .chain(serving_cells(&serving, &results.serving))
                    .chain(job_cells(&jobs, &results.jobs))
                    .chain(flow_cells(&flows, &results.class_slowdown))
                    .chain(queries.cells(&results.queries))
                    .collect()
            }
            _ => {
                let classes = SizeClass::ALL
                    .iter()
                    .map(|class| class_columns(*class).len());
                let count = POINT_COLUMNS.len() - 1 + classes.sum::<usize>();
                let count = count + rpc_columns(&rpc).count() + job_columns(&jobs).count();
                let count = count + serving_columns(&serving).count();
                let count = count + flow_columns(&flows).count() + queries.names().count();
                let mut cells = vec![String::new(); count];
                let checksum = POINT_COLUMNS
                    .iter()
                    .position(|name| *name == "scenario_checksum");
                if let Some(place) = checksum {
                    point.scenario_checksum().clone_into(&mut cells[place - 1]);
                }
                cells
            }
        };
        for cell in cells {
            text.push(',');
            text.push_str(&cell);
        }
        text.push('\n');
    }
    text
}

/// Returns the cells after the status.
fn result_cells(point: &Point, results: &PointResults) -> Vec<String> {
    let flows = &results.flows;
    let buffer = |value: fn(&BufferSummary) -> u64| {
        let own = results.buffers.as_ref();
        own.map_or_else(String::new, |own| value(own).to_string())
    };
    let control = |value: fn(&CcSummary) -> u64| {
        let classes = results.congestion_control.iter();
        classes.map(value).sum::<u64>().to_string()
    };
    let mut cells = vec![
        flows.started.to_string(),
        flows.finished.to_string(),
        flows.unfinished.to_string(),
        flows.unreachable.to_string(),
        point.scenario_checksum().to_owned(),
        results.checksum.clone(),
        nanoseconds(results.simulated_ns),
        results.packet_hops.to_string(),
        results.drops().to_string(),
        results.buffer_drops.to_string(),
        results.queue_drops.to_string(),
        results.trimmed_packets.to_string(),
        results.trimmed_headers_lost.to_string(),
        results.link_losses.to_string(),
        results.link_down_drops.to_string(),
        results.no_route_drops.to_string(),
        results.timeouts.to_string(),
        results.marked_packets.to_string(),
        results.pfc_pauses.to_string(),
        nanoseconds(results.pfc_paused_ns),
        results.max_queue_bytes.to_string(),
        buffer(|own| own.shared_max_bytes),
        buffer(|own| own.headroom_max_bytes),
        control(|own| own.marks_echoed),
        control(|own| own.decreases),
        results.retransmitted_bytes.to_string(),
    ];
    for class in SizeClass::ALL {
        let name = class.to_string();
        let row = results.slowdown.iter().find(|row| row.class == name);
        if class != SizeClass::All {
            cells.push(row.map_or(0, |row| row.flows).to_string());
        }
        let statistics = |row: &SlowdownSummary| [row.p50, row.p95, row.p99, row.mean];
        for value in row.map_or([None; 4], statistics) {
            cells.push(value.map_or_else(String::new, |value| format!("{value:.6}")));
        }
    }
    cells
}

fn cost_table(sweep: &Sweep, states: &[PointState]) -> String {
    let columns = COST_COLUMNS.iter().map(|&name| name.to_owned());
    let mut text = header(sweep, columns);
    for (point, state) in sweep.points().iter().zip(states) {
        begin_row(&mut text, point, state);
        match state {
            PointState::Done(results) => {
                let memory = results.peak_memory_bytes;
                writeln!(
                    text,
                    ",{},{:.3},{:.3},{:.0},{}",
                    results.threads,
                    results.wall_s,
                    results.cpu_s,
                    results.packet_hops_per_cpu_s,
                    memory.map_or_else(String::new, |bytes| bytes.to_string())
                )
                .expect("a string takes everything");
            }
            _ => text.push_str(",,,,,\n"),
        }
    }
    text
}

/// Formats a time with up to three decimals, as in `fct.csv`.
fn nanoseconds(ns: f64) -> String {
    let text = format!("{ns:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_up_to_three_decimals() {
        assert_eq!(nanoseconds(0.0), "0");
        assert_eq!(nanoseconds(1_200.0), "1200");
        assert_eq!(nanoseconds(1_200.25), "1200.25");
        assert_eq!(nanoseconds(0.001), "0.001");
    }

    #[test]
    fn names_of_columns_are_taken() {
        for name in [
            "point",
            "checksum",
            "cpu_s",
            "slowdown_p95_below_10KB",
            "flows_above_1MB",
            "slowdown_p99_class3",
        ] {
            assert!(is_column(name), "{name}");
        }
        assert!(!is_column("load"));
        assert!(!is_column("flows"));
    }
}
