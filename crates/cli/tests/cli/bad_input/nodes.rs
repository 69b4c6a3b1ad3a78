//! Names of nodes, and fabrics that cannot be built.

use super::{Case, FILES};

/// A Clos fabric with `$tiers` and other keys, and an incast.
macro_rules! clos {
    ($keys:literal) => {
        concat!(
            "[topology]\nkind = \"clos\"\n",
            $keys,
            "\n[[workload]]\nkind = \"incast\"\nfan_in = 3\nsize = \"10KB\"\nat = \"0s\"\n",
            "[cc]\nkind = \"hpcc\"\n"
        )
    };
}

pub(super) const CASES: &[Case] = &[
    Case {
        name: "a link of a node that is not there",
        files: FILES,
        scenario: good_and!(
            "[[event]]\nat = \"1us\"\nkind = \"link-down\"\nlink = [\"host0\", \"swich0\"]"
        ),
        args: &[],
        place: "t.toml:14:18",
        says: &["[[event]] 0, key `link`", "no node has the name `swich0`"],
        help: "did you mean `switch0`?",
    },
    Case {
        name: "a pattern that no node fits",
        files: FILES,
        scenario: good_and!("[observe]\nqueues = true\nnodes = [\"leaf*\"]"),
        args: &[],
        place: "t.toml:13:10",
        says: &["[observe], key `nodes`", "no node has a name like `leaf*`"],
        help: "nodes have names from `host0` to `switch0` here",
    },
    Case {
        name: "a name on the command line that no node has",
        files: FILES,
        scenario: good_and!(""),
        args: &["--set", "workload.0.receiver=hots1"],
        place: "t.toml (with --set):9:12",
        says: &[
            "[[workload]] 0, key `receiver`",
            "no node has the name `hots1`",
        ],
        help: "did you mean `host1`",
    },
    Case {
        name: "a node that is neither a number nor a name",
        files: FILES,
        scenario: star!(
            "",
            "kind = \"incast\"\nfan_in = 2\nsize = \"1KB\"\nat = \"0s\"\nreceiver = true",
            "kind = \"hpcc\""
        ),
        args: &[],
        place: "t.toml:10:12",
        says: &["`true` is not the number or name of a node"],
        help: "such as 17 or \"tor3\"",
    },
    Case {
        name: "a Clos fabric of one tier",
        files: FILES,
        scenario: clos!("tiers = [{ switches = 4 }]"),
        args: &[],
        place: "t.toml:3:9",
        says: &["[topology], key `tiers`", "1 is too few"],
        help: "tiers = [{ switches = 4 }, { switches = 2 }]",
    },
    Case {
        name: "an oversubscription that takes parts of links",
        files: FILES,
        scenario: clos!("tiers = [{ switches = 4, oversubscription = 3 }, { switches = 2 }]"),
        args: &[],
        place: "t.toml:3:9",
        says: &[
            "tier `leaf`, `oversubscription`",
            "leaf0 has 400Gbps downwards, so 3:1 needs 1.333 uplinks of 100Gbps",
        ],
        help: "2 are 2:1",
    },
    Case {
        name: "uplinks that do not spread evenly",
        files: FILES,
        scenario: clos!("tiers = [{ switches = 4, uplinks = 3 }, { switches = 2 }]"),
        args: &[],
        place: "t.toml:3:9",
        says: &["tier `leaf`, `uplinks`: 3 links cannot be spread evenly"],
        help: "write a multiple of 2",
    },
    Case {
        name: "racks that are not there",
        files: FILES,
        scenario: clos!(
            "tiers = [{ switches = 4 }, { switches = 2 }]\nracks = [{ at = [\"tor*\"], hosts = 2 }]"
        ),
        args: &[],
        place: "t.toml:4:9",
        says: &["[topology], key `racks`", "which matches no rack"],
        help: "the racks here are leaf0 to leaf3",
    },
    Case {
        name: "a key of a tier that there is not",
        files: FILES,
        scenario: clos!("tiers = [{ switches = 4, uplink = 3 }, { switches = 2 }]"),
        args: &[],
        place: "t.toml:3:26",
        says: &["`tiers` of [topology] has no key `uplink`"],
        help: "did you mean `uplinks`?",
    },
];
