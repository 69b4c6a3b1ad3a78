//! `fabricsim run --fast-forward`.

use crate::support::Folder;

/// Long transfers that share no bottleneck.
const LONG: &str = r#"
name = "long"
[topology]
kind = "star"
hosts = 4
[[workload]]
kind = "permutation"
size = "20MB"
[cc]
kind = "dcqcn"
"#;

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("long.toml", LONG);
    folder
}

#[test]
fn skipping_changes_no_results() {
    let folder = folder();
    let run = |out: &str, more: &[&str]| {
        let args = [&["run", "long.toml", "--out", out], more].concat();
        folder.run(&args).succeeded().stdout
    };
    let whole = run("whole", &[]);
    let skipping = run("skipping", &["--fast-forward"]);
    assert!(!whole.contains("skipped "), "{whole}");
    assert!(skipping.contains("skipped      9"), "{skipping}");
    assert_eq!(
        folder.read("whole/fct.csv"),
        folder.read("skipping/fct.csv")
    );

    let (whole, skipping) = (folder.summary("whole"), folder.summary("skipping"));
    for key in [
        "checksum",
        "scenario_checksum",
        "packet_hops",
        "simulated_ns",
    ] {
        assert_eq!(whole[key], skipping[key], "{key}");
    }
    assert!(whole["fast_forward"].is_null());
    let skipped = skipping["fast_forward"]["skipped_packet_hops"].as_u64();
    assert!(skipped > Some(0), "{}", skipping["fast_forward"]);

    folder
        .run(&["report", "whole", "skipping", "-o", "page.html"])
        .succeeded();
    assert!(folder.read("page.html").contains("packet-hops skipped"));
}

/// A state without a relative form is named.
#[test]
fn a_run_that_skips_nothing_says_why() {
    let folder = folder();
    let args = ["run", "long.toml", "--fast-forward", "--cc", "hpcc"];
    let outcome = folder.run(&args).succeeded();
    let says = "skipped      nothing: no relative form: fabricsim_hpcc::";
    assert!(outcome.stdout.contains(says), "{}", outcome.stdout);
}

/// A checkpoint does not depend on the skipping before or after it.
#[test]
fn a_resumed_run_may_skip_or_not() {
    let folder = folder();
    let run = |args: &[&str]| folder.run(&[&["run"], args].concat()).succeeded();
    for (name, more, later) in [
        ("whole", "run.fast_forward=off", "run.fast_forward=exact"),
        ("skipping", "run.fast_forward=exact", "run.fast_forward=off"),
    ] {
        let file = format!("{name}.checkpoint");
        let checkpoint = ["--checkpoint-at", "500us", "--checkpoint", &file];
        run(&[
            &["long.toml", "--set", more, "--out", name],
            &checkpoint[..],
        ]
        .concat());
        run(&["--from", &file, "--set", later, "--out", "resumed"]);
        let resumed = folder.summary("resumed");
        assert_eq!(folder.summary(name)["checksum"], resumed["checksum"]);
        assert!(resumed["scenario"]["checkpoint"].is_null());
        let skips = later.ends_with("exact");
        assert_eq!(resumed["fast_forward"].is_object(), skips, "{name}");
    }
}
