//! Every mistake ends the command before anything is run: code 2, the file and the line, the faulty
//! text, the remedy, and no folder of results.

use crate::support::{Folder, Outcome};

/// A mistake and what the command says to it.
struct Case {
    name: &'static str,
    /// Files beside the scenario.
    files: &'static [(&'static str, &'static str)],
    scenario: &'static str,
    args: &'static [&'static str],
    /// Where: a file and a line.
    place: &'static str,
    /// What the message says; the faulty text is part of it.
    says: &'static [&'static str],
    /// How to put it right.
    remedy: &'static str,
}

/// Four hosts at a switch; `{}` stands for what a case adds.
macro_rules! star {
    ($topology:literal, $workload:literal, $cc:literal) => {
        concat!(
            "[topology]\nkind = \"star\"\nhosts = 4\n",
            $topology,
            "\n[[workload]]\n",
            $workload,
            "\n[cc]\n",
            $cc,
            "\n"
        )
    };
}

const GOOD_WORKLOAD: &str =
    "kind = \"poisson\"\nsizes = \"websearch\"\nload = 0.5\nduration = \"100us\"";

/// A scenario with `$text` below a good topology, workload and algorithm.
macro_rules! good_and {
    ($text:literal) => {
        concat!(
            "[topology]\nkind = \"star\"\nhosts = 4\n[[workload]]\nkind = \"incast\"\nfan_in = 3\n",
            "size = \"10KB\"\nat = \"0s\"\n[cc]\nkind = \"hpcc\"\n",
            $text,
            "\n"
        )
    };
}

/// The network of a GraphML file, with `$key` for it.
macro_rules! from_graphml {
    ($key:literal) => {
        concat!(
            "[topology]\nkind = \"graphml\"\npath = \"network.graphml\"\n",
            $key,
            "[[workload]]\nkind = \"permutation\"\nsize = \"1KB\"\n[cc]\nkind = \"hpcc\"\n"
        )
    };
}

mod congestion_control;
mod limits;
mod places;
mod queries;
mod tcp;

/// A topology file as a network, with one flow list or an incast.
macro_rules! from_file {
    ($workload:literal) => {
        concat!(
            "[topology]\nkind = \"file\"\npath = \"topology.txt\"\n[[workload]]\n",
            $workload,
            "\n[cc]\nkind = \"hpcc\"\n"
        )
    };
}

const FILES: &[(&str, &str)] = &[];

