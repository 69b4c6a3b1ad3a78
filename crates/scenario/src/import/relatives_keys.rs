//! Keys of simulators that are based on the published one and read its keys in the same way.
//!
//! Keys that name files or set the times of printed counters are omitted. Keys that enable a
//! feature are ignored as long as the feature is off. Keys that change traffic or algorithms are
//! not in the list, so they are rejected as unknown.

use super::keys::{ConfigKey, NIC_PAUSES, Role, key};

const FILES: Role = Role::LeftOut("it concerns files of results, which have fixed names");
const LOGS: Role = Role::LeftOut("it concerns logging");
const OF_SRNIC: Role = Role::LeftOut("for an algorithm that only srnic-simulation has");
const MARKS_OF_PBT: Role = Role::PartOf("ENABLE_PBT");
const OFFSETS: Role = Role::PartOf("ENABLE_RANDOFFSET");

/// Keys of related simulators: ASTRA-sim's ns-3 back end (`NIC_`), srnic-simulation-public
/// (`THROUGHPUT_FILE` to `CUSTOM_BETA`), ns3-PB-FS (`ENABLE_PFC` to `PBT_MAX`), LIBRA
/// (`ENABLE_SEANET` to `SWITCH_DEBUG_LOG`), Hawkeye (`DIR`), and random offsets (the remaining
/// keys).
pub(super) const RELATIVES_KEYS: &[ConfigKey] = &[
    key("NIC_TOTAL_PAUSE_TIME", Some("0"), NIC_PAUSES),
    key("THROUGHPUT_FILE", Some(""), FILES),
    key("MEASUREMENT_CYCLE", Some("1000"), FILES),
    key("CUSTOM_ALPHA", Some("1.0"), OF_SRNIC),
    key("CUSTOM_BETA", Some("0.5"), OF_SRNIC),
    key("ENABLE_PFC", Some("1"), Role::Taken),
    key(
        "ENABLE_IRN",
        Some("0"),
        Role::Idle {
            at: "0",
            means: "losses are recovered as in the published simulator",
            is_not: "IRN of this simulator is not simulated",
        },
    ),
    key("LOW_RESP_TIMEOUT", Some(""), Role::PartOf("ENABLE_IRN")),
    key("HIGH_RESP_TIMEOUT", Some(""), Role::PartOf("ENABLE_IRN")),
    key(
        "ENABLE_SLOW_START",
        Some("0"),
        Role::Idle {
            at: "0",
            means: "flows start at line rate, as in the published simulator",
            is_not: "slow start is not simulated",
        },
    ),
    key(
        "ENABLE_PBT",
        Some("0"),
        Role::Idle {
            at: "0",
            means: "switches work as in the published simulator",
            is_not: "PBT is not simulated",
        },
    ),
    key("GPUT_OUTPUT_FILE", Some(""), FILES),
    key("GPUT_COUNT_END_TIME", Some(""), FILES),
    key("LOSS_OUTPUT_FILE", Some(""), FILES),
    key("LOSS_COUNT_END_TIME", Some(""), FILES),
    key("PBT_OUTPUT_FILE", Some(""), FILES),
    key("PBT_MARKING_INTERVAL", Some(""), MARKS_OF_PBT),
    key("PBT_MARKING_OFFSET", Some(""), MARKS_OF_PBT),
    key("PBT_MIN", Some(""), MARKS_OF_PBT),
    key("PBT_MAX", Some(""), MARKS_OF_PBT),
    key(
        "ENABLE_SEANET",
        Some("0"),
        Role::Idle {
            at: "0",
            means: "flows take one path, as in the published simulator",
            is_not: "LIBRA's transport over several paths is not simulated",
        },
    ),
    key(
        "SW_FAST_CNP",
        Some("0"),
        Role::Idle {
            at: "0",
            means: "switches send no notifications, as in the published simulator",
            is_not: "switches that send notifications of congestion are not simulated",
        },
    ),
    key("RDMA_HW_DEBUG_LOG", Some("0"), LOGS),
    key("SWITCH_DEBUG_LOG", Some("0"), LOGS),
    key("DIR", Some(""), FILES),
    key("QUEUE_MONITOR_FILE", Some(""), FILES),
    key("QLEN_MON_INTV_NS", Some("100"), FILES),
    key("QLEN_MON_DUMP_INTV_NS", Some("100000000"), FILES),
    key(
        "ENABLE_QBB",
        Some("1"),
        Role::Idle {
            at: "1",
            means: "ports obey pauses, as in the published simulator",
            is_not: "ports that ignore the pauses which they are sent are not simulated",
        },
    ),
    key(
        "ENABLE_RANDOFFSET",
        Some("0"),
        Role::Idle {
            at: "0",
            means: "flows start at the times of their list",
            is_not: "random offsets of flows are not simulated",
        },
    ),
    key("RANDOM_PARAM_FILE", Some(""), OFFSETS),
    key("OFFSET_UPBOUND_US", Some("0"), OFFSETS),
];
