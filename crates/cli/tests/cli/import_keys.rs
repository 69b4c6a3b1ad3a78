//! `fabricsim import` with keys that the simulator does not read, and `--cc` after it.

use crate::import::{config, folder};
use crate::import_formats::refused;

/// Unknown lines are all errors, or all ignored and listed.
#[test]
fn unknown_keys_are_listed_or_passed_over() {
    let text = config(
        "3",
        &[(
            "MI_THRESH 0",
            "MI_THRESH 0\nENABLE_PBT 1\nNO_CC_NODE 4 5 6\nMI_TRESH 5",
        )],
    );
    let folder = folder(&text);
    let said = refused(&folder, &["import", "mix"]);
    for line in [
        "line 31: `ENABLE_PBT 1` (PBT is not simulated)",
        "line 32: `NO_CC_NODE 4 5 6`",
        "line 33: `MI_TRESH 5` (did you mean `MI_THRESH`?)",
        "--ignore-unknown",
    ] {
        assert!(said.contains(line), "{said}");
    }
    let passed = folder
        .run(&["import", "mix", "--ignore-unknown", "-o", "mine.toml"])
        .succeeded();
    for line in [
        "left out: line 31: `ENABLE_PBT 1`",
        "left out: line 32: `NO_CC_NODE 4 5 6`: ignored",
    ] {
        assert!(passed.stderr.contains(line), "{}", passed.stderr);
    }
    assert!(folder.read("mine.toml").contains("NO_CC_NODE 4 5 6"));
    folder.run(&["check", "mine.toml"]).succeeded();
}

/// A folder of ASTRA-sim's ns-3 back end and the annotated configuration of the published simulator.
#[test]
fn relatives_and_annotated_configurations_are_imported() {
    let text = config(
        "1",
        &[(
            "BUFFER_SIZE 32",
            "NIC_TOTAL_PAUSE_TIME 0\nBUFFER_SIZE 32 {MiB}",
        )],
    );
    let folder = folder(&text);
    let said = folder
        .run(&["import", "mix/config.txt", "-o", "mine.toml"])
        .succeeded()
        .stderr;
    assert!(
        said.contains("left out: NIC_TOTAL_PAUSE_TIME: at 0 NICs send no pauses"),
        "{said}"
    );
    folder.run(&["check", "mine.toml"]).succeeded();
}

/// `--cc` after an import is equivalent to another CC_MODE before it: the flows finish at the same
/// times.
#[test]
fn another_scheme_is_one_option() {
    let imported = folder(&config("3", &[]));
    imported
        .run(&["import", "mix", "-o", "mine.toml"])
        .succeeded();
    for (mode, name) in [
        ("1", "dcqcn"),
        ("7", "timely"),
        ("8", "dctcp"),
        ("10", "hpcc-pint"),
        ("3", "hpcc"),
    ] {
        let run = ["run", "mine.toml", "--cc", name, "--out", name, "--quiet"];
        imported.run(&run).succeeded();
        let other = folder(&config(mode, &[]));
        other.run(&["import", "mix", "-o", "mine.toml"]).succeeded();
        other
            .run(&["run", "mine.toml", "--out", "r", "--quiet"])
            .succeeded();
        let flows = imported.read(&format!("{name}/fct.csv"));
        assert_eq!(flows, other.read("r/fct.csv"), "{name}");
    }
    let wrong = imported.run(&["check", "mine.toml", "--cc", "dcqn"]);
    assert_eq!(wrong.code, Some(2));
    assert!(
        wrong.stderr.contains("did you mean `dcqcn`?"),
        "{}",
        wrong.stderr
    );
    let misspelled = imported
        .read("mine.toml")
        .replacen("fast_recovery", "fast_recover", 1);
    imported.write("wrong.toml", &misspelled);
    let wrong = imported.run(&["check", "wrong.toml"]);
    assert!(wrong.stderr.contains("[[scheme]]"), "{}", wrong.stderr);
}

/// A loss rate for all links, and a buffer that is too small, reported by the keys of the
/// configuration.
#[test]
fn values_of_the_published_simulator_are_taken_or_refused_in_its_terms() {
    let folder = folder(&config(
        "3",
        &[("ERROR_RATE_PER_LINK 0.0", "ERROR_RATE_PER_LINK 0.02")],
    ));
    folder
        .run(&["import", "mix", "-o", "mine.toml"])
        .succeeded();
    folder
        .run(&["run", "mine.toml", "--out", "r", "--quiet"])
        .succeeded();
    let lost = folder.summary("r")["link_losses"].as_u64();
    assert!(lost.is_some_and(|lost| lost > 5), "{lost:?}");
    let long = self::folder(&config("3", &[("BUFFER_SIZE 32", "BUFFER_SIZE 1")]));
    let far = long.read("mix/topology.txt").replace("1000ns", "2000000ns");
    long.write("mix/topology.txt", &far);
    let said = refused(&long, &["import", "mix"]);
    assert!(
        said.contains("BUFFER_SIZE 1") && said.contains("write a larger BUFFER_SIZE"),
        "{said}"
    );
}

/// Flows of priority 0 precede all others, and nothing slows them down.
#[test]
fn flows_of_priority_0_share_the_queue_of_control() {
    let times = |flows: &str| -> Vec<u64> {
        let folder = folder(&config("1", &[]));
        folder.write("mix/flow.txt", flows);
        folder
            .run(&["import", "mix", "-o", "mine.toml"])
            .succeeded();
        folder
            .run(&["run", "mine.toml", "--out", "r", "--quiet"])
            .succeeded();
        let lines = folder.read("r/fct.txt");
        let fct = |line: &str| line.split(' ').nth(6).expect("a time").parse();
        lines.lines().map(|line| fct(line).expect("ns")).collect()
    };
    let alone = times("1\n0 2 0 100 3000000 2.0\n");
    let both = times("2\n0 2 0 100 3000000 2.0\n1 2 3 100 3000000 2.0\n");
    assert!(both[0].abs_diff(alone[0]) < 2_000, "{alone:?} {both:?}");
    assert!(both[1] > alone[0] * 3 / 2, "{alone:?} {both:?}");
    let equal = times("2\n0 2 3 100 3000000 2.0\n1 2 3 100 3000000 2.0\n");
    assert!(equal[0] > alone[0] * 3 / 2, "{alone:?} {equal:?}");
}
