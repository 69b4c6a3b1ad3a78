//! The tables of comparisons behind a verdict.

use fabricsim_plot::html::{Cell, Page};
use fabricsim_report::Confidence;

use super::super::layout::{Layout, Role};
use super::super::read::Results;
use super::question::{Outcome, Pair, contexts};
use super::subject::{Subject, subjects};
use super::words::{at_fixed, better, factor, worse};

/// Alternatives with a row each, at most, in a comparison of variants or of ordered values.
const CONTEXTS: usize = 7;

/// Adds the comparisons over all values of other axes.
pub(super) fn comparisons(page: &mut Page, layout: &Layout, subjects: &[Subject]) {
    let pairs = pairs(layout);
    tables(page, subjects, &pairs);
    page.paragraph(
        "Values of the second setting over those of the first, as factors with 95% confidence \
         intervals. A check mark: the first one is better. A cross: the second one is.",
    );
}

/// Adds every comparison at each value of the other axes; nothing if there are no others.
pub(in super::super) fn all_comparisons(page: &mut Page, results: &Results) {
    let layout = &results.layout;
    let mut each = Vec::new();
    for pair in pairs(layout) {
        for axis in pair.others() {
            for value in 0..layout.axes[axis].values.len() {
                let mut at = pair.clone();
                at.fixed.push((axis, value));
                each.push(at);
            }
        }
    }
    if each.is_empty() {
        return;
    }
    page.section("Comparisons at each value");
    tables(page, &subjects(results), &each);
}

/// Returns the comparisons of each axis: of alternatives and variants, all values with the first
/// one, and of ordered values, the last with the first. Variants and ordered values have a row for
/// each alternative.
fn pairs(layout: &Layout) -> Vec<Pair<'_>> {
    let roles: [fn(&Role) -> bool; 3] = [
        |role| *role == Role::Alternatives,
        |role| *role == Role::Variants,
        |role| matches!(role, Role::Ordered(_)),
    ];
    let mut pairs = Vec::new();
    for axis in roles.into_iter().flat_map(|role| layout.of_role(role)) {
        let role = &layout.axes[axis].role;
        let fixed = match role {
            Role::Alternatives => vec![Vec::new()],
            _ => contexts(layout, axis, CONTEXTS),
        };
        let values = layout.axes[axis].increasing();
        let seconds = match role {
            Role::Ordered(_) => &values[values.len() - 1..],
            _ => &values[1..],
        };
        for fixed in &fixed {
            for &value in seconds {
                pairs.push(Pair {
                    layout,
                    axis,
                    values: [values[0], value],
                    fixed: fixed.clone(),
                });
            }
        }
    }
    pairs
}

/// Adds a table for flows and one for jobs, with a row for each comparison of each subject.
fn tables(page: &mut Page, subjects: &[Subject], pairs: &[Pair<'_>]) {
    for (is_job, heading) in [(false, "flows of"), (true, "job")] {
        let own = || subjects.iter().filter(|subject| subject.is_job == is_job);
        let mut names: Vec<&str> = Vec::new();
        for metric in own().flat_map(|subject| &subject.metrics) {
            if !names.contains(&metric.name.as_str()) {
                names.push(&metric.name);
            }
        }
        let mut rows = Vec::new();
        for subject in own() {
            rows.extend(pairs.iter().filter_map(|pair| row(subject, pair, &names)));
        }
        if rows.is_empty() {
            continue;
        }
        let mut headers = vec![heading, "first", "second", "at"];
        headers.extend(names);
        page.table(&headers, &rows);
    }
}

/// Returns the row of a comparison; `None` if no metric can be compared.
fn row(subject: &Subject, pair: &Pair<'_>, names: &[&str]) -> Option<Vec<Cell>> {
    let mut any = false;
    let mut cell = |name: &&str| {
        let metric = subject.metrics.iter().find(|metric| metric.name == **name);
        let compared = metric.and_then(|own| Some((own, pair.compare(own, Confidence::P95)?)));
        let Some((metric, compared)) = compared else {
            return Cell::from("-");
        };
        any = true;
        let way = match compared.favors_first() {
            true => worse(metric),
            false => better(metric),
        };
        let (size, range) = factor(&compared);
        let range = range.map_or_else(String::new, |range| format!(" ({range})"));
        let text = match size.as_str() {
            "1.00x" => format!("{size}{range}"),
            _ => format!("{size} {way}{range}"),
        };
        match compared.outcome() {
            Outcome::First => Cell::good(text),
            Outcome::Second => Cell::bad(text),
            Outcome::Alike | Outcome::Open => Cell::from(text),
        }
    };
    let cells: Vec<Cell> = names.iter().map(&mut cell).collect();
    let axis = &pair.layout.axes[pair.axis];
    let [first, second] = pair.values.map(|value| axis.describe(value));
    let at = match at_fixed(pair) {
        at if at.is_empty() => "all".to_owned(),
        at => at,
    };
    let mut row: Vec<Cell> = [subject.words.clone(), first, second, at]
        .map(Cell::from)
        .into();
    row.extend(cells);
    any.then_some(row)
}
