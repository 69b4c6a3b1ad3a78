//! Snapshots of some complete messages, as printed to a pipe.

use crate::support::Folder;

fn rendered(scenario: &str, files: &[(&str, &str)], args: &[&str]) -> String {
    let folder = Folder::new();
    folder.write("t.toml", scenario);
    for (name, text) in files {
        folder.write(name, text);
    }
    let outcome = folder.run(&[&["run", "t.toml"], args].concat());
    assert_eq!(outcome.code, Some(2), "{}", outcome.stderr);
    outcome.stderr
}

const SCENARIO: &str = "\
[topology]
kind = \"star\"
hosts = 4
delay = \"1us\"

[[workload]]
kind = \"poisson\"
sizes = \"websearch\"
load = 0.5
duration = \"1ms\"

[cc]
kind = \"hpcc\"
";

#[test]
fn a_misspelled_key() {
    let text = SCENARIO.replace("load =", "laod =");
    insta::assert_snapshot!(rendered(&text, &[], &[]));
}

#[test]
fn a_missing_unit() {
    let text = SCENARIO.replace("\"1us\"", "1");
    insta::assert_snapshot!(rendered(&text, &[], &[]));
}

#[test]
fn an_impossible_value() {
    insta::assert_snapshot!(rendered(SCENARIO, &[], &["--set", "cc.eta=1.5"]));
}

#[test]
fn a_misspelled_flow_size_distribution() {
    let text = SCENARIO.replace("websearch", "webserach");
    insta::assert_snapshot!(rendered(&text, &[], &[]));
}

#[test]
fn an_error_in_a_file_that_the_scenario_names() {
    let text = SCENARIO.replace(
        "\"star\"\nhosts = 4\ndelay = \"1us\"",
        "\"file\"\npath = \"topology.txt\"",
    );
    let links = "3 1 2\n2\n0 2 100Gbps 1us 0\n1 2 100Gb 1us 0\n";
    insta::assert_snapshot!(rendered(&text, &[("topology.txt", links)], &[]));
}
