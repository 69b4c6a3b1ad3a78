//! The words of a verdict.

use std::fmt::Write as _;

use fabricsim_report::Confidence;

use super::super::layout::{Axis, Role};
use super::question::{Compared, Outcome, Pair};
use super::subject::{Metric, Subject};

/// More seeds than this are not worth an estimate.
const MOST_SEEDS: usize = 100;
/// A difference without an interval is worth a word above this factor.
const LARGE: f64 = 1.2;

/// Formats a factor with two to three significant digits: `1.05x`, `3.2x`, `45x`.
pub(super) fn times(factor: f64) -> String {
    match factor {
        small if small < 1.95 => format!("{small:.2}x"),
        middle if middle < 9.95 => format!("{middle:.1}x"),
        large => format!("{large:.0}x"),
    }
}

/// Returns the word for values that are better than others: `lower`.
pub(super) const fn better(metric: &Metric) -> &'static str {
    if metric.lower { "lower" } else { "higher" }
}

/// Returns the word for values that are worse.
pub(super) const fn worse(metric: &Metric) -> &'static str {
    if metric.lower { "higher" } else { "lower" }
}

/// Returns the factor of a comparison, from 1 on, and its interval: `2.6x`, `2.0x to 3.2x`.
pub(super) fn factor(compared: &Compared) -> (String, Option<String>) {
    let ratio = match compared.favors_first() {
        true => compared.ratio.inverse(),
        false => compared.ratio,
    };
    let range = ratio.interval.map(|interval| {
        let mut range = format!("{} to {}", times(interval.low), times(interval.high));
        if ratio.runs < ratio.given {
            let few = format!("; {} of {} runs have enough flows", ratio.runs, ratio.given);
            range.push_str(&few);
        }
        range
    });
    (times(ratio.ratio), range)
}

/// Returns the names of both values of `pair`, the one that its comparison favors first.
pub(super) fn names<'p>(pair: &'p Pair<'_>, compared: &Compared) -> [String; 2] {
    let axis: &'p Axis = &pair.layout.axes[pair.axis];
    let [first, second] = pair.values.map(|value| axis.describe(value));
    match compared.favors_first() {
        true => [first, second],
        false => [second, first],
    }
}

/// Describes a comparison that favors a value: `HPCC's is 1.5x lower (1.2x to 1.9x)`.
fn clause(pair: &Pair<'_>, metric: &Metric, compared: &Compared) -> String {
    let [favored, _] = names(pair, compared);
    let (size, range) = factor(compared);
    let range = range.map_or_else(String::new, |range| format!(" ({range})"));
    format!("{favored}'s is {size} {}{range}", better(metric))
}

/// Describes a comparison of two values by the metric at `place`.
fn pair_sentence(
    pair: &Pair<'_>,
    subject: &Subject,
    place: usize,
    confidence: Confidence,
) -> Option<String> {
    let metric = &subject.metrics[place];
    let compared = pair.compare(metric, confidence)?;
    let flows = match at_fixed(pair) {
        at if at.is_empty() => subject.words.clone(),
        at => format!("{} with {at}", subject.words),
    };
    let axis = &pair.layout.axes[pair.axis];
    let [first, second] = pair.values.map(|value| axis.describe(value));
    if let Some(turn) = turn(pair, metric) {
        return Some(format!(
            "{first} vs {second}, {} of {flows}: {turn}",
            metric.name
        ));
    }
    let [favored, other] = names(pair, &compared);
    let (size, range) = factor(&compared);
    let mut text = match (compared.outcome(), range) {
        (Outcome::First | Outcome::Second, Some(range)) => format!(
            "{favored}'s {} is {size} {} ({range}) than {other}'s for {flows}{}",
            metric.name,
            better(metric),
            everywhere(pair, metric, &compared),
        ),
        (_, None) => format!(
            "{favored}'s {} is {size} {} than {other}'s for {flows}; {}",
            metric.name,
            better(metric),
            match metric.flows {
                Some(_) => "there are too few flows to say how certain that is",
                None => "a single run of each does not say how certain that is",
            },
        ),
        _ => format!(
            "{first} vs {second}, {} of {flows}: {}",
            metric.name,
            undecided(metric, &compared, &favored)
        ),
    };
    text.push_str(&tail_without_interval(pair, subject, place));
    Some(text)
}

/// Describes a comparison that is not decided: `inconclusive (1.14x lower with DCQCN, 95% CI 0.80x
/// to 1.32x); about 9 more seeds would tell`.
pub(super) fn undecided(metric: &Metric, compared: &Compared, favored: &str) -> String {
    let (size, range) = factor(compared);
    let range = range.map_or_else(
        || "no interval".to_owned(),
        |range| format!("95% CI {range}"),
    );
    if compared.outcome() == Outcome::Alike {
        return format!("about equal (within 5%: {range})");
    }
    let mut text = match size.as_str() {
        "1.00x" => format!("inconclusive (equal on average, {range})"),
        _ => format!(
            "inconclusive ({size} {} with {favored}, {range})",
            better(metric)
        ),
    };
    if let Some(advice) = more_seeds(compared) {
        write!(text, "; {advice}").expect("a string takes everything");
    }
    text
}

