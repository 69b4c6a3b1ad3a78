//! Senders close to their receiver, together with distant ones.

use fabricsim_base::units::Bytes;

use super::{Watched, compare};

/// Senders of 4 MB to host 0 of a fat-tree with k = 4 and links of 1 us: one in its rack, two in
/// its pod and five beyond. Marks between a fifth and four fifths of the product of bandwidth and
/// round-trip time, packets trimmed above all of it, in whole packets of 4,150 bytes.
const SENDERS: [usize; 8] = [1, 2, 3, 4, 6, 8, 10, 12];
const NETWORK: &str = r#"
    [topology]
    kind = "fat-tree"
    k = 4
    host_rate = "100Gbps"
    fabric_rate = "100Gbps"
    link_delay = "1us"
    [switch]
    pfc = false
    buffer = "64MB"
    ecn = { kmin = "37350B", kmax = "145250B", pmax = 1.0 }
    trim_above = "178450B"
    [rdma]
    mtu = "4102B"
    [routing]
    policy = "reps"
    [cc]
    kind = "nscc"
"#;
const SEEDS: u64 = 24;

/// Returns the standard deviation of the completion times over their mean.
fn variation(seed: u64) -> f64 {
    let text = format!("seed = {seed}\n{NETWORK}");
    let flows = SENDERS.map(|sender| (sender, 0, 0));
    let mut fabric = Watched::of_flows(&text, &flows, Bytes::new(4_000_000), (16, 0));
    fabric.run(5_000);
    let times = fabric.simulation.take_completions();
    assert_eq!(times.len(), SENDERS.len(), "seed {seed}");
    let times: Vec<f64> = times.iter().map(|done| done.fct().as_secs_f64()).collect();
    let count = times.len() as f64;
    let mean = times.iter().sum::<f64>() / count;
    let squares: f64 = times.iter().map(|time| (time - mean).powi(2)).sum();
    (squares / count).sqrt() / mean
}

/// The header of a trimmed packet tells a near sender how short its path is.
#[test]
fn nscc_is_as_fair_to_far_senders_as_its_public_simulator() {
    let all: f64 = (1..=SEEDS).map(variation).sum();
    compare(
        "nscc",
        "variation of completion times of near and far senders",
        all / SEEDS as f64,
    );
}
