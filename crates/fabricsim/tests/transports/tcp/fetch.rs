//! Requests for responses, and downloads that never end.

use crate::support;
use fabricsim::outcome::Status;

use super::*;

/// A client and a server with bottlenecks of 50 Mbps between them, and a round trip of 20 ms.
const STAR: &str = r#"
    [topology]
    kind = "star"
    hosts = 2
    rate = "10Gbps"
    downlink_rate = "50Mbps"
    delay = "5ms"
    [cc]
    kind = "cubic"
    [tcp]
    profile = "linux-wan"
    [switch]
    buffer = "1GB"
    [[queue]]
    discipline = "codel"
"#;
const FETCH: &str = r#"
    [[workload]]
    kind = "fetch"
    client = 0
    server = 1
    duration = "3s"
    start = "500ms"
"#;
const DOWNLOAD: &str = r#"
    [[workload]]
    kind = "download"
    client = 0
    server = 1
    flows = 2
    cc = { kind = "prague" }
"#;

#[test]
fn a_run_ends_with_its_last_response_while_downloads_go_on() {
    let alone = support::summary(&format!("{STAR}{FETCH}"), 1);
    assert_eq!((alone.flows.started, alone.flows.finished), (15, 15));
    assert!(alone.downloads.is_empty());

    let text = format!("{STAR}{FETCH}{DOWNLOAD}");
    let (done, simulation) = run(&text, 1);
    assert_eq!(done.len(), 15);
    let last = done.iter().map(|done| done.finish).max().unwrap();
    assert!(simulation.ended().since(last) <= Duration::from_ms(5));
    for done in &done {
        assert_eq!(done.flow.request.class, ClassId(0));
        assert!(done.fct() >= Duration::from_ms(20), "{done:?}");
        assert!(simulation.record(done).slowdown() > 0.9, "{done:?}");
    }

    let beside = support::summary(&text, 1);
    assert_eq!(beside.status, Status::Finished);
    assert_eq!(beside.flows, alone.flows);
    assert!(beside.unfinished.is_empty());
    let [first, second] = &beside.downloads[..] else {
        panic!("{:?}", beside.downloads);
    };
    assert_eq!((first.src, first.dst, first.class), (0, 1, 1));
    let both = first.goodput_bps + second.goodput_bps;
    assert!((20e6..48e6).contains(&both), "{both}");
}

/// A request on a connection of its own takes two round trips and the time of the bytes. A request
/// that may reuse a connection takes no longer, and sometimes less.
#[test]
fn connections_are_reused_where_the_workload_says_so() {
    let with = |reuse: &str| {
        let text = format!(
            r#"{STAR}{FETCH}    mean_arrival = "20ms"
                len_p95 = "64KiB"
                {reuse}"#
        );
        let (done, _) = run(&text, 1);
        let least = done.iter().map(Completion::fct).min().unwrap();
        (done.len(), least)
    };
    let (count, own) = with("    reuse = \"none\"\n");
    let (other, shared) = with("");
    assert_eq!((count, other), (150, 150));
    assert!(own >= Duration::from_ms(40), "{own}");
    assert!(shared < Duration::from_ms(40), "{shared}");
}

#[test]
fn downloads_alone_last_until_the_run_is_stopped() {
    let found = support::summary(
        &format!(
            r#"
        {STAR}{DOWNLOAD}
        [run]
        stop_at = "2s"
    "#
        ),
        1,
    );
    assert_eq!(found.status, Status::TimeReached);
    assert_eq!((found.flows.started, found.flows.unfinished), (0, 0));
    let goodput: f64 = found.downloads.iter().map(|one| one.goodput_bps).sum();
    assert!((35e6..48e6).contains(&goodput), "{goodput}");
    let refused = Scenario::from_toml(&format!("{STAR}{DOWNLOAD}"));
    let error = refused.expect_err("nothing ends it").to_string();
    assert!(error.contains("never end"), "{error}");
}

#[test]
fn rdma_carries_no_requests() {
    for workload in [FETCH.to_owned(), DOWNLOAD.replace("prague", "hpcc")] {
        let text = format!("{STAR}{workload}")
            .replace(r#"kind = "cubic""#, r#"kind = "hpcc""#)
            .replace("[[queue]]", "")
            .replace(r#"discipline = "codel""#, "");
        let error = Scenario::from_toml(&text).expect_err("RDMA").to_string();
        assert!(error.contains("needs TCP connections"), "{error}");
    }
}

#[test]
fn threads_do_not_change_when_flows_end_beside_downloads() {
    let text = format!("{STAR}{FETCH}{DOWNLOAD}");
    let (one, _) = run(&text, 1);
    for threads in [2, 3] {
        assert_eq!(run(&text, threads).0, one);
    }
}

/// The idle network and the expected load account for the rate of each direction.
#[test]
fn a_slower_direction_shows_in_ideal_times_and_expected_loads() {
    let text = format!("{STAR}{FETCH}    reuse = \"none\"\n");
    let (done, simulation) = run(&text, 1);
    // 10 ms of delay each way, twice, and the bytes at 50 Mbps.
    let first = &done[0];
    let ideal = simulation.ideal().of(first).as_secs_f64();
    let bytes = first.flow.request.size.as_f64();
    let least = 0.04 + bytes * (1.0 + 66.0 / 1448.0) * 8.0 / 50e6;
    assert!((ideal - least).abs() < 0.002, "{ideal} and {least}");
    let found = serde_json::to_value(support::summary(&text, 1).expected_utilization).unwrap();
    let busiest = &found["span"]["busiest"]["utilization"];
    let busiest = busiest.as_f64().unwrap();
    // The tool's 25.83 Mbps of payload.
    assert!((busiest - 0.5166 * 1514.0 / 1448.0).abs() < 0.01, "{found}");
    let changed = format!(
        r#"
            {text}
            [[event]]
            kind = "link-rate"
            at = "1s"
            link = [0, 2]
            rate = "1Mbps"
        "#
    );
    let error = Scenario::from_toml(&changed).expect_err("two rates");
    assert!(error.to_string().contains("two rates"), "{error}");
}
