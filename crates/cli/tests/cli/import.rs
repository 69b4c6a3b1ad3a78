//! `fabricsim import` and `fct.txt`: from the published simulator's files and back.

use crate::support::{Folder, Outcome};

/// Two hosts at either side of two switches.
const TOPOLOGY: &str = "6 2 5\n4 5\n0 4 100Gbps 1000ns 0\n1 4 100Gbps 1000ns 0\n\
                        2 5 100Gbps 1000ns 0\n3 5 100Gbps 1000ns 0\n4 5 400Gbps 1000ns 0\n";

const FLOWS: &str = "3\n0 2 3 100 300000 2.000000\n1 2 3 100 200000 2.000001\n\
                     3 0 3 200 50000 2.000002\n";

/// Returns a configuration as run.py writes it for 100 Gbps.
pub(crate) fn config(mode: &str, changes: &[(&str, &str)]) -> String {
    let mut text = format!(
        "ENABLE_QCN 1\nUSE_DYNAMIC_PFC_THRESHOLD 1\nPACKET_PAYLOAD_SIZE 1000\n\
         TOPOLOGY_FILE topology.txt\nFLOW_FILE flow.txt\nTRACE_FILE trace.txt\n\
         FCT_OUTPUT_FILE fct.txt\nPFC_OUTPUT_FILE pfc.txt\nSIMULATOR_STOP_TIME 4.00\n\
         CC_MODE {mode}\nALPHA_RESUME_INTERVAL 1\nRATE_DECREASE_INTERVAL 4\n\
         CLAMP_TARGET_RATE 0\nRP_TIMER 300\nEWMA_GAIN 0.00390625\nFAST_RECOVERY_TIMES 1\n\
         RATE_AI 40Mb/s\nRATE_HAI 200Mb/s\nMIN_RATE 1000Mb/s\nDCTCP_RATE_AI 615Mb/s\n\
         ERROR_RATE_PER_LINK 0.0\nL2_CHUNK_SIZE 4000\nL2_ACK_INTERVAL 1\nL2_BACK_TO_ZERO 0\n\
         HAS_WIN 1\nGLOBAL_T 1\nVAR_WIN 1\nFAST_REACT 1\nU_TARGET 0.95\nMI_THRESH 0\n\
         INT_MULTI 4\nMULTI_RATE 0\nSAMPLE_FEEDBACK 0\nPINT_LOG_BASE 1.01\nPINT_PROB 1.0\n\
         RATE_BOUND 1\nACK_HIGH_PRIO 0\nLINK_DOWN 0 0 0\nENABLE_TRACE 0\n\
         KMAX_MAP 2 100000000000 1600 400000000000 6400\n\
         KMIN_MAP 2 100000000000 400 400000000000 1600\n\
         PMAX_MAP 2 100000000000 0.20 400000000000 0.20\nBUFFER_SIZE 32\n\
         QLEN_MON_FILE qlen.txt\nQLEN_MON_START 2000000000\nQLEN_MON_END 2000000000\n"
    );
    for (right, wrong) in changes {
        assert!(text.contains(right), "{right}");
        text = text.replace(right, wrong);
    }
    text
}

/// Returns a folder `mix` with the files of a configuration.
pub(crate) fn folder(config: &str) -> Folder {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("mix")).expect("a folder");
    for (name, text) in [
        ("config.txt", config),
        ("topology.txt", TOPOLOGY),
        ("flow.txt", FLOWS),
        ("trace.txt", "3\n0 4 400\n"),
    ] {
        folder.write(&format!("mix/{name}"), text);
    }
    folder
}

fn refused(config: &str) -> String {
    let outcome = folder(config).run(&["import", "mix/config.txt"]);
    assert_eq!(outcome.code, Some(2), "{}", outcome.stderr);
    assert_eq!(outcome.stdout, "");
    outcome.stderr
}

