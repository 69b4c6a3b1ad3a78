//! Successful runs and their files.

use crate::support::{Folder, project, project_text};

/// The built-in scenario, short: 64 hosts for 200 us.
const SHORT: &[&str] = &["--set", "workload.0.duration=200us"];

const HEADER: &str =
    "flow,src,dst,class,size_bytes,start_ns,fct_ns,ideal_fct_ns,slowdown,retransmitted_bytes";

fn short(folder: &Folder, out: &str, more: &[&str]) {
    folder
        .run(&[&["run", "--out", out], SHORT, more].concat())
        .succeeded();
}

/// Results have the permissions of any file that the user creates.
#[cfg(unix)]
#[test]
fn results_can_be_shared() {
    use std::os::unix::fs::PermissionsExt;

    let folder = Folder::new();
    short(&folder, "out", &[]);
    folder.write("mine.txt", "");
    let mode = |name: &str| {
        let facts = std::fs::metadata(folder.path(name)).expect("a file");
        facts.permissions().mode()
    };
    for name in ["out/fct.csv", "out/summary.json"] {
        assert_eq!(mode(name), mode("mine.txt"), "{name}");
    }
}

#[test]
fn a_run_without_a_scenario_leaves_both_files() {
    let folder = Folder::new();
    let outcome = folder.run(&[&["run"], SHORT].concat()).succeeded();
    let fct = folder.read("results/default/fct.csv");
    let summary = folder.summary("results/default");
    assert_eq!(fct.lines().next(), Some(HEADER));
    let flows = fct.lines().count() as u64 - 1;
    assert!(flows > 20, "{flows}");
    assert_eq!(summary["status"], "finished");
    assert_eq!(summary["flows"]["started"], flows);
    assert_eq!(summary["flows"]["finished"], flows);
    assert_eq!(summary["flows"]["unfinished"], 0);
    assert_eq!(summary["scenario"]["seed"], 1);
    assert_eq!(summary["scenario"]["topology"]["kind"], "leaf-spine");
    let checksum = summary["checksum"].as_str().expect("a checksum");
    assert!(outcome.stdout.contains(checksum), "{}", outcome.stdout);
    assert!(
        outcome.stdout.contains("results/default/fct.csv"),
        "{}",
        outcome.stdout
    );
}

#[test]
fn the_documents_name_every_column_and_every_key() {
    let folder = Folder::new();
    short(&folder, "out", &[]);
    let documented = project_text("docs/outputs.md");
    let summary = folder.summary("out");
    let keys = summary
        .as_object()
        .expect("a table")
        .keys()
        .map(String::as_str);
    let inner = [
        "started",
        "finished",
        "unfinished",
        "unreachable",
        "class",
        "p50",
        "p95",
        "p99",
        "mean",
        "time_ns",
        "node",
        "port",
        "priority",
        "event",
        "switch",
        "paused_by",
        "queued_bytes",
        "deadlock",
    ];
    for name in HEADER.split(',').chain(keys).chain(inner) {
        assert!(
            documented.contains(&format!("`{name}`")),
            "`{name}` is not in docs/outputs.md"
        );
    }
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    let folder = Folder::new();
    short(&folder, "one", &["--threads", "1"]);
    short(&folder, "two", &["--threads", "2"]);
    assert_eq!(folder.read("one/fct.csv"), folder.read("two/fct.csv"));
    assert_eq!(
        folder.summary("one")["checksum"],
        folder.summary("two")["checksum"]
    );
    assert_eq!(folder.summary("one")["threads"], 1);
    assert_eq!(folder.summary("two")["threads"], 2);
}

#[test]
fn a_seed_is_a_setting() {
    let folder = Folder::new();
    short(&folder, "flag", &["--seed", "7"]);
    short(&folder, "set", &["--set", "seed=7"]);
    short(&folder, "other", &["--seed", "8"]);
    assert_eq!(folder.read("flag/fct.csv"), folder.read("set/fct.csv"));
    assert_ne!(folder.read("flag/fct.csv"), folder.read("other/fct.csv"));
    assert_eq!(folder.summary("flag")["scenario"]["seed"], 7);
}

#[test]
fn settings_that_are_set_are_the_settings_of_the_run() {
    let folder = Folder::new();
    short(
        &folder,
        "out",
        &[
            "--set",
            "cc.eta=0.8",
            "--set",
            "cc.additive_increase=80Mbps",
        ],
    );
    let cc = &folder.summary("out")["scenario"]["cc"];
    assert_eq!(cc["eta"], 0.8);
    assert_eq!(cc["additive_increase"], "80Mbps");
}

#[test]
fn a_pipe_gets_no_progress_and_no_escape_codes() {
    let folder = Folder::new();
    let outcome = folder.run(&[&["run"], SHORT].concat()).succeeded();
    assert_eq!(outcome.stderr, "");
    assert!(!outcome.stdout.contains('\u{1b}'));
    let quiet = folder
        .run(&[&["run", "--quiet"], SHORT].concat())
        .succeeded();
    assert_eq!(quiet.stdout + &quiet.stderr, "");
}

