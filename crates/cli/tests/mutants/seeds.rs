//! The seeds of mutants: every example, and a small file of every kind of input.

use std::fs;
use std::path::{Path, PathBuf};

use crate::targets::Kind;

/// A text and the name of its file.
#[derive(Clone, Debug)]
pub(crate) struct Seed {
    pub(crate) kind: Kind,
    pub(crate) name: String,
    pub(crate) text: String,
}

const FCT_TXT: &str = "\
0b000001 0b000501 10000 100 1000 2000000000 3000 2500
0b000101 0b000501 10001 200 20000 2000000100 9000 4500
0b000201 0b000501 10002 100 1000 2000000200 3000 2500
";

const FCT_CSV: &str = "\
flow,src,dst,class,size_bytes,start_ns,fct_ns,ideal_fct_ns,slowdown,retransmitted_bytes
0,0,4,0,1000,0,3000,2500,1.2,0
1,1,4,0,20000,100,9000,4500,2.0,1500
2,2,4,1,1000,200.125,3000,3000,1.0,0
";

const FLOW_TXT: &str = "3\n0 4 3 100 1000 2.0\n1 4 3 100 20000 2.0000001\n2 4 3 200 1000 2.1\n";

/// Flows in the format of ConWeave's simulator.
const FLOW_TXT_5: &str = "2\n0 4 3 1000 2.0\n1 4 3 20000 2.0000001\n";

const CONNECTION_MATRIX: &str = "\
Nodes 16
Connections 3
Triggers 1
0->4 id 1 start 0 size 1000 send_done_trigger 1
0->3 id 2 start 500.5 size 20000 recv_done_trigger 1 prio 3
0->1 id 3 trigger 1 size 1000
trigger id 1 multishot
";

