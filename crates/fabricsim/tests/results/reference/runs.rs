//! The published runs, and our runs of the same flows.

use std::collections::HashMap;
use std::fs;
use std::path::PathBuf;

use fabricsim::{Scenario, Simulation};
use fabricsim_base::flow::Completion;
use fabricsim_base::id::NodeId;
use fabricsim_base::units::Time;
use fabricsim_core::network::{Counters, Stop};
use fabricsim_report::{FctRecord, read_fct};

/// The networks, each with the flows of `NAME.flows.csv` and the tables of its scenario.
const NETWORKS: &[(&str, &str)] = &[
    (
        "tiny",
        r#"
        [topology]
        kind = "star"
        hosts = 2"#,
    ),
    (
        "two_to_one",
        r#"
        [topology]
        kind = "star"
        hosts = 3"#,
    ),
    (
        "incast",
        r#"
        [topology]
        kind = "star"
        hosts = 17"#,
    ),
    (
        "mid64",
        r#"
            [topology]
            kind = "file"
            path = "mid64.topology.txt""#,
    ),
    (
        "pfc64",
        r#"
            [topology]
            kind = "file"
            path = "mid64.topology.txt"
            [switch]
            buffer = "4MiB""#,
    ),
    (
        "parallel",
        r#"
            [topology]
            kind = "file"
            path = "parallel.topology.txt""#,
    ),
    (
        "two_nics",
        r#"
            [topology]
            kind = "file"
            path = "two_nics.topology.txt""#,
    ),
    (
        "mixed",
        r#"
            [topology]
            kind = "file"
            path = "mixed.topology.txt""#,
    ),
    (
        "priorities",
        r#"
            [topology]
            kind = "file"
            path = "priorities.topology.txt"
            [switch]
            buffer = "1MiB""#,
    ),
    (
        "slow_links",
        r#"
            [topology]
            kind = "file"
            path = "slow_links.topology.txt""#,
    ),
    (
        "fat320",
        r#"
            [topology]
            kind = "fat-tree"
            preset = "hpcc-fat320""#,
    ),
];

