use super::super::{ProcessGroups, RankTrace, TraceFile, TraceForm, TraceImport};

/// The calls of one step: a matrix product, and an all-reduce of 100 numbers of 4 bytes.
fn host(schema: &str) -> String {
    let node = |id: u64, name: &str, parent: u64, record: u64, inputs: &str| {
        format!(
            r#"{{"id": {id}, "name": "{name}", "ctrl_deps": {parent}, "inputs": {inputs},
               "outputs": {{"values": [], "shapes": [], "types": []}},
               "attrs": [{{"name": "rf_id", "type": "uint64", "value": {record}}},
                         {{"name": "tid", "type": "uint64", "value": 1}}]}}"#
        )
    };
    let none = r#"{"values": [], "shapes": [], "types": []}"#;
    let groups = r#"{"values": ["[{\"pg_name\": \"0\", \"ranks\": []}]"], "types": ["String"]}"#;
    let tensors = r#"{"values": [[[1, 2, 0, 100, 4, "cuda:0"]], 3, [5, 6, 0, 2, 8, "cpu"]],
                      "types": ["GenericList[Tensor(float)]", "Int", "Tensor(long int)"]}"#;
    let nodes = [
        node(1, "[pytorch|profiler|execution_trace|process]", 1, 0, none),
        node(2, "[pytorch|profiler|execution_trace|thread]", 1, 0, none),
        node(3, "## process_group:init ##", 2, 1, groups),
        node(9, "aten::mm", 2, 5, none),
        node(10, "aten::copy_", 9, 6, none),
        node(11, "c10d::allreduce_", 2, 7, none),
        node(12, "record_param_comms", 11, 8, tensors),
    ];
    format!(
        r#"{{"schema": "{schema}", "nodes": [{}]}}"#,
        nodes.join(", ")
    )
}

/// Kineto's events of the step; `record` is the number of record functions, if it has them.
fn kineto(record: bool) -> String {
    let call = |name: &str, ts: u64, dur: u64, external: u64, number: u64| {
        let record = if record {
            format!(r#", "Record function id": {number}"#)
        } else {
            String::new()
        };
        format!(
            r#"{{"ph": "X", "cat": "cpu_op", "name": "{name}", "tid": 7, "ts": {ts}, "dur": {dur},
               "args": {{"External id": {external}{record}}}}}"#
        )
    };
    let launch = |ts: u64, correlation: u64| {
        format!(
            r#"{{"cat": "cuda_runtime", "name": "cudaLaunchKernel", "tid": 7, "ts": {ts}, "dur": 1,
               "args": {{"correlation": {correlation}}}}}"#
        )
    };
    let kernel = |name: &str, ts: u64, dur: &str, correlation: u64, stream: u64| {
        // The product is launched after the copy, and names its call.
        let external = if name == "gemm" { 44 } else { 0 };
        format!(
            r#"{{"cat": "kernel", "name": "{name}", "tid": "stream {stream}", "ts": {ts},
               "dur": {dur},
               "args": {{"correlation": {correlation}, "stream": {stream}, "External id": {external},
                         "Process Group Name": "0"}}}}"#
        )
    };
    let events = [
        r#"{"ph": "M", "name": "process_name", "args": {"name": "python"}}"#.to_owned(),
        call("## process_group:init ##", 90, 1, 40, 1),
        call("aten::mm", 100, 30, 44, 5),
        call("aten::copy_", 105, 10, 45, 6),
        launch(107, 900),
        launch(120, 901),
        call("c10d::allreduce_", 140, 20, 46, 7),
        call("record_param_comms", 145, 10, 47, 8),
        launch(150, 902),
        kernel("copy", 110, "3", 900, 7),
        kernel("gemm", 130, "50.5", 901, 7),
        kernel(
            "ncclDevKernel_AllReduce_Sum_f32_RING_LL(",
            190,
            "60",
            902,
            20,
        ),
        kernel("lost", 300, "5", 999, 7),
    ];
    format!(r#"{{"traceEvents": [{}]}}"#, events.join(", "))
}