const GML: &str = "\
Creator \"of ours\"
graph [
  node [ id 0 label \"a b\" Latitude 0 Longitude 0 ]
  node [ id 1 label \"c\" Latitude 1 Longitude 0 ]
  edge [ source 0 target 1 ]
]
";

const SIMAI: &str = "\
6 2 1 1 6 H100
4 5
0 4 2880Gbps 0.000025ms 0
0 5 400Gbps 0.0005ms 0
1 4 2880Gbps 0.000025ms 0
1 5 400Gbps 0.0005ms 0
2 5 400Gbps 0.0005ms 0
3 5 400Gbps 0.0005ms 0
";

const AICB: &str = "\
HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2 ep: 1 pp: 1 vpp: 1 ga: 1 all_gpus: 4
2
a -1 100 ALLREDUCE 5000 20 NONE 0 7 ALLGATHER_DP_EP 9000 100
b -1 0 ALLTOALL_EP 1 20 REDUCESCATTER 4 7 NONE 0 100
";

const CDF: &str = "0 0\n1000 10\n10000 53\n1000000 97\n30000000 100\n";

const GRAPHML: &str = r#"<?xml version="1.0" encoding="utf-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key attr.name="Latitude" attr.type="double" for="node" id="d1" />
  <key attr.name="Longitude" attr.type="double" for="node" id="d3" />
  <graph edgedefault="undirected">
    <node id="0"><data key="d1">0</data><data key="d3">0</data></node>
    <node id="1"><data key="d1">1</data><data key="d3">0</data></node>
    <node id="2"><data key="d1">2.5</data><data key="d3">-3</data></node>
    <edge source="0" target="1"/>
    <edge source="1" target="2"/>
  </graph>
</graphml>
"#;

const FROM_FILES: &str = r#"[topology]
kind = "file"
path = "ring.topology.txt"
[[workload]]
kind = "list"
path = "x.flow.txt"
[[workload]]
kind = "poisson"
sizes = "x.cdf"
load = 0.3
duration = "10us"
[[event]]
at = "5us"
kind = "link-down"
link = [10, 11]
[observe]
queues = true
links = true
flows = true
[cc]
kind = "hpcc"
"#;

const FROM_GRAPHML: &str = r#"[topology]
kind = "graphml"
path = "x.graphml"
[[workload]]
kind = "permutation"
size = "10KB"
[[workload]]
kind = "all-to-all"
size = "1KB"
[cc]
kind = "timely"
"#;

const HARM: &str = "cca = [\"cubic\", \"prague\"]\nbandwidth = \"50Mbps\"\nrtt = [\"10ms\"]\n\
                    duration = \"2s\"\nqdisc = \"fq_codel flows 1\"\n";

const OBSERVED: &[(&str, &str)] = &[
    (
        "queues.csv",
        "time_ns,node,port,queue_bytes\n0,4,0,100\n1000,4,0,2000\n",
    ),
    (
        "queue_distribution.csv",
        "node,port,from_bytes,upto_bytes,time_ns\n4,0,0,1000,5000\n4,0,1000,2000,10\n",
    ),
    (
        "links.csv",
        "time_ns,node,port,sent_bytes,utilization,marked_packets,dropped_packets,paused_ns\n\
         0,4,0,1000,0.5,0,0,0\n1000,4,0,2000,1.0,1,0,500\n",
    ),
    (
        "flows.csv",
        "time_ns,flow,src,dst,class,rate_bps,window_bytes,acknowledged_bytes,throughput_bps\n\
         0,1,0,4,0,1000000000,,1000,900000000\n1000,1,0,4,0,500000000,12000,3000,400000000\n",
    ),
    (
        "pauses.csv",
        "time_ns,node,port,priority,event\n0,4,0,3,pause\n1000,4,0,3,resume\n",
    ),
];

/// Changes for `--set`.
const CHANGES: &[&str] = &[
    "seed=3",
    "cc.eta=0.99",
    "workload.0.load=0.7",
    "run.stop_at=20us",
    "topology.leaves=2",
    "workload.0.sizes=\"websearch\"",
    "cc={ kind = \"dctcp\" }",
    "switch.buffer=32MB",
    "workload=[{ kind = \"permutation\", size = \"1KB\" }]",
    "output.dir=x",
];

const OPERATIONS: &str = "rank,id,op,peer,bytes,tag,duration_ns,stream,after,after_start,algorithm
0,a,all-reduce,0;1,1000,,,,,,double-binary-tree
1,a,all-reduce,0;1,1000,,,,,,double-binary-tree
0,b,send,1,8,3,,1,a,,
1,b,recv,0,,3,,,a,,
1,c,calc,,,,1.5,2,b,a,
";

/// The same with models of computing times.
const MODELED: &str = "rank,id,op,peer,bytes,duration_ns,flops,memory_bytes,operation,size,after
0,a,calc,,,,2.5e9,1000000,,,
0,b,calc,,,,,,matmul,1500,a
0,c,send,1,4000,,,,,,b
1,d,recv,0,,,,,,,
1,e,calc,,,700,,,matmul,1024,
";

const PROFILE: &str = "operation,size,time_us
matmul,1024,2.25
matmul,2048,4.5
softmax,8,0.5
";

const GOAL: &str = "num_ranks 2

rank 0 { // the first
l1: send 8b to 1 tag 3 cpu 1 nic 2
/* what follows
   waits */
l2: calc 150 cpu 2
l2 requires l1
}
rank 1 {
l1: recv 8b from 0 tag 3
l2: calc 10
l2 irequires l1
}
";

/// One rank with two computations in sequence, as written by `txt2bin` of LogGOPSim.
const GOAL_BINARY: &str = "\x7f\x10\0\0\0\0\0\0\x01\0\0\0\0\0\x16\0\0\0\0\0\0\0\x74\0\0\0\0\0\0\0\
                           \x02\0\0\0\x01\0\0\0\0\0\0\0\
                           \0\0\0\0\x03\0\0\0\0\x09\0\0\0\0\0\0\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0\0\0\0\0\x01\0\0\0\
                           \x01\0\0\0\x03\0\0\0\0\x07\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0\x01\0\0\0\
                           \x01\0\0\0";

/// Metadata and two computations of one rank in sequence.
const CHAKRA: &str = "\x07\n\x050.0.4\x06\x08\x01\x18\x048\x05\x08\x08\x02\x18\x04 \x018\x02";

/// A call and a collective of Chakra's feeder.
const TRACE_JSON: &str = r#"{"workload_graph": [
  {"Id": 3, "Name": "c10d::allreduce_", "NodeType": 7, "runtime": 30, "data_deps": [],
   "is_cpu_op": true},
  {"Id": 4, "Name": "kernel", "NodeType": 7, "data_deps": [3], "is_cpu_op": false, "comm_type": 0,
   "comm_size": 64}]}"#;

/// The events of a call, its launch and its kernel.
const KINETO: &str = r#"{"traceEvents": [
  {"cat": "cpu_op", "name": "nccl:all_reduce", "tid": 1, "ts": 5, "dur": 9.5,
   "args": {"External id": 12, "Record function id": 3}},
  {"cat": "cuda_runtime", "name": "cudaLaunchKernel", "tid": 1, "ts": 6, "dur": 1,
   "args": {"External id": 12, "correlation": 4}},
  {"cat": "kernel", "name": "ncclDevKernel_AllReduce_Sum", "tid": 7, "ts": 9, "dur": 3,
   "args": {"External id": 12, "correlation": 4, "stream": 7}}]}"#;

const FROM_PROFILE: &str = r#"
[topology]
kind = "star"
hosts = 4

[[workload]]
kind = "graph"
path = "modeled.graph.csv"
profile = "x.profile.csv"
roofline = { device = "a100", memory_efficiency = 0.8, launch = "2us" }
overlap = { compute = 1.2, communication = 1.3 }