const CASES: &[Case] = &[
    // Observation.
    Case {
        name: "a misspelt key of [observe]",
        files: FILES,
        scenario: good_and!("[observe]\nquues = true"),
        args: &[],
        place: "t.toml:12:1",
        says: &["[observe] has no key `quues`"],
        remedy: "did you mean `queues`?",
    },
    Case {
        name: "an observation of nothing",
        files: FILES,
        scenario: good_and!("[observe]\ninterval = \"1us\""),
        args: &[],
        place: "t.toml:11:1",
        says: &["[observe], key `queues`: nothing is observed"],
        remedy: "set queues, queue_distribution, links or flows to true",
    },
    Case {
        name: "no time between samples",
        files: FILES,
        scenario: good_and!("[observe]\nqueues = true\ninterval = \"0us\""),
        args: &[],
        place: "t.toml:13:12",
        says: &["key `interval`", "no time would pass"],
        remedy: "give a time such as \"10us\"",
    },
    Case {
        name: "an observation that ends before it begins",
        files: FILES,
        scenario: good_and!("[observe]\nflows = true\nfrom = \"2us\"\nuntil = \"1us\""),
        args: &[],
        place: "t.toml:14:9",
        says: &["the last interval ends at 1us, and the first begins at 2us"],
        remedy: "give a later time, or leave the key out",
    },
    Case {
        name: "bins narrower than a packet",
        files: FILES,
        scenario: good_and!("[observe]\nqueue_distribution = true\ndistribution_bin = \"10B\""),
        args: &[],
        place: "t.toml:13:20",
        says: &["bins of 10 bytes are narrower than the smallest packet"],
        remedy: "give a size from \"64B\" up",
    },
    Case {
        name: "files without rows",
        files: FILES,
        scenario: good_and!("[observe]\nflows = true\nmax_rows = 0"),
        args: &[],
        place: "t.toml:13:12",
        says: &["key `max_rows`", "the files would be empty"],
        remedy: "give a number such as 10000000",
    },
    Case {
        name: "more rows than allowed",
        files: FILES,
        scenario: good_and!(
            "[observe]\nlinks = true\ninterval = \"1us\"\nuntil = \"1ms\"\nmax_rows = 7999"
        ),
        args: &[],
        place: "t.toml:15:12",
        says: &["samples of 8 ports every 1us make 8000 rows, and a file may have 7999"],
        remedy: "give a longer interval, fewer nodes or ports",
    },
    Case {
        name: "observed nodes that are not there",
        files: FILES,
        scenario: good_and!("[observe]\nlinks = true\nnodes = [\"3\", \"4..6\"]"),
        args: &[],
        place: "t.toml:13:9",
        says: &["`4..6` includes node 5, which is not there"],
        remedy: "the nodes are numbered 0 to 4, hosts first",
    },
    Case {
        name: "queues of hosts",
        files: FILES,
        scenario: good_and!("[observe]\nqueues = true\nnodes = [\"0..4\"]"),
        args: &[],
        place: "t.toml:13:9",
        says: &["no port of a switch is chosen, and only switches have queues"],
        remedy: "give numbers of switches",
    },
    Case {
        name: "observed ports that are not there",
        files: FILES,
        scenario: good_and!("[observe]\nlinks = true\nports = [\"4..8\"]"),
        args: &[],
        place: "t.toml:13:9",
        says: &["key `ports`: no port is chosen"],
        remedy: "give nodes and ports that are there",
    },
    Case {
        name: "an empty list of observed flows",
        files: FILES,
        scenario: good_and!("[observe]\nflows = true\nflow_ids = []"),
        args: &[],
        place: "t.toml:13:12",
        says: &["key `flow_ids`: the list is empty"],
        remedy: "leave the key out to mean all",
    },
    Case {
        name: "a range of flows without dots",
        files: FILES,
        scenario: good_and!("[observe]\nflows = true\nflow_ids = [\"1-4\"]"),
        args: &[],
        place: "t.toml:13:12",
        says: &["`1-4` is not a range of numbers"],
        remedy: "write it like \"0..16\"",
    },
    Case {
        name: "an unknown end of links",
        files: FILES,
        scenario: good_and!("[observe]\nlinks = true\ntowards = \"host\""),
        args: &[],
        place: "t.toml:13:11",
        says: &["`host` is not a choice"],
        remedy: "did you mean `hosts`?",
    },
    Case {
        name: "an unknown format of series",
        files: FILES,
        scenario: good_and!("[observe]\nlinks = true\nformat = \"parket\""),
        args: &[],
        place: "t.toml:13:10",
        says: &["`parket` is not a choice"],
        remedy: "did you mean `parquet`?",
    },
    #[cfg(not(feature = "parquet"))]
    Case {
        name: "a format that this build does not have",
        files: FILES,
        scenario: good_and!("[observe]\nlinks = true\nformat = \"parquet\""),
        args: &[],
        place: "t.toml:13:10",
        says: &["this build cannot write Parquet"],
        remedy: "use \"csv\", or build with",
    },
    // Keys and tables.
    Case {
        name: "a misspelt key",
        files: FILES,
        scenario: star!(
            "",
            "kind = \"incast\"\nfan_in = 3\nsize = \"1KB\"\nat = \"0s\"",
            "kind = \"hpcc\"\netta = 0.9"
        ),
        args: &[],
        place: "t.toml:12:1",
        says: &["[cc] has no key `etta`"],
        remedy: "did you mean `eta`?",
    },
    Case {
        name: "an unknown table",
        files: FILES,
        scenario: good_and!("[swich]\npfc = true"),
        args: &[],
        place: "t.toml:11:2",
        says: &["no key or table `swich`"],
        remedy: "did you mean `switch`?",
    },
    Case {
        name: "a key outside any table",
        files: FILES,
        scenario: concat!("sede = 3\n", good_and!("")),
        args: &[],
        place: "t.toml:1:1",
        says: &["no key or table `sede`"],
        remedy: "did you mean `seed`?",
    },
    Case {
        name: "a misspelt key in an inline table",
        files: FILES,
        scenario: good_and!("[switch]\necn = { kmin = \"400KB\", kmx = \"1600KB\", pmax = 0.2 }"),
        args: &[],
        place: "t.toml:12:25",
        says: &["`ecn` of [switch] has no key `kmx`"],
        remedy: "did you mean `kmax`?",
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
        says: &["[[workload]] 1 needs the key `load`"],
        remedy: "add `load = ...`: payload bytes over a host's link rate",
    },
    Case {
        name: "no [cc]",
        files: FILES,
        scenario: "[topology]\nkind = \"star\"\n[[workload]]\nkind = \"permutation\"\nsize = \"1KB\"\n",
        args: &[],
        place: "t.toml:6:1",
        says: &["no [cc] table"],
        remedy: "add `[cc]` and `kind = \"hpcc\"`",
    },
    Case {
        name: "no [[workload]]",
        files: FILES,
        scenario: "[topology]\nkind = \"star\"\n[cc]\nkind = \"hpcc\"\n",
        args: &[],
        place: "t.toml:5:1",
        says: &["no [[workload]] table"],
        remedy: "add `[[workload]]` with `kind = \"poisson\"`",
    },
    Case {
        name: "no [topology]",
        files: FILES,
        scenario: "[[workload]]\nkind = \"permutation\"\nsize = \"1KB\"\n[cc]\nkind = \"hpcc\"\n",
        args: &[],
        place: "t.toml:6:1",
        says: &["no [topology] table"],
        remedy: "add `[topology]` and `kind = \"fat-tree\"`",
    },
    Case {
        name: "[workload] instead of [[workload]]",
        files: FILES,
        scenario: "[topology]\nkind = \"star\"\n[workload]\nkind = \"permutation\"\nsize = \"1KB\"\n[cc]\nkind = \"hpcc\"\n",
        args: &[],
        place: "t.toml:3:1",
        says: &["`workload` is a list of tables", "[workload]"],
        remedy: "begin each one with `[[workload]]`",
    },
    // Kinds and names.
    Case {
        name: "an unknown kind of topology",
        files: FILES,
        scenario: "[topology]\nkind = \"fattree\"\n[[workload]]\nkind = \"permutation\"\nsize = \"1KB\"\n[cc]\nkind = \"hpcc\"\n",
        args: &[],
        place: "t.toml:2:8",
        says: &["[topology] has no kind `fattree`"],
        remedy: "did you mean `fat-tree`?",
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
        remedy: "did you mean `hpcc`?",
    },
    Case {
        name: "a table without its kind",
        files: FILES,
        scenario: star!("", "size = \"1KB\"", "kind = \"hpcc\""),
        args: &[],
        place: "t.toml:5:1",
        says: &["[[workload]] 1 does not say its kind"],
        remedy: "with one of: poisson, incast",
    },
    Case {
        name: "an unknown profile",
        files: FILES,
        scenario: concat!("profile = \"ns3\"\n", good_and!("")),
        args: &[],
        place: "t.toml:1:11",
        says: &["there is no profile `ns3`"],
        remedy: "did you mean `ns3-hpcc`?",
    },
    Case {
        name: "a misspelt flow-size distribution",
        files: FILES,
        scenario: star!(
            "",
            "kind = \"poisson\"\nsizes = \"webserach\"\nload = 0.5\nduration = \"1ms\"",
            "kind = \"hpcc\""
        ),
        args: &[],
        place: "t.toml:7:9",
        says: &[
            "`webserach` is no built-in flow-size distribution",
            "no such file",
        ],
        remedy: "did you mean `websearch`? Known here: websearch, hadoop, alistorage",
    },
    Case {
        name: "a choice that does not exist",
        files: FILES,
        scenario: good_and!("reaction = \"per-rt\""),
        args: &[],
        place: "t.toml:11:12",
        says: &["[cc], key `reaction`", "`per-rt` is not a choice"],
        remedy: "did you mean `per-rtt`?",
    },
    // Types and units.
    Case {
        name: "a number where a duration belongs",
        files: FILES,
        scenario: star!(
            "delay = 1",
            "kind = \"permutation\"\nsize = \"1KB\"",
            "kind = \"hpcc\""
        ),
        args: &[],
        place: "t.toml:4:9",
        says: &[
            "[topology], key `delay`",
            "`1` is not a duration with a unit",
        ],
        remedy: "such as \"1us\"",
    },
    Case {
        name: "a missing unit",
        files: FILES,
        scenario: star!(
            "rate = \"100\"",
            "kind = \"permutation\"\nsize = \"1KB\"",
            "kind = \"hpcc\""
        ),
        args: &[],
        place: "t.toml:4:8",
        says: &["[topology], key `rate`", "`100` has no unit"],
        remedy: "write it like \"100Gbps\"",
    },
    Case {
        name: "the unit of something else",
        files: FILES,
        scenario: star!(
            "rate = \"1us\"",
            "kind = \"permutation\"\nsize = \"1KB\"",
            "kind = \"hpcc\""
        ),
        args: &[],
        place: "t.toml:4:8",
        says: &["unknown unit `us`"],
        remedy: "write it like \"100Gbps\"",
    },
    Case {
        name: "a load in quotes",
        files: FILES,
        scenario: star!(
            "",
            "kind = \"poisson\"\nsizes = \"websearch\"\nload = \"0.5\"\nduration = \"1ms\"",
            "kind = \"hpcc\""
        ),
        args: &[],
        place: "t.toml:8:8",
        says: &["[[workload]] 1, key `load`", "`\"0.5\"` is not a number"],
        remedy: "write it without quotes: 0.5",
    },
    Case {
        name: "a fraction of a host",
        files: FILES,
        scenario: "[topology]\nkind = \"star\"\nhosts = 4.5\n[[workload]]\nkind = \"permutation\"\nsize = \"1KB\"\n[cc]\nkind = \"hpcc\"\n",
        args: &[],
        place: "t.toml:3:9",
        says: &["[topology], key `hosts`", "`4.5` is not a whole number"],
        remedy: "such as 4",
    },
    Case {
        name: "a word where true or false belongs",
        files: FILES,
        scenario: good_and!("[switch]\npfc = \"yes\""),
        args: &[],
        place: "t.toml:12:7",
        says: &["[switch], key `pfc`", "`\"yes\"` is not true or false"],
        remedy: "write true or false",
    },
    Case {
        name: "a range of hosts outside a list",
        files: FILES,
        scenario: star!(
            "",
            "kind = \"poisson\"\nsizes = \"1KB\"\nload = 0.5\nduration = \"1us\"\nsources = \"0..2\"",
            "kind = \"hpcc\""
        ),
        args: &[],
        place: "t.toml:10:11",
        says: &["key `sources`", "`\"0..2\"` is not a list"],
        remedy: "write it in brackets: [\"0..2\"]",
    },
    Case {
        name: "sizes without a unit",
        files: FILES,
        scenario: star!(
            "",
            "kind = \"poisson\"\nsizes = \"500\"\nload = 0.5\nduration = \"1ms\"",
            "kind = \"hpcc\""
        ),
        args: &[],
        place: "t.toml:7:9",
        says: &["key `sizes`", "`500` has no unit"],
        remedy: "such as \"400KB\"",
    },
    // Values.
    Case {
        name: "a negative load",
        files: FILES,
        scenario: star!(
            "",
            "kind = \"poisson\"\nsizes = \"websearch\"\nload = -0.5\nduration = \"1ms\"",
            "kind = \"hpcc\""
        ),
        args: &[],
        place: "t.toml:8:8",
        says: &["key `load`", "a load of -0.5"],
        remedy: "write 0.5 for 50 percent",
    },
    Case {
        name: "a load in percent",
        files: FILES,
        scenario: star!(
            "",
            "kind = \"poisson\"\nsizes = \"websearch\"\nload = 50\nduration = \"1ms\"",
            "kind = \"hpcc\""
        ),
        args: &[],
        place: "t.toml:8:8",
        says: &["a load of 50"],
        remedy: "write 0.5 for 50 percent",
    },
    Case {
        name: "a target utilisation above one",
        files: FILES,
        scenario: good_and!("eta = 1.5"),
        args: &[],
        place: "t.toml:11:7",
        says: &["[cc], key `eta`", "1.5 is not between 0 and 1"],
        remedy: "such as 0.95",
    },
    Case {
        name: "an alpha that is no power of one half",
        files: FILES,
        scenario: good_and!("[switch]\nalpha = 0.3"),
        args: &[],
        place: "t.toml:12:9",
        says: &["[switch], key `alpha`", "0.3"],
        remedy: "0.5, 0.25",
    },
    Case {
        name: "a link without delay",
        files: FILES,
        scenario: star!(
            "delay = \"0us\"",
            "kind = \"permutation\"\nsize = \"1KB\"",
            "kind = \"hpcc\""
        ),
        args: &[],
        place: "t.toml:4:9",
        says: &["[topology], key `delay`", "\"0us\""],
        remedy: "such as \"1us\"",
    },
    Case {
        name: "a buffer that holds nothing",
        files: FILES,
        scenario: good_and!("[switch]\nbuffer = \"1KiB\""),
        args: &[],
        place: "t.toml:12:10",
        says: &["[switch], key `buffer`"],
        remedy: "leave the key out to have it sized",
    },
    Case {
        name: "an odd fat-tree",
        files: FILES,
        scenario: "[topology]\nkind = \"fat-tree\"\nk = 5\n[[workload]]\nkind = \"permutation\"\nsize = \"1KB\"\n[cc]\nkind = \"hpcc\"\n",
        args: &[],
        place: "t.toml:3:5",
        says: &["[topology], key `k`", "5 ports"],
        remedy: "an even number such as 8",
    },
    Case {
        name: "a key that the preset fixes",
        files: FILES,
        scenario: "[topology]\nkind = \"fat-tree\"\npreset = \"hpcc-fat320\"\nk = 4\n[[workload]]\nkind = \"permutation\"\nsize = \"1KB\"\n[cc]\nkind = \"hpcc\"\n",
        args: &[],
        place: "t.toml:4:5",
        says: &["[topology], key `k`", "fixes this key"],
        remedy: "remove this key, or remove `preset`",
    },
    Case {
        name: "more senders than hosts",
        files: FILES,
        scenario: star!(
            "",
            "kind = \"incast\"\nfan_in = 4\nsize = \"1KB\"\nat = \"0s\"",
            "kind = \"hpcc\""
        ),
        args: &[],
        place: "t.toml:7:10",
        says: &[
            "key `fan_in`",
            "4 senders and a receiver do not fit 4 hosts",
        ],
        remedy: "choose 1 to 3",
    },
    Case {
        name: "a receiver that is not a host",
        files: FILES,
        scenario: star!(
            "",
            "kind = \"incast\"\nfan_in = 2\nsize = \"1KB\"\nat = \"0s\"\nreceiver = 4",
            "kind = \"hpcc\""
        ),
        args: &[],
        place: "t.toml:10:12",
        says: &["key `receiver`", "node 4 is not a host"],
        remedy: "numbered 0 to 3",
    },
    Case {
        name: "an incast that does not say when",
        files: FILES,
        scenario: star!(
            "",
            "kind = \"incast\"\nfan_in = 2\nsize = \"1KB\"",
            "kind = \"hpcc\""
        ),
        args: &[],
        place: "t.toml:5:1",
        says: &["[[workload]] 1"],
        remedy: "`load`",
    },
    // TOML.
    Case {
        name: "a key given twice",
        files: FILES,
        scenario: good_and!("kind = \"line-rate\""),
        args: &[],
        place: "t.toml:11:1",
        says: &["`kind` is given twice"],
        remedy: "keep one of the two",
    },
    Case {
        name: "text without quotes",
        files: FILES,
        scenario: good_and!("reaction = per-rtt"),
        args: &[],
        place: "t.toml:11:12",
        says: &["`per-rtt` is text without quotes"],
        remedy: "write it as \"per-rtt\"",
    },
    Case {
        name: "a line without an equals sign",
        files: FILES,
        scenario: good_and!("eta 0.9"),
        args: &[],
        place: "t.toml:11:5",
        says: &["this is not TOML"],
        remedy: "write `key = value`",
    },
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
        remedy: "paths are relative to the scenario file",
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
        remedy: "numbered 0 to 3",
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
        says: &["host 2 sends to itself"],
        remedy: "a destination that is not the source",
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
        remedy: "size_bytes",
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
        says: &["node 4 is not a host"],
        remedy: "numbered 0 to 3",
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
        remedy: "add the missing flows",
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
        remedy: "add links that join the parts",
    },
    Case {
        name: "a graph that is no XML",
        files: &[("network.graphml", "<graphml>\n<graph>\n</graphml>\n")],
        scenario: from_graphml!(""),
        args: &[],
        place: "network.graphml:3:1",
        says: &["this is not XML"],
        remedy: "give a GraphML file",
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
        remedy: "write a delay for all links",
    },
    Case {
        name: "a graph that is not there",
        files: &[],
        scenario: from_graphml!(""),
        args: &[],
        place: "t.toml:3:8",
        says: &["[topology], key `path`", "network.graphml"],
        remedy: "give a file that exists",
    },
    Case {
        name: "a misspelt geographic",
        files: &[],
        scenario: from_graphml!("delay = \"geografic\"\n"),
        args: &[],
        place: "t.toml:4:9",
        says: &["[topology], key `delay`", "`geografic` is neither a time"],
        remedy: "write it like \"1ms\"",
    },
    Case {
        name: "a network of a provider with too long a path",
        files: &[],
        scenario: "[topology]\nkind = \"isp\"\nswitches = 20\nlongest_path = 30\n[[workload]]\nkind = \"permutation\"\nsize = \"1KB\"\n[cc]\nkind = \"hpcc\"\n",
        args: &[],
        place: "t.toml:3:12",
        says: &["[topology], key `switches`", "20 is too few"],
        remedy: "write at least 30",
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
        remedy: "add links",
    },
    Case {
        name: "a list of links that stops (topology.txt)",
        files: &[("topology.txt", "3 1 2\n2\n0 2 100Gbps 1us 0\n1 2 100Gbps\n")],
        scenario: from_file!("kind = \"permutation\"\nsize = \"1KB\""),
        args: &[],
        place: "topology.txt:5:1",
        says: &["the file ends before the delay of link 2 of 2"],
        remedy: "add the missing links",
    },
    Case {
        name: "a rate without a unit (topology.txt)",
        files: &[(
            "topology.txt",
            "3 1 2\n2\n0 2 100 1us 0\n1 2 100Gbps 1us 0\n",
        )],
        scenario: from_file!("kind = \"permutation\"\nsize = \"1KB\""),
        args: &[],
        place: "topology.txt:3:5",
        says: &["`100` has no unit"],
        remedy: "write it like `100Gbps`",
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
        remedy: "such as 1us",
    },
    Case {
        name: "a misspelt way of recovery",
        files: FILES,
        scenario: good_and!("[transport]\nrecovery = \"selectiv\""),
        args: &[],
        place: "t.toml:12:12",
        says: &["[transport], key `recovery`", "`selectiv` is not a choice"],
        remedy: "did you mean `selective`?",
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
        remedy: "never decrease",
    },
    // The command line.
    // Events.
    Case {
        name: "an unknown kind of event",
        files: FILES,
        scenario: good_and!("[[event]]\nat = \"1us\"\nkind = \"link-dwn\"\nlink = [0, 4]"),
        args: &[],
        place: "t.toml:13:8",
        says: &["[[event]] 1 has no kind `link-dwn`"],
        remedy: "did you mean `link-down`?",
    },
    Case {
        name: "an event without a time",
        files: FILES,
        scenario: good_and!("[[event]]\nkind = \"link-down\"\nlink = [0, 4]"),
        args: &[],
        place: "t.toml:11:1",
        says: &["[[event]] 1 needs the key `at`"],
        remedy: "add `at = ...`: when it happens",
    },
    Case {
        name: "a misspelt key of an event",
        files: FILES,
        scenario: good_and!("[[event]]\nat = \"1us\"\nkind = \"link-down\"\nlnk = [0, 4]"),
        args: &[],
        place: "t.toml:14:1",
        says: &["[[event]] 1 has no key `lnk`"],
        remedy: "did you mean `link`?",
    },
    Case {
        name: "a time of an event without a unit",
        files: FILES,
        scenario: good_and!("[[event]]\nat = 3\nkind = \"link-down\"\nlink = [0, 4]"),
        args: &[],
        place: "t.toml:12:6",
        says: &["[[event]] 1, key `at`", "`3` is not a time with a unit"],
        remedy: "such as \"10ms\"",
    },
    Case {
        name: "an event on a link that does not exist",
        files: FILES,
        scenario: good_and!("[[event]]\nat = \"1us\"\nkind = \"link-down\"\nlink = [0, 1]"),
        args: &[],
        place: "t.toml:14:8",
        says: &["[[event]] 1, key `link`", "no link joins the nodes 0 and 1"],
        remedy: "node 0 has links to 4",
    },
    Case {
        name: "an event on a node that does not exist",
        files: FILES,
        scenario: good_and!("[[event]]\nat = \"1us\"\nkind = \"link-up\"\nlink = [0, 9]"),
        args: &[],
        place: "t.toml:14:8",
        says: &["there is no node 9"],
        remedy: "the nodes here are 0 to 4",
    },
    Case {
        name: "a link with one end",
        files: FILES,
        scenario: good_and!("[[event]]\nat = \"1us\"\nkind = \"link-down\"\nlink = [4]"),
        args: &[],
        place: "t.toml:14:8",
        says: &["a link joins two nodes, and this names 1"],
        remedy: "write the numbers of both ends",
    },
    Case {
        name: "a link that is no list",
        files: FILES,
        scenario: good_and!("[[event]]\nat = \"1us\"\nkind = \"link-down\"\nlink = 4"),
        args: &[],
        place: "t.toml:14:8",
        says: &["[[event]] 1, key `link`", "`4` is not a list"],
        remedy: "write it in brackets: [4]",
    },
    Case {
        name: "a parallel link too many",
        files: FILES,
        scenario: good_and!(
            "[[event]]\nat = \"1us\"\nkind = \"link-down\"\nlink = [0, 4]\nindex = 1"
        ),
        args: &[],
        place: "t.toml:15:9",
        says: &["the nodes 0 and 4 have no link 1"],
        remedy: "they are joined by 1, counted from 0",
    },
    Case {
        name: "an impossible loss of an event",
        files: FILES,
        scenario: good_and!(
            "[[event]]\nat = \"1us\"\nkind = \"link-loss\"\nlink = [0, 4]\nloss = 1.5"
        ),
        args: &[],
        place: "t.toml:15:8",
        says: &[
            "[[event]] 1, key `loss`",
            "a loss probability of 1.5 is impossible",
        ],
        remedy: "give a number from 0 to 1",
    },
    Case {
        name: "an event without its rate",
        files: FILES,
        scenario: good_and!("[[event]]\nat = \"1us\"\nkind = \"link-rate\"\nlink = [0, 4]"),
        args: &[],
        place: "t.toml:11:1",
        says: &["[[event]] 1 needs the key `rate`"],
        remedy: "add `rate = ...`",
    },
    Case {
        name: "a faster link than was built",
        files: FILES,
        scenario: good_and!(
            "[[event]]\nat = \"1us\"\nkind = \"link-rate\"\nlink = [0, 4]\nrate = \"400Gbps\""
        ),
        args: &[],
        place: "t.toml:15:8",
        says: &["[[event]] 1, key `rate`", "built for 100Gbps"],
        remedy: "give a lower rate",
    },
    Case {
        name: "two algorithms of marks in one priority",
        files: FILES,
        scenario: good_and!(
            "[[workload]]\nkind = \"incast\"\nfan_in = 3\nsize = \"1KB\"\nat = \"0s\"\ncc = { kind = \"dcqcn\" }\n[[workload]]\nkind = \"incast\"\nfan_in = 3\nsize = \"1KB\"\nat = \"0s\"\ncc = { kind = \"dctcp\" }"
        ),
        args: &[],
        place: "t.toml:9:1",
        says: &["dcqcn and dctcp share priority 3"],
        remedy: "different priorities",
    },
    Case {
        name: "two digests in one network",
        files: FILES,
        scenario: good_and!(
            "[[class]]\nid = 1\ncc = { kind = \"hpcc-pint\" }\n[[class]]\nid = 2\ncc = { kind = \"hpcc-pint\", log_base = 1.1 }"
        ),
        args: &[],
        place: "t.toml:9:1",
        says: &["different digests"],
        remedy: "the same log_base",
    },
    Case {
        name: "a class with two algorithms",
        files: FILES,
        scenario: good_and!(
            "[[class]]\nid = 7\ncc = { kind = \"timely\" }\n[[class]]\nid = 7\ncc = { kind = \"dctcp\" }"
        ),
        args: &[],
        place: "t.toml:15:6",
        says: &["class 7 has an algorithm already"],
        remedy: "give each class one algorithm",
    },
    Case {
        name: "a class without an algorithm",
        files: FILES,
        scenario: good_and!("[[class]]\nid = 7"),
        args: &[],
        place: "t.toml:11:1",
        says: &["[[class]] 1 does not say its algorithm"],
        remedy: "add `cc = ",
    },
    Case {
        name: "marks for a rate that no link has",
        files: FILES,
        scenario: good_and!(
            "[switch]\necn_rules = [{ rate = \"7Gbps\", kmin = \"1KB\", kmax = \"2KB\", pmax = 1.0 }]"
        ),
        args: &[],
        place: "t.toml:12:13",
        says: &["no link has 7Gbps"],
        remedy: "the links have 100Gbps",
    },
    Case {
        name: "a buffer that holds no packet",
        files: FILES,
        scenario: good_and!(
            "[switch]\npfc = false\nbuffer = \"20KiB\"\nreserve = \"0B\"\nalpha = 0.03125"
        ),
        args: &[],
        place: "t.toml:13:10",
        says: &["a port of switch 4 may fill 640 bytes"],
        remedy: "a larger buffer",
    },
    Case {
        name: "a lowest rate above all NICs",
        files: FILES,
        scenario: good_and!("min_rate = \"400Gbps\""),
        args: &[],
        place: "t.toml:9:1",
        says: &["hpcc, key `min_rate`", "no host is as fast as 400Gbps"],
        remedy: "give a rate below 100Gbps",
    },
    Case {
        name: "a host that fails as a switch",
        files: FILES,
        scenario: good_and!("[[event]]\nat = \"1us\"\nkind = \"switch-down\"\nswitch = 2"),
        args: &[],
        place: "t.toml:14:10",
        says: &["[[event]] 1, key `switch`", "node 2 is a host"],
        remedy: "the only switch here is 4",
    },
    Case {
        name: "an event beyond simulated time",
        files: FILES,
        scenario: good_and!("[[event]]\nat = \"5000000s\"\nkind = \"switch-up\"\nswitch = 4"),
        args: &[],
        place: "t.toml:12:6",
        says: &["`5000000s` is too large"],
        remedy: "write it like",
    },
    Case {
        name: "a convergence without a unit",
        files: FILES,
        scenario: good_and!("[routing]\nconvergence = 50"),
        args: &[],
        place: "t.toml:12:15",
        says: &[
            "[routing], key `convergence`",
            "`50` is not a duration with a unit",
        ],
        remedy: "such as \"1us\"",
    },
    Case {
        name: "a misspelt routing policy",
        files: FILES,
        scenario: good_and!("[routing]\npolicy = \"ecpm\""),
        args: &[],
        place: "t.toml:12:10",
        says: &["[routing], key `policy`: there is no routing policy `ecpm`"],
        remedy: "did you mean `ecmp`?",
    },
    Case {
        name: "--set of a table that does not exist",
        files: FILES,
        scenario: good_and!(""),
        args: &["--set", "workload.3.size=1KB"],
        place: "--set:1:1",
        says: &["no `3` in `workload.3.size`"],
        remedy: "1 tables, counted from 0",
    },
    Case {
        name: "--set without a value",
        files: FILES,
        scenario: good_and!(""),
        args: &["--set", "seed"],
        place: "--set:1:1",
        says: &["`seed` has no `=`"],
        remedy: "write it like --set cc.eta=0.99",
    },
    Case {
        name: "--set of a key that does not exist",
        files: FILES,
        scenario: good_and!(""),
        args: &["--set", "cc.etta=0.9"],
        place: "t.toml (with --set):",
        says: &["[cc] has no key `etta`"],
        remedy: "did you mean `eta`?",
    },
    Case {
        name: "--set of an impossible value",
        files: FILES,
        scenario: good_and!(""),
        args: &["--set", "cc.eta=0,9"],
        place: "t.toml (with --set):",
        says: &["[cc], key `eta`", "`\"0,9\"` is not a number"],
        remedy: "such as 0.5",
    },
];

