//! Refused arguments and folders.

use super::{MINI, trace};
use crate::support::Folder;

/// Arguments, the expected message, and the suggested fix.
const REFUSED: &[(&[&str], &str, &str)] = &[
    (&["--budget", "2x40"], "2x40", "64 bits at most in all"),
    (
        &["--budget", "raw8"],
        "raw8",
        "raw for whole switch numbers",
    ),
    (&["--compare", "ams2"], "ams2", "such as ams2-5"),
    (
        &["--compare", "ams2-8"],
        "8 of 7 hash functions",
        "more --functions",
    ),
    (&["--scheme", "multi-layer"], "multi-layer", "multilayer"),
    (&["--hops", "0"], "0", "1..=255"),
    (
        &["--hops", "2", "--scheme", "interleaved"],
        "for paths of d = 2 switches",
        "--estimate at least 3",
    ),
    (
        &["--hops", "81", "--switches", "80"],
        "81 distinct switches",
        "more --switches",
    ),
    (&["--trials", "0"], "0", "1..=10000000"),
    (
        &["--topology", "net.txt"],
        "net.txt",
        "isp:SWITCHES:LONGEST",
    ),
    (&["--topology", "isp:20"], "isp:20", "isp:754:59"),
    (
        &["--topology", "isp:20:30"],
        "switches: 20 is too few",
        "at least 30",
    ),
    (
        &["--topology", "isp:20:5", "--hops", "6"],
        "longest shortest path",
        "give 1 to 5",
    ),
    (
        &["--topology", "isp:20:5", "--switches", "9"],
        "--switches",
        "cannot be used with",
    ),
    (
        &["--topology", "none.graphml"],
        "none.graphml",
        "No such file",
    ),
    (
        &["--topology", "parts.graphml"],
        "parts.graphml:2:",
        "add links",
    ),
    (
        &["--topology", "loose.graphml"],
        "loose.graphml:3:",
        "the ids of two nodes",
    ),
    (&["--png"], "--out", "required"),
];

/// Wrong input ends the command with exit code 2 and a suggested fix, and nothing is written.
#[test]
fn errors_are_refused_with_a_suggested_fix() {
    let folder = Folder::new();
    folder.write("mini.graphml", MINI);
    folder.write(
        "parts.graphml",
        &MINI.replace("<edge source='e' target='b'/>", ""),
    );
    folder.write("loose.graphml", &MINI.replace("target='d'", "target='x'"));
    for (args, says, help) in REFUSED {
        let args = [
            *args,
            &["--trials", "3"],
            if args.contains(&"--png") {
                &[]
            } else {
                &["--out", "t"][..]
            },
        ]
        .concat();
        let args = if args.iter().filter(|arg| **arg == "--trials").count() > 1 {
            &args[..2]
        } else {
            &args[..]
        };
        let outcome = trace(&folder, args);
        assert_eq!(outcome.code, Some(2), "{args:?}: {}", outcome.stderr);
        assert_eq!(outcome.stdout, "", "{args:?}");
        let said = outcome
            .stderr
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
            .replace(" | ", " ");
        assert!(said.contains(says), "{args:?}: {said}");
        assert!(said.contains(help), "{args:?}: {said}");
        assert!(!folder.has("t"), "{args:?}");
    }
}

#[test]
fn a_folder_that_cannot_be_written_is_named() {
    let folder = Folder::new();
    folder.write("t", "a file");
    let args = [
        "--hops", "5", "--scheme", "baseline", "--trials", "3", "--out", "t",
    ];
    let outcome = trace(&folder, &args);
    assert_eq!(outcome.code, Some(1), "{}", outcome.stderr);
    assert!(
        outcome.stderr.contains("cannot write `t`"),
        "{}",
        outcome.stderr
    );
}
