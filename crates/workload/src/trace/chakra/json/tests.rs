use super::super::{RankTrace, TraceForm, TraceImport};

const STEP: &str = r#"{"workload_graph": [
    {"Id": 3, "Name": "c10d::allreduce_", "NodeType": 7, "runtime": 30, "data_deps": [],
     "is_cpu_op": true, "ctrlDeps": [99]},
    {"Id": 4, "Name": "kernel", "NodeType": 7, "runtime": 9, "data_deps": [3, 3],
     "is_cpu_op": false, "comm_type": 0, "comm_size": 64, "pg_name": "1"},
    {"Id": 5, "Name": "mm", "NodeType": 4, "runtime": 7, "data_deps": [4], "is_cpu_op": false}
]}"#;

fn files(text: &str, count: usize) -> Vec<RankTrace> {
    let one = RankTrace::new(TraceForm::Json, text.as_bytes().to_vec());
    vec![one; count]
}

#[test]
fn nodes_of_the_feeder_become_rows() {
    let import = TraceImport {
        groups: super::super::ProcessGroups::parse("{\"1\": [0, 1]}").unwrap(),
        ..TraceImport::new("ring")
    };
    let csv = import.convert(&files(STEP, 2)).unwrap().csv;
    let rows: Vec<&str> = csv.lines().filter(|row| row.starts_with("1,")).collect();
    assert_eq!(
        rows,
        [
            "1,3,calc,,,,30000,1,,",
            "1,4,all-reduce,0;1,64,,,,3,ring",
            "1,5,calc,,,,7000,0,4,"
        ]
    );
}

#[test]
fn messages_have_their_ends() {
    let send = r#"{"workload_graph": [{"Id": 1, "NodeType": 5, "data_deps": [],
        "comm_dst": 1, "comm_size": 10, "comm_tag": 4}]}"#;
    let receive = r#"{"workload_graph": [{"Id": 1, "NodeType": 6, "comm_src": 0, "comm_tag": 4}]}"#;
    let both = [files(send, 1), files(receive, 1)].concat();
    let csv = TraceImport::new("ring").convert(&both).unwrap().csv;
    assert!(
        csv.ends_with("0,1,send,1,10,4,,,,\n1,1,recv,0,,4,,,,\n"),
        "{csv}"
    );
}

#[test]
fn other_json_is_refused_with_its_place_or_node() {
    let refused = |text: &str| {
        let error = TraceImport::new("ring")
            .convert(&files(text, 1))
            .unwrap_err();
        assert!(!error.help.is_empty());
        error
    };
    // Every text that is cut off has a place.
    for length in 0..STEP.len() {
        let error = refused(&STEP[..length]);
        let place = error.place.expect("an error of the text has a place");
        assert!(place.end <= length);
    }
    let error = refused("{\n\"workload_graph\": [{\"Id\": -3, \"NodeType\": 4}]}");
    assert_eq!(error.place, Some(29..29), "{error}");
    for (text, words) in [
        ("{}", "no nodes"),
        ("[]", "invalid length 0"),
        ("{\"workload_graph\": [], \"nodes\": []}", "has both"),
        ("{\"workload_graph\": []}", "no nodes"),
        ("{\"workload_graph\": 5}", "expected a sequence"),
        ("{\"traceEvents\": []}", "trace of Kineto"),
        (
            "{\"schema\": \"0.9\", \"nodes\": []}",
            "has the schema `0.9`",
        ),
    ] {
        let error = refused(text);
        assert!(error.message.contains(words), "{text}: {error}");
    }
    let graph = |nodes: &str| refused(&format!("{{\"workload_graph\": [{nodes}]}}")).message;
    let one = "{\"Id\": 1, \"Name\": \"a\", \"NodeType\": 4}";
    assert!(graph(&format!("{one}, {one}")).contains("node 1 (`a`) has the number of another"));
    let waits = "{\"Id\": 1, \"Name\": \"a\", \"NodeType\": 4, \"data_deps\": [2]}";
    assert!(graph(waits).contains("node 1 (`a`) waits for node 2"));
    let memory = "{\"Id\": 1, \"Name\": \"a\\u001b\", \"NodeType\": 2}";
    assert!(graph(memory).contains("node 1 (`a\\u{1b}`) loads from"));
    let binary = RankTrace::new(TraceForm::Json, vec![b'{', 0xff]);
    let error = TraceImport::new("ring").convert(&[binary]).unwrap_err();
    assert!(error.message.contains("byte 1 is not UTF-8"), "{error}");
}