fn complaint(case: &Case) -> (Folder, Outcome) {
    let folder = Folder::new();
    for (name, text) in case.files {
        folder.write(name, text);
    }
    folder.write("t.toml", case.scenario);
    let mut args = vec!["run", "t.toml", "--out", "results"];
    args.extend(case.args);
    let outcome = folder.run(&args);
    (folder, outcome)
}

#[test]
fn every_mistake_is_placed_and_comes_with_its_remedy() {
    let cases = CASES.iter().chain(places::CASES);
    for case in cases.chain(queries::CASES).chain(tcp::CASES) {
        let (folder, outcome) = complaint(case);
        let name = case.name;
        let said = unwrapped(&outcome.stderr);
        assert_eq!(outcome.code, Some(2), "{name}: {}", outcome.stderr);
        assert_eq!(outcome.stdout, "", "{name}");
        assert!(!folder.has("results"), "{name}: a folder was made");
        for fragment in [case.place, case.remedy].iter().chain(case.says) {
            assert!(
                said.contains(fragment),
                "{name}: no `{fragment}` in\n{}",
                outcome.stderr
            );
        }
        for raw in [
            "invalid type",
            "invalid value",
            "expected f64",
            "struct ",
            "panicked",
        ] {
            assert!(!said.contains(raw), "{name}: `{raw}` is not our word");
        }
    }
}

