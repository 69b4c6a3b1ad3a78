//! Tests of the update with known inputs, and of the error of tables.

use fabricsim_base::rng::{Purpose, Stream};

use super::*;

const RTT: Duration = Duration::from_ns(12_240);

fn stream() -> Stream {
    Stream::new(1, 0, Purpose::Rounding)
}

fn by_tables(shape: &TableShape, rate: Rate) -> Link {
    Link::new(rate, RTT, Some(&Arc::new(Tables::new(shape))))
}

/// Returns the utilization after `start`, `ns` after the previous packet.
fn after(link: &Link, start: f64, ns: u64, queue: u64, size: u64, stream: &mut Stream) -> f64 {
    let span = (Time::ZERO, Time::from_ns(ns));
    link.update(start, span, Bytes::new(queue), Bytes::new(size), stream)
}

#[test]
fn the_exact_update_follows_the_formula() {
    let link = Link::new(Rate::from_gbps(100), RTT, None);
    let mut utilization = 0.5;
    for (ns, queue, want) in [
        (84, 0, 0.503431373),
        (84, 10_500, 0.507310169),
        (168, 20_000, 0.509004015),
        (2_000, 0, 0.432696170),
        // Longer than T.
        (20_000, 0, 0.006862745),
        (84, 153_000, 0.020541138),
    ] {
        utilization = after(&link, utilization, ns, queue, 1_050, &mut stream());
        assert!((utilization - want).abs() < 1e-9, "{utilization} {want}");
    }
}

#[test]
fn a_saturated_link_settles_at_one_and_its_queue() {
    let link = Link::new(Rate::from_gbps(100), RTT, None);
    for (queue, want) in [(0, 1.0), (153_000, 2.0)] {
        let mut utilization = 0.0;
        for _ in 0..5_000 {
            utilization = after(&link, utilization, 84, queue, 1_050, &mut stream());
        }
        assert!((utilization - want).abs() < 1e-9, "{utilization} {want}");
    }
}

#[test]
fn what_a_table_has_no_entry_for_is_no_term() {
    for (rule, unit) in [
        (SwitchArithmetic::Exact, 16),
        (SwitchArithmetic::Tables, 256),
    ] {
        let link = by_tables(&TableShape::of(rule), Rate::from_gbps(100));
        let mut stream = stream();
        // No packet and no queue, less than a unit of queue, a queue for no time.
        assert!(after(&link, 0.0, 84, 0, 0, &mut stream) <= 0.0);
        assert!(after(&link, 0.0, 84, unit - 1, 0, &mut stream) <= 0.0);
        assert!(after(&link, 0.0, 0, 25_600, 0, &mut stream) <= 0.0);
        // One unit of queue for the whole of T.
        let queued = after(&link, 0.0, 20_000, unit, 0, &mut stream);
        assert!(
            (queued / (unit as f64 / 153_000.0) - 1.0).abs() < 1e-3,
            "{queued}"
        );
        // An interval of T gives the previous utilization no weight.
        assert!(after(&link, 3.0, 12_240, 0, 0, &mut stream) <= 0.0);
        // An interval of zero changes nothing.
        let same = after(&link, 0.75, 0, 0, 0, &mut stream);
        assert!((same / 0.75 - 1.0).abs() < 1e-3, "{same}");
    }
}

/// Returns the mean and standard deviation of the utilization of a saturated link, from `start`.
fn settled(link: &Link, ns: u64, start: f64) -> (f64, f64) {
    let mut stream = stream();
    let mut utilization = start;
    let (mut sum, mut squares) = (0.0, 0.0);
    for round in 0..40_000 {
        utilization = after(link, utilization, ns, 0, 1_050, &mut stream);
        if round >= 20_000 {
            sum += utilization;
            squares += utilization * utilization;
        }
    }
    let mean = sum / 20_000.0;
    (mean, (squares / 20_000.0 - mean * mean).max(0.0).sqrt())
}

#[test]
fn the_published_tables_have_a_dead_zone() {
    for (gbps, ns, low, high) in [(100, 84, 0.9874, 1.0068), (400, 21, 0.9439, 1.0241)] {
        let link = by_tables(
            &TableShape::of(SwitchArithmetic::Tables),
            Rate::from_gbps(gbps),
        );
        let [below, above] = [0.0, 2.0].map(|start| settled(&link, ns, start).0);
        println!("{gbps} Gbps: {below:.4} from below, {above:.4} from above");
        assert!((below - low).abs() < 1e-3, "{below}");
        assert!((above - high).abs() < 1e-3, "{above}");
    }
}

#[test]
fn finer_units_and_random_rounding_have_none() {
    println!(
        "log  exp  utilization bits: (mean, deviation) at 100 and 400 Gbps from below and above"
    );
    let default = TableShape::of(SwitchArithmetic::Exact);
    for (log_bits, exp_bits, utilization_bits, bound, spread) in [
        (8, Some(8), 20, 0.02, 0.1),
        (10, Some(10), 20, 0.01, 0.03),
        (12, Some(10), 20, 0.004, 0.015),
        (12, Some(12), 13, 0.004, 0.01),
        (12, Some(12), 20, 0.004, 0.005),
        (14, Some(12), 20, 0.004, 0.005),
        (16, Some(15), 20, 0.005, 0.001),
        (16, None, 20, 0.008, 0.001),
    ] {
        let shape = TableShape {
            log_bits,
            exp_bits,
            utilization_bits,
            ..default
        };
        let mut found = Vec::new();
        for (gbps, ns) in [(100, 84), (400, 21)] {
            let link = by_tables(&shape, Rate::from_gbps(gbps));
            found.extend([0.0, 2.0].map(|start| settled(&link, ns, start)));
        }
        println!("{log_bits:3}  {exp_bits:?}  {utilization_bits}: {found:.4?}");
        assert!(
            found
                .iter()
                .all(|(mean, deviation)| (mean - 1.0).abs() < bound && *deviation < spread),
            "{log_bits} {exp_bits:?} {utilization_bits}"
        );
    }
}

#[test]
fn one_update_by_tables_is_near_the_exact_one() {
    let rate = Rate::from_gbps(100);
    let exact = Link::new(rate, RTT, None);
    for (rule, bound) in [
        (SwitchArithmetic::Exact, 1e-2),
        (SwitchArithmetic::Tables, 7e-2),
    ] {
        let tables = by_tables(&TableShape::of(rule), rate);
        let mut stream = stream();
        let mut worst: f64 = 0.0;
        for _ in 0..100_000 {
            let start = 0.01 + 3.0 * stream.uniform();
            let [ns, queue, size] = [12_000, 500_000, 1_040].map(|bound| stream.below(bound));
            let (ns, size) = (ns + 20, size + 60);
            let want = after(&exact, start, ns, queue, size, &mut stream);
            let found = after(&tables, start, ns, queue, size, &mut stream);
            worst = worst.max((found / want - 1.0).abs());
        }
        println!("{rule:?}: largest relative error of an update {worst:.1e}");
        assert!(worst < bound, "{rule:?}: {worst}");
    }
}
