//! Flooded switches, with and without PFC.

use fabricsim::warnings::scenario_warnings;
use fabricsim_base::units::Bytes;

use crate::conservation::cases::{Case, Losses};
use crate::conservation::{check, run_until_quiet, simulation};

pub(crate) fn star(losses: Losses, switch: &str, cc: &str) -> Case {
    Case {
        scenario: format!(
            r#"
                [topology]
                kind = "star"
                hosts = 9
                [switch]
                {switch}
                [cc]
                {cc}
                [rdma]
                rto_min = "100ms"
                [[workload]]
                kind = "incast"
                fan_in = 8
                size = "200KB"
                at = "0us""#
        ),
        topology: String::new(),
        losses,
        threads: 1,
    }
}

const FLOOD: &str = r#"kind = "none"
    window_bdp = 0.0"#;

#[test]
fn a_flooded_switch_without_pfc_drops_and_every_flow_finishes() {
    let case = star(
        Losses::InSwitches,
        r#"pfc = false
            buffer = "256KiB""#,
        FLOOD,
    );
    check(&case);
    let mut simulation = simulation(&case);
    run_until_quiet(&mut simulation);
    assert!(simulation.counters().buffer_drops > 0);
    assert!(simulation.endpoint_counters().retransmitted > Bytes::ZERO);
    assert_eq!(simulation.counters().pauses, 0);
}

#[test]
fn a_flooded_switch_with_pfc_pauses_and_loses_nothing() {
    let case = star(
        Losses::Never,
        r#"pfc = true
        buffer = "1MiB""#,
        FLOOD,
    );
    check(&case);
    let mut simulation = simulation(&case);
    run_until_quiet(&mut simulation);
    assert!(simulation.counters().pauses > 0);
}

#[test]
fn pauses_under_the_profile_stop_no_algorithm_for_ever() {
    let mut case = star(
        Losses::Never,
        r#"pfc = true
            buffer = "1MiB"
            alpha = 0.0078125"#,
        r#"kind = "none""#,
    );
    case.scenario.insert_str(0, "profile = \"ns3-hpcc\"\n");
    check(&case);
}

#[test]
fn pauses_spread_through_a_fabric_and_nothing_is_lost() {
    let case = Case {
        scenario: format!(
            r#"
                [topology]
                kind = "leaf-spine"
                leaves = 4
                hosts_per_leaf = 4
                spines = 2
                [switch]
                buffer = "2MiB"
                alpha = 0.0078125
                [cc]
                {FLOOD}
                [rdma]
                rto_min = "100ms"
                [[workload]]
                kind = "incast"
                fan_in = 15
                size = "200KB"
                at = "0us"
                [[workload]]
                kind = "permutation"
                size = "200KB""#
        ),
        topology: String::new(),
        losses: Losses::Never,
        threads: 2,
    };
    check(&case);
    let mut simulation = simulation(&case);
    run_until_quiet(&mut simulation);
    // More ports pause their neighbors than the ports to hosts alone.
    assert!(simulation.counters().pauses > 15);
}

#[test]
fn a_lossy_link_loses_and_every_flow_finishes() {
    let case = Case {
        scenario: r#"
            [topology]
            kind = "file"
            path = "topology.txt"
            [cc]
            kind = "hpcc"
            [[workload]]
            kind = "permutation"
            size = "2MB""#
            .to_owned(),
        topology: "4 1 3\n3\n0 3 100Gbps 1us 0.01\n1 3 100Gbps 1us 0\n2 3 25Gbps 3us 0.002\n"
            .to_owned(),
        losses: Losses::OnLinks,
        threads: 1,
    };
    check(&case);
    let mut simulation = simulation(&case);
    run_until_quiet(&mut simulation);
    assert!(simulation.counters().link_losses > 10);
    assert!(simulation.endpoint_counters().retransmitted > Bytes::ZERO);
}

/// The shared part of this buffer holds no packet, and the reserve of each port holds three.
#[test]
fn an_empty_switch_without_pfc_stores_packets_in_reserves() {
    let case = Case {
        scenario: format!(
            r#"
                [topology]
                kind = "star"
                hosts = 2
                [switch]
                pfc = false
                buffer = "12KB"
                reserve = "4KiB"
                [cc]
                {FLOOD}
                [rdma]
                rto_min = "100us"
                [[workload]]
                kind = "permutation"
                size = "100KB""#
        ),
        topology: String::new(),
        losses: Losses::InSwitches,
        threads: 1,
    };
    check(&case);
    let mut simulation = simulation(&case);
    run_until_quiet(&mut simulation);
    assert_eq!(simulation.counters().buffer_drops, 0);
    let warnings = scenario_warnings(simulation.scenario());
    assert!(warnings[0].contains("beside its reserve"), "{warnings:?}");
}
