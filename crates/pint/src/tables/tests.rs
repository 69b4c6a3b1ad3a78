//! Tests of the values, sizes and errors of the tables.

use fabricsim_base::rng::{Purpose, Stream};

use super::*;

fn stream() -> Stream {
    Stream::new(1, 0, Purpose::Rounding)
}

fn published() -> LogTable {
    LogTable::new(16, 15, LogRounding::Floor, LowBits::Random)
}

#[test]
fn logarithms_are_those_of_the_published_simulator() {
    let table = published();
    for (x, log) in [
        (1, 0),
        (2, 32_768),
        (3, 51_936),
        (21, 143_927),
        (85, 210_022),
        (100, 217_705),
        (300, 269_641),
        (1_000, 326_558),
        (1_050, 328_865),
        (8_192, 425_984),
        (12_155, 444_637),
        (12_240, 444_967),
        (65_535, 524_287),
    ] {
        assert_eq!(table.log2(x, &mut stream()), log, "{x}");
    }
}

#[test]
fn a_switch_needs_as_many_rules_as_the_paper_counts() {
    for (bits, rules) in [(8, 1_791), (10, 6_143), (12, 20_479), (16, 196_607)] {
        let table = LogTable::new(bits, 15, LogRounding::Floor, LowBits::Random);
        assert_eq!(table.rules(20), rules, "{bits} bits");
    }
}

#[test]
fn powers_of_two_are_exact_at_any_width() {
    let table = LogTable::new(8, 15, LogRounding::Nearest, LowBits::Random);
    for power in 0..63 {
        assert_eq!(table.log2(1 << power, &mut stream()), power << 15);
    }
    let exp = ExpTable::new(8, LowBits::Random);
    for power in [-40, -1, 0, 1, 20] {
        let value = exp.exp2(f64::from(power), &mut stream());
        assert!((value - libm::exp2(f64::from(power))).abs() < f64::EPSILON * value);
    }
}

#[test]
fn low_bits_round_up_as_often_as_they_are_worth() {
    let mut stream = stream();
    // 1000 and 9/16.
    let x = (1_000 << 4) + 9;
    assert_eq!(LowBits::Nearest.dropped(x, 4, &mut stream), 1_001);
    assert_eq!(LowBits::Nearest.dropped(x - 2, 4, &mut stream), 1_000);
    let ups: u64 = (0..160_000)
        .map(|_| LowBits::Random.dropped(x, 4, &mut stream) - 1_000)
        .sum();
    assert!(ups.abs_diff(90_000) < 1_000, "{ups}");
    let sum: u64 = (0..100_000)
        .map(|_| LowBits::Random.whole(7.25, &mut stream))
        .sum();
    assert!(sum.abs_diff(725_000) < 1_000, "{sum}");
}

#[test]
fn rounding_up_may_lead_to_the_next_power_of_two() {
    let table = LogTable::new(4, 15, LogRounding::Nearest, LowBits::Nearest);
    assert_eq!(table.log2(0b1_1111, &mut stream()), 5 << 15);
    let exp = ExpTable::new(4, LowBits::Nearest);
    let value = exp.exp2(2.999, &mut stream());
    assert!((value - 8.0).abs() < 1e-12, "{value}");
}

/// `x y = 2^(log x + log y)` for numbers of up to 20 bits. Checks the bound on the combined error
/// of dropping bits, rounding logarithms and rounding the exponent, and that the error gets close
/// to it.
#[test]
fn products_err_as_little_as_the_tables_allow() {
    println!("log bits  exp bits  largest error   bound     mean error");
    for (log_bits, exp_bits) in [(8, 8), (10, 10), (12, 10), (12, 12), (14, 12), (16, 15)] {
        let log = LogTable::new(log_bits, 15, LogRounding::Nearest, LowBits::Random);
        let exp = ExpTable::new(exp_bits, LowBits::Random);
        let mut stream = stream();
        let (mut worst, mut sum) = (0.0f64, 0.0);
        let draws = 200_000;
        for _ in 0..draws {
            let [x, y] = [(); 2].map(|()| 1 + stream.below((1 << 20) - 1));
            let logs = log.log2(x, &mut stream) + log.log2(y, &mut stream);
            let product = exp.exp2(logs as f64 * log.unit(), &mut stream);
            let error = product / (x as f64 * y as f64) - 1.0;
            worst = worst.max(error.abs());
            sum += error;
        }
        // Relative error: one least significant bit for each factor, half a unit of each logarithm,
        // and one step of the exponent.
        let logs = libm::log1p(libm::exp2(1.0 - f64::from(log_bits)));
        let steps = libm::log(2.0) * (libm::exp2(-15.0) + libm::exp2(-f64::from(exp_bits)));
        let bound = libm::expm1(2.0 * logs + steps);
        let mean = sum / f64::from(draws);
        println!("{log_bits:8}  {exp_bits:8}  {worst:.3e}       {bound:.3e}  {mean:+.1e}");
        assert!(worst < bound, "{log_bits} {exp_bits}: {worst} {bound}");
        assert!(
            worst > 0.3 * bound,
            "{log_bits} {exp_bits}: {worst} {bound}"
        );
        assert!(
            mean.abs() < 0.02 * bound + 1e-5,
            "{log_bits} {exp_bits}: {mean}"
        );
    }
}
