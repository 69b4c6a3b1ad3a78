//! Routing policies and trimming.

use super::{Case, FILES};

pub(super) const CASES: &[Case] = &[
    Case {
        name: "a misspelled routing policy",
        files: FILES,
        scenario: good_and!("[routing]\npolicy = \"ecpm\""),
        args: &[],
        place: "t.toml:12:10",
        says: &["[routing], key `policy`: there is no routing policy `ecpm`"],
        help: "did you mean `ecmp`?",
    },
    Case {
        name: "a misspelled kind of routing policy",
        files: FILES,
        scenario: good_and!("[routing]\npolicy = { kind = \"flowlets\" }"),
        args: &[],
        place: "t.toml:12:19",
        says: &["[routing], table `policy` has no kind `flowlets`"],
        help: "did you mean `flowlet`?",
    },
    Case {
        name: "trimming where switches pause",
        files: FILES,
        scenario: good_and!("[switch]\ntrim_above = \"80KB\""),
        args: &[],
        place: "t.toml:12:14",
        says: &["[switch], key `trim_above`", "none is trimmed"],
        help: "set pfc = false",
    },
    Case {
        name: "trimming for receivers that report gaps",
        files: FILES,
        scenario: good_and!(
            "[switch]\npfc = false\ntrim_above = \"80KB\"\n[rdma]\nrecovery = \"selective\""
        ),
        args: &[],
        place: "t.toml:13:14",
        says: &["[switch], key `trim_above`", "report gaps instead"],
        help: "leave `recovery` out, or set it to \"any-order\"",
    },
    Case {
        name: "a flowlet without a gap",
        files: FILES,
        scenario: good_and!("[routing]\npolicy = { kind = \"flowlet\", gap = \"0s\" }"),
        args: &[],
        place: "t.toml:12:36",
        says: &["without a gap every packet is a flowlet"],
        help: "give a time such as \"100us\", or set policy = \"random\"",
    },
    Case {
        name: "a key of another routing policy",
        files: FILES,
        scenario: good_and!("[routing]\npolicy = { kind = \"random\", gap = \"10us\" }"),
        args: &[],
        place: "t.toml:12:29",
        says: &["[routing], table `policy`", "gap"],
        help: "",
    },
    Case {
        name: "senders that choose paths for receivers that take a gap for a loss",
        files: FILES,
        scenario: good_and!("[routing]\npolicy = \"reps\"\n[rdma]\nrecovery = \"go-back-n\""),
        args: &[],
        place: "t.toml:12:10",
        says: &["`reps` needs receivers that accept packets in any order"],
        help: "leave `recovery` out, or set it to \"any-order\"",
    },
    Case {
        name: "a priority with two routing policies",
        files: FILES,
        scenario: good_and!(
            "[routing]\npriorities = [{ priority = 4, policy = \"random\" }, { priority = 4, policy = \"ecmp\" }]"
        ),
        args: &[],
        place: "t.toml:12:14",
        says: &["[routing], key `priorities`: priority 4 has two policies"],
        help: "name each priority once",
    },
    Case {
        name: "senders that choose paths for one priority",
        files: FILES,
        scenario: good_and!("[routing]\npriorities = [{ priority = 4, policy = \"reps\" }]"),
        args: &[],
        place: "t.toml:12:14",
        says: &[
            "[routing], key `priorities`",
            "`reps` is a policy of hosts for all their packets",
        ],
        help: "leave out `priorities`, or name other policies",
    },
];