/// The schemes, each with a column of `NAME.fct.csv` and the keys of `[cc]`. The profile sets
/// everything else.
const SCHEMES: &[(&str, &str)] = &[
    ("hpcc", r#"kind = "hpcc""#),
    (
        "hpcc_ai50",
        r#"kind = "hpcc"
            additive_increase = "50Mbps""#,
    ),
    ("hpcc_pint", r#"kind = "hpcc-pint""#),
    (
        "hpcc_pint_readme",
        r#"kind = "hpcc-pint"
            log_base = 1.05
            additive_increase = "50Mbps""#,
    ),
    ("dcqcn", r#"kind = "dcqcn""#),
    (
        "dcqcn_w",
        r#"kind = "dcqcn"
        window = true"#,
    ),
    ("timely", r#"kind = "timely""#),
    (
        "timely_w",
        r#"kind = "timely"
        window = true"#,
    ),
    ("dctcp", r#"kind = "dctcp""#),
];

/// The first keys of a scenario of the published model.
pub(crate) const PROFILE: &str = r#"profile = "ns3-hpcc""#;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/reference")
}

/// Returns a file of this folder without the line that describes it.
pub(crate) fn table(name: &str) -> String {
    let text = fs::read_to_string(folder().join(name)).unwrap();
    let (_source, rows) = text.split_once('\n').unwrap();
    rows.to_owned()
}

fn entry(list: &[(&str, &'static str)], name: &str) -> &'static str {
    let found = list.iter().find(|(known, _)| *known == name);
    found.unwrap_or_else(|| panic!("no {name}")).1
}

/// Returns the schemes that ran on `network`.
pub(crate) fn schemes_on(network: &str) -> Vec<&'static str> {
    let table = table(&format!("{network}.fct.csv"));
    let columns: Vec<&str> = table.lines().next().unwrap().split(',').collect();
    let known = SCHEMES.iter().map(|(scheme, _)| *scheme);
    let schemes: Vec<&str> = known.filter(|scheme| columns.contains(scheme)).collect();
    assert_eq!(schemes.len(), columns.len(), "{network}: {columns:?}");
    schemes
}

/// Returns the records of the published simulator for the flows on `network`, in the order of the
/// flows.
pub(crate) fn reference(network: &str, scheme: &str) -> Vec<FctRecord> {
    let flows = table(&format!("{network}.flows.csv"));
    let times = table(&format!("{network}.fct.csv"));
    let header = times.lines().next().unwrap();
    let column = header.split(',').position(|name| name == scheme).unwrap();
    let times = times.lines().map(|row| row.split(',').nth(column).unwrap());
    let mut rows = String::new();
    for (flow, time) in flows.lines().zip(times) {
        let time = if time == scheme { "fct_ns" } else { time };
        rows.push_str(&format!("{flow},{time}\n"));
    }
    let records = read_fct(&rows).unwrap();
    assert_eq!(records.len(), flows.lines().count() - 1, "{network}");
    records
}

/// Returns the number of pauses in the published run of `scheme` on `network`.
pub(crate) fn published_pauses(network: &str, scheme: &str) -> u64 {
    let table = table(&format!("{network}.pauses.csv"));
    let mut rows = table.lines().filter_map(|row| row.split_once(','));
    let (_, pauses) = rows.find(|(name, _)| *name == scheme).unwrap();
    pauses.parse().unwrap()
}

/// Returns the flows of `network` with the keys `keys` before any table and the keys `cc` of the
/// algorithm.
pub(crate) fn scenario(network: &str, keys: &str, cc: &str) -> Scenario {
    let tables = entry(NETWORKS, network);
    let text = format!(
        r#"
            {keys}
            {tables}
            [[workload]]
            kind = "list"
            path = "{network}.flows.csv"
            [cc]
            {cc}"#
    );
    Scenario::from_text(network, &text, &folder(), &[]).unwrap_or_else(|error| panic!("{error}"))
}

/// Results of a run.
pub(crate) struct Run {
    pub(crate) completions: Vec<Completion>,
    /// The records of the completions, in the order in which the flows started.
    pub(crate) records: Vec<FctRecord>,
    pub(crate) counters: Counters,
}

/// Runs `scenario` to its end.
pub(crate) fn simulate(scenario: &Scenario) -> Run {
    let mut simulation = Simulation::new(scenario, 2).unwrap();
    assert_eq!(simulation.run_until(Time::MAX), Stop::Finished);
    let mut completions = simulation.take_completions();
    completions.sort_by_key(|completion| completion.flow.id);
    let records = completions.iter().map(|done| simulation.record(done));
    Run {
        records: records.collect(),
        counters: simulation.counters(),
        completions,
    }
}

/// Returns our run of `scheme` on `network` under the profile with `seed`, and the published flows.
pub(crate) fn both(network: &str, scheme: &str, seed: u64) -> (Run, Vec<FctRecord>) {
    let keys = format!("{PROFILE}\nseed = {seed}");
    let ours = simulate(&scenario(network, &keys, entry(SCHEMES, scheme)));
    let theirs = reference(network, scheme);
    let case = format!("{network}, {scheme}");
    assert_eq!(
        ours.records.len(),
        theirs.len(),
        "{case}: flows that finish"
    );
    let mut ports = SourcePorts::default();
    for ((done, our), their) in ours.completions.iter().zip(&ours.records).zip(&theirs) {
        let who = |r: &FctRecord| (r.flow, r.src, r.dst, r.size, r.start);
        assert_eq!(who(our), who(their), "{case}");
        let port = done.flow.request.src_port;
        assert_eq!(port, Some(ports.next(our)), "{case}: {}", our.flow);
        assert_eq!(our.ideal, their.ideal, "{case}: {}", our.flow);
        assert_eq!(our.retransmitted.get(), 0, "{case}: {}", our.flow);
    }
    (ours, theirs)
}

/// The published simulator's source ports, counted for each pair of hosts.
#[derive(Default)]
pub(crate) struct SourcePorts(HashMap<(NodeId, NodeId), u16>);

impl SourcePorts {
    pub(crate) fn next(&mut self, flow: &FctRecord) -> u16 {
        let next = self.0.entry((flow.src, flow.dst)).or_insert(10_000);
        *next += 1;
        *next - 1
    }
}
