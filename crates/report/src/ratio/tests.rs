use super::*;

fn runs(values: &[f64]) -> Vec<Estimate> {
    let estimate = |value: &f64| Estimate {
        value: Some(*value),
        interval: None,
    };
    values.iter().map(estimate).collect()
}

#[test]
fn ratios_of_seeds_are_of_pairs() {
    // The seeds differ much, but the ratio hardly does: 2, 2.1, 1.9.
    let ratio = Ratio::between(
        &runs(&[4.0, 21.0, 190.0]),
        &runs(&[2.0, 10.0, 100.0]),
        Confidence::P95,
    );
    let ratio = ratio.expect("values");
    assert!((ratio.ratio - 2.0).abs() < 0.01, "{ratio:?}");
    assert!(ratio.is_a_difference());
    let interval = ratio.interval.expect("three runs");
    assert!(interval.low > 1.7 && interval.high < 2.3, "{interval:?}");
    assert!((ratio.inverse().ratio - 0.5).abs() < 0.01);
    assert!((ratio.inverse().inverse().ratio - ratio.ratio).abs() < 1e-12);
}

/// A run has no value if its flows are too few for the percentile; its pair does not count.
#[test]
fn pairs_without_a_value_are_left_out_and_seeds_stay_together() {
    let mut first = runs(&[4.0, 9.0, 21.0, 190.0]);
    let mut second = runs(&[2.0, 7.0, 10.0, 100.0]);
    first[1].value = None;
    second[3].value = None;
    let ratio = Ratio::between(&first, &second, Confidence::P95).expect("two pairs");
    assert_eq!((ratio.runs, ratio.given), (2, 4));
    assert!(
        (ratio.ratio - (2.0f64 * 2.1).sqrt()).abs() < 1e-9,
        "{ratio:?}"
    );
    first[2].value = None;
    let one = Ratio::between(&first, &second, Confidence::P95).expect("one pair");
    assert_eq!((one.runs, one.given, one.interval), (1, 4, None));
    assert!((one.ratio - 2.0).abs() < 1e-9, "{one:?}");
    // If no seed has two values, all runs count.
    first[0].value = None;
    first[1].value = Some(14.0);
    second[1].value = None;
    let apart = Ratio::between(&first, &second, Confidence::P95).expect("values of both");
    assert_eq!((apart.runs, apart.given), (2, 4));
    let wanted = (14.0f64 * 190.0).sqrt() / (2.0f64 * 10.0).sqrt();
    assert!((apart.ratio - wanted).abs() < 1e-9, "{apart:?}");
}

#[test]
fn one_run_of_each_has_the_interval_of_its_flows_or_none() {
    let mut a = runs(&[4.0]);
    let b = runs(&[2.0]);
    let none = Ratio::between(&a, &b, Confidence::P95).expect("values");
    assert_eq!((none.interval, none.is_a_difference()), (None, false));
    let mut with = b;
    a[0].interval = Some(Interval {
        low: 3.0,
        high: 6.0,
    });
    with[0].interval = Some(Interval {
        low: 1.0,
        high: 2.0,
    });
    let some = Ratio::between(&a, &with, Confidence::P95).expect("values");
    let interval = some.interval.expect("both have one");
    assert!((interval.low - 1.5).abs() < 1e-9 && (interval.high - 6.0).abs() < 1e-9);
    assert_eq!(some.runs, 1);
    assert_eq!(Ratio::between(&runs(&[]), &with, Confidence::P95), None);
}

/// A seed counts once, with its mean over the cells.
#[test]
fn cells_of_a_seed_are_averaged_first() {
    let cell = |ratios: &[f64]| [runs(ratios), runs(&vec![1.0; ratios.len()])];
    let cells = [cell(&[2.0, 4.0, 2.0]), cell(&[8.0, 4.0, 8.0])];
    let (ratio, covered) = Ratio::over(&cells, Confidence::P95).expect("values");
    assert_eq!((covered, ratio.runs, ratio.given), (2, 3, 3));
    // Each seed has 4 on average, so nothing is uncertain.
    let interval = ratio.interval.expect("three seeds");
    assert!((interval.low - 4.0).abs() < 1e-9 && (interval.high - 4.0).abs() < 1e-9);
}

