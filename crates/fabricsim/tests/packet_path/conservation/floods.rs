//! Switches that are flooded, with and without PFC.

use fabricsim::warnings::scenario_warnings;
use fabricsim_base::units::Bytes;

use crate::conservation::cases::{Case, Losses};
use crate::conservation::{check, run_until_quiet, simulation};

pub(crate) fn star(losses: Losses, switch: &str, cc: &str) -> Case {
    Case {
        scenario: format!(
            "[topology]\nkind = \"star\"\nhosts = 9\n[switch]\n{switch}\n[cc]\n{cc}\n\
             [rdma]\nrto_min = \"100ms\"\n\
             [[workload]]\nkind = \"incast\"\nfan_in = 8\nsize = \"200KB\"\nat = \"0us\""
        ),
        topology: String::new(),
        losses,
        threads: 1,
    }
}

const FLOOD: &str = "kind = \"none\"\nwindow_bdp = 0.0";

#[test]
fn a_flooded_switch_without_pfc_drops_and_every_flow_finishes() {
    let case = star(
        Losses::InSwitches,
        "pfc = false\nbuffer = \"256KiB\"",
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
    let case = star(Losses::Never, "pfc = true\nbuffer = \"1MiB\"", FLOOD);
    check(&case);
    let mut simulation = simulation(&case);
    run_until_quiet(&mut simulation);
    assert!(simulation.counters().pauses > 0);
}

#[test]
fn pauses_under_the_profile_stop_no_algorithm_for_ever() {
    let mut case = star(
        Losses::Never,
        "pfc = true\nbuffer = \"1MiB\"\nalpha = 0.0078125",
        "kind = \"none\"",
    );
    case.scenario.insert_str(0, "profile = \"ns3-hpcc\"\n");
    check(&case);
}

#[test]
fn pauses_spread_through_a_fabric_and_nothing_is_lost() {
    let case = Case {
        scenario: format!(
            "[topology]\nkind = \"leaf-spine\"\nleaves = 4\nhosts_per_leaf = 4\nspines = 2\n\
             [switch]\nbuffer = \"2MiB\"\nalpha = 0.0078125\n[cc]\n{FLOOD}\n\
             [rdma]\nrto_min = \"100ms\"\n\
             [[workload]]\nkind = \"incast\"\nfan_in = 15\nsize = \"200KB\"\nat = \"0us\"\n\
             [[workload]]\nkind = \"permutation\"\nsize = \"200KB\""
        ),
        topology: String::new(),
        losses: Losses::Never,
        threads: 2,
    };
    check(&case);
    let mut simulation = simulation(&case);
    run_until_quiet(&mut simulation);
    // More ports pause their neighbors than those that hosts are on.
    assert!(simulation.counters().pauses > 15);
}

#[test]
fn a_lossy_link_loses_and_every_flow_finishes() {
    let case = Case {
        scenario: "[topology]\nkind = \"file\"\npath = \"topology.txt\"\n[cc]\nkind = \"hpcc\"\n\
                   [[workload]]\nkind = \"permutation\"\nsize = \"2MB\""
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
            "[topology]\nkind = \"star\"\nhosts = 2\n[switch]\npfc = false\nbuffer = \"12KB\"\n\
             reserve = \"4KiB\"\n[cc]\n{FLOOD}\n[rdma]\nrto_min = \"100us\"\n\
             [[workload]]\nkind = \"permutation\"\nsize = \"100KB\""
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
