//! Verdicts about made-up results with known differences.

use fabricsim_report::{Estimate, Interval};

use super::super::super::layout::testing::layout;
use super::super::subject::{FlowCounts, Metric, Subject};
use super::*;

/// Random numbers with a normal distribution.
struct Noise(u64);

impl Noise {
    fn uniform(&mut self) -> f64 {
        // Knuth's generator; its upper bits are good enough here.
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as f64 + 0.5) / 2_147_483_648.0
    }

    fn normal(&mut self) -> f64 {
        let (a, b) = (self.uniform(), self.uniform());
        (-2.0 * a.ln()).sqrt() * (std::f64::consts::TAU * b).cos()
    }
}

/// Returns the points with the values of `axes` and `seeds` seeds.
fn points(axes: &[(&str, &[&str])], seeds: u32) -> Layout {
    let mut names = vec![String::new()];
    for (axis, values) in axes {
        names = names
            .iter()
            .flat_map(|name| {
                values
                    .iter()
                    .map(move |value| format!("{name}{axis}={value},"))
            })
            .collect();
    }
    let names: Vec<String> = names
        .iter()
        .flat_map(|name| (1..=seeds).map(move |seed| format!("{name}seed={seed}")))
        .collect();
    layout(&names.iter().map(String::as_str).collect::<Vec<_>>())
}

/// Returns a subject whose p99 has at each setting the value `of` its indices on the axes, times
/// noise of the standard deviation `deviation`, of which half is common to all settings of a seed.
fn subject(
    layout: &Layout,
    noise: &mut Noise,
    deviation: f64,
    of: impl Fn(&[usize]) -> f64,
) -> Subject {
    let common: Vec<f64> = layout.settings[0]
        .runs
        .iter()
        .map(|_| noise.normal())
        .collect();
    let mut value = |at: &[usize], seed: usize| {
        let random = (common[seed] + noise.normal()) * deviation;
        Estimate {
            value: Some(of(at) * random.exp()),
            interval: None,
        }
    };
    let of_setting = |setting: &super::super::super::layout::Setting| {
        let seeds = 0..setting.runs.len();
        seeds.map(|seed| value(&setting.at, seed)).collect()
    };
    Subject {
        words: "test flows".to_owned(),
        is_job: false,
        metrics: vec![Metric {
            name: "p99 slowdown".to_owned(),
            lower: true,
            values: layout.settings.iter().map(of_setting).collect(),
            flows: None,
        }],
    }
}

fn say(layout: &Layout, subject: Subject) -> Vec<String> {
    let questions = questions(layout, &[subject]);
    questions
        .into_iter()
        .flat_map(|own| own.statements)
        .collect()
}

const LOADS: (&str, &[&str]) = ("load", &["0.1", "0.2", "0.3", "0.4", "0.5"]);
const TWO: (&str, &[&str]) = ("scheme", &["DCQCN", "HPCC"]);

#[test]
fn a_scheme_that_is_better_by_two_is_named_for_any_number_of_settings() {
    let layout = points(&[LOADS, TWO], 3);
    let subject = subject(&layout, &mut Noise(1), 0.05, |at| {
        [4.0, 2.0][at[1]] * (1.0 + at[0] as f64)
    });
    let said = say(&layout, subject);
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(
        said[0].starts_with("HPCC's p99 slowdown is 2")
            || said[0].starts_with("HPCC's p99 slowdown is 1.9"),
        "{said:?}"
    );
    assert!(
        said[0].ends_with("than DCQCN's for test flows, at each load"),
        "{said:?}"
    );
}

#[test]
fn equal_schemes_are_inconclusive_with_the_number_of_seeds() {
    let layout = points(&[TWO], 4);
    let said = say(&layout, subject(&layout, &mut Noise(3), 0.3, |_| 3.0));
    assert!(
        said[0].starts_with("DCQCN vs HPCC, p99 slowdown of test flows: inconclusive ("),
        "{said:?}"
    );
    assert!(
        said[0].contains("95% CI") && said[0].contains("more seed"),
        "{said:?}"
    );
}

#[test]
fn the_load_at_which_the_ranking_turns_is_found() {
    let layout = points(&[LOADS, TWO], 4);
    // DCQCN is better at 0.1 to 0.3, HPCC above.
    let subject = subject(&layout, &mut Noise(5), 0.02, |at| match (at[0], at[1]) {
        (0..=2, 0) | (3.., 1) => 2.0,
        _ => 3.0,
    });
    let said = say(&layout, subject);
    assert!(
        said[0].contains("the ranking turns between load = 0.3 and 0.4"),
        "{said:?}"
    );
    assert!(
        said[0].contains("DCQCN's is 1.") && said[0].contains("HPCC's is 1."),
        "{said:?}"
    );
}

#[test]
fn the_best_of_several_needs_to_beat_all_others() {
    let three: (&str, &[&str]) = ("scheme", &["DCQCN", "HPCC", "TIMELY"]);
    let layout = points(&[LOADS, three], 4);
    let clear = subject(&layout, &mut Noise(7), 0.03, |at| [4.0, 2.0, 3.0][at[1]]);
    let said = say(&layout, clear);
    assert!(
        said[0].starts_with("HPCC's p99 slowdown is the lowest of 3 for test flows: 1."),
        "{said:?}"
    );
    assert!(said[0].contains("than TIMELY's, the next one"), "{said:?}");
    let close = subject(&layout, &mut Noise(7), 0.3, |at| [9.0, 2.0, 2.0][at[1]]);
    let said = say(&layout, close);
    assert!(
        said[0].contains(" is inconclusive (") || said[0].contains("about equal"),
        "{said:?}"
    );
}

