//! Scenarios of every kind of state: transports, algorithms, queues, routing policies, failures,
//! applications, telemetry and observers.

mod application_cases;

use std::path::PathBuf;

use application_cases::applications;
use fabricsim::Scenario;

/// A leaf-spine with two planes, and a star.
const LEAF_SPINE: &str = r#"
    [topology]
    kind = "leaf-spine"
    leaves = 3
    spines = 2
    hosts_per_leaf = 4
"#;
const STAR: &str = r#"
    [topology]
    kind = "star"
    hosts = 9
"#;

/// Arrivals of 200 us, and an incast among them.
const TRAFFIC: &str = r#"
    [[workload]]
    kind = "poisson"
    sizes = "websearch"
    load = 0.6
    duration = "200us"
    [[workload]]
    kind = "incast"
    fan_in = 6
    size = "60KB"
    period = "70us"
    duration = "200us"
"#;

/// Failures and repairs during this traffic.
const FAILURES: &str = r#"
    [[event]]
    kind = "link-down"
    link = [12, 15]
    at = "40us"
    [[event]]
    kind = "link-rate"
    link = [13, 16]
    rate = "25Gbps"
    at = "50us"
    [[event]]
    kind = "link-loss"
    link = [14, 15]
    loss = 0.02
    at = "60us"
    [[event]]
    kind = "switch-down"
    switch = 16
    at = "90us"
    [[event]]
    kind = "switch-up"
    switch = 16
    at = "130us"
    [[event]]
    kind = "link-up"
    link = [12, 15]
    at = "150us"
    [[event]]
    kind = "link-loss"
    link = [14, 15]
    loss = 0.0
    at = "170us"
    [[event]]
    kind = "link-up"
    link = [13, 16]
    at = "180us"
"#;

/// A scenario: its name and its text.
#[derive(Clone)]
pub(crate) struct Case {
    pub(crate) name: &'static str,
    text: String,
}

impl Case {
    pub(crate) fn scenario(&self) -> Scenario {
        let base = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples/scenarios");
        let read = Scenario::from_text(self.name, &self.text, &base, &[]);
        read.unwrap_or_else(|error| panic!("{}: {error}", self.name))
    }
}

/// Returns an algorithm of RDMA over the leaf-spine, with more tables.
fn rdma(name: &'static str, cc: &str, more: &str) -> Case {
    let text = format!("{more}\n{LEAF_SPINE}[cc]\n{cc}\n{TRAFFIC}");
    Case { name, text }
}

/// Returns an algorithm of TCP over the star, with a discipline for its queue.
fn tcp(name: &'static str, cc: &str, discipline: &str) -> Case {
    let text = format!(
        r#"
            {STAR}
            [cc]
            {cc}
            [tcp]
            profile = "datacenter"
            [[queue]]
            priorities = [1]
            discipline = {{ {discipline} }}
            [[workload]]
            kind = "poisson"
            sizes = "websearch"
            load = 0.7
            duration = "2ms"
            [[workload]]
            kind = "incast"
            fan_in = 6
            size = "60KB"
            at = "100us"
        "#
    );
    Case { name, text }
}

/// Returns an example with more tables.
fn example(name: &'static str, more: &str) -> Case {
    let base = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples/scenarios");
    let text = std::fs::read_to_string(base.join(name)).unwrap();
    let text = format!("{text}\n{more}");
    Case { name, text }
}

pub(crate) fn cases() -> Vec<Case> {
    [
        plain_cases(),
        special_cases(),
        tcp_cases(),
        examples(),
        applications(),
    ]
    .concat()
}

