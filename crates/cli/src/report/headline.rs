//! The verdict of a report, in words.

use std::fmt::Write as _;

use fabricsim_plot::html::Page;
use fabricsim_report::{Confidence, Percentile, PercentileEstimate, Ratio, SizeClass};

use super::pairs::{Pair, pairs};
use super::runs::{Run, SHOWN};
use super::schemes::{Scheme, schemes};

/// Pairs of schemes that the verdict compares, at most. A larger sweep has figures for the
/// comparison.
const MOST: usize = 4;
/// An interval is wide if its ends differ by more than this factor.
const WIDE: f64 = 2.0;

/// The flows of one statement.
struct Group {
    class: u16,
    size: SizeClass,
}

/// A statement on two schemes, and the ratio behind it.
struct Statement {
    text: String,
    ratio: Ratio,
}

/// Adds the comparison of the runs; nothing if there is only one run.
pub(super) fn headline(page: &mut Page, runs: &[Run]) {
    let schemes = schemes(runs);
    let names: Vec<&str> = schemes.iter().map(|scheme| scheme.name.as_str()).collect();
    let pairs = pairs(&names);
    if pairs.is_empty() || pairs.len() > MOST {
        return;
    }
    let statements: Vec<Statement> = pairs
        .iter()
        .flat_map(|pair| {
            let [first, other] = pair.places.map(|place| &schemes[place]);
            let groups = groups(first, other);
            groups
                .iter()
                .filter_map(|group| statement(pair, [first, other], group))
                .collect::<Vec<_>>()
        })
        .collect();
    if statements.is_empty() {
        return;
    }
    page.section("In short");
    let texts: Vec<String> = statements.iter().map(|own| own.text.clone()).collect();
    page.statements(&texts);
    for advice in advice(&statements) {
        page.paragraph(&advice);
    }
}

/// Returns the groups of flows that both schemes have.
fn groups(first: &Scheme<'_>, other: &Scheme<'_>) -> Vec<Group> {
    let has = |scheme: &Scheme<'_>, class, size| {
        let mut tails = scheme.runs.iter().flat_map(|run| &run.tails);
        tails.any(|tail| (tail.class.0, tail.size) == (class, size))
    };
    let mut found: Vec<Group> = Vec::new();
    for tail in first.runs.iter().flat_map(|run| &run.tails) {
        let (class, size) = (tail.class.0, tail.size);
        let known = found
            .iter()
            .any(|own| (own.class, own.size) == (class, size));
        if !known && has(other, class, size) {
            found.push(Group { class, size });
        }
    }
    found
}

