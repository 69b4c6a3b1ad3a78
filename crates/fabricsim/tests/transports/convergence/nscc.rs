//! NSCC: the queueing delay settles at the target, and shares are fair.

use crate::convergence::{BASE_RTT, FLOWS, PER_US, settled};

#[test]
fn the_queueing_delay_is_at_the_target() {
    for flows in FLOWS {
        let seen = settled(flows, r#"kind = "nscc""#, [20_000, 40_000]);
        assert!(seen.utilization > 0.97, "{flows}: {}", seen.utilization);
        assert!(seen.fairness > 0.8, "{flows}: {}", seen.fairness);
        let delay = seen.queue[0] / PER_US;
        println!("{flows} flows: queueing delay {delay:.2} us, target {BASE_RTT:.2} us");
        if flows > 1 {
            assert!((delay / BASE_RTT - 1.0).abs() < 0.1, "{flows}: {delay}");
        }
    }
}
