//! Time series: they record the events of the run, and do not affect the packets.

mod by_hand;
mod computing;
mod delays;
mod files;
mod groups;
mod hop_delays;
mod operations;
mod overlap;
mod slow_ports;
mod sums;

use crate::support;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use fabricsim::outcome::{Existing, Summary, run_to_folder};
use fabricsim::output::Destination;

const SERIES: [&str; 6] = [
    "queues.csv",
    "queue_distribution.csv",
    "links.csv",
    "flows.csv",
    "delays.csv",
    "hop_delays.csv",
];

const ALL: &str = r#"
    [observe]
    interval = "3us"
    queues = true
    queue_distribution = true
    links = true
    flows = true
    hop_delays = true
    delays = true
"#;

/// Spines may run late, links lose packets, one fails and one changes its rate.
const HARSH: &str = r#"
    [topology]
    kind = "leaf-spine"
    leaves = 2
    hosts_per_leaf = 4
    spines = 2
    host_delay = "100ns"
    [rdma]
    rto_min = "100us"
    recovery = "selective"
    [[workload]]
    kind = "poisson"
    sizes = "hadoop"
    load = 0.4
    duration = "200us"
    [[workload]]
    kind = "incast"
    fan_in = 7
    size = "200KB"
    at = "40us"
    [[event]]
    at = "50us"
    kind = "link-down"
    link = [8, 10]
    [[event]]
    at = "75us"
    kind = "link-rate"
    link = [9, 11]
    rate = "40Gbps"
    [[event]]
    at = "80us"
    kind = "link-loss"
    link = [9, 11]
    loss = 0.01
    [[event]]
    at = "120us"
    kind = "link-up"
    link = [8, 10]
    [switch]
    buffer = "1MiB"
    pfc = false
    [cc]
"#;

fn run(text: &str, dir: &Path, threads: usize) -> Summary {
    let place = Destination::new(dir, Existing::Replace);
    run_to_folder(&support::scenario(text), place, threads, &mut ()).unwrap()
}

/// The cells of a CSV file by the names of its columns.
fn table(dir: &Path, name: &str) -> Vec<BTreeMap<String, String>> {
    let text = fs::read_to_string(dir.join(name)).unwrap();
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next().unwrap().split(',').collect();
    lines
        .map(|line| {
            let cells: Vec<&str> = line.split(',').collect();
            assert_eq!(cells.len(), header.len(), "{name}: {line}");
            let cells = header.iter().zip(cells);
            cells
                .map(|(n, c)| ((*n).to_owned(), c.to_owned()))
                .collect()
        })
        .collect()
}

fn number(row: &BTreeMap<String, String>, column: &str) -> f64 {
    row[column].parse().unwrap()
}

fn sum(rows: &[BTreeMap<String, String>], column: &str) -> f64 {
    rows.iter().map(|row| number(row, column)).sum()
}