/// Returns a statement on `group` at the highest percentile with an interval, otherwise
/// at the highest known percentile.
fn statement(pair: &Pair, [first, other]: [&Scheme<'_>; 2], group: &Group) -> Option<Statement> {
    let ratio = |percentile: Percentile| {
        let of = |scheme: &Scheme<'_>| estimates(scheme, group, percentile);
        Ratio::between(&of(first), &of(other), Confidence::P95)
    };
    let ratios = SHOWN.iter().rev().filter_map(|p| Some((*p, ratio(*p)?)));
    let ratios: Vec<(Percentile, Ratio)> = ratios.collect();
    let certain = ratios.iter().find(|(_, ratio)| ratio.interval.is_some());
    let (percentile, ratio) = *certain.or_else(|| ratios.first())?;
    let mut flows = describe(first, group);
    if !pair.at.is_empty() {
        flows = format!("{flows} at {}", pair.at);
    }
    let [a, b] = &pair.names;
    Some(Statement {
        text: sentence([a, b], percentile, &flows, ratio),
        ratio,
    })
}

/// Returns the estimate of each run, without runs that have too few such flows.
fn estimates(
    scheme: &Scheme<'_>,
    group: &Group,
    percentile: Percentile,
) -> Vec<PercentileEstimate> {
    let of_run = |run: &&Run| {
        let mut tails = run.tails.iter();
        tails
            .find(|tail| (tail.class.0, tail.size) == (group.class, group.size))
            .and_then(|tail| {
                let mut own = tail.percentiles.iter();
                own.find(|estimate| estimate.percentile == percentile)
            })
            .copied()
            .unwrap_or(PercentileEstimate {
                percentile,
                slowdown: None,
                interval: None,
            })
    };
    scheme.runs.iter().map(of_run).collect()
}

/// Describes the flows of a group: `poisson flows under 30 KB`.
fn describe(scheme: &Scheme<'_>, group: &Group) -> String {
    let class = scheme
        .runs
        .first()
        .map_or_else(String::new, |run| run.class_name(group.class));
    let size = match group.size {
        SizeClass::All => "",
        SizeClass::Below10K => " under 10 KB",
        SizeClass::Below30K => " under 30 KB",
        SizeClass::From30KTo1M => " of 30 KB to 1 MB",
        SizeClass::Above1M => " above 1 MB",
    };
    format!("{class}{size}")
}

fn sentence([a, b]: [&str; 2], percentile: Percentile, flows: &str, ratio: Ratio) -> String {
    let what = match percentile {
        Percentile::P50 => "median slowdown".to_owned(),
        other => format!("{other} slowdown"),
    };
    // The better scheme first, so that ratios are above 1.
    let (better, worse, ratio) = match ratio.ratio <= 1.0 {
        true => (a, b, ratio.inverse()),
        false => (b, a, ratio),
    };
    let size = times(ratio.ratio);
    let Some(interval) = ratio.interval else {
        return format!(
            "{better}'s {what} is {size} lower than {worse}'s for {flows}; there are too few flows \
             to say how certain that is"
        );
    };
    let mut range = format!("{} to {}", times(interval.low), times(interval.high));
    if ratio.runs < ratio.given {
        write!(
            range,
            "; {} of {} runs of each have enough such flows",
            ratio.runs, ratio.given
        )
        .expect("a string takes everything");
    }
    if ratio.is_a_difference() {
        format!("{better}'s {what} is {size} lower ({range}) than {worse}'s for {flows}")
    } else {
        format!(
            "{a} vs {b}, {what} of {flows}: inconclusive ({size} lower with {better}, 95% CI {range})"
        )
    }
}

/// Formats a factor with two to three significant digits: `1.05x`, `3.2x`, `45x`.
fn times(factor: f64) -> String {
    match factor {
        small if small < 1.95 => format!("{small:.2}x"),
        middle if middle < 9.95 => format!("{middle:.1}x"),
        large => format!("{large:.0}x"),
    }
}

/// Returns the reliability of the statements in words, and a way to improve it.
fn advice(statements: &[Statement]) -> Vec<String> {
    let runs = || statements.iter().map(|own| own.ratio.runs);
    let (least, most) = (runs().min(), runs().max().unwrap_or(0));
    let mut advice = Vec::new();
    if least.is_some_and(|runs| runs > 1) {
        advice.push(format!(
            "In brackets are 95% confidence intervals of ratios between {most} runs of each, which \
             differ in the seed{}.",
            match statements.iter().all(|own| own.ratio.runs == most) {
                true => "",
                false => ", or between fewer if the brackets say so",
            }
        ));
    } else {
        advice.push(
            "In brackets are 95% confidence intervals as if flows were independent. Flows of one \
             run share queues, so the true intervals are wider: before you decide, run each setting \
             with several seeds (a sweep with an axis of seeds) and give all of them to this report."
                .to_owned(),
        );
    }
    let wide = |own: &&Statement| {
        let interval = own.ratio.interval;
        interval.is_none_or(|interval| interval.high > interval.low * WIDE)
    };
    let count = statements.iter().filter(wide).count();
    if count > 0 && least.is_some_and(|runs| runs > 1) {
        advice.push(format!(
            "{count} of {} intervals span more than a factor of two or are not known: more seeds or \
             longer runs would narrow them.",
            statements.len()
        ));
    }
    advice
}

#[cfg(test)]
mod tests {
    use fabricsim_report::Interval;

    use super::*;

    fn ratio(ratio: f64, interval: Option<(f64, f64)>) -> Ratio {
        Ratio {
            ratio,
            interval: interval.map(|(low, high)| Interval { low, high }),
            runs: 3,
            given: 3,
        }
    }

    #[test]
    fn sentences_say_who_is_better_and_how_certain_that_is() {
        let say = |ratio| sentence(["HPCC", "DCQCN"], Percentile::P99, "incast flows", ratio);
        assert_eq!(
            say(ratio(0.3125, Some((0.27, 0.357)))),
            "HPCC's p99 slowdown is 3.2x lower (2.8x to 3.7x) than DCQCN's for incast flows"
        );
        assert_eq!(
            say(ratio(12.3, Some((11.0, 14.0)))),
            "DCQCN's p99 slowdown is 12x lower (11x to 14x) than HPCC's for incast flows"
        );
        assert_eq!(
            say(ratio(1.04, Some((0.9, 1.2)))),
            "HPCC vs DCQCN, p99 slowdown of incast flows: inconclusive (1.04x lower with DCQCN, 95% CI \
             0.90x to 1.20x)"
        );
        let of_two = Ratio {
            runs: 2,
            given: 5,
            ..ratio(1.16, Some((0.59, 2.3)))
        };
        let of_two = say(of_two);
        assert!(
            of_two.ends_with("95% CI 0.59x to 2.3x; 2 of 5 runs of each have enough such flows)"),
            "{of_two}"
        );
        let unknown = say(ratio(2.0, None));
        assert!(
            unknown.ends_with("too few flows to say how certain that is"),
            "{unknown}"
        );
    }

    #[test]
    fn one_run_of_each_is_not_enough_to_decide() {
        let of = |runs, interval| Statement {
            text: String::new(),
            ratio: Ratio {
                runs,
                ..ratio(2.0, interval)
            },
        };
        let single = advice(&[of(1, Some((1.9, 2.1)))]);
        assert!(single[0].contains("several seeds"), "{single:?}");
        let several = advice(&[of(3, Some((0.5, 4.0))), of(3, Some((1.9, 2.1)))]);
        assert!(several[0].contains("between 3 runs"), "{several:?}");
        assert!(several[1].starts_with("1 of 2 intervals"), "{several:?}");
    }
}
