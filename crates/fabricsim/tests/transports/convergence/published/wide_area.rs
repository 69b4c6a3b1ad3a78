//! BBR: startup and the steady state of a flow of 10 Mbps and 40 ms, and five flows that share
//! 100 Mbps (Cardwell et al., "BBR: Congestion-Based Congestion Control", figures 6 to 8 of the
//! Communications of the ACM, 4 to 6 of ACM Queue).

use super::{Watched, compare, largest, mean};

/// Two switches and a link of `mbps` between them; the hosts of a pair are `one_way` us apart.
fn path(pairs: usize, mbps: u64, one_way: u64, starts: u64, seed: u64) -> Watched {
    let text = format!(
        r#"seed = {seed}
            [topology]
            kind = "dumbbell"
            hosts_per_side = {pairs}
            host_rate = "1Gbps"
            host_delay = "1us"
            bottleneck_rate = "{mbps}Mbps"
            bottleneck_delay = "{one_way}us"
            [tcp]
            profile = "linux-wan"
            [cc]
            kind = "bbr"
        "#
    );
    let flows: Vec<_> = (0..pairs)
        .map(|pair| (pair, pairs + pair, pair as u64 * starts))
        .collect();
    Watched::new(&text, &flows, (2 * pairs, pairs))
}

#[test]
fn startup_takes_three_products_and_drain_gives_them_back() {
    let mut path = path(1, 10, 19_300, 0, 1);
    // A kilobyte takes 0.8 ms.
    let rtt = |queue: f64| 40.0 + queue * 0.8;
    let samples = path.queues(0, 8_000_000, 1_000);
    compare(
        "bbr",
        "largest round-trip time of startup",
        rtt(largest(&samples[..1_000]).1),
    );
    // Between two probes for more bandwidth.
    compare(
        "bbr",
        "round-trip time after drain",
        rtt(mean(&samples[660..760])),
    );
    let steady = rtt(mean(&samples[1_000..]));
    compare("bbr", "mean round-trip time from 1 to 8 s", steady);
}

/// Flows start 2 s after each other. The payload rate without headers is 95.7 Mbps. The least share
/// depends on the random phases in which the flows probe for more bandwidth: for eight seeds it is
/// 13.5 to 17.7 Mbps.
#[test]
fn five_flows_converge_between_their_probes() {
    let least = |seed: u64| {
        let mut path = path(5, 100, 4_900, 2_000_000, seed);
        let shares = path.shares(40_000_000, 45_000_000);
        let mbps: Vec<f64> = shares.iter().map(|bytes| bytes * 8.0 / 5e6).collect();
        println!("{mbps:.1?} Mbps");
        mbps.into_iter().fold(f64::MAX, f64::min)
    };
    let all: f64 = (1..=8).map(least).sum();
    compare("bbr", "least share of five flows", all / 8.0);
}