#[test]
fn an_early_stop_lists_what_is_left() {
    let folder = Folder::new();
    let stop = ["--set", "run.stop_at=40us"];
    let args = [&["run", "--out", "out"], SHORT, &stop].concat();
    let outcome = folder.run(&args).succeeded();
    assert!(
        outcome
            .stderr
            .contains("the run reached the scenario's stop_at"),
        "{}",
        outcome.stderr
    );
    let summary = folder.summary("out");
    assert_eq!(summary["status"], "time-reached");
    let flows = &summary["flows"];
    let left = flows["unfinished"].as_u64().expect("a count");
    assert!(left > 0);
    assert_eq!(
        flows["started"].as_u64(),
        flows["finished"].as_u64().map(|finished| finished + left)
    );
    let unfinished = summary["unfinished"].as_array().expect("a list");
    assert_eq!(unfinished.len() as u64, left);
    for flow in unfinished {
        let reason = flow["reason"].as_str().expect("a reason");
        assert!(!reason.is_empty(), "{flow}");
        assert!(
            flow["acknowledged_bytes"].as_u64() < flow["size_bytes"].as_u64(),
            "{flow}"
        );
    }
}

#[test]
fn a_second_run_replaces_the_first() {
    let folder = Folder::new();
    short(&folder, "out", &["--seed", "1"]);
    let first = folder.read("out/fct.csv");
    folder.write("out/fct.partial.csv", "left over from an interrupted run\n");
    short(&folder, "out", &["--seed", "2", "--force"]);
    assert_ne!(folder.read("out/fct.csv"), first);
    assert_eq!(folder.summary("out")["scenario"]["seed"], 2);
    let mut names: Vec<_> = std::fs::read_dir(folder.path("out"))
        .expect("the folder")
        .map(|entry| entry.expect("an entry").file_name())
        .collect();
    names.sort();
    assert_eq!(
        names,
        ["buffers.csv", "fct.csv", "summary.json", "topology.csv"]
    );
}

#[test]
fn a_folder_that_cannot_be_written() {
    let folder = Folder::new();
    folder.write("file", "in the way");
    let outcome = folder.run(&[&["run", "--out", "file/results"], SHORT].concat());
    assert_eq!(outcome.code, Some(1));
    assert!(
        outcome.stderr.contains("cannot write `file/results`"),
        "{}",
        outcome.stderr
    );
    assert!(outcome.stderr.contains("--out"), "{}", outcome.stderr);
    assert_eq!(folder.read("file"), "in the way");
}

/// A ring in which every switch waits for the next one, and the report of the deadlock.
#[test]
fn a_deadlock_is_named_and_what_finished_is_kept() {
    let folder = Folder::new();
    let ring = project("examples/deadlock/deadlock-ring.toml");
    let ring = ring.display().to_string();
    let outcome = folder.run(&["run", &ring, "--out", "out"]);
    assert_eq!(outcome.code, Some(3), "{}", outcome.stderr);
    assert!(
        outcome.stderr.contains("PFC deadlock"),
        "{}",
        outcome.stderr
    );

    let summary = folder.summary("out");
    assert_eq!(summary["status"], "deadlocked");
    let circle = summary["deadlock"].as_array().expect("a circle");
    assert_eq!(circle.len(), 5, "{circle:?}");
    for (port, next) in circle.iter().zip(circle.iter().cycle().skip(1)) {
        assert_eq!(port["paused_by"], next["switch"], "{circle:?}");
        assert_eq!(port["priority"], 3);
        assert!(port["queued_bytes"].as_u64() > Some(0), "{port}");
        let name = port["switch_name"].as_str().expect("a name");
        let line = format!(
            "{name} (node {}) port {} is paused",
            port["switch"], port["port"]
        );
        assert!(outcome.stderr.contains(&line), "{}", outcome.stderr);
    }

    assert_eq!(summary["flows"]["finished"], 3);
    assert_eq!(summary["flows"]["unfinished"], 10);
    let fct = folder.read("out/fct.csv");
    let sizes: Vec<_> = fct
        .lines()
        .skip(1)
        .map(|row| row.split(',').nth(4))
        .collect();
    assert_eq!(sizes, [Some("20000"); 3]);
    let pauses = folder.read("out/pauses.csv");
    assert_eq!(
        pauses.lines().next(),
        Some("time_ns,node,port,priority,event")
    );
    for port in circle {
        let frame = format!(",{},{},3,pause", port["switch"], port["port"]);
        assert!(pauses.lines().any(|row| row.ends_with(&frame)), "{frame}");
    }
}

