use fabricsim_base::id::{ClassId, FlowId, PortId};
use fabricsim_base::units::{Bytes, Duration};
use serde_json::Value;

use super::*;
use crate::record::testing::record;

fn flow(number: u32, start_ps: u64, fct_ps: u64) -> FctRecord {
    FctRecord {
        flow: FlowId(number),
        start: Time::from_ps(start_ps),
        fct: Duration::from_ps(fct_ps),
        ..record(1_000, 0, 1)
    }
}

fn pause(us: u64, stops: bool) -> PauseRow {
    PauseRow {
        at: Time::from_ns(us * 1_000),
        node: NodeId(3),
        port: PortId(1),
        priority: 3,
        stops,
    }
}

fn written(timeline: &Timeline<'_>, most: usize) -> (Vec<Value>, TimelineCounts) {
    let mut text = Vec::new();
    let counts = timeline.write(&mut text, most).unwrap();
    (serde_json::from_slice(&text).unwrap(), counts)
}

fn of_kind<'e>(events: &'e [Value], category: &str) -> Vec<&'e Value> {
    let own = events.iter().filter(|event| event["cat"] == category);
    own.collect()
}

#[test]
fn flows_that_overlap_are_on_several_tracks() {
    let flows = [
        flow(0, 1_000_500, 2_000_000),
        flow(1, 2_000_000, 5_000_000),
        flow(2, 3_000_500, 1_000_000),
    ];
    let timeline = Timeline {
        flows: &flows,
        names: BTreeMap::from([(NodeId(0), "a \"b\"\\\n".to_owned())]),
        ..Timeline::default()
    };
    let (events, counts) = written(&timeline, 10);
    let flows = of_kind(&events, "flow");
    let tracks: Vec<_> = flows.iter().map(|event| event["tid"].as_u64()).collect();
    assert_eq!(tracks, [Some(FLOWS), Some(FLOWS + 1), Some(FLOWS)]);
    assert_eq!(flows[0]["ts"], 1.0);
    assert_eq!(flows[0]["dur"], 2.0);
    assert_eq!(flows[0]["name"], "flow 0 to node 1");
    assert_eq!((counts.flows, counts.left_out), (3, 0));
    let named = events.iter().find(|event| event["name"] == "process_name");
    assert_eq!(named.unwrap()["args"]["name"], "a \"b\"\\\n");
}

/// A viewer adds start and length as floating-point numbers. It takes an event that begins before
/// this sum for one inside.
#[test]
fn flows_one_after_the_other_do_not_overlap_in_a_viewer() {
    let end_of = |start: u64| start + 1_000 * (1 + start / 1_000 * 7_919 % 50_021);
    let starts = std::iter::successors(Some(1_000), |&start| Some(end_of(start)));
    let flows: Vec<FctRecord> = (0..2_000)
        .zip(starts)
        .map(|(number, start)| flow(number, start, end_of(start) - start))
        .collect();
    let timeline = Timeline {
        flows: &flows,
        ..Timeline::default()
    };
    let (events, _) = written(&timeline, flows.len());
    let mut ends: BTreeMap<u64, f64> = BTreeMap::new();
    for event in of_kind(&events, "flow") {
        let number = |key: &str| event[key].as_f64().unwrap();
        let last = ends.entry(event["tid"].as_u64().unwrap()).or_default();
        assert!(*last <= number("ts"), "{event}");
        *last = number("ts") + number("dur");
    }
    assert!(ends.len() <= 2, "{ends:?}");
}

#[test]
fn the_longest_are_shown() {
    let flows = [flow(0, 0, 5_000), flow(1, 0, 9_000), flow(2, 1, 9_000)];
    let timeline = Timeline {
        flows: &flows,
        ..Timeline::default()
    };
    let (events, counts) = written(&timeline, 2);
    let names: Vec<_> = of_kind(&events, "flow");
    assert_eq!(names[0]["name"], "flow 1 to node 1");
    assert_eq!(names[1]["name"], "flow 2 to node 1");
    assert_eq!((counts.flows, counts.left_out), (2, 1));
    let (events, counts) = written(&timeline, 0);
    assert!(events.is_empty());
    assert_eq!(counts.left_out, 3);
}

#[test]
fn pauses_last_to_their_end_or_that_of_the_run() {
    let pauses = [
        pause(1, true),
        pause(2, true),
        pause(4, false),
        pause(5, false),
        pause(7, true),
    ];
    let events = [(Time::from_ns(2_500), "link a - b down".to_owned())];
    let timeline = Timeline {
        pauses: &pauses,
        events: &events,
        end: Time::from_ns(10_000),
        ..Timeline::default()
    };
    let (events, counts) = written(&timeline, 10);
    let pauses = of_kind(&events, "pause");
    let spans: Vec<_> = pauses
        .iter()
        .map(|event| {
            (
                event["ts"].as_f64().unwrap(),
                event["dur"].as_f64().unwrap(),
            )
        })
        .collect();
    assert_eq!(spans, [(1.0, 3.0), (7.0, 3.0)]);
    assert_eq!((counts.pauses, counts.events), (2, 1));
    assert_eq!(of_kind(&events, "network")[0]["ts"], 2.5);
}

#[test]
fn queries_and_collectives_have_their_times() {
    let queries = [RpcRecord {
        query: FlowId(7),
        class: ClassId(1),
        client: NodeId(2),
        server: NodeId(4),
        connection: FlowId(0),
        size: Bytes::new(100),
        response: Bytes::new(5_000),
        issue: Time::from_ns(3_000),
        completion: Time::from_ns(4_500),
        ideal: Duration::from_ns(1_000),
    }];
    let collectives = [CollectiveRow {
        last: None,
        class: ClassId(0),
        job: "train".to_owned(),
        operation: "all-reduce".to_owned(),
        algorithm: "ring".to_owned(),
        iteration: 3,
        start: Time::from_ns(100),
        end: Time::from_ns(1_100),
        bus_gbps: None,
    }];
    let timeline = Timeline {
        queries: &queries,
        collectives: &collectives,
        ..Timeline::default()
    };
    let (events, _) = written(&timeline, 10);
    let query = of_kind(&events, "rpc")[0];
    assert_eq!(
        (query["ts"].as_f64(), query["dur"].as_f64()),
        (Some(3.0), Some(1.5))
    );
    assert_eq!(query["pid"], 4);
    let collective = of_kind(&events, "collective")[0];
    assert_eq!(collective["name"], "train all-reduce (ring)");
    assert_eq!(collective["args"]["iteration"], 3);
    assert_eq!(collective["dur"], 1.0);
}