/// Names the values of another axis at which a difference holds: `, at each load`.
fn everywhere(pair: &Pair<'_>, metric: &Metric, compared: &Compared) -> String {
    let mut always = Vec::new();
    let mut except = Vec::new();
    for axis in pair.others() {
        let own = &pair.layout.axes[axis];
        let along = pair.along(axis, metric, Confidence::P95);
        let others = along
            .iter()
            .filter(|(_, at)| at.favors_first() != compared.favors_first());
        let others: Vec<String> = others.map(|(value, _)| own.describe(*value)).collect();
        match others.is_empty() {
            true => always.push(format!("each {}", own.name)),
            false => except.extend(others),
        }
    }
    let [covered, all] = compared.covered;
    let part = match covered < all {
        true => format!(" ({covered} of {all} settings have enough flows)"),
        false => String::new(),
    };
    match (always.is_empty(), except.is_empty()) {
        (true, true) => part,
        (_, false) => format!(" on average, but not at {}{part}", except.join(", ")),
        (false, true) => format!(", at {}{part}", always.join(" and ")),
    }
}

/// Names the value of another axis at which the ranking of two values turns; `None` if it does not.
fn turn(pair: &Pair<'_>, metric: &Metric) -> Option<String> {
    pair.others().into_iter().find_map(|axis| {
        let own = &pair.layout.axes[axis];
        let along = pair.along(axis, metric, Confidence::P95);
        let decided: Vec<&(usize, Compared)> = along
            .iter()
            .filter(|(_, at)| matches!(at.outcome(), Outcome::First | Outcome::Second))
            .collect();
        let (first, last) = (decided.first()?, decided.last()?);
        let turns: Vec<_> = decided
            .windows(2)
            .filter(|pair| pair[0].1.outcome() != pair[1].1.outcome())
            .collect();
        let at = |(value, compared): &(usize, Compared)| {
            format!(
                "{} at {}",
                clause(pair, metric, compared),
                own.describe(*value)
            )
        };
        let ordered = matches!(own.role, Role::Ordered(_));
        match (&turns[..], ordered) {
            ([], _) => None,
            ([only], true) => Some(format!(
                "the ranking turns between {} and {} ({}; {})",
                own.describe(only[0].0),
                own.values[only[1].0],
                at(first),
                at(last)
            )),
            ([only, ..], _) => Some(format!(
                "the ranking depends on {} ({}; {})",
                own.name,
                at(only[0]),
                at(only[1])
            )),
        }
    })
}

/// Describes a large difference at a percentile above the deciding one, which has too few flows for
/// an interval; empty if there is none.
fn tail_without_interval(pair: &Pair<'_>, subject: &Subject, place: usize) -> String {
    let above = subject.metrics.iter().skip(place + 1).rev();
    let notes = above.filter_map(|metric| {
        let counts = metric.flows.as_ref()?;
        let seen = pair.compare(metric, Confidence::P95);
        let (value, compared) = match seen {
            Some(seen) if seen.ratio.interval.is_some() => return None,
            Some(seen) => (seen.ratio.ratio, Some(seen)),
            None => (pair.pooled(metric)?, None),
        };
        let size = if value <= 1.0 { 1.0 / value } else { value };
        if size < LARGE {
            return None;
        }
        let axis = &pair.layout.axes[pair.axis];
        let favored = axis.describe(pair.values[usize::from(value > 1.0)]);
        let level = metric.name.split(' ').next().unwrap_or_default();
        let least = counts.least;
        let why = match compared {
            Some(_) => format!(
                "{level} of {least} flows needs {} for an interval",
                counts.for_interval
            ),
            None => format!(
                "all seeds together, without an interval: {level} of {least} flows needs {}",
                counts.needed
            ),
        };
        Some(format!(
            "; its {level} is {} lower with {favored} ({why})",
            times(size)
        ))
    });
    notes.take(1).collect()
}

/// Describes the fixed values of `pair`; empty if there are none.
pub(super) fn at_fixed(pair: &Pair<'_>) -> String {
    let fixed = pair.fixed.iter();
    let parts = fixed.map(|(axis, value)| pair.layout.axes[*axis].describe(*value));
    parts.collect::<Vec<String>>().join(", ")
}

