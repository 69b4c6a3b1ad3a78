//! `fabricsim timeline`: viewers of trace events accept it, and it contains only data of the files.

use serde_json::{Value, json};

use crate::support::Folder;

/// Returns the schema of the Trace Event Format for events of timelines.
fn schema() -> Value {
    let event = |phase: &str, more: Value, required: &[&str]| {
        let mut properties = json!({
            "ph": { "const": phase },
            "name": { "type": "string", "minLength": 1 },
            "cat": { "type": "string" },
            "pid": { "type": "integer", "minimum": 0 },
            "tid": { "type": "integer", "minimum": 0 },
            "args": { "type": "object" },
        });
        let own = properties.as_object_mut().expect("an object");
        own.extend(more.as_object().cloned().expect("an object"));
        json!({ "type": "object", "properties": properties, "required": required,
                "additionalProperties": false })
    };
    let time = json!({ "type": "number", "minimum": 0 });
    json!({ "type": "array", "items": { "oneOf": [
        event("X", json!({ "ts": time, "dur": time }),
            &["ph", "name", "cat", "pid", "tid", "ts", "dur"]),
        event("i", json!({ "ts": time, "s": { "enum": ["g", "p", "t"] } }),
            &["ph", "name", "pid", "tid", "ts", "s"]),
        event("M", json!({ "name": { "enum": ["process_name", "thread_name"] } }),
            &["ph", "name", "pid", "args"]),
    ] } })
}

const SCENARIO: &str = "
    [topology]
    kind = \"star\"
    hosts = 9
    [switch]
    buffer = \"600KB\"
    [[workload]]
    kind = \"incast\"
    fan_in = 8
    size = \"300KB\"
    at = \"1us\"
    [[workload]]
    kind = \"rpc\"
    clients = [\"0..4\"]
    servers = [\"4..8\"]
    queries = 20
    query = \"4KB\"
    [[event]]
    at = \"20us\"
    kind = \"link-rate\"
    rate = \"50Gbps\"
    link = [3, 9]
    [cc]
    kind = \"dcqcn\"
    [output]
    pauses = true
    ";

fn events(folder: &Folder, name: &str) -> Vec<Value> {
    let value: Value = serde_json::from_str(&folder.read(name)).expect("JSON");
    let schema = jsonschema::validator_for(&schema()).expect("a schema");
    let faults: Vec<String> = schema
        .iter_errors(&value)
        .map(|error| error.to_string())
        .collect();
    assert!(faults.is_empty(), "{:?}", &faults[..faults.len().min(3)]);
    value.as_array().expect("an array").clone()
}

fn count(events: &[Value], category: &str) -> usize {
    let own = events.iter().filter(|event| event["cat"] == category);
    own.count()
}

fn rows(folder: &Folder, name: &str) -> usize {
    folder.read(name).lines().count() - 1
}

#[test]
fn every_flow_call_pause_and_failure_has_an_event() {
    let folder = Folder::new();
    folder.write("s.toml", SCENARIO);
    folder
        .run(&["run", "s.toml", "--out", "r", "--quiet"])
        .succeeded();
    let said = folder.run(&["timeline", "r", "-o", "t.json"]).succeeded();
    assert_eq!(said.stdout, "t.json\n");
    let all = events(&folder, "t.json");
    assert_eq!(count(&all, "flow"), rows(&folder, "r/fct.csv"));
    assert_eq!(count(&all, "rpc"), rows(&folder, "r/rpc.csv"));
    assert_eq!(count(&all, "network"), 1);
    let text = folder.read("r/pauses.csv");
    let pauses: Vec<Vec<&str>> = text
        .lines()
        .skip(1)
        .map(|line| line.split(',').collect())
        .collect();
    let mut paused = std::collections::BTreeSet::new();
    let mut begun = 0;
    for row in &pauses {
        let port = row[1..4].to_vec();
        if row[4] == "pause" {
            begun += usize::from(paused.insert(port));
        } else {
            paused.remove(&port);
        }
    }
    assert!(begun > 0);
    assert_eq!(count(&all, "pause"), begun);
    // Nothing overlaps on a track.
    let mut spans: Vec<(u64, u64, f64, f64)> = all
        .iter()
        .filter(|event| event["ph"] == "X")
        .map(|event| {
            let number = |key: &str| event[key].as_f64().expect("a number");
            let place = |key: &str| event[key].as_u64().expect("a number");
            (place("pid"), place("tid"), number("ts"), number("dur"))
        })
        .collect();
    spans.sort_by(|a, b| a.partial_cmp(b).expect("numbers"));
    for pair in spans.windows(2) {
        let ((pid, tid, ts, dur), next) = (pair[0], pair[1]);
        let same = (pid, tid) == (next.0, next.1);
        assert!(!same || ts + dur <= next.2 + 1e-6, "{pair:?}");
    }
}

#[test]
fn a_timeline_is_as_long_as_it_may_be() {
    let folder = Folder::new();
    folder.write("s.toml", SCENARIO);
    folder
        .run(&["run", "s.toml", "--out", "r", "--quiet"])
        .succeeded();
    let short = folder.run(&["timeline", "r", "-o", "t.json", "--most", "3"]);
    let short = short.succeeded();
    assert!(
        short.stderr.contains("shorter ones are left out"),
        "{}",
        short.stderr
    );
    let all = events(&folder, "t.json");
    assert_eq!((count(&all, "flow"), count(&all, "rpc")), (3, 3));
}

#[test]
fn what_is_no_result_is_refused() {
    let folder = Folder::new();
    folder.write("fct.csv", "src,dst\n1,2\n");
    let said = folder.run(&["timeline", "fct.csv", "-o", "t.json"]);
    assert_eq!(said.code, Some(2));
    assert!(
        said.stderr.contains("the header has no column"),
        "{}",
        said.stderr
    );
    assert!(!folder.path("t.json").exists());
    let said = folder.run(&["timeline", "fct.csv", "-o", "fct.csv"]);
    assert_eq!(said.code, Some(2));
    assert!(
        said.stderr.contains("one of the input files"),
        "{}",
        said.stderr
    );
}
