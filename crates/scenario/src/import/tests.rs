use super::shared_keys::{PUBLISHED_AND_SIMAI_KEYS, SHARED_KEYS};
use super::*;
use crate::Scenario;

mod mutants;
mod schemes;

/// Every key, as written by run.py for HPCC at 100 Gbps.
const HPCC: &str = "\
ENABLE_QCN 1
USE_DYNAMIC_PFC_THRESHOLD 1
PAUSE_TIME 5
DATA_RATE 1Gb/s
LINK_DELAY 1us
PACKET_PAYLOAD_SIZE 1000

TOPOLOGY_FILE topology.txt
FLOW_FILE flow.txt
TRACE_FILE trace.txt
TRACE_OUTPUT_FILE mix.tr
FCT_OUTPUT_FILE fct.txt
PFC_OUTPUT_FILE pfc.txt
SIMULATOR_STOP_TIME 4.00

CC_MODE 3
ALPHA_RESUME_INTERVAL 1
RATE_DECREASE_INTERVAL 4
CLAMP_TARGET_RATE 0
RP_TIMER 300
EWMA_GAIN 0.00390625
FAST_RECOVERY_TIMES 1
RATE_AI 40Mb/s
RATE_HAI 200Mb/s
MIN_RATE 1000Mb/s
DCTCP_RATE_AI 615Mb/s
ERROR_RATE_PER_LINK 0.0000
L2_CHUNK_SIZE 4000
L2_ACK_INTERVAL 1
L2_BACK_TO_ZERO 0
HAS_WIN 1
GLOBAL_T 1
VAR_WIN 1
FAST_REACT 1
U_TARGET 0.95
MI_THRESH 0
INT_MULTI 4
MULTI_RATE 0
SAMPLE_FEEDBACK 0
PINT_LOG_BASE 1.01
PINT_PROB 1.0
RATE_BOUND 1
ACK_HIGH_PRIO 0
LINK_DOWN 0 0 0
ENABLE_TRACE 0
KMAX_MAP 2 100000000000 1600 400000000000 6400
KMIN_MAP 2 100000000000 400 400000000000 1600
PMAX_MAP 2 100000000000 0.20 400000000000 0.20
BUFFER_SIZE 32
QLEN_MON_FILE qlen.txt
QLEN_MON_START 2000000000
QLEN_MON_END 2000000000
";

fn made(text: &str, traced: &[u32]) -> Result<Imported, Vec<InputError>> {
    made_with(text, traced, UnknownKeys::Refused)
}

fn made_with(
    text: &str,
    traced: &[u32],
    unknown: UnknownKeys,
) -> Result<Imported, Vec<InputError>> {
    let config = Configuration::parse_as(text, Dialect::Published, unknown)?;
    config.to_scenario(&Surroundings {
        name: "mine",
        source: "config.txt",
        path: &|file| format!("in/{file}"),
        rates: &[Rate::from_gbps(100), Rate::from_gbps(400)],
        traced,
        racks: &[],
        more_links: false,
        more_flows: false,
        unmarked: &[],
        smallest_flow: Some(5_000),
        left_out: &[],
        files: &[],
    })
}

/// Returns the tables of a scenario, except tables that name files.
fn settings(text: &str, traced: &[u32]) -> toml::Table {
    let made = made(text, traced).unwrap_or_else(|errors| panic!("{errors:?}"));
    let mut tables: toml::Table = made.text.parse().expect("TOML");
    tables.remove("topology").expect("a topology");
    tables.remove("workload").expect("a workload");
    tables
}

#[test]
fn a_configuration_becomes_a_scenario() {
    insta::assert_snapshot!(made(HPCC, &[]).expect("a scenario").text);
}

#[test]
fn the_other_schemes_become_scenarios() {
    let dcqcn = HPCC
        .replace("CC_MODE 3", "CC_MODE 1")
        .replace("HAS_WIN 1", "HAS_WIN 0");
    let [timely, dctcp, pint] =
        ["7", "8", "10"].map(|mode| HPCC.replace("CC_MODE 3", &format!("CC_MODE {mode}")));
    let cc = |text: &str| settings(text, &[])["cc"].to_string();
    insta::assert_snapshot!(
        [dcqcn, timely, dctcp, pint]
            .map(|text| cc(&text))
            .join("\n")
    );
}