/// An imported configuration has the same results as a hand-written scenario.
#[test]
fn an_imported_scenario_is_the_one_written_by_hand() {
    let by_hand = "profile = \"ns3-hpcc\"\n[topology]\nkind = \"file\"\npath = \"mix/topology.txt\"\n\
                   [[workload]]\nkind = \"list\"\npath = \"mix/flow.txt\"\n[cc]\n";
    for (mode, cc) in [
        (
            "1",
            "kind = \"dcqcn\"\nwindow = true\nadditive_increase = \"40Mbps\"\n",
        ),
        ("3", "kind = \"hpcc\"\n"),
        (
            "7",
            "kind = \"timely\"\nwindow = true\nadditive_increase = \"40Mbps\"\nhyper_increase = \"200Mbps\"\n[rdma]\nack_high_priority = false\n",
        ),
        (
            "8",
            "kind = \"dctcp\"\ng = 0.00390625\n[switch]\necn = { kmin = \"400KB\", kmax = \"1600KB\", pmax = 0.2 }\n",
        ),
        ("10", "kind = \"hpcc-pint\"\n"),
    ] {
        let folder = folder(&config(mode, &[]));
        let said = folder
            .run(&["import", "mix/config.txt", "-o", "mine.toml"])
            .succeeded();
        assert_eq!(said.stdout, "");
        assert!(
            said.stderr
                .contains("left out: USE_DYNAMIC_PFC_THRESHOLD: "),
            "{}",
            said.stderr
        );
        assert!(folder.read("mine.toml").contains("\"mix/topology.txt\""));
        folder.write("hand.toml", &format!("{by_hand}{cc}"));
        for (scenario, out) in [("mine.toml", "a"), ("hand.toml", "b")] {
            folder
                .run(&["run", scenario, "--out", out, "--quiet"])
                .succeeded();
        }
        assert_eq!(
            folder.read("a/fct.csv"),
            folder.read("b/fct.csv"),
            "mode {mode}"
        );
        assert_eq!(folder.read("a/fct.csv").lines().count(), 4);
        assert!(folder.has("a/pauses.csv") && folder.has("a/fct.txt") && !folder.has("b/fct.txt"));
    }
}

#[test]
fn completion_times_are_written_as_the_published_simulator_does() {
    let folder = folder(&config("3", &[]));
    let scenario = folder.run(&["import", "mix/config.txt", "-o", "mine.toml"]);
    scenario.succeeded();
    folder
        .run(&["run", "mine.toml", "--out", "a", "--quiet"])
        .succeeded();
    insta::assert_snapshot!(folder.read("a/fct.txt"));
    let files = &folder.summary("a")["files"];
    assert!(
        files
            .as_array()
            .is_some_and(|files| files.iter().any(|it| it == "fct.txt"))
    );
    // Both are read as results, with the same flows.
    let compared = folder
        .run(&["compare", "a/fct.csv", "a/fct.txt"])
        .succeeded();
    assert!(compared.stdout.contains('3'), "{}", compared.stdout);
}

/// Slowdowns and sizes of background flows, computed as by the published analysis with awk.
#[test]
fn the_columns_are_where_analysis_scripts_look() {
    let folder = folder(&config("8", &[]));
    folder
        .run(&["import", "mix/config.txt", "-o", "mine.toml"])
        .succeeded();
    folder
        .run(&["run", "mine.toml", "--out", "a", "--quiet"])
        .succeeded();
    let text = folder.read("a/fct.txt");
    let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split(' ').collect()).collect();
    assert!(rows.iter().all(|row| row.len() == 8), "{text}");
    let background: Vec<u64> = rows
        .iter()
        .filter(|row| row[3] == "100")
        .map(|row| row[4].parse().expect("a size"))
        .collect();
    assert_eq!(background.len(), 2);
    for row in &rows {
        let [start, fct, ideal] = [5, 6, 7].map(|column| row[column].parse::<u64>().expect("ns"));
        assert!(start >= 2_000_000_000 && fct > 0 && ideal > 0, "{text}");
    }
    assert!(
        rows.iter()
            .any(|row| row[0] == "0b000001" && row[1] == "0b000201"),
        "{text}"
    );
}

