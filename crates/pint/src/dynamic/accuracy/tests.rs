//! Compares errors with an independent model of 150 trials.

use super::*;
use crate::dynamic::HopSampler;
use crate::numeric::StepRounding;

const EXPONENTIAL: Latencies = Latencies::Exponential { mean: 10_000.0 };
const LOGNORMAL: Latencies = Latencies::Lognormal {
    median: 8_000.0,
    sigma: 0.8,
};
const UNIFORM: Latencies = Latencies::Uniform {
    from: 500.0,
    to: 50_000.0,
};
const SKETCH: Storage = Storage::Sketch { items: 100 };

/// Returns codes with the step sizes of 8 and 4 bits but one bit more, because the model's codes
/// have no upper limit.
fn unending() -> [Multiplicative; 2] {
    [(0.022, 9), (0.42, 5)].map(|(epsilon, bits)| code(epsilon, bits))
}

fn code(epsilon: f64, bits: u32) -> Multiplicative {
    Multiplicative::new(epsilon, bits, StepRounding::Nearest).unwrap()
}

/// Latencies, number of digests, and two lists (median and 99th percentile) of mean errors in
/// percent: of unencoded latencies, 8-bit codes, 8-bit codes in a sketch, 4-bit codes, and 4-bit
/// codes in a sketch.
type Row = (Latencies, u32, [[f64; 5]; 2]);

#[rustfmt::skip]
const TABLE: &[Row] = &[
    (EXPONENTIAL, 100, [[11.2, 11.1, 11.1, 32.8, 32.8], [16.8, 16.8, 16.8, 26.4, 26.4]]),
    (EXPONENTIAL, 200, [[8.0, 8.0, 8.1, 32.5, 32.4], [12.4, 12.4, 13.4, 25.3, 23.3]]),
    (EXPONENTIAL, 500, [[5.3, 5.4, 5.6, 31.9, 31.9], [7.4, 7.5, 10.3, 21.6, 27.5]]),
    (EXPONENTIAL, 1_000, [[3.5, 3.6, 3.9, 31.5, 31.5], [6.4, 6.6, 10.7, 21.0, 25.8]]),
    (LOGNORMAL, 100, [[7.4, 7.5, 7.5, 14.7, 14.7], [20.5, 20.5, 20.5, 33.6, 33.6]]),
    (LOGNORMAL, 200, [[5.6, 5.9, 5.8, 13.9, 13.9], [17.4, 17.4, 19.4, 35.1, 34.5]]),
    (LOGNORMAL, 500, [[3.9, 4.1, 4.2, 13.9, 13.9], [10.3, 10.3, 14.5, 33.4, 37.5]]),
    (LOGNORMAL, 1_000, [[2.4, 2.7, 2.9, 13.9, 13.9], [7.7, 7.8, 12.9, 33.7, 35.3]]),
    (UNIFORM, 100, [[7.6, 7.5, 7.5, 33.7, 33.7], [1.1, 1.9, 1.9, 25.2, 25.2]]),
    (UNIFORM, 200, [[5.7, 5.6, 5.9, 33.5, 33.5], [0.7, 1.7, 1.7, 25.2, 25.2]]),
    (UNIFORM, 500, [[3.6, 3.6, 3.7, 31.8, 31.7], [0.4, 1.6, 1.8, 25.2, 25.2]]),
    (UNIFORM, 1_000, [[2.5, 2.4, 2.8, 29.5, 29.5], [0.3, 1.6, 1.7, 25.2, 25.2]]),
];

/// Returns `true` if `found` is within four standard errors: the mean of 150 trials has a standard
/// error of about 6%. Errors below 1% are printed with one digit and get a tolerance of another
/// tenth of a point.
fn near(found: f64, wanted: f64) -> bool {
    (found - wanted).abs() <= 0.25 * wanted + if wanted < 1.0 { 0.1 } else { 0.0 }
}

