//! Errors in the tables of DCQCN and TIMELY.

use super::{Case, report, unwrapped};

/// A valid scenario with `[cc]` in line 9 and `$text` from line 10 on.
macro_rules! cc {
    ($text:literal) => {
        concat!(
            "[topology]\nkind = \"star\"\nhosts = 4\n[[workload]]\nkind = \"incast\"\nfan_in = 3\n",
            "size = \"10KB\"\nat = \"0s\"\n[cc]\n",
            $text,
            "\n"
        )
    };
}

const fn case(
    name: &'static str,
    scenario: &'static str,
    place: &'static str,
    says: &'static [&'static str],
    help: &'static str,
) -> Case {
    Case {
        name,
        files: &[],
        scenario,
        args: &[],
        place,
        says,
        help,
    }
}

const CASES: &[Case] = &[
    case(
        "a byte counter in the vendors' form",
        cc!("kind = \"dcqcn\"\nbyte_counter = \"10MB\""),
        "t.toml:11:16",
        &["[cc], key `byte_counter`", "grows by its timer alone"],
        "add `parameters = \"paper\"`, or leave the key out",
    ),
    case(
        "a byte counter of less than a packet",
        cc!("kind = \"dcqcn\"\nparameters = \"paper\"\nbyte_counter = \"100B\""),
        "t.toml:12:16",
        &["a counter of 100B would come up with every packet"],
        "or \"0B\" for none",
    ),
    case(
        "an estimate above one",
        cc!("kind = \"dcqcn\"\ninitial_alpha = 2"),
        "t.toml:11:17",
        &["an estimate of 2 is not between 0 and 1"],
        "give a number from 0 to 1, such as 1",
    ),
    case(
        "an algorithm that there is not",
        cc!("kind = \"dcqcn\"\nparameters = \"papers\""),
        "t.toml:11:14",
        &["[cc], key `parameters`", "`papers` is not a choice"],
        "did you mean `paper`?",
    ),
    case(
        "a count that there is not",
        cc!("kind = \"timely\"\nhyper_counts = \"gradient\""),
        "t.toml:11:16",
        &["[cc], key `hyper_counts`", "`gradient` is not a choice"],
        "did you mean `gradients`?",
    ),
];

#[test]
fn errors_in_congestion_controls_are_placed_and_come_with_a_suggested_fix() {
    for case in CASES {
        let (folder, outcome) = report(case);
        let said = unwrapped(&outcome.stderr);
        assert_eq!(outcome.code, Some(2), "{}: {said}", case.name);
        assert!(!folder.has("results"), "{}: a folder was made", case.name);
        for fragment in [case.place, case.help].iter().chain(case.says) {
            assert!(
                said.contains(fragment),
                "{}: no `{fragment}` in\n{said}",
                case.name
            );
        }
        let check = folder.run(&["check", "t.toml"]);
        assert_eq!(check.code, Some(2), "{}", case.name);
        assert_eq!(check.stderr, outcome.stderr, "{}", case.name);
    }
}
