//! Collectives that switches reduce.

use super::{Case, FILES};

/// A scenario with a collective over two leaves that reduce.
macro_rules! two_leaves {
    ($workload:literal) => {
        concat!(
            "[topology]\nkind = \"leaf-spine\"\nleaves = 2\nhosts_per_leaf = 2\nspines = 1\n",
            "[switch]\nreduction_trees = 1\n[[workload]]\nkind = \"collective\"\n",
            "operation = \"all-reduce\"\nsize = \"1MB\"\n",
            $workload,
            "\n[cc]\nkind = \"hpcc\"\n"
        )
    };
}

pub(super) const CASES: &[Case] = &[
    Case {
        name: "a tree of switches that do not reduce",
        files: FILES,
        scenario: star!(
            "",
            "kind = \"collective\"\noperation = \"all-reduce\"\nsize = \"1MB\"\nalgorithm = \"sharp\"",
            "kind = \"hpcc\""
        ),
        args: &[],
        place: "t.toml:9:",
        says: &["key `algorithm`", "no switch of this network reduces"],
        help: "give [switch] `reduction_trees`, such as 64",
    },
    Case {
        name: "the switch of a server for ranks at two switches",
        files: FILES,
        scenario: two_leaves!("algorithm = \"nvls\""),
        args: &[],
        place: "t.toml:12:",
        says: &[
            "key `algorithm`",
            "host2 (node 2) shares none with host0 (node 0)",
        ],
        help: "let `group_size` be the ranks of a server, or choose \"sharp\"",
    },
    Case {
        name: "segments of a ring",
        files: FILES,
        scenario: two_leaves!("segment = \"4KB\""),
        args: &[],
        place: "t.toml:12:",
        says: &["`segment` conflicts with the other keys here"],
        help: "it is a key of the algorithms \"sharp\" and \"nvls\"",
    },
    Case {
        name: "chunks of a tree of switches",
        files: FILES,
        scenario: two_leaves!("chunks = 4\nalgorithm = \"sharp\""),
        args: &[],
        place: "t.toml:12:",
        says: &["`chunks` conflicts with the other keys here"],
        help: "switches divide the buffer by `segment`",
    },
    Case {
        name: "more segments than there can be",
        files: FILES,
        scenario: two_leaves!("segment = \"1B\"\nalgorithm = \"sharp\""),
        args: &[],
        place: "t.toml:12:",
        says: &["key `segment`", "1000000 segments"],
        help: "write a size that makes at most 65536 of them",
    },
    Case {
        name: "an empty segment",
        files: FILES,
        scenario: two_leaves!("segment = \"0B\"\nalgorithm = \"sharp\""),
        args: &[],
        place: "t.toml:12:",
        says: &["a segment of 0B has no data"],
        help: "write for example \"64KB\"",
    },
    Case {
        name: "an operation that switches cannot reduce",
        files: FILES,
        scenario: star!(
            "",
            "kind = \"collective\"\noperation = \"all-to-all\"\nsize = \"1MB\"\nalgorithm = \"nvls\"",
            "kind = \"hpcc\""
        ),
        args: &[],
        place: "t.toml:9:",
        says: &["all-to-all has no algorithm \"nvls\""],
        help: "choose from \"direct\", \"pairwise\"",
    },
    Case {
        name: "the rate of aggregators that do not exist",
        files: FILES,
        scenario: good_and!("[switch]\nreduction_rate = \"1Tbps\""),
        args: &[],
        place: "t.toml:12:",
        says: &["key `reduction_rate`", "no switch reduces"],
        help: "give `reduction_trees`, too",
    },
    Case {
        name: "an aggregator that is its switch",
        files: FILES,
        scenario: good_and!("[switch]\nreduction_trees = 1\nreduction_delay = \"0s\""),
        args: &[],
        place: "t.toml:13:",
        says: &["key `reduction_delay`", "would be the switch"],
        help: "give a time such as \"100ns\"",
    },
    Case {
        name: "a tree of switches in a graph",
        files: &[(
            "graph.csv",
            "rank,id,op,bytes,algorithm\n0,a,all-reduce,10,sharp\n1,a,all-reduce,10,sharp\n",
        )],
        scenario: star!(
            "",
            "kind = \"graph\"\npath = \"graph.csv\"",
            "kind = \"hpcc\""
        ),
        args: &[],
        place: "graph.csv:2:5",
        says: &["\"sharp\" is an algorithm of `kind = \"collective\"` alone"],
        help: "choose an algorithm of ranks, such as ring",
    },
];
