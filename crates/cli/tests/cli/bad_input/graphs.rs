//! Collectives, and graphs of operations from files.

use super::{Case, FILES};

/// A scenario with a graph from `graph.csv`.
const GRAPH: &str = star!(
    "",
    "kind = \"graph\"\npath = \"graph.csv\"",
    "kind = \"hpcc\""
);

/// A scenario with the flows of `flows.csv`.
const LIST: &str = star!(
    "",
    "kind = \"list\"\npath = \"flows.csv\"",
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
        name: "a chunk without NCCL's division",
        files: FILES,
        scenario: star!(
            "",
            "kind = \"collective\"\noperation = \"all-reduce\"\nsize = \"1MB\"\nchunk_size = \"4KB\"",
            "kind = \"hpcc\""
        ),
        args: &[],
        place: "t.toml:9:",
        says: &["key `chunk_size`", "conflicts with the other keys"],
        help: "a key of the algorithm \"nccl\"",
    },
    Case {
        name: "a chunk below the unit of its protocol",
        files: FILES,
        scenario: star!(
            "",
            "kind = \"collective\"\noperation = \"all-reduce\"\nsize = \"1MB\"\nprotocol = \"ll128\"\nchunk_size = \"1000B\"",
            "kind = \"hpcc\""
        ),
        args: &[],
        place: "t.toml:10:",
        says: &["key `chunk_size`", "\"ll128\" has at least 1920 bytes"],
        help: "at least \"1920B\"",
    },
    Case {
        name: "a protocol with an algorithm that NCCL does not have",
        files: FILES,
        scenario: star!(
            "",
            "kind = \"collective\"\noperation = \"all-to-all\"\nsize = \"1MB\"\nprotocol = \"ll\"",
            "kind = \"hpcc\""
        ),
        args: &[],
        place: "t.toml:9:",
        says: &["key `protocol`", "NCCL has no all-to-all by \"direct\""],
        help: "use it with \"nccl\"",
    },
    Case {
        name: "a protocol that does not exist",
        files: FILES,
        scenario: star!(
            "",
            "kind = \"collective\"\noperation = \"all-reduce\"\nsize = \"1MB\"\nprotocol = \"fast\"",
            "kind = \"hpcc\""
        ),
        args: &[],
        place: "t.toml:9:",
        says: &["fast"],
        help: "ll128",
    },
    Case {
        name: "a tree for an all-gather",
        files: FILES,
        scenario: star!(
            "",
            "kind = \"collective\"\noperation = \"all-gather\"\nsize = \"1MB\"\nalgorithm = \"nccl\"\ntuner = [{ algorithm = \"tree\", protocol = \"ll\" }]",
            "kind = \"hpcc\""
        ),
        args: &[],
        place: "t.toml:10:",
        says: &["key `tuner`", "all-gather has no algorithm \"tree\""],
        help: "write \"ring\"",
    },
    Case {
        name: "ranks that are no whole nodes",
        files: FILES,
        scenario: star!(
            "",
            "kind = \"collective\"\noperation = \"all-to-all\"\nsize = \"1MB\"\nalgorithm = \"pxn\"\nlocal_size = 3",
            "kind = \"hpcc\""
        ),
        args: &[],
        place: "t.toml:10:",
        says: &["key `local_size`", "no whole number of nodes of 3"],
        help: "a divisor of the group's size",
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
        name: "a collective of more bytes than anything has",
        files: &[(
            "graph.csv",
            "rank,id,op,peer,bytes\n0,a,all-gather,,1000000000000001\n1,a,all-gather,,1000000000000001\n",
        )],
        scenario: GRAPH,
        args: &[],
        place: "graph.csv:2:5",
        says: &["1000000000000001B is too large"],
        help: "divide it into several",
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
        help: "remove one of these dependencies",
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
    Case {
        name: "GOAL in its binary form that ends too early",
        files: &[("graph.csv", "\x7f\x10\0\0\0\0\0\0\x02\0\0\0")],
        scenario: GRAPH,
        args: &[],
        place: "graph.csv",
        says: &["the binary GOAL file is damaged", "ends too early"],
        help: "make it again with txt2bin",
    },
    Case {
        name: "a flow that waits for one that there is not",
        files: &[(
            "flows.csv",
            "id,src,dst,size_bytes,start_ns,after\na,0,1,9,0,\nb,1,2,9,0,a;x\n",
        )],
        scenario: LIST,
        args: &[],
        place: "flows.csv:3:13",
        says: &["there is no flow `x`"],
        help: "name flows by the column `id`",
    },
    Case {
        name: "a flow whose source does not see what it waits for",
        files: &[(
            "flows.csv",
            "id,src,dst,size_bytes,start_ns,after\na,0,1,9,0,\nb,2,3,9,0,a\n",
        )],
        scenario: LIST,
        args: &[],
        place: "flows.csv:3:11",
        says: &["`a` goes from host 0 to host 1", "host 2 learns nothing"],
        help: "flows to its source or from its source",
    },
    Case {
        name: "flows that wait for one another",
        files: &[(
            "flows.csv",
            "id,src,dst,size_bytes,start_ns,after\nc,0,1,9,0,a\na,0,1,9,0,b\nb,1,0,9,0,a\n",
        )],
        scenario: LIST,
        args: &[],
        place: "flows.csv:3:11",
        says: &["2 flows wait for one another", "`a`, after `b`"],
        help: "remove one of these dependencies",
    },
    Case {
        name: "flows that wait for others and have source ports",
        files: &[(
            "flows.csv",
            "id,src,dst,size_bytes,start_ns,after,src_port\na,0,1,9,0,,7\n",
        )],
        scenario: LIST,
        args: &[],
        place: "flows.csv:1:38",
        says: &["get their source ports from their hosts"],
        help: "leave out `src_port` or `after`",
    },
];
