//! Errors in topology events, and in combinations of tables.

use super::{Case, FILES};

pub(super) const CASES: &[Case] = &[
    // The command line.
    // Events.
    Case {
        name: "an unknown kind of event",
        files: FILES,
        scenario: good_and!("[[event]]\nat = \"1us\"\nkind = \"link-dwn\"\nlink = [0, 4]"),
        args: &[],
        place: "t.toml:13:8",
        says: &["[[event]] 0 has no kind `link-dwn`"],
        help: "did you mean `link-down`?",
    },
    Case {
        name: "an event without a time",
        files: FILES,
        scenario: good_and!("[[event]]\nkind = \"link-down\"\nlink = [0, 4]"),
        args: &[],
        place: "t.toml:11:1",
        says: &["[[event]] 0 needs the key `at`"],
        help: "add `at = ...`: time of the event",
    },
    Case {
        name: "a misspelled key of an event",
        files: FILES,
        scenario: good_and!("[[event]]\nat = \"1us\"\nkind = \"link-down\"\nlnk = [0, 4]"),
        args: &[],
        place: "t.toml:14:1",
        says: &["[[event]] 0 has no key `lnk`"],
        help: "did you mean `link`?",
    },
    Case {
        name: "a time of an event without a unit",
        files: FILES,
        scenario: good_and!("[[event]]\nat = 3\nkind = \"link-down\"\nlink = [0, 4]"),
        args: &[],
        place: "t.toml:12:6",
        says: &["[[event]] 0, key `at`", "`3` is not a time with a unit"],
        help: "such as \"10ms\"",
    },
    Case {
        name: "an event on a link that does not exist",
        files: FILES,
        scenario: good_and!("[[event]]\nat = \"1us\"\nkind = \"link-down\"\nlink = [0, 1]"),
        args: &[],
        place: "t.toml:14:8",
        says: &[
            "[[event]] 0, key `link`",
            "no link joins host0 (node 0) and host1 (node 1)",
        ],
        help: "host0 (node 0) has links to switch0 (node 4)",
    },
    Case {
        name: "an event on a node that does not exist",
        files: FILES,
        scenario: good_and!("[[event]]\nat = \"1us\"\nkind = \"link-up\"\nlink = [0, 9]"),
        args: &[],
        place: "t.toml:14:8",
        says: &["there is no node 9"],
        help: "the nodes here are 0 to 4",
    },
    Case {
        name: "a link with one end",
        files: FILES,
        scenario: good_and!("[[event]]\nat = \"1us\"\nkind = \"link-down\"\nlink = [4]"),
        args: &[],
        place: "t.toml:14:8",
        says: &["a link joins two nodes, and this names 1"],
        help: "write the numbers of both ends",
    },
    Case {
        name: "a link that is no list",
        files: FILES,
        scenario: good_and!("[[event]]\nat = \"1us\"\nkind = \"link-down\"\nlink = 4"),
        args: &[],
        place: "t.toml:14:8",
        says: &["[[event]] 0, key `link`", "`4` is not a list"],
        help: "write it in brackets: [4]",
    },
    Case {
        name: "a parallel link too many",
        files: FILES,
        scenario: good_and!(
            "[[event]]\nat = \"1us\"\nkind = \"link-down\"\nlink = [0, 4]\nindex = 1"
        ),
        args: &[],
        place: "t.toml:15:9",
        says: &["host0 (node 0) and switch0 (node 4) have no link 1"],
        help: "they are joined by 1, counted from 0",
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
            "[[event]] 0, key `loss`",
            "a loss probability of 1.5 is impossible",
        ],
        help: "give a number from 0 to 1",
    },
    Case {
        name: "an event without its rate",
        files: FILES,
        scenario: good_and!("[[event]]\nat = \"1us\"\nkind = \"link-rate\"\nlink = [0, 4]"),
        args: &[],
        place: "t.toml:11:1",
        says: &["[[event]] 0 needs the key `rate`"],
        help: "add `rate = ...`",
    },
    Case {
        name: "a faster link than was built",
        files: FILES,
        scenario: good_and!(
            "[[event]]\nat = \"1us\"\nkind = \"link-rate\"\nlink = [0, 4]\nrate = \"400Gbps\""
        ),
        args: &[],
        place: "t.toml:15:8",
        says: &["[[event]] 0, key `rate`", "built for 100Gbps"],
        help: "give a lower rate",
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
        help: "different priorities",
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
        help: "the same log_base",
    },
    Case {
        name: "units of telemetry that has its full width",
        files: FILES,
        scenario: good_and!("[[class]]\nid = 1\ncc = { kind = \"hpcc\", int_multiple = 4 }"),
        args: &[],
        place: "t.toml:9:1",
        says: &["`int_multiple`", "profile = \"ns3-hpcc\""],
        help: "set the profile",
    },
    Case {
        name: "telemetry in two units",
        files: FILES,
        scenario: good_and!(
            "[[class]]\nid = 1\ncc = { kind = \"hpcc\", int_multiple = 4 }\n[[class]]\nid = 2\ncc = { kind = \"hpcc\" }"
        ),
        args: &["--set", "profile=\"ns3-hpcc\""],
        place: "t.toml (with --set):10:1",
        says: &["different units"],
        help: "the same int_multiple",
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
        help: "give each class one algorithm",
    },
    Case {
        name: "a class without an algorithm",
        files: FILES,
        scenario: good_and!("[[class]]\nid = 7"),
        args: &[],
        place: "t.toml:11:1",
        says: &["[[class]] 0 does not say its algorithm"],
        help: "add `cc = ",
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
        help: "the links have 100Gbps",
    },
    Case {
        name: "a buffer that holds no packet",
        files: FILES,
        scenario: good_and!(
            "[switch]\npfc = false\nbuffer = \"20KiB\"\nreserve = \"0B\"\nalpha = 0.03125"
        ),
        args: &[],
        place: "t.toml:13:10",
        says: &["a port of switch0 (node 4) may fill 640 bytes"],
        help: "a larger buffer",
    },
    Case {
        name: "a lowest rate above all NICs",
        files: FILES,
        scenario: good_and!("min_rate = \"400Gbps\""),
        args: &[],
        place: "t.toml:9:1",
        says: &["hpcc, key `min_rate`", "no host is as fast as 400Gbps"],
        help: "give a rate below 100Gbps",
    },
    Case {
        name: "a host that fails as a switch",
        files: FILES,
        scenario: good_and!("[[event]]\nat = \"1us\"\nkind = \"switch-down\"\nswitch = 2"),
        args: &[],
        place: "t.toml:14:10",
        says: &["[[event]] 0, key `switch`", "host2 (node 2) is a host"],
        help: "the only switch here is switch0 (node 4)",
    },
    Case {
        name: "an event beyond simulated time",
        files: FILES,
        scenario: good_and!("[[event]]\nat = \"5000000s\"\nkind = \"switch-up\"\nswitch = 4"),
        args: &[],
        place: "t.toml:12:6",
        says: &["`5000000s` is too large"],
        help: "write it like",
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
        help: "such as \"1us\"",
    },
];
