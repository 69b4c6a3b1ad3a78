//! Scenarios, files and sweeps with one quantity beyond its limit.

use super::{Beyond, INCAST, STAR, scenario};

pub(super) fn texts() -> Vec<Beyond> {
    [tables(), traffic(), names(), files()]
        .into_iter()
        .flatten()
        .collect()
}

fn tables() -> Vec<Beyond> {
    let more = |more: &str| scenario(STAR, INCAST, more);
    let topology = |topology: &str| scenario(topology, INCAST, "");
    vec![
        Beyond::new(
            more("[run]\nstop_at = \"1000001s\""),
            &[
                "t.toml:12:11",
                "key `stop_at`",
                "1000000s is the most",
                "write it like \"1us\"",
            ],
        ),
        Beyond::new(
            more("[observe]\nqueues = true\nfrom = \"213504s\"\nuntil = \"18446744s\""),
            &[
                "t.toml:14:9",
                "key `until`",
                "1000000s is the most",
                "write it like \"10ms\"",
            ],
        ),
        Beyond::new(
            more("[switch]\nbuffer = \"18446744073709551615B\""),
            &[
                "t.toml:12:10",
                "key `buffer`",
                "1000TB is the most",
                "write it like \"400KB\"",
            ],
        ),
        Beyond::new(
            more("[switch]\nreserve = \"1000000000000001B\""),
            &["t.toml:12:11", "key `reserve`", "1000TB is the most"],
        ),
        Beyond::new(
            topology("kind = \"star\"\nhosts = 4\nrate = \"18446744Tbps\""),
            &[
                "t.toml:4:8",
                "key `rate`",
                "100Tbps is the most",
                "write it like \"100Gbps\"",
            ],
        ),
        Beyond::new(
            topology("kind = \"star\"\nhosts = 4\nrate = \"1bps\""),
            &[
                "t.toml:4:8",
                "key `rate`",
                "1Kbps is the least",
                "write it like \"100Gbps\"",
            ],
        ),
        Beyond::new(
            topology("kind = \"star\"\nhosts = 4\ndelay = \"11s\""),
            &[
                "t.toml:4:9",
                "key `delay`",
                "10s is the most that a link can have",
                "such as \"1us\"",
            ],
        ),
    ]
}

fn traffic() -> Vec<Beyond> {
    let workload = |workload: &str| scenario(STAR, workload, "");
    let topology = |topology: &str| scenario(topology, INCAST, "");
    vec![
        Beyond::new(
            topology("kind = \"leaf-spine\"\noversubscription = 1e9"),
            &[
                "t.toml:3:20",
                "key `oversubscription`",
                "less than 1Kbps",
                "write a smaller ratio",
            ],
        ),
        Beyond::new(
            topology("kind = \"leaf-spine\"\noversubscription = 1e-9"),
            &[
                "t.toml:3:20",
                "key `oversubscription`",
                "more than 100Tbps",
                "write a larger ratio",
            ],
        ),
        Beyond::new(
            topology("kind = \"graphml\"\npath = \"n.graphml\"\ndelay = \"20s\""),
            &[
                "t.toml:4:9",
                "key `delay`",
                "10s is the most",
                "such as \"1us\"",
            ],
        ),
        Beyond::new(
            workload("kind = \"poisson\"\nsizes = \"2000TB\"\nload = 0.5\nduration = \"1ms\""),
            &[
                "t.toml:6:9",
                "key `sizes`",
                "1000TB is the most",
                "such as \"400KB\"",
            ],
        ),
        Beyond::new(
            workload("kind = \"poisson\"\nsizes = \"1B\"\nload = 2.0\nduration = \"1s\""),
            &[
                "t.toml:8:12",
                "key `duration`",
                "this makes about 100000000000 flows",
                "makes fewer",
            ],
        ),
        Beyond::new(
            workload(
                "kind = \"incast\"\nfan_in = 3\nsize = \"1B\"\nperiod = \"1ps\"\nduration = \"1s\"",
            ),
            &[
                "t.toml:8:10",
                "key `period`",
                "this makes about 3000000000000 flows",
                "makes fewer",
            ],
        ),
        Beyond::new(
            workload("kind = \"permutation\"\nsize = \"1KB\"\ncount = 10000000"),
            &[
                "t.toml:4:1",
                "key `gap`",
                "starts 40000000 flows at once",
                "40 GB",
                "\"10us\" apart",
            ],
        ),
    ]
}

fn names() -> Vec<Beyond> {
    let more = |more: &str| scenario(STAR, INCAST, more);
    vec![
        Beyond::new(
            "[topology]\nkind = \"isp\"\n[[workload]]\nkind = \"permutation\"\nsize = \"1KB\"\n[cc]\n\
             kind = \"cubic\"\n[[queue]]\ndiscipline = \"fq_codel flows 65536\"\n[[queue]]\n\
             discipline = { kind = \"fq-codel\", flows = 65536 }\n"
                .to_owned(),
            &[
                "t.toml:8:1",
                "key `discipline`",
                "can be simulated",
                "give a smaller `flows`",
            ],
        ),
        Beyond::new(
            more("[output]\ndir = \"\""),
            &[
                "t.toml:12:7",
                "key `dir`",
                "would be the working folder itself",
                "results/run1",
            ],
        ),
        Beyond::new(
            format!("name = \"-rf\"\n{}", more("")),
            &[
                "t.toml:1:8",
                "begins with none of `.` and `-`",
                "write it like",
            ],
        ),
        Beyond::new(
            format!("name = \"{}\"\n{}", "x".repeat(201), more("")),
            &["t.toml:1:8", "up to 200 letters", "write it like"],
        ),
    ]
}

