//! `fabricsim import` with files of SimAI and AICB, in the formats of their generators.

use crate::import_formats::refused;
use crate::support::Folder;

/// A server of two GPUs with an NVSwitch, and a leaf for each GPU, twice, as in SimAI's generator.
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
    folder.write("Rail_Opti_4g", &SIMAI.replace("0 4 2880Gbps", "0 4 288"));
    let said = refused(&folder, &["import", "Rail_Opti_4g"]);
    assert!(said.contains("Rail_Opti_4g:3:5:"), "{said}");
}

/// Keys of SimAI's `SimAI.conf`.
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

/// Two layers in the format of AICB, for groups of two GPUs.
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
        ("MON_END", "MON_ENDS", "SimAI.conf:41:1:", "`MON_END`?"),
        (
            "CC_MODE 1",
            "CC_MODE 2",
            "SimAI.conf:8:9:",
            "no algorithm `2`",
        ),
        (
            "L2_ACK_INTERVAL 1",
            "L2_ACK_INTERVAL 9001",
            "SimAI.conf:",
            "before byte 9001",
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
    assert!(said.contains("no topology for"), "{said}");
    let said = refused(&folder, &["import", "SimAI.conf", "SimAI.conf", "fabric"]);
    assert!(said.contains("a second configuration"), "{said}");
}
