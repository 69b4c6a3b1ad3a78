//! `fabricsim import` with the files of ConWeave's simulator, htsim and SimAI, of the shapes that
//! their generators make.

use crate::support::{Folder, Outcome};

/// Two racks of two hosts and two spines, as ConWeave's topologies end: with notes.
const TOPOLOGY: &str = "8 4 8\n4 5 6 7\n0 4 100Gbps 1000ns 0\n1 4 100Gbps 1000ns 0\n\
    2 5 100Gbps 1000ns 0\n3 5 100Gbps 1000ns 0\n4 6 100Gbps 1000ns 0\n4 7 100Gbps 1000ns 0\n\
    5 6 100Gbps 1000ns 0\n5 7 100Gbps 1000ns 0\n\nFirst line: total node #, switch node #, link #\n";

/// Without destination ports.
const FLOWS: &str =
    "3\n0 2 3 300000 2.000000000\n1 3 3 200000 2.000001000\n0 3 3 5000 2.000002000\n";

/// The lines of ConWeave's run.py that say anything here.
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

fn refused(folder: &Folder, arguments: &[&str]) -> String {
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

/// Every load balancing that is simulated, with PFC and with IRN: all flows finish, and their ports
/// are those of ConWeave's simulator.
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
        ("LOAD 50", "LOED 50", "did you mean `LOAD`"),
        ("CC_MODE 1", "CC_MODE 10", "no algorithm `10`"),
        ("BUFFER_SIZE 9\n", "", "no `BUFFER_SIZE`"),
    ] {
        let folder = conweave(&[(right, wrong)]);
        let said = refused(&folder, &["import", "mix/output/7/config.txt"]);
        assert!(said.contains(says), "{wrong}: {said}");
        assert!(said.contains("config.txt:"), "{said}");
    }
}

/// Two tiers, as leaf_spine_tiny.topo of htsim, with fewer hosts.
const FABRIC: &str = "# of ours\nNodes 8\nTiers 2\nPodsize 8\n\nTier 0\nDownlink_speed_Gbps 100\n\
    Radix_Down 4\nRadix_Up 2\nDownlink_Latency_ns 1000\nSwitch_Latency_ns 301\nOversubscribed 2\n\n\
    Tier 1\nDownlink_speed_Gbps 100\nRadix_Down 2\nDownlink_Latency_ns 500\n";

/// Three tiers with bundles of two links between them, as test.topo of htsim.
const TALL_FABRIC: &str = "Nodes 8\nTiers 3\nPodsize 4\nTier 0\nDownlink_speed_Gbps 200\nRadix_Down 2\n\
    Radix_Up 2\nDownlink_Latency_ns 1000\nTier 1\nDownlink_speed_Gbps 200\nRadix_Down 2\nRadix_Up 4\n\
    Downlink_Latency_ns 1000\nBundle 1\nTier 2\nDownlink_speed_Gbps 100\nRadix_Down 4\n\
    Downlink_Latency_ns 1000\nBundle 2\n";

/// A ring of four hosts, as gen_allreduce.py triggers it, and a flow for each end of two others.
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
    // What is triggered starts when the flow before it has been delivered, or acknowledged.
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
        ("Podsize 8", "Podsize 3", "no multiple of the 3"),
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
        ("Tier 0\n", "", "is of no tier"),
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

/// A server of two GPUs with an NVSwitch and a leaf for each, twice, as SimAI's generator has it.
const SIMAI: &str = "9 2 2 3 10 H100\n4 5 6 7 8 \n0 4 2880Gbps 0.000025ms 0\n0 6 400Gbps 0.0005ms 0\n\
    1 4 2880Gbps 0.000025ms 0\n1 7 400Gbps 0.0005ms 0\n2 5 2880Gbps 0.000025ms 0\n\
    2 6 400Gbps 0.0005ms 0\n3 5 2880Gbps 0.000025ms 0\n3 7 400Gbps 0.0005ms 0\n\
    6 8 400Gbps 0.0005ms 0\n7 8 400Gbps 0.0005ms 0\n";

