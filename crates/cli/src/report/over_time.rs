//! Distributions of queues over time, and time series, for runs that have them.

use fabricsim::Error;
use fabricsim_plot::figure::{
    CdfOf, Quantity, Selection, Series, TimeRun, TimeView, cdf_figure, queue_curve, queue_figure,
    read_time_lines, time_figure,
};
use fabricsim_plot::html::Page;

use super::grouping::{Group, Member};
use super::read::{Pooled, Results};
use super::runs::Run;
use super::{diagnostic, part};
use crate::plot::{capitalized, events, flow_words, names_beside};

/// Series in a figure over time, at most.
const SERIES: usize = 4;
/// Runs that share a figure over time, at most.
const TOGETHER: usize = 4;
/// Groups of runs with figures over time, at most.
const GROUPS: usize = 6;
/// Values of a series that are distinguishable in a figure.
const VALUES: usize = 150;

/// Quantities to draw if runs have them.
const QUANTITIES: [Quantity; 8] = [
    Quantity::Queue,
    Quantity::Utilization,
    Quantity::Paused,
    Quantity::Marks,
    Quantity::Drops,
    Quantity::TotalThroughput,
    Quantity::Rate,
    Quantity::Window,
];

/// Adds distributions over flows.
pub(super) fn distributions(page: &mut Page, results: &Results, groups: &[Group]) {
    let mut begun = false;
    for group in groups {
        let curves = |points: fn(&Pooled) -> &Vec<(f64, f64)>| {
            let members = group.members(results).into_iter();
            members
                .map(|own| Series::curve(own.name, own.style, points(own.pooled).clone()))
                .collect()
        };
        let panels = vec![
            (CdfOf::Fct, curves(|own| &own.fct)),
            (CdfOf::Slowdown, curves(|own| &own.slowdown)),
        ];
        let figure = cdf_figure(&group.name, panels);
        if !figure.is_empty() {
            if !std::mem::replace(&mut begun, true) {
                page.section("Distributions over flows");
            }
            page.figure(
                &figure,
                "Percent of flows of all seeds with this value or less.",
            );
        }
    }
}

/// Adds queue distributions and time series, with the runs of a group in one figure.
pub(super) fn observations(
    page: &mut Page,
    results: &Results,
    groups: &[Group],
) -> Result<(), Error> {
    let mut begun = false;
    let mut begin = |page: &mut Page| {
        if !std::mem::replace(&mut begun, true) {
            page.section("Queues and time series");
            if results.layout.most_runs() > 1 {
                page.paragraph("Of the first seed of each setting.");
            }
        }
    };
    for group in groups {
        let mut curves = Vec::new();
        for Member {
            runs, name, style, ..
        } in group.members(results)
        {
            if let Some((file, text)) = part(runs[0], "queue_distribution.csv")? {
                let curve = queue_curve(&text).map_err(|error| diagnostic(&file, &text, error))?;
                curves.push(Series::curve(name, style.plain(), curve));
            }
        }
        let figure = queue_figure(&group.name, curves);
        if !figure.is_empty() {
            begin(page);
            page.figure(
                &figure,
                "How much of the time the observed switch ports, taken together, had at least so many \
                 bytes in their queues.",
            );
        }
    }
    for group in groups.iter().take(GROUPS) {
        for together in group.members(results).chunks(TOGETHER) {
            for quantity in QUANTITIES {
                let mut lines = Vec::new();
                for own in together {
                    lines.extend(time_run(own.runs[0], &own.name, quantity)?);
                }
                // A quantity that was zero all the time is not worth a figure.
                if lines.iter().flat_map(|run| &run.lines).all(is_zero) {
                    continue;
                }
                let title = match group.name.as_str() {
                    "" => capitalized(&quantity.to_string()),
                    name => format!("{}: {name}", capitalized(&quantity.to_string())),
                };
                let figure = time_figure(&title, quantity, &lines, SERIES, TimeView::default());
                begin(page);
                page.figure(&figure, "");
            }
        }
    }
    Ok(())
}

fn is_zero(line: &fabricsim_plot::figure::TimeLine) -> bool {
    line.points
        .iter()
        .all(|point| point.1.abs() < f64::MIN_POSITIVE)
}

/// Returns the series of a run if it has them. Long series of shares are averaged over intervals.
fn time_run(run: &Run, name: &str, quantity: Quantity) -> Result<Option<TimeRun>, Error> {
    let Some((file, text)) = part(run, quantity.file())? else {
        return Ok(None);
    };
    let words = flow_words(&run.summary, names_beside(&file));
    let lines = read_time_lines(&text, quantity, &Selection::default(), &words);
    let mut lines = lines.map_err(|error| diagnostic(&file, &text, error))?;
    if quantity == Quantity::Utilization {
        for line in &mut lines {
            line.points = averaged(&line.points);
        }
    }
    Ok(Some(TimeRun {
        name: name.to_owned(),
        lines,
        events: events(&run.summary, &words.nodes),
    }))
}

/// Averages consecutive values so that at most [`VALUES`] remain, each at the end of its interval.
fn averaged(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let at_once = points.len().div_ceil(VALUES).max(1);
    let chunks = points.chunks(at_once);
    chunks
        .filter_map(|chunk| {
            let sum: f64 = chunk.iter().map(|point| point.1).sum();
            Some((chunk.last()?.0, sum / chunk.len() as f64))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_values_become_means_of_some() {
        let points: Vec<(f64, f64)> = (0..300u32)
            .map(|k| (f64::from(k), f64::from(k % 2)))
            .collect();
        let means = averaged(&points);
        assert_eq!(means.len(), 150);
        assert_eq!(means[0], (1.0, 0.5));
        assert_eq!(averaged(&points[..10]), points[..10]);
    }
}
