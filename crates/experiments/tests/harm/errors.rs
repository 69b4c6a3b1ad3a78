//! Errors in the settings of a harm test.

use std::path::Path;

use fabricsim_experiments::harm::{HarmSettings, HarmTest};

/// Asserts that a file of `text` is refused in `line` with a message and a suggested fix that
/// contain these.
fn assert_refused(text: &str, line: usize, says: &str, help: &str) {
    let error = HarmSettings::from_text("h.toml", text).expect_err(text);
    let diagnostic = error.diagnostic().expect("an error in the text");
    println!(
        "{text}\n  {}\n  {}",
        diagnostic.message(),
        diagnostic.help()
    );
    assert!(
        diagnostic.message().contains(says),
        "{text}: {}",
        diagnostic.message()
    );
    assert!(
        diagnostic.help().contains(help),
        "{text}: {}",
        diagnostic.help()
    );
    assert_eq!(diagnostic.line(), line, "{text}");
}

#[test]
fn errors_have_places_and_suggested_fixes() {
    for (text, line, says, help) in [
        ("rt = 3", 1, "no key `rt`", "did you mean `rtt`"),
        (
            "\ncca = [\"cubik\"]",
            2,
            "`cubik` is not a TCP algorithm",
            "cubic",
        ),
        ("cca = []", 1, "no competitor", "name one"),
        ("rtt = [\"0ms\"]", 1, "cannot be simulated", "1us to 40s"),
        ("qdisc = \"fq_codel flow 1\"", 1, "`flow`", "flows"),
        ("qdisc = \"shared-buffer\"", 1, "no buffer", "pfifo"),
        ("percentiles = [0.0]", 1, "no percentile", "above 0"),
        (
            "workload = \"ccafct-seed1\"\nlen_p5 = \"1KB\"",
            2,
            "not drawn",
            "drawn",
        ),
        (
            "workload = \"ccafct-seed1\"\nduration = \"400s\"",
            2,
            "2000 flows",
            "900",
        ),
        ("duration = \"1ms\"", 1, "0 flows", "1 to"),
        ("len_p5 = \"3MiB\"", 1, "95% below", "len_p95"),
        ("bandwidth = \"5Kbps\"", 1, "cannot be simulated", "10Kbps"),
        ("repeats = 0", 1, "the test would not run", "1 or more"),
        ("competitors = 0", 1, "0 flows compete", "1 to 1000"),
        ("[tcp]\nack_every = 0", 1, "ack_every", ""),
    ] {
        assert_refused(text, line, says, help);
    }
}

#[test]
fn errors_of_algorithms_and_of_types_have_places() {
    for (text, line, says, help) in [
        (
            "[[cc]]\nkind = \"prague\"\ng = 2.0",
            3,
            "[[cc]] 0, key `g`: ",
            "",
        ),
        (
            "[[cc]]\nkind = \"prague\"\nbeta = 2.0",
            3,
            "[[cc]] 0 has no key `beta`",
            "known here",
        ),
        (
            "[[cc]]\nkind = \"hpcc\"",
            2,
            "[[cc]] 0 has no kind `hpcc`",
            "known here: cubic, newreno, tcp-dctcp, prague",
        ),
        (
            "[[cc]]\nkind = \"cubic\"\n[[cc]]\nkind = \"cubic\"",
            3,
            "[[cc]] 1: `cubic` has a table already",
            "put its keys into one",
        ),
        (
            "rtt = [5]",
            1,
            "`5` is not a duration with a unit",
            "such as \"1us\"",
        ),
        ("rtt = \"10ms\"", 1, "rtt", "[\"10ms\""),
    ] {
        assert_refused(text, line, says, help);
    }
}

#[test]
fn settings_of_a_program_are_refused_too() {
    let wrong = HarmSettings {
        repeats: 0,
        ..HarmSettings::default()
    };
    let error = HarmTest::new(wrong, Path::new(".")).expect_err("no repeats");
    assert!(error.to_string().contains("`repeats`"), "{error}");
    let missing = HarmSettings {
        workload: "none.csv".to_owned(),
        ..HarmSettings::default()
    };
    let error = HarmTest::new(missing, Path::new(".")).expect_err("no file");
    assert!(error.to_string().contains("none.csv"), "{error}");
}