/// Algorithms of RDMA in an ordinary network.
fn plain_cases() -> Vec<Case> {
    vec![
        rdma("hpcc", r#"kind = "hpcc""#, "[output]\npauses = true"),
        rdma("dcqcn", r#"kind = "dcqcn""#, "[output]\npauses = true"),
        rdma(
            "dcqcn of the paper",
            r#"kind = "dcqcn"
                parameters = "paper""#,
            "",
        ),
        rdma(
            "timely",
            r#"kind = "timely""#,
            r#"
                [rdma]
                recovery = "selective"
                rto_min = "100us""#,
        ),
        rdma("dctcp", r#"kind = "dctcp""#, ""),
        rdma("swift", r#"kind = "swift""#, FAILURES),
        rdma("powertcp", r#"kind = "powertcp""#, FAILURES),
        rdma("theta-powertcp", r#"kind = "theta-powertcp""#, ""),
        rdma(
            "hpcc-pint",
            r#"kind = "hpcc-pint"
                digest_fraction = 0.5"#,
            FAILURES,
        ),
        rdma("csig", "kind = \"csig\"", FAILURES),
    ]
}

/// RDMA with failures, losses, other routing policies, and observation.
#[expect(clippy::too_many_lines, reason = "scenarios are written out")]
fn special_cases() -> Vec<Case> {
    vec![
        // Each scenario adds one kind of state to an ordinary network.
        rdma(
            "failures",
            r#"kind = "hpcc""#,
            &format!(
                r#"
                [rdma]
                rto_min = "100us"
                {FAILURES}"#
            ),
        ),
        rdma("reference", r#"kind = "hpcc""#, r#"profile = "ns3-hpcc""#),
        rdma(
            "reference dcqcn",
            r#"kind = "dcqcn""#,
            r#"profile = "ns3-hpcc"
                [output]
                fct_txt = true"#,
        ),
        rdma(
            "lossy",
            r#"kind = "none""#,
            r#"
                [switch]
                pfc = false
                buffer = "200KB"
                [rdma]
                rto_min = "100us""#,
        ),
        rdma(
            "flowlets",
            r#"kind = "dctcp""#,
            r#"
                [routing]
                policy = { kind = "flowlet", gap = "5us" }"#,
        ),
        rdma(
            "two choices",
            r#"kind = "swift""#,
            r#"
                [routing]
                policy = "power-of-two""#,
        ),
        rdma(
            "round robin",
            r#"kind = "none""#,
            r#"
                [routing]
                policy = "round-robin""#,
        ),
        rdma(
            "spray and trim",
            r#"kind = "nscc""#,
            r#"
                [routing]
                policy = "reps"
                [switch]
                pfc = false
                trim_above = "40KB""#,
        ),
        rdma(
            "credit",
            r#"kind = "rccc""#,
            r#"
                [routing]
                policy = "random"
                [switch]
                pfc = false
                trim_above = "40KB""#,
        ),
        Case {
            name: "hosts that forward",
            text: r#"
                [topology]
                kind = "mesh"
                shape = "dgx-1"
                delay = "600ns"
                [host]
                forward = true
                forwarding_delay = "300ns"
                [cc]
                kind = "hpcc"
                [[workload]]
                kind = "all-to-all"
                size = "40KB"
                [[workload]]
                kind = "poisson"
                sizes = "websearch"
                load = 0.4
                duration = "100us"
            "#
            .to_owned(),
        },
        rdma(
            "observe",
            r#"kind = "hpcc""#,
            r#"
                [observe]
                interval = "7us"
                queues = true
                links = true
                flows = true
                queue_distribution = true
                hop_delays = true"#,
        ),
    ]
}

fn tcp_cases() -> Vec<Case> {
    vec![
        tcp("cubic", r#"kind = "cubic""#, r#"kind = "codel""#),
        tcp(
            "bbr",
            r#"kind = "bbr""#,
            r#"kind = "tail-drop", limit = 40"#,
        ),
        tcp(
            "prague",
            r#"kind = "prague"
                classic_fallback = "on""#,
            r#"kind = "dualpi2""#,
        ),
        tcp("newreno", r#"kind = "newreno""#, r#"kind = "fq-codel""#),
        tcp("tcp-dctcp", r#"kind = "tcp-dctcp""#, r#"kind = "red""#),
    ]
}

fn examples() -> Vec<Case> {
    vec![
        example("all-reduce.toml", ""),
        example("rpc-flood.toml", ""),
        example("tcp-and-rdma.toml", ""),
        example("tcp-hpcc.toml", ""),
        example("testbed-queries.toml", ""),
        example("pint-combined.toml", ""),
        example("mixed-algorithms.toml", ""),
        example("rail.toml", ""),
        example("link-flap.toml", ""),
        example("lossy-no-pfc.toml", ""),
        example("ns3-profile.toml", ""),
    ]
}
