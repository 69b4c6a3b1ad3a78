//! Quantities that may be in bits or in bytes.

use super::{Case, FILES};

pub(super) const CASES: &[Case] = &[
    Case {
        name: "a size in bits",
        files: FILES,
        scenario: star!(
            "",
            "kind = \"permutation\"\nsize = \"1Gb\"",
            "kind = \"hpcc\""
        ),
        args: &[],
        place: "t.toml:7:8",
        says: &["key `size`", "`1Gb` is in bits, as many as 125MB"],
        help: "write it like \"1GB\" or \"125MB\"",
    },
    Case {
        name: "a size in bits, for every flow",
        files: FILES,
        scenario: star!(
            "",
            "kind = \"poisson\"\nsizes = \"1Mb\"\nload = 0.5\nduration = \"1ms\"",
            "kind = \"hpcc\""
        ),
        args: &[],
        place: "t.toml:7:9",
        says: &["key `sizes`", "`1Mb` is in bits, as many as 125KB"],
        help: "write a size such as \"1MB\" or \"125KB\"",
    },
    Case {
        name: "a rate in capitals",
        files: FILES,
        scenario: star!(
            "rate = \"50GBPS\"",
            "kind = \"permutation\"\nsize = \"1KB\"",
            "kind = \"hpcc\""
        ),
        args: &[],
        place: "t.toml:4:8",
        says: &["`50GBPS` is ambiguous between bits and bytes"],
        help: "write it like \"50Gbps\" or \"50GBps\"",
    },
    Case {
        name: "a size in bits on the command line",
        files: FILES,
        scenario: star!(
            "",
            "kind = \"permutation\"\nsize = \"1KB\"",
            "kind = \"hpcc\""
        ),
        args: &["--set", "workload.0.size=8b"],
        place: "t.toml (with --set):",
        says: &["`8b` is in bits, as many as 1B"],
        help: "write it like \"8B\" or \"1B\"",
    },
];