/// Says which value of `pair` is better, by the metric at `place` and by all others that decide.
///
/// If that metric leaves it open and another decides, the sentence begins with the other one. Their
/// intervals hold together.
pub(super) fn pair_answer(pair: &Pair<'_>, subject: &Subject, place: usize) -> Option<String> {
    let own = pair.compare(&subject.metrics[place], Confidence::P95)?;
    let confidence = Confidence::P95.among(subject.metrics.len());
    let decided = decided_by_others(pair, subject, place, &own);
    let is_open = matches!(own.outcome(), Outcome::Open | Outcome::Alike);
    let turns = turn(pair, &subject.metrics[place]).is_some();
    let mut text = match decided.first() {
        Some((other, _)) if is_open && !turns => {
            let text = pair_sentence(pair, subject, *other, confidence)?;
            let metric = &subject.metrics[place];
            let [favored, _] = names(pair, &own);
            return Some(format!(
                "{text}; {}: {}",
                metric.name,
                undecided(metric, &own, &favored)
            ));
        }
        _ => pair_sentence(pair, subject, place, Confidence::P95)?,
    };
    if is_open && !turns {
        text.push_str(&perhaps(pair, subject, place, &own));
    }
    for (other, compared) in decided {
        let metric = &subject.metrics[other];
        let says = clause(pair, metric, &compared);
        write!(text, "; {}: {says}", metric.name).expect("a string takes everything");
    }
    Some(text)
}

/// Describes other metrics that would decide what `own` leaves open if they were the only ones: the
/// table below shows them as decided.
fn perhaps(pair: &Pair<'_>, subject: &Subject, place: usize, own: &Compared) -> String {
    let count = subject.metrics.len();
    let others = (0..count).rev().filter(|other| *other != place);
    let decided = others.filter_map(|other| {
        let metric = &subject.metrics[other];
        let compared = pair.compare(metric, Confidence::P95)?;
        let outcome = compared.outcome();
        let is_decided = matches!(outcome, Outcome::First | Outcome::Second);
        (is_decided && outcome != own.outcome()).then(|| {
            let says = clause(pair, metric, &compared);
            format!(
                "; {}: {says}, which may be chance among {count}",
                metric.name
            )
        })
    });
    decided.collect()
}

/// Returns the other metrics that decide what `own` leaves open or contradict it, the last first.
fn decided_by_others(
    pair: &Pair<'_>,
    subject: &Subject,
    place: usize,
    own: &Compared,
) -> Vec<(usize, Compared)> {
    let confidence = Confidence::P95.among(subject.metrics.len());
    let others = (0..subject.metrics.len())
        .rev()
        .filter(|other| *other != place);
    let decided = others.filter_map(|other| {
        let compared = pair.compare(&subject.metrics[other], confidence)?;
        let outcome = compared.outcome();
        let is_decided = matches!(outcome, Outcome::First | Outcome::Second);
        (is_decided && own.outcome() != outcome).then_some((other, compared))
    });
    decided.collect()
}

/// Describes the effect of the second value of `pair` compared with the first, such as a failure:
/// `2.1x higher (1.5x to 2.9x)`.
pub(super) fn effect(pair: &Pair<'_>, subject: &Subject, place: usize) -> Option<String> {
    let metric = &subject.metrics[place];
    let compared = pair.compare(metric, Confidence::P95)?;
    let mut text = one_effect(metric, &compared);
    for (other, compared) in decided_by_others(pair, subject, place, &compared) {
        let metric = &subject.metrics[other];
        let text_of = one_effect(metric, &compared);
        write!(text, ", but {} {text_of}", metric.name).expect("a string takes everything");
    }
    Some(match at_fixed(pair) {
        at if at.is_empty() => text,
        at => format!("with {at} {text}"),
    })
}

fn one_effect(metric: &Metric, compared: &Compared) -> String {
    let way = match compared.favors_first() {
        true => worse(metric),
        false => better(metric),
    };
    let (size, range) = factor(compared);
    match (compared.outcome(), range) {
        (_, None) => format!("{size} {way}, without an interval"),
        (Outcome::First | Outcome::Second, Some(range)) => format!("{size} {way} ({range})"),
        (Outcome::Alike, Some(range)) => format!("about equal (within 5%: {range})"),
        (Outcome::Open, Some(range)) => {
            let seen = match size.as_str() {
                "1.00x" => "equal on average".to_owned(),
                size => format!("{size} {way}"),
            };
            match more_seeds(compared) {
                None => format!("inconclusive ({seen}, 95% CI {range})"),
                Some(more) => format!("inconclusive ({seen}, 95% CI {range}; {more})"),
            }
        }
    }
}

/// Describes how many more seeds would decide a comparison of several runs.
fn more_seeds(compared: &Compared) -> Option<String> {
    if compared.ratio.runs < 2 {
        return None;
    }
    let more = compared.ratio.runs_to_tell(MOST_SEEDS, compared.confidence);
    Some(match more {
        Some(1) => "about 1 more seed would tell".to_owned(),
        Some(more) => format!("about {more} more seeds would tell"),
        None => format!("more than {MOST_SEEDS} more seeds would be needed to tell"),
    })
}
