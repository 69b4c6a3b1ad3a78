//! Values of remote procedure calls, and of the NICs of classes.

use super::{Case, FILES};

pub(super) const CASES: &[Case] = &[
    Case {
        name: "a rule for the NICs of a class that no workload is of",
        files: FILES,
        scenario: good_and!("[routing]\nnics = [{ class = 3, to = 0 }]"),
        args: &[],
        place: "t.toml:11:1",
        says: &["[routing], key `nics`: no flow has class 3"],
        help: "the classes of this scenario are 0",
    },
    Case {
        name: "query sizes without a unit",
        files: FILES,
        scenario: star!(
            "",
            "kind = \"rpc\"\nduration = \"1ms\"\nquery = 4000",
            "kind = \"hpcc\""
        ),
        args: &[],
        place: "t.toml:8:9",
        says: &[
            "[[workload]] 0, key `query`",
            "`4000` is not a size with a unit",
        ],
        help: "write it like \"4000B\"",
    },
    Case {
        name: "query sizes that are no distribution",
        files: FILES,
        scenario: star!(
            "",
            "kind = \"rpc\"\nduration = \"1ms\"\nquery = \"websaerch\"",
            "kind = \"hpcc\""
        ),
        args: &[],
        place: "t.toml:8:9",
        says: &[
            "[[workload]] 0, key `query`",
            "unknown flow-size distribution `websaerch`",
        ],
        help: "did you mean `websearch`?",
    },
];
