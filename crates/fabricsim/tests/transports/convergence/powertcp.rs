//! PowerTCP: the windows of all flows add up to b τ + β̂, so the queue is β̂, the sum of their
//! increases (theorem 1), and a burst of flows joins without loss of throughput.

use fabricsim_base::units::Time;

use crate::convergence::{BASE_RTT, FLOWS, PER_US, Settled, settled, star};

/// β of the default: 0.6% of the bandwidth-delay product.
const BETA: f64 = 6e-3 * BASE_RTT * PER_US;

#[test]
fn the_queue_is_the_sum_of_increases() {
    for flows in FLOWS {
        let seen: Settled = settled(flows, r#"kind = "powertcp""#, [5_000, 10_000]);
        let expected = BETA * flows as f64;
        println!("{flows} flows: β̂ {:.1} KB", expected / 1_000.0);
        assert!(seen.fairness > 0.95, "{flows}: {}", seen.fairness);
        assert!(seen.utilization > 0.98, "{flows}: {}", seen.utilization);
        if flows > 1 {
            let share = seen.queue[0] / expected;
            assert!(share > 0.5 && share < 1.5, "{flows}: {share}");
        }
    }
}

#[test]
fn without_telemetry_the_queue_is_short_and_the_link_busy() {
    for flows in FLOWS {
        let seen = settled(flows, r#"kind = "theta-powertcp""#, [5_000, 10_000]);
        assert!(seen.fairness > 0.8, "{flows}: {}", seen.fairness);
        assert!(seen.utilization > 0.9, "{flows}: {}", seen.utilization);
        // One bandwidth-delay product.
        assert!(seen.queue[0] < BASE_RTT * PER_US, "{:?}", seen.queue);
    }
}

/// Runs a long flow and ten more that start at once. Returns the microseconds until the queue of
/// the burst is below `calm` bytes, and from then on the utilization of the port and the mean
/// queue.
fn burst(cc: &str, calm: f64) -> (u64, f64, f64) {
    const AT: u64 = 1_000;
    const WATCHED: u64 = 1_000;
    let start = |flow: usize| if flow == 0 { 0 } else { AT };
    let (mut simulation, port) = star(11, cc, start);
    let mut samples = Vec::new();
    for us in 0..=WATCHED {
        simulation.run_until(Time::from_ns((AT + us) * 1_000));
        let seen = simulation.port(port.0, port.1).unwrap();
        samples.push((seen.queue.as_f64(), seen.sent.as_f64()));
    }
    let peak = (0..samples.len()).max_by(|&a, &b| samples[a].0.total_cmp(&samples[b].0));
    let peak = peak.unwrap();
    let drained = (peak..samples.len()).find(|&us| samples[us].0 < calm);
    let drained = drained.unwrap_or(samples.len() - 2);
    let rest = &samples[drained..];
    let span = (rest.len() - 1) as f64;
    let used = (rest[rest.len() - 1].1 - rest[0].1) / (span * PER_US);
    let mean = rest.iter().map(|sample| sample.0).sum::<f64>() / rest.len() as f64;
    println!(
        "{cc} | {:.0} KB at most | drained after {drained} us | then {:.1}% and {:.1} KB",
        samples[peak].0 / 1_000.0,
        used * 100.0,
        mean / 1_000.0
    );
    (drained as u64, used, mean)
}

/// The burst of the authors' evaluation: ten flows meet a long one. All start with whole windows,
/// ten bandwidth-delay products, which take ten base round-trip times to transmit.
#[test]
fn ten_flows_that_meet_a_long_one_are_taken_in() {
    // Twice β̂ of eleven flows.
    let calm = 22.0 * BETA;
    let (own, used, mean) = burst(r#"kind = "powertcp""#, calm);
    assert!(own < 300 && used > 0.98, "{own} {used}");
    assert!(mean < 4.0 * 11.0 * BETA, "{mean}");
    let (theta, used, _) = burst(r#"kind = "theta-powertcp""#, calm);
    assert!(theta < 500 && used > 0.98, "{theta} {used}");
    burst(r#"kind = "hpcc""#, calm);
    burst(r#"kind = "swift""#, calm);
    let (dcqcn, _, _) = burst(r#"kind = "dcqcn""#, calm);
    assert!(dcqcn > own, "{dcqcn} {own}");
}
