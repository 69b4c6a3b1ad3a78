//! What the fuzz targets do with their bytes: the same as the tests with mutants, which stop at
//! the same things (`crates/cli/tests/mutants`).

use std::path::Path;

#[path = "../../crates/cli/tests/mutants/targets.rs"]
mod targets;

use targets::{Kind, judge};

/// Reads `data` as an input of this kind and does with it what the command would.
fn read(kind: Kind, data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    if let Err(what) = judge(kind, text, Path::new("/nonexistent")) {
        panic!("{what}");
    }
}

/// Takes `data` for a scenario.
pub fn scenario(data: &[u8]) {
    read(Kind::Scenario, data);
}

/// Takes `data` for a sweep.
pub fn sweep(data: &[u8]) {
    read(Kind::Sweep, data);
}

/// Takes `data` for a change by `--set`.
pub fn overrides(data: &[u8]) {
    read(Kind::Override, data);
}

/// Takes `data` for a list of links.
pub fn topology(data: &[u8]) {
    read(Kind::Topology, data);
}

/// Takes `data` for a network in GraphML.
pub fn graphml(data: &[u8]) {
    read(Kind::Graphml, data);
}

/// Takes `data` for a list of flows.
pub fn flows_csv(data: &[u8]) {
    read(Kind::FlowsCsv, data);
}

/// Takes `data` for the HPCC simulator's flow.txt.
pub fn flow_txt(data: &[u8]) {
    read(Kind::FlowsTxt, data);
}

/// Takes `data` for a distribution of sizes.
pub fn cdf(data: &[u8]) {
    read(Kind::Sizes, data);
}

/// Takes `data` for results.
pub fn fct_csv(data: &[u8]) {
    read(Kind::FctCsv, data);
}

/// Takes `data` for the published simulator's results.
pub fn fct_txt(data: &[u8]) {
    read(Kind::FctTxt, data);
}

/// Takes `data` for the settings of a harm test.
pub fn harm(data: &[u8]) {
    read(Kind::Harm, data);
}

/// Takes `data` for the flows of a harm test.
pub fn harm_workload(data: &[u8]) {
    read(Kind::HarmWorkload, data);
}

/// Takes `data` for published curves.
pub fn published(data: &[u8]) {
    read(Kind::Published, data);
}

/// Takes `data` for a time series.
pub fn observed(data: &[u8]) {
    read(Kind::Observed, data);
}
