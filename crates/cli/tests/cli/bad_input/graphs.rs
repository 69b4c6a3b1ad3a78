//! Collectives, and graphs of operations from files.

use super::{Case, FILES};

/// A scenario with a graph from `graph.csv`.
const GRAPH: &str = star!(
    "",
    "kind = \"graph\"\npath = \"graph.csv\"",
    "kind = \"hpcc\""
);

pub(super) const CASES: &[Case] = &[
    Case {
        name: "an algorithm that cannot do the operation",
        files: FILES,
        scenario: star!(
            "",
            "kind = \"collective\"\noperation = \"all-to-all\"\nsize = \"1MB\"\nalgorithm = \"ring\"",
            "kind = \"hpcc\""
        ),
        args: &[],
        place: "t.toml:9:",
        says: &["key `algorithm`", "all-to-all has no algorithm \"ring\""],
        help: "choose from \"direct\", \"pairwise\"",
    },
    Case {
        name: "groups that do not divide the ranks",
        files: FILES,
        scenario: star!(
            "",
            "kind = \"collective\"\noperation = \"all-reduce\"\nsize = \"1MB\"\ngroup_size = 3",
            "kind = \"hpcc\""
        ),
        args: &[],
        place: "t.toml:9:",
        says: &[
            "key `group_size`",
            "4 ranks cannot be divided into groups of 3",
        ],
        help: "a divisor of the number of ranks",
    },
    Case {
        name: "a buffer with fewer bytes than parts",
        files: FILES,
        scenario: star!(
            "",
            "kind = \"collective\"\noperation = \"all-reduce\"\nsize = \"3B\"",
            "kind = \"hpcc\""
        ),
        args: &[],
        place: "t.toml:8:",
        says: &["key `size`", "is cut into 4 parts"],
        help: "choose a larger size",
    },
    Case {
        name: "operations that wait for one another",
        files: &[(
            "graph.csv",
            "rank,id,op,duration_ns,after\n0,a,calc,5,b\n0,b,calc,5,a\n",
        )],
        scenario: GRAPH,
        args: &[],
        place: "graph.csv:1:",
        says: &["rank 0: 2 operations wait for one another", "`a`"],
        help: "take one of these dependencies out",
    },
    Case {
        name: "a receipt without a message",
        files: &[(
            "graph.csv",
            "rank,id,op,peer,bytes,tag\n0,a,send,1,8,2\n1,b,recv,0,,3\n",
        )],
        scenario: GRAPH,
        args: &[],
        place: "graph.csv:2:",
        says: &["rank 0 sends 1 more messages from rank 0 to rank 1 with tag 2"],
        help: "let each message be sent once and received once",
    },
    Case {
        name: "more ranks than hosts",
        files: &[("graph.csv", "rank,id,op,duration_ns\n4,a,calc,5\n")],
        scenario: GRAPH,
        args: &[],
        place: "t.toml:7:",
        says: &["key `path`", "the graph has 5 ranks, and there are 4 hosts"],
        help: "use a larger topology",
    },
    Case {
        name: "a statement of GOAL that does not exist",
        files: &[("graph.csv", "num_ranks 2\nrank 0 {\nl1: jump 5\n}\n")],
        scenario: GRAPH,
        args: &[],
        place: "graph.csv:3:5",
        says: &["`jump` is no operation"],
        help: "write `send 8b to 1 tag 0`",
    },
];
