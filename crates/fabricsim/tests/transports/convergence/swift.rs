//! Swift: the round-trip time settles at the target, which small windows raise (section 3.5).

use crate::convergence::{BASE_RTT, FLOWS, PER_US, Settled, WIRE, settled};

/// Returns the target of a window of `cwnd` packets in microseconds, for defaults and one switch.
fn target(cwnd: f64) -> f64 {
    let range = 5.0 * BASE_RTT;
    let slope = range / (0.1_f64.sqrt().recip() - 100_f64.sqrt().recip());
    let scaling = slope / cwnd.sqrt() - slope / 10.0;
    BASE_RTT + 1.0 + scaling.clamp(0.0, range)
}

/// Returns the round-trip time at which `flows` flows fill the port with windows at their target.
fn fixed_point(flows: usize) -> f64 {
    let (mut low, mut high) = (BASE_RTT, 100.0 * BASE_RTT);
    for _ in 0..100 {
        let rtt = f64::midpoint(low, high);
        let cwnd = rtt * PER_US / WIRE / flows as f64;
        if target(cwnd) > rtt {
            low = rtt;
        } else {
            high = rtt;
        }
    }
    low
}

fn swift(flows: usize) -> Settled {
    settled(flows, r#"kind = "swift""#, [10_000, 20_000])
}

#[test]
fn the_round_trip_time_is_at_the_target_of_fair_windows() {
    for flows in FLOWS {
        let seen = swift(flows);
        assert!(seen.fairness > 0.9, "{flows}: {}", seen.fairness);
        assert!(seen.utilization > 0.99, "{flows}: {}", seen.utilization);
        let rtt = BASE_RTT + seen.queue[0] / PER_US;
        let target = fixed_point(flows);
        println!("{flows} flows: round-trip time {rtt:.2} us, target {target:.2} us");
        if flows > 1 {
            assert!((rtt / target - 1.0).abs() < 0.1, "{flows}: {rtt} {target}");
        } else {
            // A flow that leaves by a NIC of the same rate has no queue of its own.
            assert!(seen.queue[2] <= 2.0 * WIRE, "{:?}", seen.queue);
        }
    }
}

/// More flows than the path holds packets: windows are smaller than one packet (section 3.1).
#[test]
fn an_incast_of_more_flows_than_packets_fit_is_paced() {
    let flows = 400;
    let seen = swift(flows);
    let rtt = BASE_RTT + seen.queue[0] / PER_US;
    let cwnd = rtt * PER_US / WIRE / flows as f64;
    println!("{flows} flows: {rtt:.2} us, windows of {cwnd:.2} packets");
    assert!(seen.utilization > 0.95, "{}", seen.utilization);
    // With whole packets only, the queue would be 400 packets less the 145 of the path: 267 KB.
    assert!(rtt < target(cwnd) * 1.5, "{rtt} {}", target(cwnd));
}
