//! The keys and tables at the top level of a scenario.

use fabricsim_base::input::{Choice, Key, ValueKind};

use fabricsim_base::input::Keys;

/// The keys of a scenario outside its tables.
pub const ROOT_KEYS: Keys = &[
    Key::new(
        "name",
        "names the results (default: the file's name)",
        ValueKind::Text,
    ),
    Key::new(
        "seed",
        "seed of every random stream, 0 to 2^63 - 1 (default 1)",
        ValueKind::COUNT,
    ),
    Key::new(
        "profile",
        "\"ns3-hpcc\": the quirks and defaults of the published simulator (default none)",
        ValueKind::Name(&[Choice {
            name: "ns3-hpcc",
            remark: "",
        }]),
    ),
];

/// The keys and tables at the top level of a scenario.
pub const TABLES: &[&str] = &[
    "name", "seed", "profile", "topology", "host", "switch", "queue", "rdma", "tcp", "routing",
    "workload", "class", "event", "cc", "scheme", "run", "output", "observe", "capture", "pint",
    "query",
];
