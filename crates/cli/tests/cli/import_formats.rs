//! `fabricsim import` with files of ConWeave's simulator and htsim, in the formats of their
//! generators.

use crate::support::{Folder, Outcome};

/// Two racks of two hosts and two spines, with trailing notes as in ConWeave's topologies.
const TOPOLOGY: &str = "8 4 8\n4 5 6 7\n0 4 100Gbps 1000ns 0\n1 4 100Gbps 1000ns 0\n\
    2 5 100Gbps 1000ns 0\n3 5 100Gbps 1000ns 0\n4 6 100Gbps 1000ns 0\n4 7 100Gbps 1000ns 0\n\
    5 6 100Gbps 1000ns 0\n5 7 100Gbps 1000ns 0\n\nFirst line: total node #, switch node #, link #\n";

/// Flows without destination ports.
const FLOWS: &str =
    "3\n0 2 3 300000 2.000000000\n1 3 3 200000 2.000001000\n0 3 3 5000 2.000002000\n";

/// Returns a folder with the relevant lines of ConWeave's run.py.
fn conweave(changes: &[(&str, &str)]) -> Folder {
    let mut text = "TOPOLOGY_FILE config/leaf.txt\nFLOW_FILE config/flow.txt\n\
        FCT_OUTPUT_FILE mix/output/7/7_out_fct.txt\nPFC_OUTPUT_FILE mix/output/7/7_out_pfc.txt\n\
        UPLINK_MON_FILE mix/output/7/7_out_uplink.txt\nSW_MONITORING_INTERVAL 10000\n\
        FLOWGEN_START_TIME 2.0\nFLOWGEN_STOP_TIME 2.005\nBUFFER_SIZE 9\nCC_MODE 1\nLB_MODE 0\n\
        ENABLE_PFC 1\nENABLE_IRN 0\nALPHA_RESUME_INTERVAL 1\nRATE_DECREASE_INTERVAL 4\n\
        RP_TIMER 300 \nFAST_RECOVERY_TIMES 1\nEWMA_GAIN 0.00390625\nRATE_AI 40.0Mb/s\n\
        RATE_HAI 100.0Mb/s\nMIN_RATE 100Mb/s\nL2_ACK_INTERVAL 1\nHAS_WIN 0\nVAR_WIN 0\n\
        KMAX_MAP 2 100000000000 400 400000000000 400\nKMIN_MAP 2 100000000000 100 400000000000 100\n\
        PMAX_MAP 2 100000000000 0.2 400000000000 0.20\nLOAD 50\nRANDOM_SEED 1\n"
        .to_owned();
    for (right, wrong) in changes {
        assert!(text.contains(right), "{right}");
        text = text.replace(right, wrong);
    }
    let folder = Folder::new();
    for name in ["config", "mix/output/7"] {
        std::fs::create_dir_all(folder.path(name)).expect("a folder");
    }
    folder.write("mix/output/7/config.txt", &text);
    folder.write("config/leaf.txt", TOPOLOGY);
    folder.write("config/flow.txt", FLOWS);
    folder
}

pub(crate) fn refused(folder: &Folder, arguments: &[&str]) -> String {
    let outcome: Outcome = folder.run(arguments);
    assert_eq!(outcome.code, Some(2), "{}", outcome.stderr);
    assert_eq!(outcome.stdout, "");
    outcome.stderr
}

#[test]
fn the_list_has_a_line_for_each_format() {
    let list = Folder::new().run(&["import", "--list"]).succeeded().stdout;
    let names: Vec<&str> = list
        .lines()
        .filter_map(|line| line.split(' ').next())
        .collect();
    assert_eq!(names, ["hpcc", "conweave", "htsim", "simai"]);
}

/// With every supported load balancing, with PFC and with IRN, all flows finish, and their ports
/// are the same as in ConWeave's simulator.
#[test]
fn runs_of_conweave_become_scenarios() {
    for (balancing, policy) in [("0", "\"ecmp\""), ("2", "power-of-two"), ("6", "flowlet")] {
        for (pauses, recovery) in [("1", "go-back-n"), ("0", "selective")] {
            let irn = if pauses == "1" {
                "ENABLE_IRN 0"
            } else {
                "ENABLE_IRN 1"
            };
            let folder = conweave(&[
                ("LB_MODE 0", &format!("LB_MODE {balancing}")),
                ("ENABLE_PFC 1", &format!("ENABLE_PFC {pauses}")),
                ("ENABLE_IRN 0", irn),
            ]);
            let said = folder
                .run(&["import", "mix/output/7", "-o", "cw.toml"])
                .succeeded();
            assert!(said.stderr.contains("left out: LOAD: "), "{}", said.stderr);
            let scenario = folder.read("cw.toml");
            assert!(
                scenario.contains(policy) && scenario.contains(recovery),
                "{scenario}"
            );
            assert!(scenario.contains("nodes = [\"4..6\"]"), "{scenario}");
            folder
                .run(&["run", "cw.toml", "--out", "r", "--quiet"])
                .succeeded();
            let fct = folder.read("r/fct.txt");
            let mut ports: Vec<String> = fct
                .lines()
                .map(|line| line.split(' ').take(4).collect::<Vec<_>>().join(" "))
                .collect();
            ports.sort();
            assert_eq!(
                ports,
                [
                    "0b000001 0b000201 10000 100",
                    "0b000001 0b000301 10001 101",
                    "0b000101 0b000301 10000 100",
                ]
            );
        }
    }
}