#[test]
fn every_key_is_taken_over_or_said_to_be_left_out() {
    let lists = [SHARED_KEYS, PUBLISHED_AND_SIMAI_KEYS, keys::CONFIG_KEYS];
    for key in lists.into_iter().flatten() {
        let line = HPCC.lines().find(|line| line.starts_with(key.name));
        assert!(line.is_some(), "{}", key.name);
        for mode in ["1", "3", "7", "8", "10"] {
            let text = HPCC.replace("CC_MODE 3", &format!("CC_MODE {mode}"));
            let made = made(&text, &[]).expect("a scenario");
            let kept = made
                .text
                .lines()
                .any(|line| line.contains(&format!("# {} ", key.name)));
            let said = made
                .left_out
                .iter()
                .any(|left| left.keys.iter().any(|left| left == key.name));
            let demanded = [
                "VAR_WIN",
                "HAS_WIN",
                "RATE_BOUND",
                "LINK_DOWN",
                "ERROR_RATE_PER_LINK",
            ];
            let demanded = demanded.contains(&key.name) || key.name.starts_with("L2_");
            let maps = ["KMAX_MAP", "KMIN_MAP", "PMAX_MAP", "ENABLE_QCN"].contains(&key.name);
            assert!(
                kept || said || demanded || maps,
                "{}, mode {mode}",
                key.name
            );
        }
    }
}

#[test]
fn thresholds_are_those_of_the_networks_links() {
    let dcqcn = HPCC.replace("CC_MODE 3", "CC_MODE 1");
    let switch = &settings(&dcqcn, &[])["switch"];
    let rules = switch["ecn_rules"].as_array().expect("a list");
    assert_eq!(rules.len(), 2);
    assert_eq!(rules[1]["kmax"].as_str(), Some("6400KB"));
    let never = dcqcn.replace("ENABLE_QCN 1", "ENABLE_QCN 0");
    assert_eq!(
        settings(&never, &[])["switch"]["ecn"]["pmax"].as_float(),
        Some(0.0)
    );
    let fault = refused(&dcqcn.replace(
        "KMAX_MAP 2 100000000000 1600 400000000000 6400",
        "KMAX_MAP 1 100000000000 1600",
    ));
    assert!(
        fault.1.contains("no value for links of 400Gbps"),
        "{fault:?}"
    );
}

#[test]
fn failures_traces_and_queues_are_taken_over() {
    let text = HPCC
        .replace("LINK_DOWN 0 0 0", "LINK_DOWN 1500 3 7")
        .replace("ENABLE_TRACE 0", "ENABLE_TRACE 1");
    let tables = settings(&text, &[3, 1, 2, 9]);
    let event = &tables["event"][0];
    assert_eq!(event["at"].as_str(), Some("2001500us"));
    assert_eq!(event["link"][1].as_integer(), Some(7));
    assert_eq!(tables["observe"]["nodes"].to_string(), "[\"1..4\", \"9\"]");
    let text = HPCC.replace("QLEN_MON_END 2000000000", "QLEN_MON_END 2010000000");
    let observe = &settings(&text, &[])["observe"];
    assert_eq!(observe["until"].as_str(), Some("2010ms"));
}

/// Returns the text at which an error points, its message and help.
fn refused(text: &str) -> (String, String) {
    let errors = made(text, &[]).expect_err("refused");
    let [error] = errors.as_slice() else {
        panic!("{errors:?}");
    };
    (text[error.span.clone()].to_owned(), error.to_string())
}

