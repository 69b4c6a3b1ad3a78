//! Unknown, missing and misplaced keys, tables and kinds.

use super::{Case, FILES};

pub(super) const CASES: &[Case] = &[
    // Keys and tables.
    Case {
        name: "a misspelled key",
        files: FILES,
        scenario: star!(
            "",
            "kind = \"incast\"\nfan_in = 3\nsize = \"1KB\"\nat = \"0s\"",
            "kind = \"hpcc\"\netta = 0.9"
        ),
        args: &[],
        place: "t.toml:12:1",
        says: &["[cc] has no key `etta`"],
        help: "did you mean `eta`?",
    },
    Case {
        name: "an unknown table",
        files: FILES,
        scenario: good_and!("[swich]\npfc = true"),
        args: &[],
        place: "t.toml:11:2",
        says: &["no key or table `swich`"],
        help: "did you mean `switch`?",
    },
    Case {
        name: "a key outside any table",
        files: FILES,
        scenario: concat!("sede = 3\n", good_and!("")),
        args: &[],
        place: "t.toml:1:1",
        says: &["no key or table `sede`"],
        help: "did you mean `seed`?",
    },
    Case {
        name: "a misspelled key in an inline table",
        files: FILES,
        scenario: good_and!("[switch]\necn = { kmin = \"400KB\", kmx = \"1600KB\", pmax = 0.2 }"),
        args: &[],
        place: "t.toml:12:25",
        says: &["`ecn` of [switch] has no key `kmx`"],
        help: "did you mean `kmax`?",
    },
    Case {
        name: "a missing key",
        files: FILES,
        scenario: star!(
            "",
            "kind = \"poisson\"\nsizes = \"websearch\"\nduration = \"1ms\"",
            "kind = \"hpcc\""
        ),
        args: &[],
        place: "t.toml:5:1",
        says: &["[[workload]] 0 needs the key `load`"],
        help: "add `load = ...`: payload bytes over a host's link rate",
    },
    Case {
        name: "no [cc]",
        files: FILES,
        scenario: "[topology]\nkind = \"star\"\n[[workload]]\nkind = \"permutation\"\nsize = \"1KB\"\n",
        args: &[],
        place: "t.toml:6:1",
        says: &["no [cc] table"],
        help: "add `[cc]` and `kind = \"hpcc\"`",
    },
    Case {
        name: "no [[workload]]",
        files: FILES,
        scenario: "[topology]\nkind = \"star\"\n[cc]\nkind = \"hpcc\"\n",
        args: &[],
        place: "t.toml:5:1",
        says: &["no [[workload]] table"],
        help: "add `[[workload]]` with `kind = \"poisson\"`",
    },
    Case {
        name: "no [topology]",
        files: FILES,
        scenario: "[[workload]]\nkind = \"permutation\"\nsize = \"1KB\"\n[cc]\nkind = \"hpcc\"\n",
        args: &[],
        place: "t.toml:6:1",
        says: &["no [topology] table"],
        help: "add `[topology]` and `kind = \"fat-tree\"`",
    },
    Case {
        name: "[workload] instead of [[workload]]",
        files: FILES,
        scenario: "[topology]\nkind = \"star\"\n[workload]\nkind = \"permutation\"\nsize = \"1KB\"\n[cc]\nkind = \"hpcc\"\n",
        args: &[],
        place: "t.toml:3:1",
        says: &["`workload` is a list of tables", "[workload]"],
        help: "begin each one with `[[workload]]`",
    },
    // Kinds and names.
    Case {
        name: "an unknown kind of topology",
        files: FILES,
        scenario: "[topology]\nkind = \"fattree\"\n[[workload]]\nkind = \"permutation\"\nsize = \"1KB\"\n[cc]\nkind = \"hpcc\"\n",
        args: &[],
        place: "t.toml:2:8",
        says: &["[topology] has no kind `fattree`"],
        help: "did you mean `fat-tree`?",
    },
    Case {
        name: "an unknown algorithm",
        files: FILES,
        scenario: star!(
            "",
            "kind = \"permutation\"\nsize = \"1KB\"",
            "kind = \"hpc\""
        ),
        args: &[],
        place: "t.toml:9:8",
        says: &["[cc] has no kind `hpc`"],
        help: "did you mean `hpcc`?",
    },
    Case {
        name: "a table without its kind",
        files: FILES,
        scenario: star!("", "size = \"1KB\"", "kind = \"hpcc\""),
        args: &[],
        place: "t.toml:5:1",
        says: &["[[workload]] 0 does not say its kind"],
        help: "with one of: poisson, incast",
    },
    Case {
        name: "an unknown profile",
        files: FILES,
        scenario: concat!("profile = \"ns3\"\n", good_and!("")),
        args: &[],
        place: "t.toml:1:11",
        says: &["there is no profile `ns3`"],
        help: "did you mean `ns3-hpcc`?",
    },
    Case {
        name: "a misspelled flow-size distribution",
        files: FILES,
        scenario: star!(
            "",
            "kind = \"poisson\"\nsizes = \"webserach\"\nload = 0.5\nduration = \"1ms\"",
            "kind = \"hpcc\""
        ),
        args: &[],
        place: "t.toml:7:9",
        says: &[
            "unknown flow-size distribution `webserach` (not built in",
            "no such file",
        ],
        help: "did you mean `websearch`? Known here: websearch, hadoop, alistorage",
    },
];
