//! Values of the wrong type, unit or range.

use super::{Case, FILES};

pub(super) const CASES: &[Case] = &[
    Case {
        name: "a choice that does not exist",
        files: FILES,
        scenario: good_and!("reaction = \"per-rt\""),
        args: &[],
        place: "t.toml:11:12",
        says: &["[cc], key `reaction`", "`per-rt` is not a choice"],
        help: "did you mean `per-rtt`?",
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
        help: "such as \"1us\"",
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
        help: "write it like \"100Gbps\"",
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
        help: "write it like \"100Gbps\"",
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
        help: "write it without quotes: 0.5",
    },
    Case {
        name: "a fraction of a host",
        files: FILES,
        scenario: "[topology]\nkind = \"star\"\nhosts = 4.5\n[[workload]]\nkind = \"permutation\"\nsize = \"1KB\"\n[cc]\nkind = \"hpcc\"\n",
        args: &[],
        place: "t.toml:3:9",
        says: &["[topology], key `hosts`", "`4.5` is not a whole number"],
        help: "such as 4",
    },
    Case {
        name: "a word where true or false belongs",
        files: FILES,
        scenario: good_and!("[switch]\npfc = \"yes\""),
        args: &[],
        place: "t.toml:12:7",
        says: &["[switch], key `pfc`", "`\"yes\"` is not true or false"],
        help: "write true or false",
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
        help: "write it in brackets: [\"0..2\"]",
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
        help: "such as \"400KB\"",
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
        help: "write 0.5 for 50 percent",
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
        help: "write 0.5 for 50 percent",
    },
    Case {
        name: "a target utilization above one",
        files: FILES,
        scenario: good_and!("eta = 1.5"),
        args: &[],
        place: "t.toml:11:7",
        says: &["[cc], key `eta`", "1.5 is not between 0 and 1"],
        help: "such as 0.95",
    },
    Case {
        name: "an alpha that is no power of one half",
        files: FILES,
        scenario: good_and!("[switch]\nalpha = 0.3"),
        args: &[],
        place: "t.toml:12:9",
        says: &["[switch], key `alpha`", "0.3"],
        help: "0.5, 0.25",
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
        help: "such as \"1us\"",
    },
    Case {
        name: "a buffer that holds nothing",
        files: FILES,
        scenario: good_and!("[switch]\nbuffer = \"1KiB\""),
        args: &[],
        place: "t.toml:12:10",
        says: &["[switch], key `buffer`"],
        help: "leave the key out to have it sized",
    },
    Case {
        name: "an odd fat-tree",
        files: FILES,
        scenario: "[topology]\nkind = \"fat-tree\"\nk = 5\n[[workload]]\nkind = \"permutation\"\nsize = \"1KB\"\n[cc]\nkind = \"hpcc\"\n",
        args: &[],
        place: "t.toml:3:5",
        says: &["[topology], key `k`", "5 ports"],
        help: "an even number such as 8",
    },
    Case {
        name: "a key that the preset fixes",
        files: FILES,
        scenario: "[topology]\nkind = \"fat-tree\"\npreset = \"hpcc-fat320\"\nk = 4\n[[workload]]\nkind = \"permutation\"\nsize = \"1KB\"\n[cc]\nkind = \"hpcc\"\n",
        args: &[],
        place: "t.toml:4:5",
        says: &["[topology], key `k`", "fixes this key"],
        help: "remove this key, or remove `preset`",
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
        help: "choose 1 to 3",
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
        help: "numbered 0 to 3",
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
        help: "`load`",
    },
    // TOML.
    Case {
        name: "a key given twice",
        files: FILES,
        scenario: good_and!("kind = \"none\""),
        args: &[],
        place: "t.toml:11:1",
        says: &["`kind` is given twice"],
        help: "keep one of the two",
    },
    Case {
        name: "text without quotes",
        files: FILES,
        scenario: good_and!("reaction = per-rtt"),
        args: &[],
        place: "t.toml:11:12",
        says: &["`per-rtt` is text without quotes"],
        help: "write it as \"per-rtt\"",
    },
    Case {
        name: "a line without an equals sign",
        files: FILES,
        scenario: good_and!("eta 0.9"),
        args: &[],
        place: "t.toml:11:5",
        says: &["this is not TOML"],
        help: "write `key = value`",
    },
    Case {
        name: "a misspelled routing policy",
        files: FILES,
        scenario: good_and!("[routing]\npolicy = \"ecpm\""),
        args: &[],
        place: "t.toml:12:10",
        says: &["[routing], key `policy`: there is no routing policy `ecpm`"],
        help: "did you mean `ecmp`?",
    },
];
