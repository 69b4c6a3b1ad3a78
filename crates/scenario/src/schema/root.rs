//! The keys and tables at the top of a scenario.

use crate::schema::keys::Keys;

/// The keys of a scenario outside its tables.
pub const ROOT_KEYS: Keys = &[
    ("name", "names the results (default: the file's name)"),
    (
        "seed",
        "seed of every random stream, 0 to 2^63 - 1 (default 1)",
    ),
    (
        "profile",
        "\"ns3-hpcc\": the quirks and defaults of the published simulator (default none)",
    ),
];

/// The tables of a scenario.
pub const TABLES: &[&str] = &[
    "name", "seed", "profile", "topology", "switch", "queue", "rdma", "tcp", "routing", "workload",
    "class", "event", "cc", "run", "output", "observe", "pint", "query",
];

/// The keys of a `[[class]]` table.
pub const CLASS_KEYS: Keys = &[
    (
        "id",
        "the class: a workload's place in the scenario from 0 on, or the `class` column of a list",
    ),
    ("cc", "the algorithm of the class: a table like [cc]"),
];