/// A message as one line, so that it does not matter where it was wrapped.
fn unwrapped(message: &str) -> String {
    message
        .split_whitespace()
        .filter(|word| *word != "|")
        .collect::<Vec<_>>()
        .join(" ")
}

#[test]
fn a_scenario_that_does_not_exist() {
    let folder = Folder::new();
    let outcome = folder.run(&["run", "nowhere.toml", "--out", "results"]);
    assert_eq!(outcome.code, Some(2));
    let said = unwrapped(&outcome.stderr);
    assert!(
        said.contains("cannot read the scenario `nowhere.toml`"),
        "{said}"
    );
    assert!(said.contains("help: give the path of a scenario"), "{said}");
    assert!(!folder.has("results"));
}

#[test]
fn check_finds_the_same_mistakes_as_run() {
    let cases = CASES.iter().chain(places::CASES);
    let cases = cases.chain(queries::CASES).chain(tcp::CASES);
    for case in cases.filter(|case| case.args.is_empty()) {
        let (folder, run) = complaint(case);
        let check = folder.run(&["check", "t.toml"]);
        assert_eq!(check.code, Some(2), "{}", case.name);
        assert_eq!(check.stderr, run.stderr, "{}", case.name);
    }
}

#[test]
fn what_the_command_line_itself_refuses() {
    let folder = Folder::new();
    for args in [
        &["run", "--threads", "0"][..],
        &["run", "--seed", "-1"],
        &["run", "--sed", "1"],
        &["runn"],
        &["list", "algorithms"],
        &[],
    ] {
        let outcome = folder.run(args);
        assert_eq!(outcome.code, Some(2), "{args:?}");
        assert!(
            outcome.stderr.contains("--help") || outcome.stderr.contains("Usage"),
            "{args:?}"
        );
    }
    assert!(!folder.has("results"));
}

#[test]
fn the_profile_says_what_its_telemetry_cannot_hold() {
    let folder = Folder::new();
    folder.write(
        "t.toml",
        "profile = \"ns3-hpcc\"\n[topology]\nkind = \"chain\"\nswitches = 6\n[[workload]]\nkind = \"permutation\"\nsize = \"1KB\"\n[cc]\nkind = \"hpcc\"\n",
    );
    let outcome = folder.run(&["run", "t.toml", "--out", "results"]);
    assert_eq!(outcome.code, Some(2));
    let said = unwrapped(&outcome.stderr);
    assert!(said.contains("5 hops"), "{said}");
    assert!(said.contains("leave out the profile"), "{said}");
    assert!(!folder.has("results"));
}

#[test]
fn the_table_covers_a_good_scenario_too() {
    let folder = Folder::new();
    let text = format!(
        "[topology]\nkind = \"star\"\nhosts = 4\n[[workload]]\n{GOOD_WORKLOAD}\n[cc]\nkind = \"hpcc\"\n"
    );
    folder.write("t.toml", &text);
    folder
        .run(&["run", "t.toml", "--out", "results"])
        .succeeded();
    assert!(folder.has("results/fct.csv"));
}
