//! Keys with the same meaning in several simulators.

use super::keys::{BOTH_HPCC, ConfigKey, DCQCN, MARKED, Role, UNUSED, Words, key, map};
use super::mode::Mode;

/// Keys of all dialects.
pub(super) const SHARED_KEYS: &[ConfigKey] = &[
    key("ENABLE_QCN", Some("1"), MARKED),
    key("DATA_RATE", Some("0"), UNUSED),
    key("LINK_DELAY", Some("0"), UNUSED),
    key("PACKET_PAYLOAD_SIZE", Some("1000"), Role::Taken),
    key(
        "L2_CHUNK_SIZE",
        Some("0"),
        Role::LeftOut("senders go back to the first missing byte, not to a chunk"),
    ),
    key("L2_ACK_INTERVAL", Some("0"), Role::Taken),
    key("L2_BACK_TO_ZERO", Some("0"), Role::Taken),
    key("CC_MODE", Some("1"), Role::Taken),
    key("ALPHA_RESUME_INTERVAL", Some("55"), DCQCN),
    key("RATE_DECREASE_INTERVAL", Some("4"), DCQCN),
    key("CLAMP_TARGET_RATE", Some("0"), DCQCN),
    key("EWMA_GAIN", None, MARKED),
    key("RATE_HAI", None, Role::Of(&[Mode::Dcqcn, Mode::Timely])),
    key("MIN_RATE", Some("100Mb/s"), Role::Taken),
    key("DCTCP_RATE_AI", Some("1000Mb/s"), Role::Of(&[Mode::Dctcp])),
    key("ERROR_RATE_PER_LINK", Some("0.0"), Role::Taken),
    key("HAS_WIN", Some("1"), Role::Taken),
    key("GLOBAL_T", Some("1"), Role::Taken),
    key("VAR_WIN", Some("0"), Role::Taken),
    key("FAST_REACT", Some("1"), Role::Of(&[Mode::Hpcc])),
    key("MULTI_RATE", Some("1"), Role::Of(&[Mode::Hpcc])),
    key("SAMPLE_FEEDBACK", Some("0"), Role::Of(&[Mode::Hpcc])),
    key("RATE_BOUND", Some("1"), Role::Taken),
    ConfigKey {
        words: Words::Count(3),
        ..key("LINK_DOWN", Some("0 0 0"), Role::Taken)
    },
    map("KMAX_MAP"),
    map("KMIN_MAP"),
    map("PMAX_MAP"),
];

/// Keys of the published simulator and SimAI's that ConWeave's does not read, or reads differently.
pub(super) const PUBLISHED_AND_SIMAI_KEYS: &[ConfigKey] = &[
    key("USE_DYNAMIC_PFC_THRESHOLD", Some("1"), UNUSED),
    key("RP_TIMER", None, DCQCN),
    key("FAST_RECOVERY_TIMES", Some("5"), DCQCN),
    key(
        "RATE_AI",
        None,
        Role::Of(&[Mode::Hpcc, Mode::HpccPint, Mode::Dcqcn, Mode::Timely]),
    ),
    key("U_TARGET", Some("0.95"), BOTH_HPCC),
    key("MI_THRESH", Some("5"), BOTH_HPCC),
    key("PINT_LOG_BASE", Some("1.05"), Role::Of(&[Mode::HpccPint])),
    key("PINT_PROB", Some("1.0"), Role::Of(&[Mode::HpccPint])),
    key("ACK_HIGH_PRIO", Some("0"), Role::Taken),
    key("BUFFER_SIZE", Some("16"), Role::Taken),
];
