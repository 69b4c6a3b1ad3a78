use fabricsim_base::flow::FlowRequest;
use fabricsim_base::id::ClassId;

use super::*;
use crate::context::testing::context;
use crate::offered::{FlowCost, Traffic};
use crate::workload::{FileState, Workload};

fn fetch() -> FetchConfig {
    FetchConfig::new(NodeId(0), NodeId(3))
}

fn requests(config: &FetchConfig) -> Vec<FlowRequest> {
    let mut source = config.build(&context(4, 7), ClassId(2)).expect("a source");
    std::iter::from_fn(|| source.next_flow()).collect()
}

#[test]
fn requests_are_drawn_from_the_distribution() {
    let mut config = fetch();
    config.start = Time::from_ns(500);
    config.duration = Some(Duration::from_ms(20_000));
    let made = requests(&config);
    let drawn = FlowDistribution::default().draw(100, 7);
    assert_eq!(made.len(), 100);
    for (made, drawn) in made.iter().zip(&drawn) {
        assert_eq!((made.src, made.dst), (NodeId(0), NodeId(3)));
        assert_eq!((made.class, made.size), (ClassId(2), drawn.size));
        assert_eq!(made.start, Time::from_ns(500) + drawn.start);
    }
    // A second workload of the run draws different requests.
    let mut other = context(4, 7);
    other.index = 1;
    let mut source = config.build(&other, ClassId(2)).expect("a source");
    assert_ne!(
        source.next_flow().map(|first| first.size),
        Some(made[0].size)
    );
}

#[test]
fn listed_requests_within_the_duration_are_made() {
    let mut config = fetch();
    config.requests = "w.csv".to_owned().into();
    let file = config.file().expect("a file");
    assert_eq!((file.path, file.state), ("w.csv", FileState::Missing));
    assert_eq!(
        config.expected(&context(4, 1)).expect_err("no file").key,
        "requests"
    );
    config
        .requests
        .load("start_ns,size_bytes\n0,5\n1000,7\n2000,9\n")
        .expect("a list");
    assert_eq!(requests(&config).len(), 3);
    config.duration = Some(Duration::from_ns(2_000));
    let sizes: Vec<u64> = requests(&config)
        .iter()
        .map(|made| made.size.get())
        .collect();
    assert_eq!(sizes, [5, 7]);
    config.requests = "ccafct-seed1".to_owned().into();
    config.duration = None;
    let expected = config.expected(&context(4, 1)).expect("900 requests");
    assert!((expected.flows - 900.0).abs() < 0.5);
    assert!((expected.bytes - 582_596_707.0).abs() < 0.5);
}

#[test]
fn responses_load_the_way_from_the_server() {
    let cost = |size: Bytes| FlowCost {
        forth: size.as_f64(),
        back: 1.0,
    };
    let offered = fetch().offered(&context(4, 1), &cost).expect("no error");
    let Some(Traffic::Pairs(pairs)) = offered.map(|offered| offered.traffic) else {
        panic!("traffic of two hosts");
    };
    let (from, to, rate) = pairs[0];
    assert_eq!((from, to), (3, 0));
    // The tool prints 25.83 Mbps.
    assert!((rate.forth * 8.0 / 25.83e6 - 1.0).abs() < 1e-3, "{rate:?}");
}

#[test]
fn errors_name_their_key() {
    let key = |change: fn(&mut FetchConfig)| {
        let mut config = fetch();
        change(&mut config);
        config.expected(&context(4, 1)).expect_err("refused").key
    };
    assert_eq!(key(|c| c.server = NodeId(0)), "server");
    assert_eq!(key(|c| c.client = NodeId(4)), "client");
    assert_eq!(key(|c| c.duration = Some(Duration::from_ms(1))), "duration");
    assert_eq!(key(|c| c.duration = Some(Duration::ZERO)), "duration");
    assert_eq!(key(|c| c.len_p5 = Some(Bytes::new(3 << 20))), "len_p5");
    assert_eq!(
        key(|c| c.mean_arrival = Some(Duration::ZERO)),
        "mean_arrival"
    );
    let listed = key(|c| {
        c.requests = "ccafct-seed1".to_owned().into();
        c.len_p95 = Some(Bytes::new(1));
    });
    assert_eq!(listed, "len_p95");
}
