//! Errors that are found only when the network is built.

use super::Case;

const fn case(
    name: &'static str,
    scenario: &'static str,
    args: &'static [&'static str],
    place: &'static str,
    says: &'static [&'static str],
    help: &'static str,
) -> Case {
    Case {
        name,
        files: &[],
        scenario,
        args,
        place,
        says,
        help,
    }
}

pub(super) const CASES: &[Case] = &[
    case(
        "destinations without a host",
        star!(
            "",
            "kind = \"poisson\"\nsizes = \"websearch\"\nload = 0.5\nduration = \"1us\"\ndestinations = []",
            "kind = \"hpcc\""
        ),
        &[],
        "t.toml:10:16",
        &["[[workload]] 0, key `destinations`: no hosts are listed"],
        "leave the key out to mean all hosts",
    ),
    case(
        "a host that can send to nobody",
        star!(
            "",
            "kind = \"poisson\"\nsizes = \"websearch\"\nload = 0.5\nduration = \"1us\"\n\
             sources = [\"0..2\"]\ndestinations = [\"1\"]",
            "kind = \"hpcc\""
        ),
        &[],
        "t.toml:11:16",
        &["host1 (node 1) has no host to send to but itself"],
        "leave this host out of `sources`",
    ),
    case(
        "more flows than can be numbered",
        star!(
            "",
            "kind = \"poisson\"\nsizes = \"1B\"\nload = 0.5\nduration = \"1s\"",
            "kind = \"hpcc\""
        ),
        &[],
        "t.toml:9:12",
        &[
            "[[workload]] 0, key `duration`",
            "flows, and a run",
            "numbers up to 4294967295",
        ],
        "choose a value that makes fewer",
    ),
    case(
        "more hops than the published header has",
        "profile = \"ns3-hpcc\"\n[topology]\nkind = \"chain\"\nswitches = 6\n[[workload]]\n\
         kind = \"permutation\"\nsize = \"1KB\"\n[cc]\nkind = \"hpcc\"\n",
        &[],
        "t.toml:1:11",
        &[
            "the published telemetry header holds 5 hops",
            "paths of 6 switches",
        ],
        "leave out the profile",
    ),
    case(
        "a path that is longer than telemetry",
        "[topology]\nkind = \"chain\"\nswitches = 129\n[[workload]]\nkind = \"permutation\"\n\
         size = \"1KB\"\n[cc]\nkind = \"hpcc\"\n",
        &[],
        "t.toml:7:1",
        &["a path passes 129 switches, and telemetry is built for up to 128"],
        "choose an algorithm that does not read telemetry of each hop",
    ),
];

#[test]
fn of_65_537_workloads_the_last_has_no_number() {
    let folder = crate::support::Folder::new();
    let workload = "[[workload]]\nkind = \"permutation\"\nsize = \"1KB\"\n".repeat(65_537);
    let text = format!("[topology]\nkind = \"star\"\nhosts = 4\n[cc]\nkind = \"hpcc\"\n{workload}");
    folder.write("t.toml", &text);
    let outcome = folder.run(&["check", "t.toml"]);
    let said = super::unwrapped(&outcome.stderr);
    assert_eq!(outcome.code, Some(2), "{said}");
    // Five lines before, three for each.
    let place = format!("t.toml:{}:", 5 + 65_536 * 3 + 1);
    for words in [
        &*place,
        "one of 65537 workloads",
        "at most 65536",
        "help: leave some out",
    ] {
        assert!(said.contains(words), "no `{words}` in {said}");
    }
}
