//! Iterations as a figure.

use fabricsim_plot::figure::{Axis, Figure, Panel, Scale, Series, Style};

use super::row::{TrainingRow, us};

/// Returns the times of iterations, a panel for each workload and condition, and below them the
/// parts of the critical paths of healthy runs under the first control.
pub(super) fn figure(
    rows: &[TrainingRow],
    [workloads, controls, routings, conditions]: [&[&str]; 4],
) -> Figure {
    let mut figure = Figure::new("One iteration of training");
    figure.columns = workloads.len();
    let names = |all: &[&str]| Scale::Names(all.iter().map(|name| (*name).to_owned()).collect());
    let points = |of: &dyn Fn(&TrainingRow) -> bool, value: &dyn Fn(&TrainingRow) -> f64| {
        let mut points = Vec::new();
        for (place, routing) in routings.iter().enumerate() {
            let mut own = rows.iter();
            if let Some(row) = own.find(|row| row.routing == *routing && of(row)) {
                points.push((place as f64, value(row) / 1e3));
            }
        }
        points
    };
    for condition in conditions {
        for workload in workloads {
            let mut panel = Panel::new(
                format!("{workload}, {condition}"),
                Axis::new("routing", names(routings)),
                Axis::linear("iteration (ms)").from(0.0),
            );
            for (control, style) in controls.iter().zip(Style::of_names(controls)) {
                let of = |row: &TrainingRow| {
                    row.workload == *workload
                        && row.condition == *condition
                        && row.control == *control
                };
                let points = points(&of, &|row| row.iteration_us);
                panel.series.push(Series::curve(*control, style, points));
            }
            figure.panels.push(panel);
        }
    }
    let Some(control) = controls.first() else {
        return figure;
    };
    type Part = (&'static str, fn(&TrainingRow) -> f64);
    let parts: [Part; 3] = [
        ("computation", |row| us(row.path.computation)),
        ("messages in servers", |row| us(row.path.in_servers)),
        ("messages between servers", |row| {
            us(row.path.between_servers)
        }),
    ];
    for workload in workloads {
        let mut panel = Panel::new(
            format!("{workload}, critical path, {control}"),
            Axis::new("routing", names(routings)),
            Axis::linear("part (ms)").from(0.0),
        );
        for (number, (name, value)) in parts.iter().enumerate() {
            let of = |row: &TrainingRow| {
                row.workload == *workload && row.condition == "healthy" && row.control == *control
            };
            let style = Style::nth(controls.len() + number);
            panel
                .series
                .push(Series::curve(*name, style, points(&of, value)));
        }
        figure.panels.push(panel);
    }
    figure
}
