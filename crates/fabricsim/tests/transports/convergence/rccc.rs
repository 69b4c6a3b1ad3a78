//! RCCC: receivers grant the bandwidth of their port, so the queue is a few packets long for any
//! number of flows, and flows take turns.

use crate::convergence::{FLOWS, WIRE, settled};

/// Trims first windows down to a bandwidth-delay product at the port.
const TRIM: &str = r#"
    [switch]
    pfc = false
    trim_above = "150KB""#;
/// The default of `grant_rate`.
const GRANT_RATE: f64 = 0.99;

#[test]
fn the_port_is_filled_to_the_rate_of_grants_without_a_queue() {
    for flows in FLOWS {
        let cc = format!(
            r#"kind = "rccc"
            {TRIM}"#
        );
        let seen = settled(flows, &cc, [5_000, 10_000]);
        assert!(
            (seen.utilization / GRANT_RATE - 1.0).abs() < 0.005,
            "{flows}: {}",
            seen.utilization
        );
        assert!(seen.fairness > 0.999, "{flows}: {}", seen.fairness);
        // The packets of a few grants that meet at the port.
        assert!(seen.queue[2] < 20.0 * WIRE, "{flows}: {:?}", seen.queue);
    }
}