#[test]
fn a_topology_of_simai_gets_an_all_reduce() {
    let folder = Folder::new();
    folder.write("Rail_Opti_4g", SIMAI);
    let said = folder
        .run(&["import", "Rail_Opti_4g", "-o", "ai.toml"])
        .succeeded();
    assert!(
        said.stderr.contains("left out: gpu_type"),
        "{}",
        said.stderr
    );
    folder
        .run(&[
            "run",
            "ai.toml",
            "--set",
            "workload.0.size=1MB",
            "--out",
            "r",
            "--quiet",
        ])
        .succeeded();
    let rows = folder.read("r/collectives.csv");
    assert!(
        rows.lines().count() == 2 && rows.contains(",all-reduce,ring,0,4,"),
        "{rows}"
    );
    folder.write("Rail_Opti_4g", &SIMAI.replace("0 4 2880Gbps", "0 4 2880"));
    let said = refused(&folder, &["import", "Rail_Opti_4g"]);
    assert!(said.contains("Rail_Opti_4g:3:5:"), "{said}");
}

/// Keys as in SimAI's `SimAI.conf`.
const SIMAI_CONF: &str = "ENABLE_QCN 1\nUSE_DYNAMIC_PFC_THRESHOLD 1\nPACKET_PAYLOAD_SIZE 9000\n\
    FLOW_FILE /etc/flow.txt\nTRACE_FILE /etc/trace.txt\nFCT_OUTPUT_FILE /etc/fct.txt\n\
    SIMULATOR_STOP_TIME 40000000000000.00\nCC_MODE 1\nALPHA_RESUME_INTERVAL 1\n\
    RATE_DECREASE_INTERVAL 4\nCLAMP_TARGET_RATE 0\nRP_TIMER 900\nEWMA_GAIN 0.00390625\n\
    FAST_RECOVERY_TIMES 1\nRATE_AI 50Mb/s\nRATE_HAI 100Mb/s\nMIN_RATE 100Mb/s\n\
    ERROR_RATE_PER_LINK 0.0000\nL2_CHUNK_SIZE 4000\nL2_ACK_INTERVAL 1\nL2_BACK_TO_ZERO 0\n\
    HAS_WIN 1\nGLOBAL_T 0\nVAR_WIN 1\nFAST_REACT 1\nU_TARGET 0.95\nMI_THRESH 0\nINT_MULTI 1\n\
    MULTI_RATE 0\nSAMPLE_FEEDBACK 0\nRATE_BOUND 1\nACK_HIGH_PRIO 0\nLINK_DOWN 0 0 0\n\
    ENABLE_TRACE 1\nKMAX_MAP 2 100000000000 1600 400000000000 3200\n\
    KMIN_MAP 2 100000000000 400 400000000000 800\nPMAX_MAP 2 100000000000 0.2 400000000000 0.2\n\
    BUFFER_SIZE 32\nQLEN_MON_FILE /etc/qlen.txt\nMON_START 0\nMON_END 20000\n\
    QP_MON_INTERVAL 100\n";

/// Two layers as AICB writes them, for groups of two GPUs.
const AICB: &str = "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2 ep: 1 pp: 1 vpp: 2 \
    ga: 1 all_gpus: 4 checkpoints: 0 checkpoint_initiates: 0\n2\n\
    embedding_layer -1 10000 ALLREDUCE 200000 1 NONE 0 1 ALLREDUCE 400000 100\n\
    mlp_layer\t-1\t20000\tALLGATHER\t300000\t5000\tREDUCESCATTER\t300000\t5000\tNONE\t0\t100\n";