#[test]
fn cells_without_a_pair_are_left_out() {
    let cell = |ratios: &[f64]| [runs(ratios), runs(&vec![1.0; ratios.len()])];
    let mut cells = [cell(&[2.0, 2.2, 1.9]), cell(&[90.0, 80.0, 70.0])];
    cells[1][0][2].value = None;
    let (ratio, covered) = Ratio::over(&cells, Confidence::P95).expect("values");
    assert_eq!((covered, ratio.runs), (1, 3));
    assert!(ratio.ratio < 2.1, "{ratio:?}");
    // Each cell lacks a pair: the seeds that all cells have count.
    cells[0][1][0].value = None;
    let four = |mut cell: RatioCell| {
        cell.iter_mut().for_each(|own| own.push(own[1]));
        cell
    };
    let (ratio, covered) = Ratio::over(&cells.map(four), Confidence::P95).expect("values");
    assert_eq!((covered, ratio.runs, ratio.given), (2, 2, 4));
    assert_eq!(Ratio::over(&[], Confidence::P95), None);
}

#[test]
fn single_runs_have_the_mean_of_their_ends() {
    let of = |value: f64| Estimate {
        value: Some(value),
        interval: Some(Interval {
            low: value / 2.0,
            high: value * 2.0,
        }),
    };
    let cells = [
        [vec![of(4.0)], vec![of(1.0)]],
        [vec![of(1.0)], vec![of(1.0)]],
    ];
    let (ratio, covered) = Ratio::over(&cells, Confidence::P95).expect("values");
    let interval = ratio.interval.expect("both have one");
    assert_eq!((covered, ratio.runs), (2, 1));
    assert!((ratio.ratio - 2.0).abs() < 1e-9);
    assert!((interval.low - 0.5).abs() < 1e-9 && (interval.high - 8.0).abs() < 1e-9);
}

/// By hand: three runs with half an interval of 0.5 have a deviation of 0.5 sqrt(3) / 4.303, and
/// eight runs the half of 2.365 x 0.2013 / sqrt(8) = 0.168.
#[test]
fn the_number_of_runs_follows_from_width_and_difference() {
    let ratio = |log: f64| Ratio {
        ratio: libm::exp(log),
        interval: Some(Interval {
            low: libm::exp(log - 0.5),
            high: libm::exp(log + 0.5),
        }),
        runs: 3,
        given: 3,
    };
    let needed = |log: f64| ratio(log).runs_to_tell(100, Confidence::P95);
    assert_eq!(needed(0.17), Some(5));
    assert_eq!(needed(-0.17), Some(5));
    assert_eq!(needed(0.167), Some(6));
    assert_eq!((needed(0.6), needed(0.001)), (None, None));
    let single = Ratio {
        runs: 1,
        ..ratio(0.17)
    };
    assert_eq!(single.runs_to_tell(100, Confidence::P95), None);
}

/// Equal settings look different in 5 of 100 sweeps, as the interval promises, although the
/// points of a seed depend on each other.
#[test]
fn equal_settings_differ_as_rarely_as_promised() {
    let mut state = 7u64;
    // Knuth's generator; its upper bits are good enough here.
    let mut uniform = move || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((state >> 33) as f64 + 0.5) / 2_147_483_648.0
    };
    let mut normal = move || {
        let (a, b) = (uniform(), uniform());
        (-2.0 * libm::log(a)).sqrt() * libm::cos(std::f64::consts::TAU * b)
    };
    let sweeps = 2_000;
    let differ = (0..sweeps).filter(|_| {
        let common: Vec<f64> = (0..4).map(|_| normal()).collect();
        let cells: Vec<RatioCell> = (0..3)
            .map(|_| {
                let own: Vec<f64> = common
                    .iter()
                    .map(|common| libm::exp(0.3 * common + 0.1 * normal()))
                    .collect();
                [runs(&own), runs(&[1.0; 4])]
            })
            .collect();
        let (ratio, _) = Ratio::over(&cells, Confidence::P95).expect("values");
        ratio.is_a_difference()
    });
    let share = differ.count() as f64 / f64::from(sweeps);
    assert!((0.035..0.065).contains(&share), "{share}");
}
