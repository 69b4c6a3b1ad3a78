//! Captures: every frame that a link has carried, as capture readers see it.

mod delays;
mod driven;
mod exact;
mod file;
mod losses;
mod refusals;
mod timestamps;
mod tshark;

use crate::support;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use fabricsim::outcome::{Existing, Summary, run_to_folder};
use fabricsim::output::Destination;

/// An incast that pauses its senders, with losses on one link and a failure of another.
const HARSH: &str = r#"
    [topology]
    kind = "leaf-spine"
    leaves = 2
    hosts_per_leaf = 4
    spines = 2
    [rdma]
    rto_min = "100us"
    recovery = "selective"
    [[workload]]
    kind = "incast"
    fan_in = 7
    size = "200KB"
    at = "1us"
    [[event]]
    at = "20us"
    kind = "link-down"
    link = [8, 10]
    [[event]]
    at = "10us"
    kind = "link-loss"
    link = [8, 11]
    loss = 0.02
"#;

/// Runs `text` on `threads` threads, with its results in `dir`.
fn run(text: &str, dir: &Path, threads: usize) -> Summary {
    let scenario = support::scenario(text);
    let destination = Destination::new(dir, Existing::Replace);
    run_to_folder(&scenario, destination, threads, &mut ()).unwrap()
}

/// Returns the rows of a CSV file, by the names of their columns.
fn table(dir: &Path, name: &str) -> Vec<BTreeMap<String, String>> {
    let text = fs::read_to_string(dir.join(name)).unwrap();
    let mut lines = text.lines();
    let names: Vec<&str> = lines.next().unwrap().split(',').collect();
    let row = |line: &str| {
        let cells = names.iter().zip(line.split(','));
        let cells = cells.map(|(name, cell)| ((*name).to_owned(), cell.to_owned()));
        cells.collect()
    };
    lines.map(row).collect()
}