#[test]
fn a_job_of_simai_runs_with_its_configuration_and_workload() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("in")).expect("a folder");
    folder.write("in/Rail_Opti_4g", SIMAI);
    folder.write("in/SimAI.conf", SIMAI_CONF);
    folder.write("in/gpt.txt", AICB);
    let files = ["in/SimAI.conf", "in/Rail_Opti_4g", "in/gpt.txt"];
    let arguments = [&["import"], &files[..], &["-o", "ai.toml"]].concat();
    let said = folder.run(&arguments).succeeded().stderr;
    for left_out in [
        "all_gpus 4",
        "vpp 2",
        "collectives",
        "QLEN_MON_FILE, MON_START",
    ] {
        assert!(said.contains(&format!("left out: {left_out}")), "{said}");
    }
    let scenario = folder.read("ai.toml");
    for line in [
        "path = \"in/gpt.txt\"",
        "kind = \"dcqcn\"",
        "mtu = \"9000B\"",
        "increase_timer = \"900us\"",
        "buffer = \"32MiB\"",
        "base_rtt = \"pair\"",
        "{ rate = \"2880Gbps\", kmin = \"100TB\", kmax = \"100TB\", pmax = 0.0 }",
        "{ rate = \"400Gbps\", kmin = \"800KB\", kmax = \"3200KB\", pmax = 0.2 }",
    ] {
        assert!(scenario.contains(line), "{line}: {scenario}");
    }
    // All files of the folder are the same job.
    let whole = folder.run(&["import", "in"]).succeeded().stdout;
    assert!(whole.contains("in/gpt.txt"), "{whole}");
    let run = ["run", "ai.toml", "--out", "r", "--quiet"];
    folder.run(&run).succeeded();
    let rows = folder.read("r/collectives.csv");
    let count = |what: &str| rows.lines().filter(|row| row.contains(what)).count();
    // Two groups forward and back, and two of the same place in these.
    assert_eq!(count(",all-reduce,ring,"), 4, "{rows}");
    assert_eq!(count(",all-gather,ring,"), 2, "{rows}");
    assert_eq!(count(",reduce-scatter,ring,"), 2, "{rows}");
}

#[test]
fn what_is_wrong_in_files_of_simai_is_placed() {
    let folder = Folder::new();
    folder.write("fabric", SIMAI);
    folder.write("gpt.txt", AICB);
    let import = |conf: &str, workload: &str| {
        folder.write("SimAI.conf", conf);
        folder.write("gpt.txt", workload);
        refused(&folder, &["import", "SimAI.conf", "fabric", "gpt.txt"])
    };
    for (right, wrong, place, says) in [
        (
            "MON_END",
            "MON_ENDS",
            "SimAI.conf:41:1:",
            "did you mean `MON_END`",
        ),
        (
            "CC_MODE 1",
            "CC_MODE 2",
            "SimAI.conf:8:9:",
            "no algorithm `2`",
        ),
        (
            "L2_ACK_INTERVAL 1",
            "L2_ACK_INTERVAL 8",
            "SimAI.conf:",
            "every packet",
        ),
        (
            "400000000000 3200",
            "200000000000 3200",
            "SimAI.conf:",
            "no value for links of 400Gbps",
        ),
    ] {
        let said = import(&SIMAI_CONF.replacen(right, wrong, 1), AICB);
        assert!(
            said.contains(place) && said.contains(says),
            "{wrong}: {said}"
        );
    }
    for (right, wrong, place, says) in [
        (
            "group: 2",
            "group: 3",
            "gpt.txt:1:59:",
            "4 hosts cannot be divided",
        ),
        (
            "REDUCESCATTER",
            "REDUCE",
            "gpt.txt:4:",
            "`REDUCE` is not simulated",
        ),
        (
            "HYBRID_TRANSFORMER_FWD_IN_BCKWD",
            "MICRO",
            "gpt.txt:1:1:",
            "first line",
        ),
    ] {
        let said = import(SIMAI_CONF, &AICB.replacen(right, wrong, 1));
        assert!(
            said.contains(place) && said.contains(says),
            "{wrong}: {said}"
        );
    }
    let said = refused(&folder, &["import", "SimAI.conf"]);
    assert!(said.contains("no topology beside"), "{said}");
    let said = refused(&folder, &["import", "SimAI.conf", "SimAI.conf", "fabric"]);
    assert!(said.contains("a second configuration"), "{said}");
}

#[test]
fn what_is_of_no_format_is_refused() {
    let folder = Folder::new();
    folder.write("x.txt", "1\n0 1 3 100 1000 2\n");
    let said = refused(&folder, &["import", "x.txt"]);
    assert!(
        said.contains("of no format") && said.contains("--list"),
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
