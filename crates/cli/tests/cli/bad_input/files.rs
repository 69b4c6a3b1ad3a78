//! Errors in files that the scenario names: flow lists, networks, size distributions.

use super::{Case, FILES};

pub(super) const CASES: &[Case] = &[
    // Files that the scenario names.
    Case {
        name: "a list of flows that does not exist",
        files: FILES,
        scenario: star!(
            "",
            "kind = \"list\"\npath = \"flows.csv\"",
            "kind = \"hpcc\""
        ),
        args: &[],
        place: "t.toml:7:8",
        says: &["key `path`", "cannot read the flows `flows.csv`"],
        help: "paths are relative to the scenario file",
    },
    Case {
        name: "a flow between hosts that do not exist (CSV)",
        files: &[(
            "flows.csv",
            "src,dst,size_bytes,start_ns\n0,1,1000,0\n0,9,1000,0\n",
        )],
        scenario: star!(
            "",
            "kind = \"list\"\npath = \"flows.csv\"",
            "kind = \"hpcc\""
        ),
        args: &[],
        place: "flows.csv:3:3",
        says: &["node 9 is not a host"],
        help: "numbered 0 to 3",
    },
    Case {
        name: "a flow from a host to itself (CSV)",
        files: &[("flows.csv", "src,dst,size_bytes,start_ns\n2,2,1000,0\n")],
        scenario: star!(
            "",
            "kind = \"list\"\npath = \"flows.csv\"",
            "kind = \"hpcc\""
        ),
        args: &[],
        place: "flows.csv:2:3",
        says: &["host2 (node 2) sends to itself"],
        help: "a destination that is not the source",
    },
    Case {
        name: "a column that nobody knows (CSV)",
        files: &[("flows.csv", "src,dst,bytes,start_ns\n0,1,1000,0\n")],
        scenario: star!(
            "",
            "kind = \"list\"\npath = \"flows.csv\"",
            "kind = \"hpcc\""
        ),
        args: &[],
        place: "flows.csv:1:9",
        says: &["unknown column `bytes`"],
        help: "size_bytes",
    },
    Case {
        name: "a flow to a switch (flow.txt)",
        files: &[("flow.txt", "1\n0 4 3 100 1000 2.0\n")],
        scenario: star!(
            "",
            "kind = \"list\"\npath = \"flow.txt\"",
            "kind = \"hpcc\""
        ),
        args: &[],
        place: "flow.txt:2:3",
        says: &["switch0 (node 4) is not a host"],
        help: "numbered 0 to 3",
    },
    Case {
        name: "fewer flows than promised (flow.txt)",
        files: &[("flow.txt", "2\n0 1 3 100 1000 2.0\n")],
        scenario: star!(
            "",
            "kind = \"list\"\npath = \"flow.txt\"",
            "kind = \"hpcc\""
        ),
        args: &[],
        place: "flow.txt:3:1",
        says: &["the file ends after 1 of 2 flows"],
        help: "add the missing flows",
    },
    Case {
        name: "a graph in two parts",
        files: &[(
            "network.graphml",
            "<graphml><graph>\n<node id='a'/><node id='b'/>\n<node id='c'/>\n\
             <edge source='a' target='b'/>\n</graph></graphml>\n",
        )],
        scenario: from_graphml!(""),
        args: &[],
        place: "network.graphml:3:1",
        says: &["in 2 parts without links between them, of 2, 1 nodes"],
        help: "add links that join the parts",
    },
    Case {
        name: "a graph that is no XML",
        files: &[("network.graphml", "<graphml>\n<graph>\n</graphml>\n")],
        scenario: from_graphml!(""),
        args: &[],
        place: "network.graphml:3:1",
        says: &["this is not XML"],
        help: "give a GraphML file",
    },
    Case {
        name: "a graph without places and delays that follow from them",
        files: &[(
            "network.graphml",
            "<graphml><graph>\n<node id='a'/><node id='b'/>\n\
             <edge source='a' target='b'/>\n</graph></graphml>\n",
        )],
        scenario: from_graphml!("delay = \"geographic\"\n"),
        args: &[],
        place: "network.graphml:1:10",
        says: &["delays cannot be geographic", "no `Latitude`"],
        help: "write a delay for all links",
    },
    Case {
        name: "a graph that is not there",
        files: &[],
        scenario: from_graphml!(""),
        args: &[],
        place: "t.toml:3:8",
        says: &["[topology], key `path`", "network.graphml"],
        help: "give a file that exists",
    },
    Case {
        name: "a misspelled geographic",
        files: &[],
        scenario: from_graphml!("delay = \"geografic\"\n"),
        args: &[],
        place: "t.toml:4:9",
        says: &["[topology], key `delay`", "`geografic` is neither a time"],
        help: "write it like \"1ms\"",
    },
    Case {
        name: "a network of a provider with too long a path",
        files: &[],
        scenario: "[topology]\nkind = \"isp\"\nswitches = 20\nlongest_path = 30\n[[workload]]\nkind = \"permutation\"\nsize = \"1KB\"\n[cc]\nkind = \"hpcc\"\n",
        args: &[],
        place: "t.toml:3:12",
        says: &["[topology], key `switches`", "20 is too few"],
        help: "write at least 30",
    },
    Case {
        name: "hosts that cannot reach each other (topology.txt)",
        files: &[(
            "topology.txt",
            "6 2 4\n4 5\n0 4 100Gbps 1us 0\n1 4 100Gbps 1us 0\n2 5 100Gbps 1us 0\n3 5 100Gbps 1us 0\n",
        )],
        scenario: from_file!("kind = \"permutation\"\nsize = \"1KB\""),
        args: &[],
        place: "topology.txt:3:1",
        says: &["hosts 0 and 2 cannot reach each other"],
        help: "add links",
    },
    Case {
        name: "a list of links that stops (topology.txt)",
        files: &[("topology.txt", "3 1 2\n2\n0 2 100Gbps 1us 0\n1 2 100Gbps\n")],
        scenario: from_file!("kind = \"permutation\"\nsize = \"1KB\""),
        args: &[],
        place: "topology.txt:5:1",
        says: &["the file ends before the delay of link 2 of 2"],
        help: "add the missing links",
    },
    Case {
        name: "a rate of no unit is of bits (topology.txt)",
        files: &[(
            "topology.txt",
            "3 1 2\n2\n0 2 100 1us 0\n1 2 100Gbps 1us 0\n",
        )],
        scenario: from_file!("kind = \"permutation\"\nsize = \"1KB\""),
        args: &[],
        place: "topology.txt:3:5",
        says: &["`100` is too small: 1Kbps"],
        help: "write it like `100Gbps`",
    },
    Case {
        name: "a zero delay (topology.txt)",
        files: &[(
            "topology.txt",
            "3 1 2\n2\n0 2 100Gbps 0ns 0\n1 2 100Gbps 1us 0\n",
        )],
        scenario: from_file!("kind = \"permutation\"\nsize = \"1KB\""),
        args: &[],
        place: "topology.txt:3:13",
        says: &["a delay of zero", "0ns"],
        help: "such as 1us",
    },
    Case {
        name: "a misspelled way of recovery",
        files: FILES,
        scenario: good_and!("[rdma]\nrecovery = \"selectiv\""),
        args: &[],
        place: "t.toml:12:12",
        says: &["[rdma], key `recovery`", "`selectiv` is not a choice"],
        help: "did you mean `selective`?",
    },
    Case {
        name: "a flow-size distribution that shrinks (CDF file)",
        files: &[("cdf.txt", "0 0\n1000 60\n2000 50\n")],
        scenario: star!(
            "",
            "kind = \"poisson\"\nsizes = \"cdf.txt\"\nload = 0.5\nduration = \"1ms\"",
            "kind = \"hpcc\""
        ),
        args: &[],
        place: "cdf.txt:3:6",
        says: &["50 comes after 60"],
        help: "never decrease",
    },
];