#[test]
fn a_scenario_of_conweave_says_all_that_differs() {
    let folder = conweave(&[]);
    let scenario = folder.run(&["import", "mix/output/7"]).succeeded().stdout;
    insta::assert_snapshot!(scenario);
}

#[test]
fn what_conweave_alone_has_is_refused_at_its_line() {
    for (right, wrong, says) in [
        ("LB_MODE 0", "LB_MODE 9", "ConWeave's own reordering"),
        ("LB_MODE 0", "LB_MODE 3", "CONGA is not simulated"),
        ("LB_MODE 0", "LB_MODE 1", "no load balancing `1`"),
        ("ENABLE_PFC 1", "ENABLE_PFC 0", "neither PFC nor IRN"),
        ("ENABLE_IRN 0", "ENABLE_IRN 1", "both PFC and IRN"),
        ("LOAD 50", "LOED 50", "`LOAD`?"),
        ("CC_MODE 1", "CC_MODE 10", "no algorithm `10`"),
        ("BUFFER_SIZE 9\n", "", "no `BUFFER_SIZE`"),
    ] {
        let folder = conweave(&[(right, wrong)]);
        let said = refused(&folder, &["import", "mix/output/7/config.txt"]);
        assert!(said.contains(says), "{wrong}: {said}");
        assert!(said.contains("config.txt:"), "{said}");
    }
}

/// Two tiers, like leaf_spine_tiny.topo of htsim, with fewer hosts.
const FABRIC: &str = "# of ours\nNodes 8\nTiers 2\nPodsize 8\n\nTier 0\nDownlink_speed_Gbps 100\n\
    Radix_Down 4\nRadix_Up 2\nDownlink_Latency_ns 1000\nSwitch_Latency_ns 301\nOversubscribed 2\n\n\
    Tier 1\nDownlink_speed_Gbps 100\nRadix_Down 2\nDownlink_Latency_ns 500\n";

/// Three tiers with bundles of two links, like test.topo of htsim.
const TALL_FABRIC: &str = "Nodes 8\nTiers 3\nPodsize 4\nTier 0\nDownlink_speed_Gbps 200\nRadix_Down 2\n\
    Radix_Up 2\nDownlink_Latency_ns 1000\nTier 1\nDownlink_speed_Gbps 200\nRadix_Down 2\nRadix_Up 4\n\
    Downlink_Latency_ns 1000\nBundle 1\nTier 2\nDownlink_speed_Gbps 100\nRadix_Down 4\n\
    Downlink_Latency_ns 1000\nBundle 2\n";

/// A ring of four hosts with triggers as in gen_allreduce.py, and a flow for each end of two
/// others.
const MATRIX: &str = "Nodes 8\nConnections 6\nTriggers 3\n\
    0->1 id 1 start 0 size 100000 send_done_trigger 1\n\
    1->2 id 2 trigger 1 size 100000 send_done_trigger 2\n2->3 id 3 trigger 2 size 100000\n\
    4->5 id 4 start 1000000 size 5000 send_done_trigger 3 prio 2\n\
    4->6 id 5 trigger 3 size 5000\n7->0 id 6 start 0 size 9000\n\
    trigger id 1 oneshot\ntrigger id 2 oneshot\ntrigger id 3 multishot\n";

#[test]
fn fabrics_and_matrices_of_htsim_run_to_the_end() {
    let folder = Folder::new();
    folder.write("x.topo", FABRIC);
    folder.write("tall.topo", TALL_FABRIC);
    folder.write("x.cm", MATRIX);
    let said = folder
        .run(&["import", "x.topo", "x.cm", "-o", "x.toml"])
        .succeeded();
    for word in ["Switch_Latency_ns", "prio", "trigger", "protocol"] {
        assert!(
            said.stderr.contains(&format!("left out: {word}")),
            "{}",
            said.stderr
        );
    }
    folder
        .run(&["run", "x.toml", "--out", "r", "--quiet"])
        .succeeded();
    let fct = folder.read("r/fct.csv");
    assert_eq!(fct.lines().count(), 7, "{fct}");
    // A triggered flow starts when its predecessor has been delivered or acknowledged.
    let row = |src: &str, dst: &str| -> Vec<f64> {
        let mut rows = fct.lines().map(|line| line.split(',').collect::<Vec<_>>());
        let row = rows
            .find(|row| row[1] == src && row[2] == dst)
            .expect("a flow");
        row[5..7]
            .iter()
            .map(|word| word.parse().expect("a time"))
            .collect()
    };
    let (first, second) = (row("0", "1"), row("1", "2"));
    assert!(
        second[0] > 8_000.0 && second[0] < first[0] + first[1],
        "{fct}"
    );
    let (before, after) = (row("4", "5"), row("4", "6"));
    assert!((after[0] - before[0] - before[1]).abs() < 1e-6, "{fct}");
    let tall = folder
        .run(&["import", "tall.topo", "-o", "tall.toml"])
        .succeeded();
    assert!(tall.stderr.contains("left out: traffic"), "{}", tall.stderr);
    let check = folder.run(&["check", "tall.toml"]).succeeded().stdout;
    assert!(
        check.contains("8 hosts") && check.contains("12 switches"),
        "{check}"
    );
    folder.write("folder.toml", "");
    std::fs::remove_file(folder.path("tall.topo")).expect("a file");
    let whole = folder.run(&["import", "."]).succeeded().stdout;
    assert!(
        whole.contains("kind = \"clos\"") && whole.contains("x.cm"),
        "{whole}"
    );
}

