//! `fabricsim reproduce`.

use crate::support::{Folder, project_text};

#[test]
fn presets_are_listed() {
    let said = Folder::new().run(&["reproduce"]).succeeded().stdout;
    for name in [
        "hpcc-results",
        "hpcc-eta",
        "pint-goodput",
        "pint-fraction",
        "hpcc-incast",
    ] {
        assert!(said.contains(name), "{said}");
    }
    let documented = project_text("docs/reproduce.md");
    for line in said
        .lines()
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
    {
        let name = line.split_whitespace().next().unwrap_or_default();
        assert!(documented.contains(&format!("| `{name}` |")), "{name}");
    }
}

#[test]
fn errors_are_refused() {
    for (args, expected) in [
        (&["reproduce", "hpcc"][..], "there is no preset `hpcc`"),
        (&["reproduce", "hpcc-results", "--traffic", "5"], "5"),
        (
            &["reproduce", "hpcc-results", "--traffic", "1ns"],
            "too short",
        ),
        (
            &["reproduce", "hpcc-results", "--set", "workload.0.lod=0.3"],
            "load",
        ),
        (
            &["reproduce", "hpcc-results", "--quick", "--full"],
            "--full",
        ),
    ] {
        let folder = Folder::new();
        let outcome = folder.run(args);
        assert_eq!(outcome.code, Some(2), "{args:?} {}", outcome.stderr);
        assert!(
            outcome.stderr.contains(expected),
            "{args:?} {}",
            outcome.stderr
        );
        assert!(!folder.has("results"), "{args:?}");
    }
}

#[test]
fn studies_leave_their_figures_and_claims() {
    let folder = Folder::new();
    for (args, expected) in [
        (
            &["pint-tracing", "--traffic", "1ms"][..],
            "trials instead of traffic",
        ),
        (&["pint-latency", "--traffic", "1s"], "at most 20ms"),
        (
            &["pint-latency", "--only", "load=0.5"],
            "no sweep and has no --only",
        ),
        (&["pint-tracing", "--full"], "no sweep and has no --full"),
    ] {
        let args: Vec<&str> = ["reproduce"]
            .into_iter()
            .chain(args.iter().copied())
            .collect();
        let outcome = folder.run(&args);
        assert_eq!(outcome.code, Some(2), "{args:?} {}", outcome.stderr);
        assert!(outcome.stderr.contains(expected), "{}", outcome.stderr);
        assert!(!folder.has("results"), "{args:?}");
    }
    let run = folder.run(&[
        "reproduce",
        "pint-latency",
        "--traffic",
        "50us",
        "--out",
        "latency",
    ]);
    let said = run.succeeded().stdout;
    assert!(
        said.contains("published curves are not available"),
        "{said}"
    );
    assert!(folder.read("latency/latency.csv").lines().count() > 100);
    for name in ["latency/report.html", "latency/figures/pint-latency.svg"] {
        assert!(folder.has(name), "{name}");
    }
    let card = folder.read("latency/scorecard.json");
    assert!(
        card.contains("a sketch of 100 digests adds little error"),
        "{card}"
    );
}

/// Runs a preset to its page with as little traffic as possible: too little for any claim, but all
/// files exist.
#[test]
fn a_preset_leaves_its_scorecard() {
    let folder = Folder::new();
    let args = [
        "reproduce",
        "pint-slowdown",
        "--traffic",
        "40us",
        "--out",
        "out",
    ];
    let said = folder.run(&args).succeeded().stdout;
    assert!(said.contains("runs         4 of 4"), "{said}");
    assert!(
        said.contains("flows that start from 0.008 to 0.036 ms count"),
        "{said}"
    );
    let card: serde_json::Value =
        serde_json::from_str(&folder.read("out/scorecard.json")).expect("JSON");
    assert_eq!(card["panels"].as_array().map(Vec::len), Some(6));
    assert_eq!(card["points"].as_array().map(Vec::len), Some(4));
    let documented = project_text("docs/reproduce.md");
    for name in ["distances.csv", "orders.csv"] {
        let table = folder.read(&format!("out/{name}"));
        for column in table.lines().next().unwrap_or_default().split(',') {
            assert!(
                documented.contains(&format!("`{column}`")),
                "{name}: {column}"
            );
        }
    }
    for key in card.as_object().expect("an object").keys() {
        assert!(documented.contains(&format!("`{key}`")), "{key}");
    }
    let page = folder.read("out/report.html");
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("<svg"));
    assert!(
        folder
            .read("out/figures/websearch-50.svg")
            .contains("HPCC-PINT")
    );

    // Judged again, from existing results.
    let again = folder
        .run(&[&args[..], &["--judge-only"]].concat())
        .succeeded()
        .stdout;
    assert_eq!(again, said);
}

/// One run of the study of training: its table, its definitions, and the claims that it can test.
#[test]
fn an_iteration_of_training_has_its_critical_path() {
    let folder = Folder::new();
    let refused = folder.run(&["reproduce", "training", "--traffic", "1ms"]);
    assert_eq!(refused.code, Some(2));
    assert!(
        refused.stderr.contains("leave out --traffic"),
        "{}",
        refused.stderr
    );
    let mut args = vec!["reproduce", "training", "--quick", "--out", "out"];
    for only in [
        "workload=resnet-50",
        "control=DCQCN",
        "routing=ECMP",
        "condition=healthy,straggler",
    ] {
        args.extend(["--only", only]);
    }
    let said = folder.run(&args).succeeded().stdout;
    assert!(said.contains("2 runs, "), "{said}");
    for claim in [
        "the parts of each critical path add up",
        "resnet-50: no iteration is shorter than its computation and its bytes allow",
        "resnet-50: a slow rank lengthens an iteration by at most",
    ] {
        assert!(
            said.contains(&format!("holds     {claim}")),
            "{claim}\n{said}"
        );
    }
    assert!(folder.has("out/workloads/gpt-13b-quick.txt"));
    assert!(folder.has("out/figures/training.svg") && folder.has("out/report.html"));
    let table = folder.read("out/training.csv");
    let documented = project_text("docs/reproduce.md");
    for column in table.lines().next().unwrap_or_default().split(',') {
        assert!(documented.contains(&format!("`{column}`")), "{column}");
    }
    // The trace computes 295.545 ms, an eighth of it here, and its collectives end earlier.
    let healthy = table.lines().nth(1).expect("a row");
    assert!(
        healthy.starts_with("resnet-50,DCQCN,ECMP,healthy,36943.125,36943.125,0.000,36943.125,"),
        "{healthy}"
    );
    let again = folder.run(&[&args[..], &["--judge-only"]].concat());
    assert_eq!(again.succeeded().stdout, said);
}
