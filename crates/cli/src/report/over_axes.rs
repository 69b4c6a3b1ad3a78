//! Figures of values over an axis of a sweep, pooled over seeds.

use fabricsim_plot::figure::{Axis, Figure, SweepPanel, Unit, sweep_figure};
use fabricsim_plot::html::Page;
use fabricsim_report::{Confidence, GroupTails, ReplicaMean, SizeClass, SweepCurves};

use super::classes::name_of;
use super::layout::{Layout, Role};
use super::read::Results;
use super::runs::{Run, SHOWN};
use crate::plot::capitalized;

/// Curves in a figure, at most.
const MOST: usize = 7;

/// Adds a figure for each class and range of sizes, with a panel for each percentile.
pub(super) fn slowdowns(page: &mut Page, results: &Results) {
    let mut begun = false;
    for (class, size) in results.groups() {
        let of = capitalized(&name_of(results, class));
        let title = match size {
            SizeClass::All => of,
            size => format!("{of}, {size}"),
        };
        let fits = |tail: &&GroupTails| (tail.class.0, tail.size) == (class, size);
        let values = SHOWN.iter().enumerate().map(|(level, percentile)| {
            let value = move |run: &Run| {
                let own = run.tails.iter().find(fits)?;
                own.percentiles[level].slowdown
            };
            let y = Axis::linear(format!("slowdown ({percentile})")).from(1.0);
            (percentile.to_string(), y, value)
        });
        for (name, figure) in figures(results, &title, values.collect()) {
            if !std::mem::replace(&mut begun, true) {
                page.section(&format!("Slowdown over {name}"));
            }
            page.figure(&figure, "");
        }
    }
}

/// Returns figures with a panel for each of `values`: its title, its axis, and its value of a run.
/// Each figure has the name of its horizontal axis.
pub(super) fn figures<V: Fn(&Run) -> Option<f64>>(
    results: &Results,
    title: &str,
    values: Vec<(String, Axis, V)>,
) -> Vec<(String, Figure)> {
    let layout = &results.layout;
    let Some(x) = horizontal(layout) else {
        return Vec::new();
    };
    let mut parts: Vec<(String, Figure)> = Vec::new();
    for (name, y, value) in values {
        for (part, curves) in curves(results, x, value).chunks() {
            let panel = SweepPanel {
                x: layout.axes[x].name.clone(),
                y: y.clone(),
                curves,
            };
            let title = match part.as_str() {
                "" => title.to_owned(),
                part => format!("{title}: {part}"),
            };
            let mut figure = sweep_figure(&title, panel);
            if figure.is_empty() {
                continue;
            }
            for panel in &mut figure.panels {
                panel.title.clone_from(&name);
            }
            match parts.iter_mut().find(|(own, _)| *own == part) {
                Some((_, whole)) => {
                    whole.panels.append(&mut figure.panels);
                    let notes = figure.notes.into_iter();
                    let new: Vec<String> = notes.filter(|own| !whole.notes.contains(own)).collect();
                    whole.notes.extend(new);
                }
                None => parts.push((part, figure)),
            }
        }
    }
    let axis = &layout.axes[x].name;
    parts
        .into_iter()
        .map(|(_, figure)| (axis.clone(), figure))
        .collect()
}

/// Returns the axis that lies horizontally: the ordered axis with most values, else the last one of
/// variants, else the last one.
fn horizontal(layout: &Layout) -> Option<usize> {
    let ordered = layout.of_role(|role| matches!(role, Role::Ordered(_)));
    let widest = ordered
        .into_iter()
        .max_by_key(|&axis| layout.axes[axis].values.len());
    let variants = || layout.of_role(|role| *role == Role::Variants).pop();
    widest
        .or_else(variants)
        .or_else(|| layout.axes.len().checked_sub(1))
}

/// The curves of a value, each with its name.
struct Curves {
    xs: Vec<String>,
    curves: Vec<(String, Vec<Option<ReplicaMean>>)>,
}

/// Returns the means over seeds of `value` over the axis `x`, a curve for each combination of the
/// other axes.
fn curves(results: &Results, x: usize, value: impl Fn(&Run) -> Option<f64>) -> Curves {
    let layout = &results.layout;
    let mut others = layout.axes.clone();
    let own = others.remove(x);
    let mut curves: Vec<(String, Vec<Option<ReplicaMean>>)> = Vec::new();
    for setting in &layout.settings {
        let mut at = setting.at.clone();
        let place = at.remove(x);
        let name = super::layout::describe(&others, &at);
        let runs = setting.runs.iter().flatten();
        let values: Vec<f64> = runs.filter_map(|&run| value(&results.runs[run])).collect();
        let mean = ReplicaMean::new(&values, Confidence::P95);
        let curve = match curves.iter().position(|(own, _)| *own == name) {
            Some(curve) => curve,
            None => {
                curves.push((name, vec![None; own.values.len()]));
                curves.len() - 1
            }
        };
        curves[curve].1[place] = mean;
    }
    Curves {
        xs: own.values,
        curves,
    }
}

impl Curves {
    /// Divides the curves into parts that fit a figure, each with a name if there are several.
    fn chunks(self) -> Vec<(String, SweepCurves)> {
        let count = self.curves.len().div_ceil(MOST);
        let chunks = self.curves.chunks(MOST).enumerate();
        chunks
            .map(|(part, curves)| {
                let name = match count {
                    0 | 1 => String::new(),
                    _ => format!("part {} of {count}", part + 1),
                };
                let curves = SweepCurves {
                    xs: self.xs.clone(),
                    curves: curves.to_vec(),
                    ..SweepCurves::default()
                };
                (name, curves)
            })
            .collect()
    }
}

/// Adds a figure for each job: its iteration time and its bus bandwidth.
pub(super) fn job(page: &mut Page, results: &Results, job: &str) {
    let value = |key: &'static str| {
        let job = job.to_owned();
        move |run: &Run| {
            let jobs = run.summary.get("jobs")?.as_array()?;
            let own = jobs.iter().find(|own| own["job"] == job.as_str())?;
            own.get(key)?.as_f64()
        }
    };
    let time = Axis::linear("mean iteration time")
        .in_unit(Unit::Nanoseconds)
        .from(0.0);
    let bandwidth = Axis::linear("bus bandwidth (Gbps)").from(0.0);
    let values = vec![
        (
            "iteration time".to_owned(),
            time,
            value("iteration_mean_ns"),
        ),
        ("bus bandwidth".to_owned(), bandwidth, value("busbw_gbps")),
    ];
    for (_, figure) in figures(results, &format!("Job {job}"), values) {
        page.figure(&figure, "");
    }
}
