//! Means that are known without trials.

use super::*;

/// Means of the Baseline with hashed values: E = k Int_0^inf (1 - F(t)^k) dt, where F(t) is the sum
/// over m from 1 of Pois(m; t) (1 - 2^(-q m))^(V - 1). Each row has the hops k, the switches V, and
/// the means for q = 1, 4 and 8 bits.
const BASELINE: [(u8, u32, [f64; 3]); 6] = [
    (5, 80, [59.09, 21.58, 14.13]),
    (10, 80, [135.05, 52.24, 35.85]),
    (25, 754, [492.58, 193.21, 141.87]),
    (36, 158, [637.99, 262.55, 195.00]),
    (59, 754, [1_281.89, 524.49, 393.63]),
    (59, 59, [1_001.86, 432.36, 318.67]),
];

#[test]
fn the_baselines_means_are_those_of_the_closed_form() {
    for (hops, switches, means) in BASELINE {
        for (digest_bits, mean) in [1, 4, 8].into_iter().zip(means) {
            let trials = Trials {
                count: 200,
                ..Trials::new(hops, switches)
            };
            let width = (digest_bits, 1, Values::Hashed);
            let found = trials.pint(&config(Layers::baseline(), width)).unwrap();
            assert!(
                (found.mean - mean).abs() < 4.0 * found.standard_error,
                "{hops} hops, {digest_bits} bits: {} of {mean}",
                found.mean
            );
        }
    }
}

/// The coupon collector's exact means, medians and 99th percentiles, by the number of coupons.
const COUPONS: [(u8, f64, u64, u64); 5] = [
    (5, 11.417, 10, 28),
    (10, 29.290, 27, 66),
    (25, 95.399, 90, 192),
    (36, 150.284, 142, 291),
    (59, 275.129, 262, 508),
];

#[test]
fn whole_numbers_are_coupons_in_all_percentiles() {
    for (hops, mean, median, p99) in COUPONS {
        let trials = Trials {
            count: 1_000,
            ..Trials::new(hops, 754)
        };
        let found = trials
            .pint(&config(Layers::baseline(), (16, 1, Values::Whole)))
            .unwrap();
        let line = format!("{hops} hops: {found:?}");
        assert!(
            (found.mean - mean).abs() < 4.0 * found.standard_error,
            "{line}"
        );
        let near = |found: u64, wanted: u64, share: f64| {
            apart(found as f64, wanted as f64) < share || found.abs_diff(wanted) <= 1
        };
        // A median of a thousand deviates by 1.3 standard errors of a mean, a 99th percentile by
        // about 6%.
        assert!(near(found.median, median, 0.06), "{line}");
        assert!(near(found.p99, p99, 0.20), "{line}");
    }
}

/// Means if only the switches of the path are candidates: hops, preset, and 1, 4, 8 and 2 x 8 bits.
const OWN_SWITCHES: [(u8, &str, [f64; 4]); 8] = [
    (5, "mininet", [44.7, 18.7, 15.6, 8.0]),
    (5, "multilayer", [24.5, 9.0, 7.5, 4.0]),
    (25, "baseline", [336.6, 144.5, 103.0, 51.6]),
    (25, "interleaved", [219.5, 76.2, 47.7, 24.3]),
    (36, "mininet", [295.9, 106.0, 74.1, 37.1]),
    (36, "multilayer", [356.5, 120.4, 71.4, 36.0]),
    (59, "mininet", [643.4, 184.7, 105.8, 53.2]),
    (59, "multilayer", [632.4, 203.6, 119.4, 59.9]),
];

#[test]
fn paths_of_all_switches_need_fewer_packets() {
    let widths = [(1, 1), (4, 1), (8, 1), (8, 2)];
    for (hops, name, means) in OWN_SWITCHES {
        for ((bits, instances), mean) in widths.into_iter().zip(means) {
            let trials = Trials {
                count: 200,
                ..Trials::new(hops, u32::from(hops))
            };
            let width = (bits, instances, Values::Hashed);
            let found = trials.pint(&config(preset(name, hops), width)).unwrap();
            // The model's mean is of 2,000 trials, ten times as many.
            let error = found.standard_error * 1.05;
            assert!(
                (found.mean - mean).abs() < 4.0 * error + 0.05,
                "{hops} hops, {name}, {instances} x {bits}: {} of {mean}",
                found.mean
            );
        }
    }
}

/// A fat-tree's five hops, with schemes tuned for five: 1, 4, 8, 2 x 4 and 2 x 8 bits.
#[test]
fn paths_of_a_fat_tree_need_a_few_packets() {
    let layers = Layers {
        xor: vec![0.2],
        ..Layers::mininet()
    };
    let widths = [
        (1, 1, 60.2),
        (4, 1, 21.7),
        (8, 1, 14.2),
        (4, 2, 11.2),
        (8, 2, 7.3),
    ];
    for (bits, instances, mean) in widths {
        let trials = Trials {
            count: 1_000,
            ..Trials::new(5, 80)
        };
        let width = (bits, instances, Values::Hashed);
        let found = trials.pint(&config(layers.clone(), width)).unwrap();
        let error = found.standard_error * 1.3;
        assert!((found.mean - mean).abs() < 4.0 * error, "{bits}: {found:?}");
    }
}

#[test]
fn two_instances_need_half_the_packets_of_one() {
    let mean = |hops, (bits, instances)| {
        let trials = Trials {
            count: 400,
            ..Trials::new(hops, 754)
        };
        let width = (bits, instances, Values::Hashed);
        trials.pint(&config(Layers::mininet(), width)).unwrap().mean
    };
    for hops in [25, 59] {
        let ratio = mean(hops, (8, 2)) / mean(hops, (8, 1));
        assert!((ratio - 0.5).abs() < 0.03, "{hops} hops: {ratio}");
    }
    // In eight bits two digests of four are better than one of eight on long paths.
    assert!(mean(59, (4, 2)) < 0.9 * mean(59, (8, 1)));
}
