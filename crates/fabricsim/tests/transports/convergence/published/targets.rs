//! Swift: queues of a public simulator, and the round-trip time compared with the target, figure
//! 17.

use super::{Watched, compare, mean};
use crate::convergence::settled;

/// The paper's flow scaling on one switch, as in htsim.
#[test]
fn swift_queues_are_those_of_htsim() {
    for flows in [8, 64] {
        let seen = settled(flows, r#"kind = "swift""#, [10_000, 20_000]);
        let what = format!("mean queue of {flows} flows");
        compare("swift", &what, seen.queue[0] / 1_000.0);
    }
}

/// 100 flows of ten hosts at one of 50 Gbps, without scaling of the target.
#[test]
fn swift_round_trip_times_are_at_the_target() {
    for target in [25, 50, 70] {
        let text = format!(
            r#"
                [topology]
                kind = "star"
                hosts = 11
                rate = "50Gbps"
                delay = "2us"
                [cc]
                kind = "swift"
                base_target = "{target}us"
                hop_scaling = "0s"
                fs_range = "0s"
            "#
        );
        let flows: Vec<_> = (0..100)
            .map(|flow| (flow % 10, 10, flow as u64 * 2))
            .collect();
        let mut star = Watched::new(&text, &flows, (11, 10));
        let samples = star.queues(5_000, 10_000, 1);
        // Four links, two transmissions of the packet and two of its acknowledgement.
        let idle = 8.0 + 2.0 * (1_048.0 + 60.0) * 8.0 / 50e3;
        let rtt = idle + mean(&samples) * 8.0 / 50.0;
        compare(
            "swift",
            &format!("round-trip time at a target of {target} us"),
            rtt,
        );
    }
}