#[test]
fn failures_are_compared_with_the_healthy_network_in_the_order_of_the_sweep() {
    let failures: (&str, &[&str]) = ("failure", &["healthy", "link_down", "agg_down"]);
    let layout = points(&[failures, TWO], 4);
    let subject = subject(&layout, &mut Noise(9), 0.02, |at| match (at[0], at[1]) {
        (0, _) => 1.5,
        (1, 0) => 3.0,
        (1, _) => 4.5,
        _ => 6.0,
    });
    let said = say(&layout, subject);
    assert_eq!(said.len(), 3, "{said:?}");
    assert!(
        said[1].starts_with("link_down vs healthy, p99 slowdown of test flows: "),
        "{said:?}"
    );
    assert!(
        said[1].contains(": with DCQCN 2") && said[1].contains("; with HPCC "),
        "{said:?}"
    );
    assert!(said[2].starts_with("agg_down vs healthy"), "{said:?}");
}

#[test]
fn ordered_values_alone_have_a_trend_and_an_optimum() {
    let layout = points(&[("buffer", &["8MiB", "2MiB", "4MiB"])], 4);
    let subject = subject(&layout, &mut Noise(11), 0.02, |at| [6.0, 3.0, 2.0][at[0]]);
    let said = say(&layout, subject);
    assert!(
        said[0].contains("higher") && said[0].contains("at buffer = 8MiB than at buffer = 2MiB"),
        "{said:?}"
    );
    assert!(
        said[0].ends_with("it is best at buffer = 4MiB, between both"),
        "{said:?}"
    );
}

/// Of equal schemes, about 5 of 100 sweeps find a difference, as the intervals promise, and turns
/// and choices among several are no more frequent.
#[test]
fn equal_schemes_differ_as_rarely_as_promised() {
    let four: (&str, &[&str]) = ("scheme", &["DCQCN", "HPCC", "TIMELY", "Swift"]);
    let mut noise = Noise(13);
    for (schemes, most) in [(TWO, 0.08), (four, 0.06)] {
        let layout = points(&[("load", &["0.1", "0.2", "0.3"]), schemes], 4);
        let sweeps = 500;
        let wrong = (0..sweeps).filter(|_| {
            let said = say(&layout, subject(&layout, &mut noise, 0.3, |_| 3.0));
            let open = ["inconclusive", "about equal"]
                .iter()
                .any(|word| said[0].contains(word));
            !open || said[0].contains("turns")
        });
        let share = wrong.count() as f64 / f64::from(sweeps);
        assert!(share <= most, "{share} of {} schemes", schemes.1.len());
    }
}

/// A tail with too few flows is in the sentence: its table shows a large difference, too.
#[test]
fn a_tail_without_an_interval_is_not_passed_over() {
    let layout = points(&[TWO], 1);
    let metric = |name: &str, values: [f64; 2], interval: bool| {
        let estimate = |value: f64| Estimate {
            value: Some(value),
            interval: interval.then_some(Interval {
                low: value * 0.9,
                high: value * 1.1,
            }),
        };
        Metric {
            name: name.to_owned(),
            lower: true,
            values: values.map(|value| vec![estimate(value)]).into(),
            flows: Some(FlowCounts {
                least: 67,
                needed: 20,
                for_interval: 72,
                pooled: values.map(Some).into(),
            }),
        }
    };
    let subject = Subject {
        words: "test flows".to_owned(),
        is_job: false,
        metrics: vec![
            metric("p50 slowdown", [1.02, 1.0], true),
            metric("p95 slowdown", [3.3, 1.5], false),
        ],
    };
    assert_eq!(deciding(&subject, &[pair(&layout, 0, [0, 1])]), Some(0));
    let said = say(&layout, subject);
    assert!(
        said[0].contains("p50 slowdown of test flows: inconclusive"),
        "{said:?}"
    );
    assert!(
        said[0].ends_with(
            "its p95 is 2.2x lower with HPCC (p95 of 67 flows needs 72 for an interval)"
        ),
        "{said:?}"
    );
}

/// A difference at another percentile that the table shows as certain is in the sentence, too.
#[test]
fn a_percentile_that_only_its_own_interval_decides_is_named() {
    let layout = points(&[TWO], 4);
    let metric = |name: &str, ratios: [f64; 4]| {
        let estimates = |factors: [f64; 4]| {
            let estimate = |value| Estimate {
                value: Some(value),
                interval: None,
            };
            factors.map(estimate).to_vec()
        };
        Metric {
            name: name.to_owned(),
            lower: true,
            values: vec![estimates(ratios), estimates([1.0; 4])],
            flows: None,
        }
    };
    let subject = Subject {
        words: "test flows".to_owned(),
        is_job: false,
        metrics: vec![
            metric("p50 slowdown", [1.0, 1.2, 0.8, 1.1]),
            metric("p95 slowdown", [1.2, 1.6, 1.3, 1.8]),
            metric("p99 slowdown", [0.5, 2.0, 1.3, 0.9]),
        ],
    };
    let said = say(&layout, subject);
    assert!(
        said[0].starts_with("DCQCN vs HPCC, p99 slowdown of test flows: inconclusive"),
        "{said:?}"
    );
    assert!(
        said[0].contains("; p95 slowdown: HPCC's is 1.4"),
        "{said:?}"
    );
    assert!(said[0].ends_with("which may be chance among 3"), "{said:?}");
}