fn files() -> Vec<Beyond> {
    let workload = |workload: &str| scenario(STAR, workload, "");
    let topology = |topology: &str| scenario(topology, INCAST, "");
    vec![
        Beyond::new(
            topology("kind = \"file\"\npath = \"n.txt\""),
            &[
                "n.txt:3:13",
                "a delay of 11s is too long",
                "write the propagation delay",
            ],
        )
        .file("n.txt", "3 1 2\n2\n0 2 100Gbps 11s 0\n1 2 100Gbps 1us 0\n"),
        Beyond::new(
            topology("kind = \"file\"\npath = \"n.txt\""),
            &[
                "n.txt:3:5",
                "100Tbps is the most",
                "write it like `100Gbps`",
            ],
        )
        .file("n.txt", "3 1 2\n2\n0 2 101Tbps 1us 0\n1 2 100Gbps 1us 0\n"),
        Beyond::new(
            workload("kind = \"list\"\npath = \"f.csv\""),
            &[
                "f.csv:2:5",
                "1000000000000001 bytes are more than the 1000000GB",
                "whole bytes",
            ],
        )
        .file(
            "f.csv",
            "src,dst,size_bytes,start_ns\n0,1,1000000000000001,0\n",
        ),
        Beyond::new(
            workload("kind = \"list\"\npath = \"f.csv\""),
            &[
                "f.csv:2:7",
                "later than flows can start (1000000s)",
                "in nanoseconds",
            ],
        )
        .file(
            "f.csv",
            "src,dst,size_bytes,start_ns\n0,1,1,1000000000000001\n",
        ),
        Beyond::new(
            workload("kind = \"list\"\npath = \"f.txt\""),
            &[
                "f.txt:2:16",
                "later than flows can start (1000000s)",
                "in seconds",
            ],
        )
        .file("f.txt", "1\n0 1 3 100 1000 1000001\n"),
        Beyond::new(
            workload("kind = \"poisson\"\nsizes = \"c.txt\"\nload = 0.5\nduration = \"1ms\""),
            &[
                "c.txt:2:1",
                "1e300 bytes are more than the 1000000GB",
                "write sizes in bytes",
            ],
        )
        .file("c.txt", "0 0\n1e300 1\n"),
    ]
}

pub(super) fn other_commands() -> Vec<Beyond> {
    let sweep = |axis: &str| format!("scenario = \"s.toml\"\n[[axis]]\n{axis}\n");
    let base = "[topology]\nkind = \"star\"\nhosts = 4\n[[workload]]\nkind = \"permutation\"\n\
                size = \"1KB\"\n[cc]\nkind = \"hpcc\"\n";
    vec![
        Beyond::new(
            sweep("key = \"topology.delay\"\nvalues = [\"1us\", \"11s\"]"),
            &[
                "t.toml:4:18",
                "key `delay`",
                "10s is the most",
                "such as \"1us\"",
            ],
        )
        .file("s.toml", base)
        .args(&["sweep", "t.toml", "--dry-run"]),
        Beyond::new(
            sweep("name = \"a\"\n[[axis.variant]]\nname = \"=1+1\"\nset = { seed = 1 }"),
            &[
                "t.toml:5:8",
                "which spreadsheets treat as a formula",
                "a letter or a digit",
            ],
        )
        .file("s.toml", base)
        .args(&["sweep", "t.toml", "--dry-run"]),
        Beyond::new(
            "bandwidth = \"1bps\"\n".to_owned(),
            &["t.toml:1:13", "1Kbps is the least", "write it like"],
        )
        .args(&["harm", "t.toml"]),
        Beyond::new(
            "duration = \"9000s\"\nmean_arrival = \"1ms\"\nrepeats = 65535\n".to_owned(),
            &[
                "t.toml:3:11",
                "are 589815000000 flows",
                "up to 100000000 flows in all",
            ],
        )
        .args(&["harm", "t.toml"]),
        Beyond::new(
            "workload = \"f.csv\"\n".to_owned(),
            &[
                "f.csv:2:1",
                "a flow of 1000000000000001 bytes",
                "give at most 10^15 bytes",
            ],
        )
        .file("f.csv", "start_ns,size_bytes\n0,1000000000000001\n")
        .args(&["harm", "t.toml"]),
        Beyond::new(
            String::new(),
            &["--traffic", "1000000s is the most", "write it like"],
        )
        .args(&["pint", "latency", "--traffic", "99999999s"]),
        Beyond::new(
            String::new(),
            &[
                "1B",
                "of memory, and the limit is 16 GB",
                "give shorter traffic",
            ],
        )
        .args(&["pint", "latency", "--sizes=1B", "--threads", "1"]),
    ]
}
