//! Query completion times in an empty network, exact to the picosecond.

use proptest::prelude::*;

use crate::rpc::row::{Row, run};

const TOPOLOGIES: [&str; 3] = [
    r#"kind = "star"
        hosts = 2
        rate = "100Gbps"
        delay = "1us""#,
    r#"kind = "leaf-spine"
        leaves = 2
        hosts_per_leaf = 1
        spines = 1
        host_rate = "25Gbps"
        fabric_rate = "100Gbps""#,
    r#"kind = "dumbbell"
        hosts_per_side = 1
        host_rate = "100Gbps"
        bottleneck_rate = "10Gbps"
        bottleneck_delay = "3us""#,
];

/// One query after the other from host 0 to host 1.
fn alone(topology: &str, cc: &str, keys: &str) -> String {
    format!(
        r#"
            [topology]
            {topology}
            [cc]
            {cc}
            [[workload]]
            kind = "rpc"
            clients = ["0"]
            servers = ["1"]
            queries = 4
            think = "20us"
            {keys}
        "#
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// Algorithms that keep the line rate as long as there is no congestion.
    #[test]
    fn a_query_of_rdma_takes_its_ideal_time(
        topology in prop::sample::select(TOPOLOGIES.to_vec()),
        cc in prop::sample::select(vec!["dcqcn", "dctcp", "none"]),
        recovery in prop::sample::select(vec!["go-back-n", "selective", "any-order"]),
        query in 1u64..9_000,
        response in 1u64..9_000,
        service in prop::sample::select(vec!["0s", "1ns", "7us"]),
        times in prop::sample::select(vec!["fixed", "exponential"]),
    ) {
        let keys = format!(
            r#"query = "{query}B"
                response = "{response}B"
                service = "{service}"
                service_times = "{times}"
                [rdma]
                recovery = "{recovery}""#
        );
        let text = alone(topology, &format!(r#"kind = "{cc}""#), &keys);
        let (summary, _, rows) = run(&text, 1);
        prop_assert_eq!(rows.len(), 4);
        for row in &rows {
            prop_assert_eq!((row.size, row.response), (query, response));
            prop_assert_eq!(row.qct, row.ideal, "{:?}", row);
        }
        let rpc = &summary.rpc[0];
        prop_assert_eq!((rpc.queries, rpc.unfinished), (4, 0));
        prop_assert_eq!((rpc.slowdown_mean, rpc.slowdown_p50), (Some(1.0), Some(1.0)));
    }

    /// HPCC aims below the line rate, which shows from the second packet of a message on. The ideal
    /// includes its telemetry.
    #[test]
    fn a_query_of_one_packet_takes_its_ideal_time_with_telemetry(
        topology in prop::sample::select(TOPOLOGIES.to_vec()),
        cc in prop::sample::select(vec!["hpcc", "timely"]),
        query in 1u64..1_000,
        response in 1u64..1_000,
    ) {
        let keys = format!(r#"query = "{query}B"
            response = "{response}B""#);
        let (_, _, rows) = run(&alone(topology, &format!(r#"kind = "{cc}""#), &keys), 1);
        for row in &rows {
            prop_assert_eq!(row.qct, row.ideal, "{:?}", row);
        }
    }

    /// On an open connection neither the window nor ACKs delay the query: it has up to ten
    /// segments, and the response waits for no ACK.
    #[test]
    fn a_query_of_tcp_takes_its_ideal_time(
        topology in prop::sample::select(TOPOLOGIES.to_vec()),
        cc in prop::sample::select(vec!["newreno", "cubic", "tcp-dctcp"]),
        query in 1u64..1_400,
        response in 1u64..1_400,
        service in prop::sample::select(vec!["0s", "7us"]),
    ) {
        let keys = format!(
            r#"query = "{query}B"
                response = "{response}B"
                service = "{service}"
                [tcp]
                quick_acks = 0"#
        );
        let cc = format!(r#"kind = "{cc}"
            opening = "open""#);
        let (_, _, rows) = run(&alone(topology, &cc, &keys), 1);
        prop_assert_eq!(rows.len(), 4);
        for row in &rows {
            prop_assert_eq!(row.qct, row.ideal, "{:?}", row);
        }
    }
}

/// 4,000 bytes are four packets of 1,048 bytes, 83,840 ps each at 100 Gbps. The switch stores the
/// first one, so the last one arrives after five transmissions and 2 us. The response of 64 bytes,
/// 112 on the wire, follows the ACK of the last packet, 60 bytes.
#[test]
fn the_ideal_is_what_one_works_out_by_hand() {
    let text = alone(TOPOLOGIES[0], r#"kind = "dcqcn""#, r#"query = "4KB""#);
    let (_, _, rows) = run(&text, 1);
    let forth = 5 * 83_840 + 2_000_000;
    let back = 4_800 + 2 * 112 * 80 + 2_000_000;
    assert_eq!(rows[0].qct, forth + back);
    // The client sends the next query 20 us after the response.
    assert_eq!(rows[1].issue, rows[0].completion + 20_000_000);
    assert!(rows.iter().all(|row| row.ideal == forth + back));
}

/// A full segment of TCP, its transmission time at 100 Gbps with headers, and the time of an ACK.
const MSS: u64 = 1_448;
const SEGMENT: u64 = (MSS + 90) * 80;
const TCP_ACK: u64 = 90 * 80;
/// The initial window, in segments.
const INITIAL: u64 = 10;

fn tcp_alone(query: u64, response: u64, service: &str) -> Vec<Row> {
    let keys = format!(
        r#"query = "{query}B"
            response = "{response}B"
            service = "{service}"
            [tcp]
            quick_acks = 0"#
    );
    let cc = r#"kind = "newreno"
        opening = "open""#;
    run(&alone(TOPOLOGIES[0], cc, &keys), 1).2
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// Up to the initial window. The receiver acknowledges every second segment at once. If that is
    /// the last one, a response without service time leaves behind its ACK.
    #[test]
    fn a_query_of_several_segments_of_tcp_waits_for_the_last_ack_only(
        query in 1..INITIAL * MSS,
        response in 1..INITIAL * MSS,
        service in prop::sample::select(vec!["0s", "7us"]),
    ) {
        let behind = service == "0s" && query.div_ceil(MSS).is_multiple_of(2);
        for row in tcp_alone(query, response, service) {
            prop_assert_eq!(row.qct, row.ideal + u64::from(behind) * TCP_ACK, "{:?}", row);
        }
    }
}

/// Slow start: segments beyond the initial window wait for the ACK of the second one. That segment
/// reaches the server after three transmissions, and its ACK returns after two.
#[test]
fn a_query_beyond_the_initial_window_of_tcp_waits_for_an_ack() {
    let acked = 3 * SEGMENT + 2 * TCP_ACK + 4_000_000;
    let response = 2 * (64 + 90) * 80 + 2_000_000;
    for more in 1..=2 {
        let behind = u64::from(more == 2) * TCP_ACK;
        let rows = tcp_alone((INITIAL + more) * MSS, 64, "0s");
        let forth = acked + (more + 1) * SEGMENT + 2_000_000;
        assert_eq!(rows[0].qct, forth + behind + response, "{more}");
        let ideal = (INITIAL + more + 1) * SEGMENT + 2_000_000 + response;
        assert_eq!(rows[0].ideal, ideal);
    }
}

/// Only the first query of TCP waits for the handshake.
#[test]
fn only_the_first_query_opens_the_connection() {
    let keys = r#"query = "1KB"
        [tcp]
        quick_acks = 0"#;
    let text = alone(
        TOPOLOGIES[0],
        r#"kind = "cubic"
            opening = "handshake""#,
        keys,
    );
    let (_, _, rows) = run(&text, 1);
    assert!(rows[0].qct > rows[0].ideal + 4_000_000, "{:?}", rows[0]);
    assert!(rows[1..].iter().all(|row| row.qct == row.ideal));
    assert!(rows.iter().all(|row| row.connection == rows[0].connection));
}