#[test]
fn errors_are_pointed_at() {
    // Each case breaks one value of a valid configuration.
    for (right, wrong, place, message) in [
        ("U_TARGET", "U_TARGT", "U_TARGT", "did you mean `U_TARGET`"),
        ("CC_MODE 3", "CC_MODE 2", "2", "there is no algorithm"),
        ("U_TARGET 0.95", "U_TARGET high", "high", "is no number"),
        ("U_TARGET 0.95", "U_TARGET", "U_TARGET", "stop too soon"),
        ("MIN_RATE 1000Mb/s", "MIN_RATE 100", "100", "is too small"),
        (
            "MIN_RATE 1000Mb/s",
            "MIN_RATE 1000MBPS",
            "1000MBPS",
            "such as 1Gbps or 1GBps",
        ),
        (
            "SIMULATOR_STOP_TIME 4.00",
            "SIMULATOR_STOP_TIME -1",
            "-1",
            "is negative",
        ),
        ("HAS_WIN 1", "HAS_WIN 0", "0", "write HAS_WIN 1"),
        ("VAR_WIN 1", "VAR_WIN 2", "2", "neither 0 nor 1"),
        (
            "L2_ACK_INTERVAL 1",
            "L2_ACK_INTERVAL 2000",
            "2000",
            "before byte 2000",
        ),
        (
            "L2_ACK_INTERVAL 1",
            "L2_ACK_INTERVAL 0",
            "0",
            "no flow ends",
        ),
        (
            "L2_BACK_TO_ZERO 0",
            "L2_BACK_TO_ZERO 1",
            "1",
            "whole chunks",
        ),
        ("RATE_BOUND 1", "RATE_BOUND 0", "0", "write RATE_BOUND 1"),
        ("FAST_REACT 1", "FAST_REACT yes", "yes", "neither 0 nor 1"),
        (
            "BUFFER_SIZE 32",
            "BUFFER_SIZE 3.2",
            "3.2",
            "no whole number",
        ),
        (
            "KMAX_MAP 2",
            "KMAX_MAP two",
            "KMAX_MAP two",
            "no number of pairs",
        ),
        ("KMAX_MAP 2", "KMAX_MAP 1", "KMAX_MAP 1", "write KMAX_MAP 2"),
        ("KMAX_MAP 2", "KMAX_MAP 3", "KMAX_MAP 3", "write KMAX_MAP 2"),
        ("FLOW_FILE flow.txt", "", "", "has no `FLOW_FILE`"),
    ] {
        let text = HPCC.replace(right, wrong);
        assert_ne!(text, HPCC, "{right}");
        let found = refused(&text);
        assert_eq!(found.0, place, "{found:?}");
        assert!(found.1.contains(message), "{found:?}");
    }
}

#[test]
fn what_is_not_given_is_as_in_the_published_simulator() {
    let text = HPCC.replace("U_TARGET 0.95", "").replace("MI_THRESH 0", "");
    let cc = &settings(&text, &[])["cc"];
    assert_eq!(cc["max_stage"].as_integer(), Some(5));
    let fixed = &settings(&HPCC.replace("VAR_WIN 1", ""), &[])["cc"];
    assert_eq!(fixed["fixed_window"].as_bool(), Some(true));
    let (_, message) = refused(&HPCC.replace("L2_ACK_INTERVAL 1", ""));
    assert!(
        message.starts_with("L2_ACK_INTERVAL is not given, which is 0"),
        "{message}"
    );
}

#[test]
fn the_last_value_holds_and_comments_are_skipped() {
    let cc = settings(&format!("{HPCC}U_TARGET 0.5 # of 1\n# U_TARGET 0.6\n"), &[]);
    assert_eq!(cc["cc"]["eta"].as_float(), Some(0.5));
}

#[test]
fn lines_know_where_they_come_from() {
    let made = made(HPCC, &[]).expect("a scenario");
    let line = made
        .text
        .lines()
        .position(|line| line.starts_with("eta"))
        .expect("eta");
    let span = made.origin(line + 1).expect("an origin");
    assert_eq!(&HPCC[span], "0.95");
    assert_eq!(made.origin(1), None);
}

#[test]
fn traces_name_nodes() {
    assert_eq!(
        read_trace_nodes("3\n0 2 400\n\nFirst line: ...\n", 10),
        Ok(vec![0, 2])
    );
    assert_eq!(
        read_trace_nodes("2\n0\n", 10).expect_err("too short").span,
        4..4
    );
    assert_eq!(
        read_trace_nodes("1 x", 10).expect_err("no number").span,
        2..3
    );
}

#[test]
fn the_scenario_is_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = |name: &str| folder.path().join("in").join(name);
    std::fs::create_dir(folder.path().join("in")).expect("a folder");
    std::fs::write(
        place("topology.txt"),
        "4 2 3\n2 3\n0 2 100Gbps 1us 0\n1 3 100Gbps 1us 0\n2 3 400Gbps 1us 0\n",
    )
    .expect("a file");
    std::fs::write(place("flow.txt"), "1\n0 1 3 100 1000 2.0\n").expect("a file");
    for mode in ["1", "3", "7", "8", "10"] {
        let text = HPCC.replace("CC_MODE 3", &format!("CC_MODE {mode}"));
        let text = made(&text, &[]).expect("a scenario").text;
        let read = Scenario::from_text("s.toml", &text, folder.path(), &[]);
        read.unwrap_or_else(|error| panic!("mode {mode}: {error}"));
    }
}
