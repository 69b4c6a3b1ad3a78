//! The tables of a scenario that have no kinds.

use fabricsim_base::input::Keys;
use fabricsim_pint::query::QueryConfig;
use fabricsim_scenario::schema::capture::CaptureSettings;
use fabricsim_scenario::schema::class::CLASS_KEYS;
use fabricsim_scenario::schema::host::HostSettings;
use fabricsim_scenario::schema::observe::ObserveSettings;
use fabricsim_scenario::schema::queries::BudgetSettings;
use fabricsim_scenario::schema::queue::QUEUE_KEYS;
use fabricsim_scenario::schema::root::ROOT_KEYS;
use fabricsim_scenario::schema::routing::RoutingSettings;
use fabricsim_scenario::schema::run::{OutputSettings, RunSettings};
use fabricsim_scenario::schema::switch::SwitchSettings;
use fabricsim_scenario::schema::{rdma_keys, tcp_keys};

/// Returns the name, one line of description and the keys of each table.
pub(super) fn tables() -> [(&'static str, &'static str, Keys); 15] {
    [
        ("(top)", "keys before any table", ROOT_KEYS),
        (
            "[[scheme]]",
            "settings of an algorithm that `--cc NAME` selects: its `kind` and its keys of [cc]",
            &[],
        ),
        (
            "[[class]]",
            "the congestion control of one class of flows",
            CLASS_KEYS,
        ),
        (
            "[host]",
            "delay of the network stack in hosts",
            HostSettings::KEYS,
        ),
        (
            "[switch]",
            "shared buffer, PFC, ECN marks and trimming",
            SwitchSettings::KEYS,
        ),
        (
            "[rdma]",
            "packets, acknowledgements and timeouts of RDMA",
            rdma_keys(),
        ),
        (
            "[tcp]",
            "segments, acknowledgements and timeouts of TCP",
            tcp_keys(),
        ),
        (
            "[[queue]]",
            "the discipline and capacity of TCP queues",
            QUEUE_KEYS,
        ),
        (
            "[routing]",
            "how flows spread over equal-cost paths",
            RoutingSettings::KEYS,
        ),
        ("[run]", "when to stop", RunSettings::KEYS),
        (
            "[output]",
            "the folder of the results",
            OutputSettings::KEYS,
        ),
        (
            "[observe]",
            "time series of queues, links and flows",
            ObserveSettings::KEYS,
        ),
        (
            "[capture]",
            "packets at ports, for Wireshark",
            CaptureSettings::KEYS,
        ),
        (
            "[pint]",
            "the bits of a packet that all queries share",
            BudgetSettings::KEYS,
        ),
        (
            "[[query]]",
            "values that switches write into packets (PINT)",
            QueryConfig::KEYS,
        ),
    ]
}
