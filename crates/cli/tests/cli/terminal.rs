//! Output for programs, shells and editors: JSON, manual pages, completions, schemas; and all
//! errors of a file at once.

use std::process::Command;

use serde_json::Value;

use crate::support::{Folder, Outcome, project};

const SHORT: [&str; 2] = ["--set", "workload.0.duration=20us"];

fn json(outcome: &Outcome) -> Value {
    serde_json::from_str(&outcome.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", outcome.stdout))
}

#[test]
fn a_run_as_json_is_its_summary() {
    let folder = Folder::new();
    let args = [&["run", "--json", "--out", "out"][..], &SHORT].concat();
    let mut told = json(&folder.run(&args).succeeded());
    assert_eq!(told["dir"], "out");
    told.as_object_mut().expect("a table").remove("dir");
    assert_eq!(told, folder.summary("out"));
}

#[test]
fn a_check_as_json_has_what_the_text_has() {
    let folder = Folder::new();
    let told = json(&folder.run(&["check", "--json"]).succeeded());
    let names: Vec<&String> = told.as_object().expect("a table").keys().collect();
    insta::assert_snapshot!(format!("{names:?}"));
    assert_eq!(told["scenario"]["cc"]["kind"], "hpcc");
    assert!(told["bdp_bytes"].as_u64().is_some_and(|bytes| bytes > 0));
}

#[test]
fn a_list_as_json_has_every_key() {
    let folder = Folder::new();
    let told = json(&folder.run(&["list", "--json"]).succeeded());
    assert!(told.as_array().is_some_and(|things| things.len() > 40));
    let star = json(&folder.run(&["list", "star", "--json"]).succeeded());
    insta::assert_snapshot!(format!("{star:#}"));
}

#[test]
fn a_thing_is_listed_by_its_name() {
    let folder = Folder::new();
    let listed = |name: &str| folder.run(&["list", name]).succeeded().stdout;
    let hpcc = listed("hpcc");
    assert!(
        hpcc.contains("[cc] kind") && hpcc.contains("max_stage"),
        "{hpcc}"
    );
    assert!(
        !hpcc.contains("dcqcn") && !hpcc.contains("Topologies"),
        "{hpcc}"
    );
    assert!(listed("fat-tree").contains("preset"));
    assert!(listed("poisson").contains("load"));
    assert_eq!(listed("switch"), listed("[switch]"));
    let outcome = folder.run(&["list", "hpc"]);
    assert_eq!(outcome.code, Some(2));
    assert!(
        outcome.stderr.contains("did you mean `hpcc`?"),
        "{}",
        outcome.stderr
    );
}

#[test]
fn every_command_has_a_manual_page() {
    let folder = Folder::new();
    folder.run(&["man", "man/man1"]).succeeded();
    for name in [
        "fabricsim",
        "fabricsim-run",
        "fabricsim-import",
        "fabricsim-export",
        "fabricsim-pint-trace",
    ] {
        let page = folder.read(&format!("man/man1/{name}.1"));
        assert!(
            page.contains(".TH") && page.contains("fabricsim"),
            "{name}: {page}"
        );
    }
    let run = folder.read("man/man1/fabricsim-run.1");
    assert!(run.contains("profile\\-parallelism"), "{run}");
    folder.write("file", "");
    let outcome = folder.run(&["man", "file/below"]);
    assert_eq!(outcome.code, Some(1), "{}", outcome.stderr);
}

/// Installed shells accept their completions.
#[test]
fn completions_are_good_syntax() {
    let folder = Folder::new();
    let mut read = 0;
    for (shell, option) in [("bash", "-n"), ("zsh", "-n"), ("fish", "--no-execute")] {
        let script = folder.run(&["completions", shell]).succeeded().stdout;
        folder.write("script", &script);
        let Ok(outcome) = Command::new(shell)
            .arg(option)
            .arg(folder.path("script"))
            .output()
        else {
            eprintln!("{shell} is not installed");
            continue;
        };
        let said = String::from_utf8_lossy(&outcome.stderr);
        assert!(
            outcome.status.success() && said.is_empty(),
            "{shell}: {said}"
        );
        read += 1;
    }
    eprintln!("{read} shells have read their completions");
}

#[test]
fn the_sweeps_of_the_project_follow_their_schema() {
    let printed = Folder::new().run(&["schema", "sweep"]).succeeded();
    let schema = json(&printed);
    assert!(jsonschema::meta::is_valid(&schema));
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    let read = |text: &str| {
        let tables: toml::Table = text.parse().expect("TOML");
        serde_json::to_value(tables).expect("JSON")
    };
    let text = std::fs::read_to_string(project("examples/sweeps/loads.toml")).expect("a sweep");
    if let Err(error) = validator.validate(&read(&text)) {
        panic!("{error} at {}", error.instance_path());
    }
    let good = "scenario = \"s.toml\"\n[[axis]]\nkey = \"cc.eta\"\nvalues = [0.9, 0.95]\n";
    assert!(validator.is_valid(&read(good)));
    for (right, wrong) in [
        ("values", "value"),
        ("key = \"cc.eta\"", "key = 3"),
        ("[0.9, 0.95]", "0.9"),
        ("scenario = \"s.toml\"", "scenaro = \"s.toml\""),
    ] {
        assert!(
            !validator.is_valid(&read(&good.replace(right, wrong))),
            "{wrong}"
        );
    }
}

/// A scenario with an error in most of its tables.
const FAULTY: &str = "\
seed = -1

[topology]
kind = \"star\"
hosts = \"four\"
dely = \"1us\"

[[workload]]
kind = \"permutation\"
size = 3

[[workload]]
kind = \"poison\"

[cc]
kind = \"hpcc\"
eta = 1.5
max_stage = -2

[output]
dirr = \"x\"
";

#[test]
fn all_errors_of_a_file_are_shown_at_once() {
    let folder = Folder::new();
    folder.write("t.toml", FAULTY);
    let outcome = folder.run(&["check", "t.toml"]);
    assert_eq!(outcome.code, Some(2));
    insta::assert_snapshot!(outcome.stderr);
}

/// A scenario in which every table is readable but wrong.
const UNFIT: &str = r#"[topology]
kind = "star"
hosts = 4

[[workload]]
kind = "incast"
fan_in = 9
size = "1KB"
at = "0s"

[[workload]]
kind = "permutation"
size = "0B"

[[event]]
at = "1us"
kind = "switch-down"
switch = "host1"

[[event]]
at = "1us"
kind = "link-down"
link = ["host1", "host2"]

[routing]
policy = "luck"

[observe]
interval = "1us"
queues = true
nodes = ["99"]

[cc]
kind = "hpcc"
"#;

#[test]
fn all_tables_that_cannot_be_used_are_shown_at_once() {
    let folder = Folder::new();
    folder.write("t.toml", UNFIT);
    let outcome = folder.run(&["check", "t.toml"]);
    assert_eq!(outcome.code, Some(2));
    insta::assert_snapshot!(outcome.stderr);
}

/// A scenario without `[cc]` and a workload, with two unknown tables, a queue without a discipline
/// and a class without an algorithm. The command reports each of these, and all unknown keys of the
/// other tables.
#[test]
fn a_missing_table_hides_no_fault_of_the_others() {
    let folder = Folder::new();
    let text = "sed = 2\n[topology]\nkind = \"star\"\nhosst = 4\n[swich]\n[run]\nstop = \"1ms\"\n\
                [rdma]\nmut = \"1KB\"\n[[queue]]\nlinks = 1\n[[class]]\nidd = 1\n\
                [[event]]\nkind = \"link-dwn\"\n";
    folder.write("t.toml", text);
    let outcome = folder.run(&["check", "t.toml"]);
    assert_eq!(outcome.code, Some(2));
    let wanted = [
        "no key or table `sed`",
        "[topology] has no key `hosst`",
        "no key or table `swich`",
        "[run] has no key `stop`",
        "[rdma] has no key `mut`",
        "[[queue]] 0 has no key or table `links`",
        "[[class]] 0 does not say its algorithm",
        "[[class]] 0 has no key `idd`",
        "[[event]] 0 has no kind `link-dwn`",
        "no [[workload]] table",
        "no [cc] table",
    ];
    let faults = outcome.stderr.matches("  x ").count();
    for said in wanted {
        assert!(outcome.stderr.contains(said), "{said}: {}", outcome.stderr);
    }
    assert_eq!(faults, wanted.len(), "{}", outcome.stderr);
}

#[test]
fn names_that_no_node_has_are_shown_with_keys_that_cannot_be_read() {
    let folder = Folder::new();
    let text = UNFIT.replace("\"host1\"", "\"host8\"");
    folder.write("t.toml", &text.replace("fan_in = 9", "fan_in = \"9\""));
    let outcome = folder.run(&["check", "t.toml"]);
    assert_eq!(outcome.code, Some(2));
    for place in ["t.toml:7:10", "t.toml:18:10", "t.toml:23:9"] {
        assert!(outcome.stderr.contains(place), "{}", outcome.stderr);
    }
    assert_eq!(
        outcome.stderr.matches("  x ").count(),
        3,
        "{}",
        outcome.stderr
    );
}

#[test]
fn check_and_run_tell_the_oversubscription_of_each_tier() {
    let folder = Folder::new();
    let path = project("examples/scenarios/clos.toml");
    let path = path.to_str().expect("a path in UTF-8");
    let said = folder.run(&["check", path]).succeeded().stdout;
    let line = "tiers           tor 3:1 oversubscribed, agg 1:1 (rates down over rates up)\n";
    assert!(said.contains(line), "{said}");
    let json = folder.run(&["check", path, "--json"]).succeeded().stdout;
    let json: Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(json["oversubscription"][0]["tier"], "tor");
    assert_eq!(json["oversubscription"][0]["most"], 3.0);
}

#[test]
fn what_follows_from_an_error_is_not_told() {
    let folder = Folder::new();
    folder.write("t.toml", "[topology]\nkind = \"star\"\n[[workload]]\nkind = \"permutation\"\nsiz = \"1MB\"\n[cc]\nkind = \"hpcc\"\n");
    let outcome = folder.run(&["check", "t.toml"]);
    assert_eq!(outcome.code, Some(2));
    assert_eq!(
        outcome.stderr.matches("  x ").count(),
        1,
        "{}",
        outcome.stderr
    );
    assert!(
        outcome.stderr.contains("did you mean `size`"),
        "{}",
        outcome.stderr
    );
}

#[test]
fn keys_and_messages_count_alike() {
    let folder = Folder::new();
    folder.write("t.toml", "[topology]\nkind = \"star\"\n[[workload]]\nkind = \"permutation\"\nsize = \"1MB\"\n[[workload]]\nkind = \"incast\"\nfan_in = 3\nsize = \"1MB\"\nat = \"0s\"\n[cc]\nkind = \"hpcc\"\n");
    let outcome = folder.run(&["check", "t.toml", "--set", "workload.1.fan_in=300"]);
    assert!(
        outcome.stderr.contains("[[workload]] 1, key `fan_in`"),
        "{}",
        outcome.stderr
    );
    let whole = "workload.1={ kind = \"incast\", fan_in = 2, size = \"1KB\", at = \"0s\" }";
    folder.run(&["check", "t.toml", "--set", whole]).succeeded();
    let outcome = folder.run(&["check", "t.toml", "--set", "eta=0.9"]);
    assert_eq!(outcome.code, Some(2));
    assert!(
        outcome.stderr.contains("did you mean `cc.eta`?"),
        "{}",
        outcome.stderr
    );
}