fn errors(accuracy: &Accuracy, phi: f64, [fine, coarse]: &[Multiplicative; 2]) -> [f64; 5] {
    [
        accuracy.whole(phi),
        accuracy.coded(phi, fine, Storage::All),
        accuracy.coded(phi, fine, SKETCH),
        accuracy.coded(phi, coarse, Storage::All),
        accuracy.coded(phi, coarse, SKETCH),
    ]
    .map(|error| 100.0 * error.unwrap().mean)
}

/// Checks the table with `trials` trials per cell.
fn table(trials: u32) {
    let codes = unending();
    for &(latencies, digests, rows) in TABLE {
        let accuracy = Accuracy {
            trials,
            ..Accuracy::new(latencies, digests)
        };
        for (phi, wanted) in [0.5, 0.99].into_iter().zip(rows) {
            let found = errors(&accuracy, phi, &codes);
            println!("{latencies:?} {digests:4} {phi:4}: {found:5.1?} {wanted:5.1?}");
            assert!(
                found
                    .into_iter()
                    .zip(wanted)
                    .all(|(found, wanted)| near(found, wanted))
            );
        }
    }
}

#[test]
fn errors_are_as_expected() {
    table(600);
}

#[test]
#[ignore = "takes a minute: cargo test --release -p fabricsim-pint -- --ignored --nocapture errors_are"]
fn errors_are_as_expected_in_20000_trials() {
    table(20_000);
}

#[test]
fn the_error_of_the_code_stays() {
    for (latencies, wanted) in [
        (EXPONENTIAL, [[-0.86, 31.42], [1.27, -19.57]]),
        (LOGNORMAL, [[-2.12, 13.87], [-1.10, -28.00]]),
        (UNIFORM, [[0.43, -27.25], [-1.60, -25.18]]),
    ] {
        let accuracy = Accuracy::new(latencies, 1);
        for (phi, wanted) in [0.5, 0.99].into_iter().zip(wanted) {
            for (code, wanted) in [code(0.022, 8), code(0.42, 4)].iter().zip(wanted) {
                let found = 100.0 * accuracy.floor(phi, code);
                assert!(
                    (found - wanted).abs() < 0.006,
                    "{latencies:?} {phi}: {found}"
                );
            }
        }
    }
    // With many digests, only the error of the code remains.
    let many = Accuracy {
        trials: 5,
        ..Accuracy::new(EXPONENTIAL, 100_000)
    };
    for code in [code(0.022, 8), code(0.42, 4)] {
        let found = many.coded(0.5, &code, Storage::All).unwrap().mean;
        let floor = many.floor(0.5, &code).abs();
        assert!((found - floor).abs() < 1e-12, "{found}");
    }
}

/// Errors of the median and the 99th percentile for 500 digests in sketches of other sizes, with 8
/// and with 4 bits.
#[test]
fn smaller_sketches_err_more() {
    let codes = unending();
    let accuracy = Accuracy::new(LOGNORMAL, 500);
    for (items, wanted) in [
        (10, [[9.0, 30.1], [14.1, 33.5]]),
        (20, [[5.3, 25.1], [13.9, 36.0]]),
        (50, [[4.2, 16.0], [13.9, 34.3]]),
        (100, [[3.9, 15.9], [13.9, 37.0]]),
        (200, [[4.0, 10.5], [13.9, 34.0]]),
    ] {
        for (code, wanted) in codes.iter().zip(wanted) {
            let found = [0.5, 0.99].map(|phi| {
                let storage = Storage::Sketch { items };
                100.0 * accuracy.coded(phi, code, storage).unwrap().mean
            });
            println!(
                "{items:3} items, {} bits: {found:.1?} {wanted:.1?}",
                code.bits() - 1
            );
            assert!(
                found
                    .into_iter()
                    .zip(wanted)
                    .all(|(found, wanted)| near(found, wanted))
            );
        }
    }
}