fn convert(host: &str, kineto: Option<&str>) -> Result<String, super::ChakraError> {
    let one = RankTrace {
        kineto: kineto.map(|text| text.as_bytes().to_vec()),
        ..RankTrace::new(TraceForm::Json, host.as_bytes().to_vec())
    };
    let trace = TraceImport::new("ring").convert(&[one.clone(), one]);
    trace.map(|trace| {
        let lost = kineto.is_some_and(|text| text.contains("\"lost\""));
        assert_eq!(trace.notes.len(), usize::from(lost), "{:?}", trace.notes);
        assert!(!lost || trace.notes[0].starts_with("2 kernels of Kineto's"));
        trace.csv
    })
}

/// Calls run in the order of their beginnings, with the time of inner calls taken out. Kernels
/// follow their calls and one another on their stream.
#[test]
fn calls_and_kernels_of_both_traces_become_one_graph() {
    let expected = [
        "1,1,calc,,,,1,1,,",
        "1,2,calc,,,,0,65535,1,",
        "1,3,calc,,,,20000,1,2,",
        "1,4,calc,,,,50500,0,3;6,",
        "1,5,calc,,,,10000,1,3,",
        "1,6,calc,,,,3000,0,5,",
        "1,7,calc,,,,10000,1,5,",
        "1,8,calc,,,,10000,1,7,",
        "1,9,all-reduce,0;1,416,,,,8,ring",
    ];
    for (schema, record) in [
        ("1.1.0-chakra.0.0.4", true),
        ("1.1.0-chakra.0.0.4", false),
        ("1.0.2-chakra.0.0.4", true),
    ] {
        let csv = convert(&host(schema), Some(&kineto(record))).unwrap();
        let rows: Vec<&str> = csv.lines().filter(|row| row.starts_with("1,")).collect();
        assert_eq!(rows, expected, "{record}");
    }
}

/// Schema 1.0.1 has attributes as keys.
#[test]
fn the_oldest_schema_is_read() {
    let host = r#"{"schema": "1.0.1", "nodes": [
        {"id": 1, "name": "[pytorch|profiler|execution_graph|process]", "parent": 1, "rf_id": 0,
         "tid": 0, "inputs": [], "input_types": []},
        {"id": 2, "name": "[pytorch|profiler|execution_graph|thread]", "parent": 1, "rf_id": 0,
         "tid": 1, "inputs": [], "input_types": []},
        {"id": 5, "name": "nccl:all_to_all", "parent": 2, "rf_id": 3, "tid": 1,
         "inputs": [[1, 2, 0, 50, 4, "cuda:0"]], "input_types": ["Tensor(float)"]}]}"#;
    let kineto = r#"{"traceEvents": [
        {"cat": "user_annotation", "name": "nccl:all_to_all", "tid": 1, "ts": 5, "dur": 9,
         "args": {"External id": "12"}},
        {"cat": "cuda_runtime", "name": "cudaLaunchKernel", "tid": 1, "ts": 6, "dur": 1,
         "args": {"External id": 12, "correlation": 4}},
        {"cat": "kernel", "name": "ncclKernel_SendRecv_RING(ncclWorkElem)", "tid": 7, "ts": 9,
         "dur": 3, "args": {"External id": 12, "correlation": 4, "stream": 7}}]}"#;
    let csv = convert(host, Some(kineto)).unwrap();
    let rows: Vec<&str> = csv.lines().filter(|row| row.starts_with("0,")).collect();
    assert_eq!(
        rows,
        [
            "0,1,calc,,,,1,1,,",
            "0,2,calc,,,,9000,1,1,",
            "0,3,all-to-all,,200,,,,2,",
        ]
    );
}

