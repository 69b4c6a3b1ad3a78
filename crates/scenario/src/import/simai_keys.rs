//! The keys of SimAI's network configuration, `SimAI.conf`.

use super::keys::{ConfigKey, NIC_PAUSES, Role, key};

const NOT_READ: Role = Role::LeftOut("SimAI's simulator has no flows of a list, either");
const MONITORED: Role = Role::LeftOut(
    "[observe] samples queues, links and flows, in files with names of their own: queues.csv, \
     links.csv, flows.csv",
);
const TRACED: Role = Role::LeftOut("[capture] writes frames at ports");
const NAMED: Role = Role::LeftOut("files have names of their own: fct.txt, pauses.csv");

/// Keys that `ReadConf` of its ns-3 front end treats differently from the published simulator.
pub(super) const SIMAI_KEYS: &[ConfigKey] = &[
    key(
        "PAUSE_TIME",
        Some("5"),
        Role::LeftOut("a pause lasts until a resume frame"),
    ),
    key("FLOW_FILE", Some(""), NOT_READ),
    key("TRACE_FILE", Some(""), TRACED),
    key("TRACE_OUTPUT_FILE", Some(""), TRACED),
    key("ENABLE_TRACE", Some("1"), TRACED),
    key("FCT_OUTPUT_FILE", Some("fct.txt"), NAMED),
    key("PFC_OUTPUT_FILE", Some("pfc.txt"), NAMED),
    key(
        "SIMULATOR_STOP_TIME",
        Some("3.01"),
        Role::LeftOut("a run ends with its workload; [run] stop_at ends it sooner"),
    ),
    key(
        "INT_MULTI",
        Some("1"),
        Role::LeftOut("telemetry is exact, and has no units to choose"),
    ),
    key("NIC_TOTAL_PAUSE_TIME", Some("0"), NIC_PAUSES),
    key("QLEN_MON_FILE", Some(""), MONITORED),
    key("BW_MON_FILE", Some(""), MONITORED),
    key("RATE_MON_FILE", Some(""), MONITORED),
    key("CNP_MON_FILE", Some(""), MONITORED),
    key("MON_START", Some("0"), MONITORED),
    key("MON_END", Some("0"), MONITORED),
    key("QP_MON_INTERVAL", Some("100"), MONITORED),
    key("BW_MON_INTERVAL", Some("10000"), MONITORED),
    key("QLEN_MON_INTERVAL", Some("10000"), MONITORED),
];
