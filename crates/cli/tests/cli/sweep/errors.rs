//! Errors in sweeps: the command finds them before anything runs, with a place and a suggested fix.

use super::{BASE, SLOW, quick};
use crate::support::Folder;

/// An error in a sweep and the expected message.
struct Case {
    sweep: &'static str,
    place: &'static str,
    says: &'static str,
    help: &'static str,
}

const AXIS: &str =
    "scenario = \"base.toml\"\n[[axis]]\nkey = \"workload.0.fan_in\"\nvalues = [2, 3]\n";

#[test]
fn errors_are_found_before_anything_runs() {
    for case in CASES {
        check(case);
    }
}

const CASES: &[Case] = &[
    Case {
        sweep: "scenarios = \"base.toml\"\n",
        place: "s.toml:1:1",
        says: "a sweep has no key or table `scenarios`",
        help: "did you mean `scenario`?",
    },
    Case {
        sweep: "name = \"x\"\n[[axis]]\nkey = \"seed\"\nvalues = [1]\n",
        place: "s.toml:5:1",
        says: "the sweep has no base scenario",
        help: "scenario = \"base.toml\"",
    },
    Case {
        sweep: "scenario = \"bsae.toml\"\n",
        place: "s.toml:1:12",
        says: "cannot read the base scenario `bsae.toml`",
        help: "relative to the sweep file",
    },
    Case {
        sweep: "scenario = \"base.toml\"\n",
        place: "s.toml:2:1",
        says: "the sweep has no [[axis]]",
        help: "add `[[axis]]`",
    },
    Case {
        sweep: "scenario = \"base.toml\"\n[[axis]]\nkey = \"seed\"\nvalue = [1]\n",
        place: "s.toml:4:1",
        says: "[[axis]] 0 has no key or table `value`",
        help: "did you mean `values`?",
    },
    Case {
        sweep: "scenario = \"base.toml\"\n[[axis]]\nkey = \"seed\"\n",
        place: "s.toml:3:7",
        says: "[[axis]] 0: it has no values",
        help: "range = { from = 1, to = 5 }",
    },
    Case {
        sweep: "scenario = \"base.toml\"\n[[axis]]\nkey = \"seed\"\nvalues = [1]\nrange = { from = 1, to = 2 }\n",
        place: "s.toml:5:9",
        says: "it has values and range",
        help: "keep one of them",
    },
    Case {
        sweep: "scenario = \"base.toml\"\n[[axis]]\nkey = \"seed\"\nvalues = [1, 1]\n",
        place: "s.toml:4:14",
        says: "axis `seed` has the value `1` twice",
        help: "keep one of the two",
    },
    Case {
        sweep: "scenario = \"base.toml\"\n[[axis]]\nkey = \"seed\"\nrange = { from = 5, to = 1 }\n",
        place: "s.toml:4:9",
        says: "`range`: it has no numbers",
        help: "both ends are included",
    },
    Case {
        sweep: "scenario = \"base.toml\"\n[[axis]]\nkey = \"seed\"\nrange = { frm = 5, to = 1 }\n",
        place: "s.toml:4:11",
        says: "`range` has no key `frm`",
        help: "did you mean `from`?",
    },
    Case {
        sweep: "scenario = \"base.toml\"\n[[axis]]\nkey = \"sede\"\nvalues = [1]\n",
        place: "s.toml:3:7",
        says: "point sede=1: a scenario has no key or table `sede`",
        help: "did you mean `seed`?",
    },
    Case {
        sweep: "scenario = \"base.toml\"\n[[axis]]\nkey = \"workload.1.load\"\nvalues = [1]\n",
        place: "s.toml:3:7",
        says: "there is no `1` in `workload.1.load`",
        help: "the list has 1 tables, counted from 0",
    },
    Case {
        sweep: "scenario = \"base.toml\"\n[[axis]]\nkey = \"workload.0.size\"\nvalues = [\"1KB\", \"2\"]\n",
        place: "s.toml:4:18",
        says: "point size=2: [[workload]] 0, key `size`: `2` has no unit",
        help: "write it like",
    },
    Case {
        sweep: "scenario = \"base.toml\"\n[[axis]]\nname = \"scheme\"\n[[axis.variant]]\nname = \"A\"\nset = { cc = { kind = \"hpc\" } }\n",
        place: "s.toml:6:23",
        says: "point scheme=A: [cc] has no kind `hpc`",
        help: "did you mean `hpcc`?",
    },
    Case {
        sweep: "scenario = \"base.toml\"\n[[axis]]\nname = \"scheme\"\n[[axis.variant]]\nname = \"A\"\n",
        place: "s.toml:4:1",
        says: "[[axis]] 0, [[variant]] 0: it needs a table `set`",
        help: "write it like `set = {",
    },
    Case {
        sweep: "scenario = \"base.toml\"\n[[axis]]\n[[axis.variant]]\nname = \"A\"\nset = {}\n",
        place: "s.toml:2:1",
        says: "an axis of variants has no name",
        help: "add `name = \"scheme\"`",
    },
    Case {
        sweep: "scenario = \"base.toml\"\n[[axis]]\nkey = \"seed\"\nvalues = [1]\n[[axis]]\nkey = \"seed\"\nvalues = [1]\n",
        place: "s.toml:6:7",
        says: "there are two axes called `seed`",
        help: "another `name`",
    },
    Case {
        sweep: "scenario = \"base.toml\"\n[[axis]]\nkey = \"cc.eta\"\nvalues = [0.9]\n[[axis]]\nname = \"scheme\"\n[[axis.variant]]\nname = \"A\"\nset = { cc = { kind = \"dctcp\" } }\n",
        place: "s.toml:9:9",
        says: "axis `scheme` sets `cc`, and so undoes `cc.eta` of axis `eta` before it",
        help: "write the axis that sets whole tables first",
    },
    Case {
        sweep: "scenario = \"base.toml\"\n[[axis]]\nkey = \"seed\"\nname = \"status\"\nvalues = [1]\n",
        place: "s.toml:4:8",
        says: "has a column `status` already",
        help: "another `name`",
    },
    Case {
        sweep: "scenario = \"base.toml\"\n[[axis]]\nname = \"scheme\"\n[[axis.variant]]\nname = \"A b\"\nset = {}\n[[axis.variant]]\nname = \"a/B\"\nset = {}\n",
        place: "s.toml:8:8",
        says: "`A b` and `a/B` would have one folder, `scheme=a_B`",
        help: "not only in case",
    },
];