/// Two algorithms on the user's own files, in the formats of the published simulator.
#[test]
fn ones_own_files_run_and_their_results_run_again() {
    let folder = Folder::new();
    folder.write(
        "topology.txt",
        "5 1 4\n4\n0 4 100Gbps 1us 0\n1 4 100Gbps 1us 0\n2 4 100Gbps 1us 0\n3 4 100Gbps 1us 0\n",
    );
    folder.write(
        "flow.txt",
        "3\n0 3 3 100 100000 2.0\n1 3 3 100 100000 2.0\n2 3 3 100 100000 2.000001\n",
    );
    let scenario = |path: &str| {
        format!(
            "[topology]\nkind = \"file\"\npath = \"topology.txt\"\n[[workload]]\nkind = \"list\"\npath = \"{path}\"\n[cc]\nkind = \"hpcc\"\n"
        )
    };
    folder.write("own.toml", &scenario("flow.txt"));
    folder.write("again.toml", &scenario("results/own/fct.csv"));
    folder.run(&["run", "own.toml"]).succeeded();
    folder.run(&["run", "again.toml"]).succeeded();
    let rows = |name: &str| {
        let text = folder.read(&format!("results/{name}/fct.csv"));
        let mut rows: Vec<String> = text
            .lines()
            .skip(1)
            .map(|row| row.split(',').skip(1).collect::<Vec<_>>().join(","))
            .collect();
        rows.sort();
        rows
    };
    assert_eq!(rows("own").len(), 3);
    assert_eq!(rows("own"), rows("again"));
}

#[test]
fn a_full_time_series_is_told_of() {
    let folder = Folder::new();
    let scenario = project("examples/scenarios/two-flows-converge.toml");
    let scenario = scenario.to_str().expect("UTF-8");
    let limit = ["--set", "observe.max_rows=10"];
    let outcome = folder
        .run(&[&["run", scenario, "--out", "out"][..], &limit].concat())
        .succeeded();
    // The first flow alone has one row every 5 us.
    for name in ["queues", "links", "flows"] {
        let said =
            format!("{name}.csv is full ([observe] max_rows): samples from 55us on are left out");
        assert!(outcome.stderr.contains(&said), "{}", outcome.stderr);
        assert_eq!(folder.read(&format!("out/{name}.csv")).lines().count(), 11);
    }
    assert!(
        outcome
            .stdout
            .contains("summary.json, queues.csv, links.csv, flows.csv")
    );
    let observed = &folder.summary("out")["observed"][2];
    assert_eq!(observed["left_out"], "samples from 55us on");
    // A profile observes, too, and does not notice.
    let profile = ["--profile-parallelism"];
    folder
        .run(
            &[
                &["run", scenario, "--out", "profiled", "--quiet"][..],
                &profile,
            ]
            .concat(),
        )
        .succeeded();
    folder
        .run(&["run", scenario, "--out", "plain", "--quiet"])
        .succeeded();
    for name in ["fct.csv", "queues.csv", "links.csv", "flows.csv"] {
        let read = |dir: &str| folder.read(&format!("{dir}/{name}"));
        assert_eq!(read("profiled"), read("plain"), "{name}");
    }
}

#[test]
fn networks_of_providers_are_run() {
    let folder = Folder::new();
    let nodes = [(51.5, 0.0), (48.9, 2.4), (52.5, 13.4)].iter().enumerate();
    let nodes: String = nodes
        .map(|(id, (north, east))| {
            let place = |key, value| format!("<data key=\"{key}\">{value}</data>");
            let places = place("n", north) + &place("e", east);
            format!("<node id=\"{id}\">{places}</node>\n")
        })
        .collect();
    folder.write(
        "europe.graphml",
        &format!(
            "<graphml><key attr.name=\"Latitude\" for=\"node\" id=\"n\"/>\
             <key attr.name=\"Longitude\" for=\"node\" id=\"e\"/><graph>\n{nodes}\
             <edge source=\"0\" target=\"1\"/><edge source=\"1\" target=\"2\"/></graph></graphml>\n"
        ),
    );
    for (kind, keys, hosts) in [
        (
            "graphml",
            "path = \"europe.graphml\"\ndelay = \"geographic\"\nhosts_per_switch = 2\n",
            6,
        ),
        (
            "isp",
            "switches = 20\nlongest_path = 6\ndelay = \"100us\"\n",
            20,
        ),
    ] {
        let scenario = format!(
            "[topology]\nkind = \"{kind}\"\n{keys}[[workload]]\nkind = \"permutation\"\n\
             size = \"20KB\"\n[cc]\nkind = \"hpcc\"\n"
        );
        folder.write("t.toml", &scenario);
        folder.run(&["run", "t.toml", "--out", kind]).succeeded();
        let summary = folder.summary(kind);
        assert_eq!(summary["flows"]["finished"], hosts, "{kind}");
        assert_eq!(summary["scenario"]["topology"]["kind"], kind);
    }
    let topology = &folder.summary("graphml")["scenario"]["topology"];
    assert_eq!(topology["delay"], "geographic");
}
