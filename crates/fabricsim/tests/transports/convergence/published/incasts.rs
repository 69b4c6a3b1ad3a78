//! Flows that meet at one port: figure 4 of the PowerTCP paper, and the incast of NSCC.

use super::{Watched, compare, fairness, largest, mean};

/// Returns the receiver's rack in the authors' simulator: 25 Gbps, 1 us, and the round-trip time of
/// the whole network.
fn rack(cc: &str) -> Watched {
    let text = format!(
        r#"
            [topology]
            kind = "star"
            hosts = 32
            rate = "25Gbps"
            delay = "1us"
            [switch]
            buffer = "4MB"
            [rdma]
            base_rtt = "28.96us"
            [cc]
            kind = "{cc}"
            min_rate = "100Mbps"
        "#
    );
    // A long flow, and nine at once, which are the flows of the authors' list that start before the
    // last one.
    let flows: Vec<_> = (0..10)
        .map(|src| (src, 16, if src == 0 { 1_000 } else { 5_000 }))
        .collect();
    Watched::new(&text, &flows, (32, 16))
}

fn incast(cc: &str, settles: bool) {
    let mut rack = rack(cc);
    let samples = rack.queues(5_000, 9_000, 1);
    let (at, most) = largest(&samples);
    compare(cc, "largest queue after ten flows meet", most);
    let calm = (samples.iter()).find(|&&(us, queue)| us > at && queue < 20.0);
    let drained = calm.unwrap().0 - 5_000;
    compare(cc, "drained below 20 KB after", drained as f64);
    if settles {
        compare(
            cc,
            "mean queue from 1 to 4 ms after",
            mean(&samples[1_000..]),
        );
    }
}

#[test]
fn power_tcp_takes_ten_flows_in() {
    incast("powertcp", true);
}

#[test]
fn theta_power_tcp_takes_ten_flows_in() {
    incast("theta-powertcp", true);
}

/// The same network with an algorithm that matches its published simulator, so this compares the
/// network. Afterwards the parameters differ from the published ones.
#[test]
fn hpcc_takes_ten_flows_in() {
    incast("hpcc", false);
}

/// Eight senders of eight racks at one host, sprayed over four spines, with marks between 24.9 and
/// 99.6 KB and packets trimmed above 120.35 KB. Packets have 4,150 bytes on the wire, as in the
/// public simulator.
#[test]
fn nscc_settles_where_its_public_simulator_does() {
    let text = r#"
        [topology]
        kind = "leaf-spine"
        hosts_per_leaf = 4
        leaves = 8
        spines = 4
        fabric_rate = "100Gbps"
        [switch]
        pfc = false
        buffer = "16MB"
        ecn = { kmin = "24900B", kmax = "99600B", pmax = 1.0 }
        trim_above = "120350B"
        [rdma]
        mtu = "4102B"
        [routing]
        policy = "random"
        [cc]
        kind = "nscc"
    "#;
    let flows: Vec<_> = (8..16).map(|src| (src, 0, 0)).collect();
    let mut fabric = Watched::new(text, &flows, (32, 0));
    let shares = fabric.shares(20_000, 30_000);
    let samples = fabric.queues(30_000, 40_000, 5);
    compare("nscc", "mean queue of 8 flows", mean(&samples));
    compare("nscc", "Jain's index of 8 flows", fairness(&shares));
    let trimmed = fabric.simulation.counters().trimmed;
    compare(
        "nscc",
        "packets of 8 flows that are trimmed",
        trimmed as f64,
    );
}