/// 4-bit codes end at 37 us, but the model's codes do not. The largest code represents all values
/// above, and is closer to the tail.
#[test]
fn codes_that_end_cut_the_tail() {
    let accuracy = Accuracy::new(LOGNORMAL, 500);
    let [ending, unending] = [4, 5].map(|bits| {
        let code = code(0.42, bits);
        100.0 * accuracy.coded(0.99, &code, Storage::All).unwrap().mean
    });
    println!("99th percentile in 4 bits: {ending:.1}%, in codes that do not end: {unending:.1}%");
    assert!((28.0..30.0).contains(&ending) && unending > ending + 2.0);
}

/// Random rounding keeps the mean code, but a quantile is a single code, and the median's stays the
/// same.
#[test]
fn random_rounding_does_not_move_a_median() {
    for latencies in [EXPONENTIAL, LOGNORMAL] {
        let accuracy = Accuracy {
            trials: 200,
            ..Accuracy::new(latencies, 1_000)
        };
        let [nearest, random] = [StepRounding::Nearest, StepRounding::Random].map(|rounding| {
            let code = Multiplicative::new(0.42, 4, rounding).unwrap();
            accuracy.coded(0.5, &code, Storage::All).unwrap().mean
        });
        println!("{latencies:?}: nearest {nearest:.4}, at random {random:.4}");
        assert!((nearest - random).abs() < 0.03);
    }
}

/// A flow of five hops, from the switches to the results: each hop gets a fifth of the packets.
#[test]
fn all_hops_of_a_path_are_known_from_one_byte() {
    let means = [1_000.0, 20_000.0, 300.0, 8_000.0, 4_000.0];
    let sampler = HopSampler::new(code(0.022, 8), 1);
    let (flows, packets) = (100, 2_500);
    let mut errors = [0.0; 5];
    for flow in 0..flows {
        let mut stream = Stream::new(1, flow, Purpose::Arrivals);
        let mut hops = [0, 1, 2, 3, 4]
            .map(|hop| HopValues::new(SKETCH, Stream::new(1, 5 * flow + hop, Purpose::Sampling)));
        for number in 0..packets {
            let packet = flow << 32 | number;
            let mut digest = 0;
            for (hop, mean) in (1..).zip(means) {
                let latency = Latencies::Exponential { mean }.draw(&mut stream);
                digest = sampler.encode(digest, packet, hop, latency);
            }
            let hop = sampler.hop(packet, 5).expect("a path of five");
            hops[usize::from(hop) - 1].record(digest);
        }
        let counts = hops.each_ref().map(HopValues::count);
        assert_eq!(counts.iter().sum::<u64>(), packets);
        // The standard deviation is 20.
        assert!(
            counts.iter().all(|count| count.abs_diff(500) < 100),
            "{counts:?}"
        );
        for ((error, mean), hop) in errors.iter_mut().zip(means).zip(&hops) {
            let median = sampler
                .code()
                .decode(hop.quantile(0.5).expect("500 digests"));
            let truth = Latencies::Exponential { mean }.quantile(0.5);
            *error += (median / truth - 1.0).abs();
        }
    }
    let found = errors.map(|error| 100.0 * error / flows as f64);
    println!("median errors of five hops: {found:.1?}%");
    assert!(found.iter().all(|&error| near(error, 5.6)), "{found:?}");
}

#[test]
fn trials_that_cannot_be_are_refused() {
    let key = |accuracy: Accuracy, phi| accuracy.whole(phi).unwrap_err().key;
    let good = Accuracy::new(EXPONENTIAL, 100);
    assert_eq!(key(Accuracy { digests: 0, ..good }, 0.5), "digests");
    assert_eq!(key(Accuracy { trials: 0, ..good }, 0.5), "trials");
    assert_eq!(key(good, 1.0), "phi");
    assert_eq!(key(good, f64::NAN), "phi");
    let latencies = Latencies::Exponential { mean: 0.0 };
    assert_eq!(key(Accuracy { latencies, ..good }, 0.5), "mean");
    let coded = |storage| good.coded(0.5, &code(0.1, 8), storage).unwrap_err().key;
    assert_eq!(coded(Storage::Sketch { items: 0 }), "items");
    assert_eq!(coded(Storage::Frequent { counters: 9 }), "kind");
}
