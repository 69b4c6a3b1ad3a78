//! The keys of SimAI's network configuration, `SimAI.conf`.

use super::keys::{BOTH_HPCC, ConfigKey, DCQCN, MARKED, NIC_PAUSES, Role, UNUSED, Words, key, map};
use super::mode::Mode;

const NOT_READ: Role = Role::LeftOut("SimAI's simulator has no flows of a list, either");
const MONITORED: Role = Role::LeftOut(
    "[observe] samples queues, links and flows, in files with names of their own: queues.csv, \
     links.csv, flows.csv",
);
const TRACED: Role = Role::LeftOut("[capture] writes frames at ports");
const NAMED: Role = Role::LeftOut("files have names of their own: fct.txt, pauses.csv");

/// All keys, as `ReadConf` of its ns-3 front end reads them.
pub(super) const SIMAI_KEYS: &[ConfigKey] = &[
    key("ENABLE_QCN", Some("1"), MARKED),
    key("USE_DYNAMIC_PFC_THRESHOLD", Some("1"), UNUSED),
    key(
        "PAUSE_TIME",
        Some("5"),
        Role::LeftOut("a pause lasts until it is taken back"),
    ),
    key("DATA_RATE", Some("0"), UNUSED),
    key("LINK_DELAY", Some("0"), UNUSED),
    key("PACKET_PAYLOAD_SIZE", Some("1000"), Role::Taken),
    key(
        "L2_CHUNK_SIZE",
        Some("0"),
        Role::LeftOut("senders go back to the first byte that is missing, not to a chunk"),
    ),
    key("L2_ACK_INTERVAL", Some("0"), Role::Taken),
    key("L2_BACK_TO_ZERO", Some("0"), Role::Taken),
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
    key("CC_MODE", Some("1"), Role::Taken),
    key("ALPHA_RESUME_INTERVAL", Some("55"), DCQCN),
    key("RATE_DECREASE_INTERVAL", Some("4"), DCQCN),
    key("CLAMP_TARGET_RATE", Some("0"), DCQCN),
    key("RP_TIMER", None, DCQCN),
    key("EWMA_GAIN", None, MARKED),
    key("FAST_RECOVERY_TIMES", Some("5"), DCQCN),
    key(
        "RATE_AI",
        None,
        Role::Of(&[Mode::Hpcc, Mode::HpccPint, Mode::Dcqcn, Mode::Timely]),
    ),
    key("RATE_HAI", None, Role::Of(&[Mode::Dcqcn, Mode::Timely])),
    key("MIN_RATE", Some("100Mb/s"), Role::Taken),
    key("DCTCP_RATE_AI", Some("1000Mb/s"), Role::Of(&[Mode::Dctcp])),
    key("ERROR_RATE_PER_LINK", Some("0.0"), Role::Taken),
    key("HAS_WIN", Some("1"), Role::Taken),
    key("GLOBAL_T", Some("1"), Role::Taken),
    key("VAR_WIN", Some("0"), Role::Taken),
    key("FAST_REACT", Some("1"), Role::Of(&[Mode::Hpcc])),
    key("U_TARGET", Some("0.95"), BOTH_HPCC),
    key("MI_THRESH", Some("5"), BOTH_HPCC),
    key(
        "INT_MULTI",
        Some("1"),
        Role::LeftOut("telemetry is exact, and has no units to choose"),
    ),
    key("MULTI_RATE", Some("1"), Role::Of(&[Mode::Hpcc])),
    key("SAMPLE_FEEDBACK", Some("0"), Role::Of(&[Mode::Hpcc])),
    key("PINT_LOG_BASE", Some("1.05"), Role::Of(&[Mode::HpccPint])),
    key("PINT_PROB", Some("1.0"), Role::Of(&[Mode::HpccPint])),
    key("RATE_BOUND", Some("1"), Role::Taken),
    key("ACK_HIGH_PRIO", Some("0"), Role::Taken),
    key("NIC_TOTAL_PAUSE_TIME", Some("0"), NIC_PAUSES),
    ConfigKey {
        words: Words::Count(3),
        ..key("LINK_DOWN", Some("0 0 0"), Role::Taken)
    },
    map("KMAX_MAP"),
    map("KMIN_MAP"),
    map("PMAX_MAP"),
    key("BUFFER_SIZE", Some("16"), Role::Taken),
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