/// The delay of a path is the sum of its links and switches: 1,000 ns twice and 301 ns.
#[test]
fn latencies_of_switches_are_in_the_delays_of_links() {
    let folder = Folder::new();
    folder.write("x.topo", FABRIC);
    let scenario = folder.run(&["import", "x.topo"]).succeeded().stdout;
    assert!(scenario.contains("host_delay = \"1150.5ns\""), "{scenario}");
    assert!(
        scenario.contains("uplink_delay = \"650.5ns\""),
        "{scenario}"
    );
}

#[test]
fn what_is_wrong_in_files_of_htsim_is_shown_in_its_line() {
    for (right, wrong, says) in [
        ("Tiers 2", "Tiers 4", "x.topo:3:7: a fabric of 4 tiers"),
        ("Podsize 8", "Podsize 4", "is one pod, not 2"),
        ("Podsize 8", "Podsize 3", "not a multiple of the 3"),
        (
            "Radix_Down 2",
            "Radix_Down 3",
            "x.topo:16:12: Radix_Down of Tier 1 is 3",
        ),
        ("Radix_Up 2", "Radix_Upp 2", "did you mean `radix_up`"),
        ("Radix_Up 2\n", "", "`Tier 0` has no `radix_up`"),
        ("Radix_Up 2", "Radix_Up two", "`two` is no whole number"),
        ("Radix_Up 2", "Radix_Up 0", "`radix_up` is 0"),
        (
            "Oversubscribed 2",
            "Oversubscribed 3",
            "oversubscribed 3 times",
        ),
        ("Tier 1", "Tier 0", "a second `Tier 0`"),
        ("Tier 1", "Tier 7", "no tier 7"),
        ("Tier 0\n", "", "belongs to no tier"),
        (
            "Radix_Down 2",
            "Radix_Down 2\nRadix_Up 2",
            "the highest tier",
        ),
        ("Nodes 8", "Nodes 8\nNodes 8", "a second `Nodes`"),
    ] {
        let folder = Folder::new();
        folder.write("x.topo", &FABRIC.replacen(right, wrong, 1));
        let said = refused(&folder, &["import", "x.topo"]);
        assert!(
            said.contains(says) && said.contains("x.topo:"),
            "{wrong}: {said}"
        );
    }
    let folder = Folder::new();
    folder.write("x.topo", FABRIC);
    folder.write("x.cm", &MATRIX.replace("4->6", "3->6"));
    let said = refused(&folder, &["import", "x.topo", "x.cm"]);
    assert!(
        said.contains("x.cm:8:") && said.contains("learns nothing"),
        "{said}"
    );
    folder.write("x.cm", &MATRIX.replace("Nodes 8", "Nodes 10"));
    let said = refused(&folder, &["import", "x.cm"]);
    assert!(said.contains("no fat tree has 10 hosts"), "{said}");
}

#[test]
fn what_is_of_no_format_is_refused() {
    let folder = Folder::new();
    folder.write("x.txt", "1\n0 1 3 100 1000 2\n");
    let said = refused(&folder, &["import", "x.txt"]);
    assert!(
        said.contains("matches no known format") && said.contains("--list"),
        "{said}"
    );
    let said = refused(&folder, &["import", "."]);
    assert!(said.contains("no file in this folder"), "{said}");
    let said = refused(&folder, &["import", "x.txt", "--format", "ns2"]);
    assert!(
        said.contains("no format `ns2`") && said.contains("conweave"),
        "{said}"
    );
    let said = refused(&folder, &["import", "x.txt", "--format", "htsim"]);
    assert!(said.contains("neither a fabric nor"), "{said}");
    folder.write("a.topo", FABRIC);
    folder.write("b.topo", FABRIC);
    let said = refused(&folder, &["import", "."]);
    assert!(said.contains("./a.topo, ./b.topo"), "{said}");
}
