//! Scenarios with `[capture]` in commands that do not capture.

use crate::support::Folder;

const CAPTURED: &str = "[topology]\nkind = \"star\"\nhosts = 4\n[[workload]]\nkind = \"incast\"\nfan_in = 2\n\
                        size = \"10KB\"\nat = \"0s\"\n[cc]\nkind = \"hpcc\"\n[capture]\n";

#[test]
fn a_scenario_with_a_capture_is_checked_like_any_other() {
    let folder = Folder::new();
    folder.write("s.toml", CAPTURED);
    let told = folder.run(&["check", "s.toml"]).succeeded().stdout;
    assert!(told.contains("4 hosts, 1 switches, 4 links"), "{told}");
    let json = folder.run(&["check", "s.toml", "--json"]).succeeded();
    assert!(json.stdout.contains("\"capture\""), "{}", json.stdout);
    // Errors in the table are still found.
    let wrong = ["check", "s.toml", "--set", "capture.nodes=[\"9\"]"];
    let outcome = folder.run(&wrong);
    assert_eq!(outcome.code, Some(2), "{}", outcome.stderr);
    assert!(outcome.stderr.contains("nodes"), "{}", outcome.stderr);
}

#[test]
fn a_sweep_captures_each_of_its_points() {
    let folder = Folder::new();
    folder.write("s.toml", CAPTURED);
    folder.write(
        "sweep.toml",
        "scenario = \"s.toml\"\n[[axis]]\nkey = \"seed\"\nvalues = [1, 2]\n",
    );
    folder
        .run(&["sweep", "sweep.toml", "--dry-run"])
        .succeeded();
    folder
        .run(&["sweep", "sweep.toml", "--out", "out"])
        .succeeded();
    for seed in [1, 2] {
        let file = format!("out/points/seed={seed}/capture.pcapng");
        assert!(folder.has(&file), "{file}");
    }
}
