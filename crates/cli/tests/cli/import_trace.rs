//! `fabricsim import-trace`: names of files, JSON and messages.

use crate::support::Folder;

const STEP: &str = r#"{"workload_graph": [
    {"Id": 4, "Name": "all_reduce", "NodeType": 7, "is_cpu_op": false, "data_deps": [],
     "comm_type": 0, "comm_size": 64},
    {"Id": 5, "Name": "broadcast", "NodeType": 7, "is_cpu_op": false, "data_deps": [4],
     "runtime": 8}]}"#;

const HOST: &str = r#"{"schema": "1.0.1", "nodes": [
    {"id": 1, "name": "[pytorch|profiler|execution_graph|thread]", "parent": 0, "rf_id": 0,
     "tid": 1, "inputs": [], "input_types": []},
    {"id": 2, "name": "nccl:all_reduce", "parent": 1, "rf_id": 3, "tid": 1,
     "inputs": [[1, 2, 0, 50, 4, "cuda:0"]], "input_types": ["Tensor(float)"]}]}"#;

const KINETO: &str = r#"{"traceEvents": [
    {"cat": "cpu_op", "name": "nccl:all_reduce", "tid": 1, "ts": 5, "dur": 9.5,
     "args": {"External id": 12, "Record function id": 3}},
    {"cat": "cuda_runtime", "name": "cudaLaunchKernel", "tid": 1, "ts": 6, "dur": 1,
     "args": {"External id": 12, "correlation": 4}},
    {"cat": "kernel", "name": "ncclDevKernel_AllReduce_Sum", "tid": 7, "ts": 9, "dur": 3,
     "args": {"External id": 12, "correlation": 4, "stream": 7}}]}"#;

/// Runs the operations in out.csv on a star of two hosts.
fn run_operations(folder: &Folder) {
    let scenario = "[topology]\nkind = \"star\"\nhosts = 2\n[cc]\nkind = \"dctcp\"\n\
                    [[workload]]\nkind = \"graph\"\npath = \"out.csv\"\n";
    folder.write("step.toml", scenario);
    folder
        .run(&["run", "step.toml", "--quiet", "--out", "out", "--force"])
        .succeeded();
}

#[test]
fn json_of_chakra_runs_with_the_durations_of_what_it_does_not_say() {
    let folder = Folder::new();
    folder.write("x.0.json", STEP);
    folder.write("x.1.json", STEP);
    let refused = folder.run(&["import-trace", "x", "-o", "out.csv"]);
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    for words in ["x.0.json: node 5 (`broadcast`)", "comm_type", "--replay"] {
        assert!(refused.stderr.contains(words), "{}", refused.stderr);
    }
    let done = folder.run(&["import-trace", "x", "--replay", "-o", "out.csv"]);
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    assert!(
        done.stderr.starts_with("2 nodes without a size or a peer"),
        "{}",
        done.stderr
    );
    run_operations(&folder);
    // One file for two ranks.
    let args = ["import-trace", "x.0.json", "--replay", "--ranks", "2"];
    let done = folder.run(&args);
    assert_eq!(done.stdout.lines().count(), 5, "{}", done.stderr);
}

#[test]
fn traces_of_pytorch_and_kineto_are_found_by_patterns() {
    let folder = Folder::new();
    for rank in 0..2 {
        folder.write(&format!("et_{rank}.json"), HOST);
        folder.write(&format!("worker{rank}_step.17.json"), KINETO);
    }
    let args = ["import-trace", "et_{}.json", "--kineto", "worker{}_*.json"];
    let done = folder.run(&[&args[..], &["-o", "out.csv"]].concat());
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    assert_eq!(done.stderr, "2 ranks, 6 operations\n");
    run_operations(&folder);
    let alone = folder.run(&["import-trace", "et_{}.json"]);
    assert_eq!(alone.code, Some(2));
    assert!(alone.stderr.contains("--kineto"), "{}", alone.stderr);
    folder.write("worker1_step.17.json", "{\n\"traceEvents\": [{]}");
    let cut = folder.run(&args);
    assert_eq!(cut.code, Some(2));
    assert!(
        cut.stderr.contains("worker1_step.17.json:2:18"),
        "{}",
        cut.stderr
    );
    folder.write("worker2_step.17.json", KINETO);
    let more = folder.run(&args);
    assert!(
        more.stderr.contains("3 traces of Kineto for 2"),
        "{}",
        more.stderr
    );
}

#[test]
fn dimensions_have_sizes() {
    let folder = Folder::new();
    folder.write("x.0.json", STEP);
    let args = ["import-trace", "x", "--replay", "--dimensions"];
    let wrong = folder.run(&[&args[..], &["2y"]].concat());
    assert!(wrong.stderr.contains("8x4"), "{}", wrong.stderr);
    let other = folder.run(&[&args[..], &["2x2"]].concat());
    assert_eq!(other.code, Some(2));
    assert!(other.stderr.contains("have 4 ranks"), "{}", other.stderr);
}