#[test]
fn errors_of_axes_and_overrides_are_found_before_anything_runs() {
    let further = [
        (
            "[[exclude]]\nfanin = 2\n",
            "s.toml:6:1",
            "there is no axis `fanin`",
            "did you mean `fan_in`?",
        ),
        (
            "[[exclude]]\nfan_in = 5\n",
            "s.toml:6:10",
            "axis `fan_in` has no value 5",
            "the axis has 2, 3",
        ),
        (
            "[[exclude]]\n",
            "s.toml:5:1",
            "names no axis",
            "the axes are fan_in",
        ),
        (
            "[[exclude]]\nfan_in = [2, 3]\n",
            "s.toml:3:7",
            "every point of the sweep is excluded",
            "leave out an [[exclude]]",
        ),
        (
            "[[only]]\nfan_in = 4\n",
            "s.toml:6:10",
            "[[only]] 0: axis `fan_in` has no value 4",
            "the axis has 2, 3",
        ),
        (
            "[[only]]\nfan_in = 2\n[[exclude]]\nfan_in = 2\n",
            "s.toml:3:7",
            "every point of the sweep is excluded",
            "leave out an [[exclude]], or add an [[only]]",
        ),
        (
            "[[override]]\nset = { seed = 2 }\n",
            "s.toml:5:1",
            "it needs a table `when`",
            "when = { load = 0.7 }",
        ),
        (
            "[[override]]\nwhen = { fan_in = 3 }\nset = { \"run.stop_at\" = 5 }\n",
            "s.toml:7:25",
            "point fan_in=3: [run], key `stop_at`",
            "such as",
        ),
        (
            "[[override]]\nwhen = { fan_in = 3 }\nsets = { seed = 2 }\n",
            "s.toml:7:1",
            "[[override]] 0 has no key or table `sets`",
            "did you mean `set`?",
        ),
    ];
    for (text, place, says, help) in further {
        let sweep = [AXIS, text].concat();
        check_text(&sweep, place, says, help);
    }
}

fn check(case: &Case) {
    check_text(case.sweep, case.place, case.says, case.help);
}

fn check_text(sweep: &str, place: &str, says: &str, help: &str) {
    let folder = Folder::new();
    folder.write("base.toml", BASE);
    folder.write("s.toml", sweep);
    let outcome = folder.run(&["sweep", "s.toml"]);
    assert_eq!(outcome.code, Some(2), "{sweep}\n{}", outcome.stderr);
    let said: String = outcome
        .stderr
        .split_whitespace()
        .filter(|word| *word != "|")
        .collect::<Vec<_>>()
        .join(" ");
    for wanted in [place, says, help] {
        assert!(
            said.contains(wanted),
            "{sweep}\n`{wanted}` is not in\n{}",
            outcome.stderr
        );
    }
    assert!(!folder.has("results"), "{sweep}");
}

/// An error in the base scenario has its place there, even if the sweep contains the scenario.
#[test]
fn errors_of_the_base_are_shown_in_the_base() {
    let folder = quick();
    folder.write("base.toml", &BASE.replace("hosts", "host"));
    let outcome = folder.run(&["sweep", "s.toml"]);
    assert_eq!(outcome.code, Some(2));
    assert!(
        outcome.stderr.contains("base.toml:3:1"),
        "{}",
        outcome.stderr
    );
    folder.write("s.toml", &SLOW.replace("spines", "spine"));
    let outcome = folder.run(&["sweep", "s.toml"]);
    assert!(outcome.stderr.contains("s.toml:5:1"), "{}", outcome.stderr);
    assert!(outcome.stderr.contains("spines"), "{}", outcome.stderr);
    let outcome = folder.run(&["sweep", "nothing.toml"]);
    assert_eq!(outcome.code, Some(2));
    assert!(
        outcome.stderr.contains("examples/sweeps/loads.toml"),
        "{}",
        outcome.stderr
    );
}

/// A scenario that is readable but cannot be built is refused before the first point runs.
#[test]
fn networks_are_built_before_anything_runs() {
    let folder = Folder::new();
    folder.write(
        "base.toml",
        "profile = \"ns3-hpcc\"\n[topology]\nkind = \"chain\"\nswitches = 3\n[[workload]]\nkind = \"permutation\"\nsize = \"1KB\"\n[cc]\nkind = \"hpcc\"\n",
    );
    folder.write(
        "s.toml",
        "scenario = \"base.toml\"\n[[axis]]\nkey = \"topology.switches\"\nvalues = [3, 7]\n",
    );
    let outcome = folder.run(&["sweep", "s.toml"]);
    assert_eq!(outcome.code, Some(2), "{}", outcome.stderr);
    assert!(
        outcome.stderr.contains("point switches=7"),
        "{}",
        outcome.stderr
    );
    assert!(!folder.has("results"));
}