#[test]
fn a_scenario_goes_from_import_to_run_through_a_pipe() {
    use std::io::Write as _;
    use std::process::Stdio;
    let folder = folder(&config("3", &[]));
    let scenario = folder.run(&["import", "mix/config.txt"]).succeeded().stdout;
    assert!(scenario.contains("path = \"mix/flow.txt\""), "{scenario}");
    for (command, says) in [("check", "6 links"), ("run", "3 finished")] {
        let mut child = folder
            .command(&[command, "-"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the command starts");
        let mut input = child.stdin.take().expect("a pipe");
        input.write_all(scenario.as_bytes()).expect("it is read");
        drop(input);
        let outcome: Outcome = child.wait_with_output().expect("it ends").into();
        let outcome = outcome.succeeded();
        let says = if command == "check" { "4 hosts" } else { says };
        assert!(outcome.stdout.contains(says), "{}", outcome.stdout);
    }
    assert!(
        folder.has("results/mix/fct.csv"),
        "the name is that of the folder"
    );
}

#[test]
fn paths_start_where_they_are_told_to() {
    let text = config(
        "3",
        &[
            (
                "TOPOLOGY_FILE topology.txt",
                "TOPOLOGY_FILE mix/topology.txt",
            ),
            ("FLOW_FILE flow.txt", "FLOW_FILE mix/flow.txt"),
        ],
    );
    let elsewhere = text.replace("mix/topology.txt", "mux/topology.txt");
    let said = refused(&elsewhere);
    assert!(
        said.contains("there is no file") && said.contains("--base"),
        "{said}"
    );
    // They are found around the configuration, too: run.py writes into mix and runs beside it.
    let found = folder(&text).run(&["import", "mix"]).succeeded().stdout;
    assert!(found.contains("path = \"mix/flow.txt\""), "{found}");
    let folder = folder(&text);
    folder
        .run(&[
            "import",
            "mix/config.txt",
            "--base",
            ".",
            "-o",
            "mix/mine.toml",
        ])
        .succeeded();
    let scenario = folder.read("mix/mine.toml");
    assert!(scenario.contains("path = \"flow.txt\""), "{scenario}");
    folder.run(&["check", "mix/mine.toml"]).succeeded();
}

#[test]
fn traces_queues_and_failures_become_tables() {
    let text = config(
        "3",
        &[
            ("ENABLE_TRACE 0", "ENABLE_TRACE 1"),
            ("LINK_DOWN 0 0 0", "LINK_DOWN 100 4 5"),
        ],
    );
    let folder = folder(&text);
    let scenario = folder.run(&["import", "mix/config.txt"]).succeeded().stdout;
    assert!(scenario.contains("nodes = [\"0\", \"4\"]"), "{scenario}");
    assert!(scenario.contains("at = \"2000100us\""), "{scenario}");
    let text = config(
        "3",
        &[("QLEN_MON_END 2000000000", "QLEN_MON_END 2000100000")],
    );
    let folder = self::folder(&text);
    folder
        .run(&["import", "mix/config.txt", "-o", "mine.toml"])
        .succeeded();
    folder
        .run(&["run", "mine.toml", "--out", "a", "--quiet"])
        .succeeded();
    assert!(folder.has("a/queue_distribution.csv"));
}

/// An error has its place in the configuration, even if only the generated scenario reveals it.
#[test]
fn errors_are_shown_in_the_configuration() {
    insta::assert_snapshot!(refused(&config("3", &[("U_TARGET 0.95", "U_TARGET 95")])));
    insta::assert_snapshot!(refused(&config("3", &[("MI_THRESH", "MI_TRESH")])));
    let said = refused(&config("1", &[("400000000000 6400", "25000000000 400")]));
    assert!(
        said.contains("KMAX_MAP") && said.contains("400Gbps"),
        "{said}"
    );
    let folder = folder(&config("3", &[]));
    folder.write("mix/topology.txt", &TOPOLOGY.replace("400Gbps", "400Gb"));
    let said = folder.run(&["import", "mix/config.txt"]);
    assert_eq!(said.code, Some(2));
    assert!(said.stderr.contains("topology.txt:7:"), "{}", said.stderr);
    let said = folder.run(&["import", "none.txt"]);
    assert_eq!(said.code, Some(2));
    assert!(
        said.stderr.contains("cannot read the configuration"),
        "{}",
        said.stderr
    );
}

/// The guide's tables of equivalents contain every key.
#[test]
fn the_guide_has_all_keys() {
    let page = |name: &str| crate::support::project_text(&format!("docs/guide/src/{name}"));
    let guide = page("published_simulator.md") + &page("astra_sim.md");
    use fabricsim_scenario::import::Dialect;
    let keys = [Dialect::Published, Dialect::ConWeave, Dialect::SimAi].map(Dialect::keys);
    for key in keys.into_iter().flatten() {
        let row = guide.lines().any(|line| {
            let cell = line
                .strip_prefix("| ")
                .and_then(|line| line.split(" | ").next());
            cell.is_some_and(|cell| cell.contains(&format!("`{}`", key.name)))
        });
        assert!(row, "docs/guide/src has no row for `{}`", key.name);
    }
}

#[test]
fn a_trace_without_one_of_its_ranks_and_an_unknown_algorithm_are_refused() {
    let folder = Folder::new();
    // Metadata without fields, and a computation of 1 us with the number 1.
    let trace = "\u{0}\u{6}\u{8}\u{1}\u{18}\u{4}\u{38}\u{1}";
    folder.write("x.0.et", trace);
    folder.write("x.2.et", trace);
    let gap = folder.run(&["import-trace", "x", "-o", "out.csv"]);
    assert_eq!(gap.code, Some(2), "{}", gap.stderr);
    assert!(gap.stderr.contains("`x.1.et`"), "{}", gap.stderr);
    assert!(!folder.path("out.csv").exists());
    folder.write("x.1.et", trace);
    let whole = folder.run(&["import-trace", "x"]);
    assert_eq!(whole.code, Some(0), "{}", whole.stderr);
    assert_eq!(whole.stdout.lines().count(), 4);
    let unknown = folder.run(&["import-trace", "x", "--all-reduce", "pairwise"]);
    assert_eq!(unknown.code, Some(2));
    assert!(
        unknown.stderr.contains("halving-doubling"),
        "{}",
        unknown.stderr
    );
}
