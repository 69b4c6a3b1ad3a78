//! Sentences on the questions that the axes of a report ask, one sentence for each group of flows.

use fabricsim_report::Confidence;

use super::super::layout::{Layout, Role};
use super::question::{Compared, Outcome, Pair, contexts, deciding};
use super::subject::Subject;
use super::words::{better, effect, factor, names, pair_answer, undecided, worse};

/// Alternatives that a sentence on a variant lists one by one, at most.
const CONTEXTS: usize = 4;

/// A question and its statements.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Question {
    pub(super) heading: String,
    pub(super) statements: Vec<String>,
    /// Number of comparisons behind them.
    pub(super) comparisons: usize,
}

/// Returns the questions that the axes of `layout` ask about `subjects`.
///
/// Of alternatives: which is best? Of variants: what does each one cost? Of ordered values: what
/// does the largest change against the smallest, if there are no alternatives, whose ranking may
/// turn along them.
pub(super) fn questions(layout: &Layout, subjects: &[Subject]) -> Vec<Question> {
    let alternatives = layout.of_role(|role| *role == Role::Alternatives);
    let variants = layout.of_role(|role| *role == Role::Variants);
    let ordered = match alternatives.is_empty() {
        true => layout.of_role(|role| matches!(role, Role::Ordered(_))),
        false => Vec::new(),
    };
    let ask = |heading: String, sentences: Vec<(String, usize)>| Question {
        heading,
        comparisons: sentences.iter().map(|(_, count)| count).sum(),
        statements: sentences.into_iter().map(|(text, _)| text).collect(),
    };
    let name = |axis: usize| layout.axes[axis].name.clone();
    let best = alternatives.iter().map(|&axis| {
        let sentences = subjects.iter().filter_map(|own| best(layout, axis, own));
        ask(format!("Which {}?", name(axis)), sentences.collect())
    });
    let costs = variants.iter().map(|&axis| {
        let first = &layout.axes[axis].values[0];
        let heading = format!("What does each {} cost, compared with {first}?", name(axis));
        ask(heading, costs(layout, axis, subjects))
    });
    let trends = ordered.iter().map(|&axis| {
        let sentences = subjects.iter().filter_map(|own| trend(layout, axis, own));
        ask(
            format!("What does {} change?", name(axis)),
            sentences.collect(),
        )
    });
    best.chain(costs).chain(trends).collect()
}

fn pair(layout: &Layout, axis: usize, values: [usize; 2]) -> Pair<'_> {
    Pair {
        layout,
        axis,
        values,
        fixed: Vec::new(),
    }
}

