//! The keys of ConWeave's configurations.

use super::keys::{ConfigKey, DCQCN, Role, key};
use super::mode::Mode;

const MONITORED: Role = Role::LeftOut(
    "[observe] links has the bytes of uplinks; `fabricsim export --format conweave` writes \
     out_fct.txt, out_pfc.txt and out_uplink.txt",
);
const OF_CONWEAVE: Role = Role::LeftOut("for LB_MODE 9 alone, ConWeave itself, which is not there");
const BOTH_HPCC: Role = Role::Of(&[Mode::Hpcc]);

/// Keys that `network-load-balance.cc` treats differently from the published simulator.
pub(super) const CONWEAVE_KEYS: &[ConfigKey] = &[
    key("TOPOLOGY_FILE", None, Role::Taken),
    key("FLOW_FILE", None, Role::Taken),
    key(
        "FLOW_INPUT_FILE",
        Some("flow.txt"),
        Role::LeftOut("the flows that were started are in fct.csv"),
    ),
    key(
        "CNP_OUTPUT_FILE",
        Some("cnp.txt"),
        Role::LeftOut("marks are counted in links.csv, by port"),
    ),
    key("FCT_OUTPUT_FILE", Some("fct.txt"), Role::Taken),
    key("PFC_OUTPUT_FILE", Some("pfc.txt"), Role::Taken),
    key("QLEN_MON_FILE", Some("qlen.txt"), NOT_READ),
    key("QLEN_MON_START", Some("0"), NOT_READ),
    key("QLEN_MON_END", Some("0"), NOT_READ),
    key("VOQ_MON_FILE", Some("voq.txt"), OF_CONWEAVE),
    key("VOQ_MON_DETAIL_FILE", Some("voq_detail.txt"), OF_CONWEAVE),
    key("EST_ERROR_MON_FILE", Some("est_error.txt"), OF_CONWEAVE),
    key("UPLINK_MON_FILE", Some("uplink.txt"), MONITORED),
    key(
        "CONN_MON_FILE",
        Some("conn.txt"),
        Role::LeftOut("flows under way at a time follow from fct.csv"),
    ),
    key("SW_MONITORING_INTERVAL", Some("10000"), Role::Taken),
    key("FLOWGEN_START_TIME", Some("2.0"), Role::Taken),
    key("FLOWGEN_STOP_TIME", Some("2.5"), Role::Taken),
    key("BUFFER_SIZE", None, Role::Taken),
    key("LB_MODE", Some("0"), Role::Taken),
    key("ENABLE_PFC", Some("1"), Role::Taken),
    key("ENABLE_IRN", Some("0"), Role::Taken),
    key("CONWEAVE_TX_EXPIRY_TIME", Some("1000"), OF_CONWEAVE),
    key("CONWEAVE_REPLY_TIMEOUT_EXTRA", Some("4"), OF_CONWEAVE),
    key("CONWEAVE_PATH_PAUSE_TIME", Some("8"), OF_CONWEAVE),
    key("CONWEAVE_EXTRA_VOQ_FLUSH_TIME", Some("32"), OF_CONWEAVE),
    key(
        "CONWEAVE_DEFAULT_VOQ_WAITING_TIME",
        Some("500"),
        OF_CONWEAVE,
    ),
    key("RP_TIMER", Some("300"), DCQCN),
    key("FAST_RECOVERY_TIMES", Some("1"), DCQCN),
    key(
        "RATE_AI",
        None,
        Role::Of(&[Mode::Hpcc, Mode::Dcqcn, Mode::Timely]),
    ),
    key("MI_THRESH", Some("5"), BOTH_HPCC),
    key(
        "INT_MULTI",
        Some("1"),
        Role::LeftOut(
            "the units of telemetry follow the rate of NICs: 1 for each 25 Gbps, as in the \
             published simulator's run.py",
        ),
    ),
    key("U_TARGET", Some("0.95"), BOTH_HPCC),
    key(
        "USE_DYNAMIC_PFC_THRESHOLD",
        Some("1"),
        Role::LeftOut("thresholds are always dynamic"),
    ),
    key(
        "PAUSE_TIME",
        Some("5"),
        Role::LeftOut("a pause lasts until a resume frame"),
    ),
    key(
        "LOAD",
        Some("10"),
        Role::LeftOut("it is written down for analysis; FLOW_FILE has the traffic"),
    ),
    key("RANDOM_SEED", Some("1"), Role::Taken),
];

const NOT_READ: Role = Role::LeftOut("ConWeave's simulator does not use it, either");
