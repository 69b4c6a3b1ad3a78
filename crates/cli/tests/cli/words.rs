//! Help, lists and checks: what the command says without running anything.

use fabricsim_base::input::Key;
use fabricsim_scenario::cc::registry::CONGESTION_CONTROLS;

use crate::support::{Folder, project};

#[test]
fn every_subcommand_has_examples() {
    let folder = Folder::new();
    for command in [
        "run",
        "import",
        "export",
        "sweep",
        "check",
        "list",
        "view",
        "mpi-probe",
        "schema",
        "completions",
        "man",
    ] {
        let help = folder.run(&[command, "--help"]).succeeded().stdout;
        assert!(help.contains("Examples:"), "{command}");
        assert!(help.contains(&format!("fabricsim {command}")), "{command}");
    }
    let help = folder.run(&["--help"]).succeeded().stdout;
    assert!(
        help.contains("Examples:") && help.contains("Commands:"),
        "{help}"
    );
    let version = folder.run(&["--version"]).succeeded().stdout;
    assert_eq!(
        version,
        format!("fabricsim {}\n", env!("CARGO_PKG_VERSION"))
    );
}

#[test]
fn list_names_everything_that_a_scenario_can() {
    let list = Folder::new().run(&["list", "--all"]).succeeded().stdout;
    let algorithms = CONGESTION_CONTROLS
        .iter()
        .map(|cc| (cc.name, &*cc.keys().leak()));
    let topologies = fabricsim_topology::KINDS
        .iter()
        .map(|&(name, _, keys)| (name, keys));
    let workloads = fabricsim_workload::KINDS
        .iter()
        .map(|&(name, _, keys)| (name, keys));
    for (name, keys) in algorithms.chain(topologies).chain(workloads) {
        assert!(list.contains(&format!("\n  {name} ")), "{name}");
        for Key {
            name: key, meaning, ..
        } in keys
        {
            assert!(list.contains(&format!("\n      {key} ")), "{name}: {key}");
            assert!(list.contains(meaning), "{name}: {key}");
        }
    }
    for other in [
        "[switch]",
        "[rdma]",
        "[routing]",
        "[run]",
        "[output]",
        "[observe]",
        "profile",
    ] {
        assert!(list.contains(other), "{other}");
    }
}

#[test]
fn a_topic_lists_nothing_else() {
    let folder = Folder::new();
    let algorithms = folder.run(&["list", "cc"]).succeeded().stdout;
    assert!(
        algorithms.contains("hpcc") && !algorithms.contains("poisson"),
        "{algorithms}"
    );
    let workloads = folder.run(&["list", "workload"]).succeeded().stdout;
    assert!(workloads.contains("poisson") && !workloads.contains("max_stage"));
}

/// The published fabric: the largest base round trip and window of its papers.
#[test]
fn check_tells_the_round_trip_and_the_window_of_the_papers_fabric() {
    let scenario = project("examples/scenarios/fat320-websearch-50.toml");
    let folder = Folder::new();
    let said = folder
        .run(&["check", scenario.to_str().expect("UTF-8")])
        .succeeded()
        .stdout;
    let value = |name: &str| {
        said.lines()
            .find_map(|line| line.strip_prefix(name))
            .unwrap_or_else(|| panic!("{name}: {said}"))
            .trim()
            .to_owned()
    };
    assert_eq!(value("network"), "320 hosts, 56 switches, 480 links");
    assert!(value("largest RTT").starts_with("12.240 us"));
    assert_eq!(value("largest BDP"), "153000 bytes");
    assert_eq!(value("longest path"), "5 switches");
    assert_eq!(value("telemetry"), "42 bytes on each data packet");
    let flows: f64 = value("expected flows").parse().expect("a number");
    // 320 hosts x 100 Gbps x 0.5 x 10 ms / (8 x 1,711,250 bytes)
    assert!((flows - 11_687.0).abs() < 1.0, "{flows}");
    let settings = &said[said.find('{').expect("settings are JSON")..];
    let settings: serde_json::Value = serde_json::from_str(settings).expect("JSON");
    assert_eq!(settings["cc"]["additive_increase"], "50Mbps");
    assert_eq!(settings["switch"]["buffer"], "32MiB");
}

#[test]
fn check_writes_nothing() {
    let folder = Folder::new();
    folder.run(&["check"]).succeeded();
    let entries = std::fs::read_dir(folder.path(".")).expect("the folder");
    assert_eq!(entries.count(), 0);
}

/// As with `fabricsim list | head -1`.
#[cfg(unix)]
#[test]
fn a_reader_that_stops_early_is_no_error() {
    use std::process::Stdio;
    let folder = Folder::new();
    let mut child = folder
        .command(&["list"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("the command ends");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert_eq!(output.status.code(), Some(0));
}