/// A file that Chakra has linked: kernels have a category.
#[test]
fn a_linked_trace_needs_no_kineto() {
    let host = r#"{"schema": "1.1.1-chakra.0.0.4", "nodes": [
        {"id": 0, "name": "[pytorch|profiler|execution_trace|thread]", "ctrl_deps": 9,
         "inputs": {"values": [], "types": []}},
        {"id": 1, "name": "Optimizer.step#Adam.step", "ctrl_deps": 0, "exclusive_dur": 100,
         "inputs": {"values": [], "types": []}},
        {"id": 2, "name": "record_param_comms", "ctrl_deps": 1, "exclusive_dur": 4, "ts": 10,
         "inputs": {"values": [[1, 2, 0, 8, 2, "cuda:0"]], "types": ["Tensor(c10::Half)"]}},
        {"id": 3, "name": "ncclDevKernel_AllGather_RING_LL", "ctrl_deps": 2, "exclusive_dur": 30,
         "ts": 20.5, "cat": "kernel", "stream": 3, "pg_name": "1",
         "inputs": {"values": [[1, 2, 0, 8, 2, "cuda:0"]], "types": ["Tensor(c10::Half)"]}},
        {"id": 4, "name": "alone", "ctrl_deps": 77, "inputs": {"values": [], "types": []}}]}"#;
    let one = RankTrace::new(TraceForm::Json, host.as_bytes().to_vec());
    let import = TraceImport {
        groups: ProcessGroups::parse("{\"1\": [0, 1]}").unwrap(),
        ..TraceImport::new("ring")
    };
    let csv = import.convert(&[one.clone(), one]).unwrap().csv;
    let rows: Vec<&str> = csv.lines().filter(|row| row.starts_with("1,")).collect();
    assert_eq!(
        rows,
        [
            "1,0,calc,,,,1,1,,",
            "1,1,calc,,,,1,1,0,",
            "1,2,calc,,,,4000,1,1,",
            "1,3,all-gather,0;1,32,,,,2,",
        ]
    );
    let error = convert(host, Some(&kineto(true))).unwrap_err();
    assert!(
        error.message.contains("linked with Kineto's already"),
        "{error}"
    );
}

#[test]
fn traces_that_do_not_belong_together_are_refused() {
    let host = host("1.1.0-chakra.0.0.4");
    let refused = |host: &str, kineto: Option<&str>, words: &str| {
        let error = convert(host, kineto).unwrap_err();
        assert!(error.message.contains(words), "{error}");
        assert!(!error.help.is_empty());
        error
    };
    refused(&host, None, "calls of the host alone");
    let nothing = r#"{"traceEvents": []}"#;
    refused(&host, Some(nothing), "0 of 5 calls match");
    let other = kineto(true).replace("\"Record function id\": ", "\"Record function id\": 10");
    refused(
        &host,
        Some(&other),
        "no call of the execution trace has an event",
    );
    let error = refused(
        &host,
        Some("{\"traceEvents\": [{\"ts\": true}]}"),
        "found boolean",
    );
    assert_eq!(error.file, TraceFile::Kineto);
    assert_eq!(error.place, Some(27..27), "{error}");
    refused(&host, Some("{}"), "the key `traceEvents` is missing");
    let twice = kineto(true).replace("\"correlation\": 901", "\"correlation\": 900");
    refused(&host, Some(&twice), "have the correlation 900");
    let text = host.replace("100, 4, ", "-1, 4, ");
    refused(
        &text,
        Some(&kineto(true)),
        "node 12 (`record_param_comms`): an input of a type",
    );
    let reduce = kineto(true).replace("AllReduce", "Reduce");
    refused(&host, Some(&reduce), "has no attribute `comm_type`");
    // Every trace that is cut off has a place.
    let whole = kineto(true);
    for length in (0..whole.len()).step_by(7) {
        let error = convert(&host, Some(&whole[..length])).unwrap_err();
        assert!(error.place.is_some() && error.file == TraceFile::Kineto);
    }
}
