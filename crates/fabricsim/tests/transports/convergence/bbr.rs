//! BBR: flows agree on the round-trip time without a queue when they probe for it together, and
//! share the link from then on. Two products of the model limit the bytes in flight, so the queue
//! is at most about one product (sections 4.2.3.2, 4.3.4 and 4.3.5).

use crate::convergence::{BASE_RTT, FLOWS, PER_US, settled};

/// Bytes of a full segment on the wire.
const SEGMENT: f64 = 1_538.0;

/// Probes for the round-trip time at intervals scaled to this path: the same number of round trips
/// as the draft's ten seconds on paths of 12 ms.
const SCALED: &str = r#"probe_rtt_interval = "10ms"
    probe_rtt_duration = "200us""#;

#[test]
fn flows_that_have_probed_the_round_trip_time_share_the_link() {
    for flows in FLOWS {
        let cc = format!(
            r#"kind = "bbr"
            {SCALED}"#
        );
        let seen = settled(flows, &cc, [50_000, 100_000]);
        assert!(seen.utilization > 0.9, "{flows}: {}", seen.utilization);
        assert!(seen.fairness > 0.7, "{flows}: {}", seen.fairness);
        // Quanta of three segments for each flow, and its smallest window of four.
        let extra = 7.0 * SEGMENT * flows as f64;
        let most = BASE_RTT * PER_US + extra;
        assert!(seen.queue[0] < most, "{flows}: {:?}, {most}", seen.queue);
    }
}

/// Before the first probe, later flows measure the queue of earlier flows as part of the path, so
/// their windows and shares are larger.
#[test]
fn before_the_first_probe_the_link_is_full_and_shares_differ() {
    let seen = settled(8, r#"kind = "bbr""#, [10_000, 30_000]);
    assert!(seen.utilization > 0.95, "{}", seen.utilization);
    assert!(seen.fairness < 0.8, "{}", seen.fairness);
}