/// Says which value of `axis` is best, with the number of comparisons.
fn best(layout: &Layout, axis: usize, subject: &Subject) -> Option<(String, usize)> {
    let count = layout.axes[axis].values.len();
    if count == 2 {
        let pair = pair(layout, axis, [0, 1]);
        let place = deciding(subject, std::slice::from_ref(&pair))?;
        return Some((pair_answer(&pair, subject, place)?, 1));
    }
    let against_first: Vec<Pair<'_>> = (1..count)
        .map(|value| pair(layout, axis, [0, value]))
        .filter(|pair| {
            let mut metrics = subject.metrics.iter();
            metrics.any(|metric| pair.compare(metric, Confidence::P95).is_some())
        })
        .collect();
    let place = deciding(subject, &against_first)?;
    let metric = &subject.metrics[place];
    let scores = against_first.iter().filter_map(|pair| {
        let compared = pair.compare(metric, Confidence::P95)?;
        Some((pair.values[1], 1.0 / compared.ratio.ratio))
    });
    let mut scores: Vec<(usize, f64)> = std::iter::once((0, 1.0)).chain(scores).collect();
    scores.sort_by(|a, b| a.1.total_cmp(&b.1));
    let (&(first, _), others) = scores.split_first()?;
    let confidence = Confidence::P95.among(others.len());
    let compared: Vec<(Pair<'_>, Compared)> = others
        .iter()
        .filter_map(|&(other, _)| {
            let pair = pair(layout, axis, [first, other]);
            let compared = pair.compare(metric, confidence)?;
            Some((pair, compared))
        })
        .collect();
    let name = layout.axes[axis].describe(first);
    let open: Vec<&(Pair<'_>, Compared)> = compared
        .iter()
        .filter(|(_, own)| own.outcome() != Outcome::First)
        .collect();
    let (next, nearest) = compared.first()?;
    let [_, second] = names(next, nearest);
    let (size, range) = factor(nearest);
    let (what, flows) = (&metric.name, &subject.words);
    let word = if metric.lower { "lowest" } else { "highest" };
    let text = match (&open[..], range) {
        ([], Some(range)) => format!(
            "{name}'s {what} is the {word} of {} for {flows}: {size} {} ({range}) than {second}'s, \
             the next one",
            scores.len(),
            better(metric)
        ),
        ([(pair, own), more @ ..], Some(_)) => {
            let others: Vec<String> = more
                .iter()
                .map(|(pair, own)| names(pair, own)[1].clone())
                .collect();
            let [favored, other] = names(pair, own);
            let also = match others.is_empty() {
                true => String::new(),
                false => format!("; nor can the runs tell {name} from {}", others.join(", ")),
            };
            format!(
                "{name}'s {what} is the {word} of {} for {flows}, but {name} vs {other} is {}{also}",
                scores.len(),
                undecided(metric, own, &favored)
            )
        }
        (_, None) => format!(
            "{name}'s {what} is the {word} of {} for {flows}, {size} {} than {second}'s; these runs do \
             not say how certain that is",
            scores.len(),
            better(metric)
        ),
    };
    Some((
        text + &ranking_turns(&compared, subject, place),
        compared.len(),
    ))
}

/// Describes at which values of other axes another value than the best one is better.
fn ranking_turns(compared: &[(Pair<'_>, Compared)], subject: &Subject, place: usize) -> String {
    let metric = &subject.metrics[place];
    let confidence = Confidence::P95.among(compared.len());
    let at = |pair: &Pair<'_>| {
        let mut found = Vec::new();
        for axis in pair.others() {
            for (value, own) in pair.along(axis, metric, confidence) {
                if own.outcome() == Outcome::Second {
                    let [other, _] = names(pair, &own);
                    let (size, range) = factor(&own);
                    let at = pair.layout.axes[axis].describe(value);
                    found.push(format!(
                        "{other}'s is {size} {} ({}) at {at}",
                        better(metric),
                        range.unwrap_or_default()
                    ));
                }
            }
        }
        found
    };
    let found: Vec<String> = compared.iter().flat_map(|(pair, _)| at(pair)).collect();
    match found.is_empty() {
        true => String::new(),
        false => format!("; the ranking turns: {}", found.join(", ")),
    }
}

/// Says what each value of `axis` costs compared with the first one, for each alternative.
fn costs(layout: &Layout, axis: usize, subjects: &[Subject]) -> Vec<(String, usize)> {
    let contexts = contexts(layout, axis, CONTEXTS);
    let values = 1..layout.axes[axis].values.len();
    let cases = values.flat_map(|value| subjects.iter().map(move |subject| (value, subject)));
    cases
        .filter_map(|(value, subject)| {
            let pairs: Vec<Pair<'_>> = contexts
                .iter()
                .map(|fixed| Pair {
                    layout,
                    axis,
                    values: [0, value],
                    fixed: fixed.clone(),
                })
                .collect();
            let place = deciding(subject, &pairs)?;
            let metric = &subject.metrics[place];
            let effects = pairs.iter().filter_map(|pair| effect(pair, subject, place));
            let effects: Vec<String> = effects.collect();
            let own = layout.axes[axis].describe(value);
            let first = layout.axes[axis].describe(0);
            let text = format!(
                "{own} vs {first}, {} of {}: {}",
                metric.name,
                subject.words,
                effects.join("; ")
            );
            Some((text, effects.len()))
        })
        .collect()
}

/// Says what the largest value of `axis` changes against the smallest.
fn trend(layout: &Layout, axis: usize, subject: &Subject) -> Option<(String, usize)> {
    let own = &layout.axes[axis];
    let values = own.increasing();
    let (&least, &most) = (values.first()?, values.last()?);
    let pair = pair(layout, axis, [least, most]);
    let place = deciding(subject, std::slice::from_ref(&pair))?;
    let metric = &subject.metrics[place];
    let compared = pair.compare(metric, Confidence::P95)?;
    let (size, range) = factor(&compared);
    let (low, high) = (own.describe(least), own.describe(most));
    let way = match compared.favors_first() {
        true => worse(metric),
        false => better(metric),
    };
    let mut text = match (compared.outcome(), range) {
        (Outcome::First | Outcome::Second, Some(range)) => format!(
            "The {} of {} is {size} {way} ({range}) at {high} than at {low}",
            metric.name, subject.words
        ),
        (_, None) => format!(
            "The {} of {} is {size} {way} at {high} than at {low}; these runs do not say how certain \
             that is",
            metric.name, subject.words
        ),
        _ => {
            let [favored, _] = names(&pair, &compared);
            format!(
                "{low} vs {high}, {} of {}: {}",
                metric.name,
                subject.words,
                undecided(metric, &compared, &favored)
            )
        }
    };
    text.push_str(&optimum_between(layout, axis, subject, place, &values));
    Some((text, 1))
}

/// Describes a value of the ordered `axis` that is better than both ends; empty if there is none.
fn optimum_between(
    layout: &Layout,
    axis: usize,
    subject: &Subject,
    place: usize,
    values: &[usize],
) -> String {
    let [least, between @ .., most] = values else {
        return String::new();
    };
    let metric = &subject.metrics[place];
    let confidence = Confidence::P95.among(2 * between.len());
    let mut found: Vec<(f64, usize)> = between
        .iter()
        .filter_map(|&value| {
            let against = |end: usize| {
                let own = pair(layout, axis, [value, end]).compare(metric, confidence)?;
                (own.outcome() == Outcome::First).then_some(own.ratio.ratio)
            };
            Some((against(*least)? * against(*most)?, value))
        })
        .collect();
    found.sort_by(|a, b| a.0.total_cmp(&b.0));
    let best = found
        .first()
        .map(|(_, value)| layout.axes[axis].describe(*value));
    best.map_or_else(String::new, |best| {
        format!("; it is best at {best}, between both")
    })
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
