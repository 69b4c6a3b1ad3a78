//! Flows that start one after another: figure 5 of the PowerTCP paper, figure 20 of the Swift
//! paper.

use super::{Watched, compare, fairness};

/// Runs four flows, 5 ms after each other, over 28.96 us at 25 Gbps. Returns Jain's index.
fn four(cc: &str, more: &str) -> f64 {
    let text = format!(
        r#"
            [topology]
            kind = "star"
            hosts = 5
            rate = "25Gbps"
            delay = "7us"
            [switch]
            buffer = "4MB"
            [rdma]
            base_rtt = "28.96us"
            [cc]
            kind = "{cc}"
            {more}
        "#
    );
    let flows = [1_000, 5_000, 10_000, 15_000];
    let flows: Vec<_> = (flows.iter().enumerate())
        .map(|(src, &start)| (src, 4, start))
        .collect();
    let mut star = Watched::new(&text, &flows, (5, 4));
    for (flow, to) in [(2, 10_000), (3, 15_000)] {
        let shares = star.shares(to - 2_000, to);
        println!(
            "{cc}: {flow} flows, Jain's index {:.4}",
            fairness(&shares[..flow])
        );
    }
    fairness(&star.shares(18_000, 20_000))
}

#[test]
fn power_tcp_shares_are_fair_as_flows_come() {
    for cc in ["powertcp", "theta-powertcp"] {
        let shares = four(cc, r#"min_rate = "100Mbps""#);
        compare(cc, "Jain's index of four flows", shares);
    }
}

#[test]
fn swift_shares_are_fair_as_flows_come() {
    compare("swift", "Jain's index of four flows", four("swift", ""));
}
