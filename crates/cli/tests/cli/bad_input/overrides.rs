//! Errors in `--set`.

use super::{Case, FILES};

pub(super) const CASES: &[Case] = &[
    Case {
        name: "--set of a table that does not exist",
        files: FILES,
        scenario: good_and!(""),
        args: &["--set", "workload.3.size=1KB"],
        place: "--set:1:1",
        says: &["no `3` in `workload.3.size`"],
        help: "1 tables, counted from 0",
    },
    Case {
        name: "--set of a table two places behind the last one",
        files: FILES,
        scenario: good_and!(""),
        args: &["--set", "event.1={ kind = \"link-down\" }"],
        place: "--set:1:1",
        says: &["there is no `event.1`"],
        help: "`event` is a list of 0, counted from 0; add one as `event.0`",
    },
    Case {
        name: "--set without a value",
        files: FILES,
        scenario: good_and!(""),
        args: &["--set", "seed"],
        place: "--set:1:1",
        says: &["`seed` has no `=`"],
        help: "write it like --set cc.eta=0.99",
    },
    Case {
        name: "--set of a key that does not exist",
        files: FILES,
        scenario: good_and!(""),
        args: &["--set", "cc.etta=0.9"],
        place: "t.toml (with --set):",
        says: &["[cc] has no key `etta`"],
        help: "did you mean `eta`?",
    },
    Case {
        name: "--set of an impossible value",
        files: FILES,
        scenario: good_and!(""),
        args: &["--set", "cc.eta=0,9"],
        place: "t.toml (with --set):",
        says: &["[cc], key `eta`", "`\"0,9\"` is not a number"],
        help: "such as 0.5",
    },
];