[cc]
kind = "none"
"#;

const FROM_GRAPH: &str = r#"
[topology]
kind = "star"
hosts = 4

[[workload]]
kind = "graph"
path = "x.graph.csv"

[cc]
kind = "none"
"#;

/// Returns the path of a file of the project.
fn project(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .join(path)
}

fn files_of(folder: &str) -> Vec<(String, String)> {
    let mut files: Vec<PathBuf> = fs::read_dir(project(folder))
        .expect("a folder of examples")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.is_file())
        .collect();
    files.sort();
    files
        .into_iter()
        .map(|path| {
            let name = path.file_name().expect("a name").to_string_lossy();
            let text = fs::read_to_string(&path).expect("an example");
            (name.into_owned(), text)
        })
        .collect()
}

/// Returns the kind of a file of the project by its name.
fn kind_of(folder: &str, name: &str) -> Option<Kind> {
    match name.rsplit_once('.')?.1 {
        // The study replaces the paths of its workloads.
        "toml" if name == "training.toml" => None,
        "toml" if folder.ends_with("sweeps") || folder.ends_with("presets") => Some(Kind::Sweep),
        "toml" => Some(Kind::Scenario),
        "csv" if name.ends_with(".flows.csv") => Some(Kind::FlowsCsv),
        "csv" if folder.ends_with("hpcc-results") => Some(Kind::Published),
        "csv" if name == "ccafct-seed1.csv" => Some(Kind::HarmWorkload),
        "txt" => Some(Kind::Topology),
        _ => None,
    }
}

/// Returns all seeds, in the same order everywhere.
pub(crate) fn seeds() -> Vec<Seed> {
    let mut seeds = Vec::new();
    for folder in [
        "examples/scenarios",
        "examples/deadlock",
        "examples/sweeps",
        "crates/experiments/data/presets",
        "crates/experiments/data/hpcc-results",
        "crates/experiments/data/harm",
        "crates/workload/data",
    ] {
        for (name, text) in files_of(folder) {
            if let Some(kind) = kind_of(folder, &name) {
                // Long tables say nothing that their first rows do not.
                let text = match (kind, text.len()) {
                    (Kind::Sweep, _) | (_, ..=20_000) => text,
                    _ => text.lines().take(30).collect::<Vec<_>>().join("\n"),
                };
                seeds.push(Seed { kind, name, text });
            }
        }
    }
    let small = [
        (Kind::FctTxt, "x.fct.txt", FCT_TXT),
        (Kind::FctCsv, "x.fct.csv", FCT_CSV),
        (Kind::FlowsTxt, "x.flow.txt", FLOW_TXT),
        (Kind::FlowsTxt, "conweave.flow.txt", FLOW_TXT_5),
        (Kind::FlowsTxt, "x.cm", CONNECTION_MATRIX),
        (Kind::Topology, "simai.topology.txt", SIMAI),
        (Kind::Sizes, "x.cdf", CDF),
        (Kind::Graphml, "x.graphml", GRAPHML),
        (Kind::Graphml, "x.gml", GML),
        (Kind::Scenario, "files.toml", FROM_FILES),
        (Kind::Scenario, "graphml.toml", FROM_GRAPHML),
        (Kind::Harm, "harm.toml", HARM),
        (Kind::Graph, "x.graph.csv", OPERATIONS),
        (Kind::Graph, "modeled.graph.csv", MODELED),
        (Kind::Profile, "x.profile.csv", PROFILE),
        (Kind::Graph, "x.goal", GOAL),
        (Kind::Graph, "aicb.txt", AICB),
        (Kind::GoalBinary, "x.goal.bin", GOAL_BINARY),
        (Kind::Chakra, "x.0.et", CHAKRA),
        (Kind::TraceJson, "x.0.json", TRACE_JSON),
        (Kind::Kineto, "kineto.0.json", KINETO),
        (Kind::Scenario, "graph.toml", FROM_GRAPH),
        (Kind::Scenario, "profile.toml", FROM_PROFILE),
    ];
    let observed = OBSERVED
        .iter()
        .map(|&(name, text)| (Kind::Observed, name, text));
    let changes = CHANGES.iter().map(|&text| (Kind::Override, "set", text));
    for (kind, name, text) in small.into_iter().chain(observed).chain(changes) {
        let (name, text) = (name.to_owned(), text.to_owned());
        seeds.push(Seed { kind, name, text });
    }
    seeds
}

/// Writes the files that the seeds name into `folder`.
pub(crate) fn write_beside(folder: &Path, seeds: &[Seed]) {
    for seed in seeds.iter().filter(|seed| seed.kind != Kind::Override) {
        fs::write(folder.join(&seed.name), &seed.text).expect("room for a seed");
    }
}
