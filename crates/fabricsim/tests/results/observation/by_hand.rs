//! Small runs with series that can be checked by hand.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use fabricsim::outcome::Status;

use crate::observation::sums::grouped;
use crate::observation::{number, run, sum, table};

/// Frames of 1,048 bytes take 83.84 ns at 100 Gbps and 1 us to the switch. Hosts 0 and 1 send
/// without a pause, so frame k of each is at the switch 1,000 + 83.84 k ns after the start, and the
/// port to host 2 sends one of two. At 2 us 11 of 22 are waiting, at 4 us 35 of 70 (no frame
/// arrives between 1,000 + 35 x 83.84 = 3,934.4 and 4,018.24). The first wire bytes leave at
/// 1,083.84: 916.16 of the first 2,000 ns. The first acknowledgement of 60 bytes takes 4.8 ns
/// twice. It reaches host 0 at 1,083.84 + 1,083.84 + 2 x 1,004.8 = 4,177.28 ns, and the next one
/// reaches host 1 83.84 ns later: 22 until 6 us, 11 for each. (The workload draws its senders: flow
/// 0 is from host 1.)
#[test]
fn two_flows_over_a_star_can_be_checked_by_hand() {
    let text = r#"
        [topology]
        kind = "star"
        hosts = 3
        [[workload]]
        kind = "incast"
        fan_in = 2
        size = "1MB"
        receiver = 2
        at = "0s"
        [cc]
        kind = "none"
        window_bdp = 0
        [run]
        stop_at = "6us"
        [observe]
        interval = "2us"
        nodes = ["3"]
        ports = ["2"]
        queues = true
        links = true
        flows = true"#;
    let dir = tempfile::tempdir().unwrap();
    let summary = run(text, dir.path(), 1);
    assert_eq!(summary.status, Status::TimeReached);
    let read = |name| fs::read_to_string(dir.path().join(name)).unwrap();
    // 11, 35 and 59 frames of 1,048 bytes wait.
    assert_eq!(
        read("queues.csv"),
        "time_ns,node,port,name,tier,peer,queue_bytes\n\
         2000,3,2,switch0,switch to host,host2,11528\n\
         4000,3,2,switch0,switch to host,host2,36680\n\
         6000,3,2,switch0,switch to host,host2,61832\n"
    );
    // The link is busy for 916.16 of the first 2,000 ns, and all the time afterwards.
    assert_eq!(
        read("links.csv"),
        "time_ns,node,port,name,tier,peer,sent_bytes,utilization,marked_packets,dropped_packets,paused_ns\n\
         2000,3,2,switch0,switch to host,host2,11528,0.458080,0,0,0\n\
         4000,3,2,switch0,switch to host,host2,25152,1.000000,0,0,0\n\
         6000,3,2,switch0,switch to host,host2,25152,1.000000,0,0,0\n"
    );
    // 11 acknowledgements reach each host in the last interval.
    assert_eq!(
        read("flows.csv"),
        "time_ns,flow,src,dst,class,rate_bps,window_bytes,acknowledged_bytes,throughput_bps,\
         srtt_ns,queueing_delay_ns\n\
         2000,0,1,2,0,100000000000,,0,0,,\n\
         2000,1,0,2,0,100000000000,,0,0,,\n\
         4000,0,1,2,0,100000000000,,0,0,,\n\
         4000,1,0,2,0,100000000000,,0,0,,\n\
         6000,0,1,2,0,100000000000,,11000,44000000000,,\n\
         6000,1,0,2,0,100000000000,,11000,44000000000,,\n"
    );
}

/// Two senders fill the queue in front of their receiver.
#[test]
fn round_trips_of_tcp_are_the_path_and_its_queue() {
    let text = r#"
        [topology]
        kind = "star"
        hosts = 3
        rate = "1Gbps"
        [[workload]]
        kind = "incast"
        fan_in = 2
        size = "2MB"
        receiver = 2
        at = "0s"
        [cc]
        kind = "cubic"
        [observe]
        interval = "1ms"
        flows = true"#;
    let dir = tempfile::tempdir().unwrap();
    run(text, dir.path(), 1);
    let rows = table(dir.path(), "flows.csv");
    let last = rows.iter().filter(|row| row["rate_bps"] == "0");
    assert!(last.clone().count() == 2 && last.clone().all(|row| row["srtt_ns"].is_empty()));
    let known: Vec<_> = rows
        .iter()
        .filter(|row| !row["srtt_ns"].is_empty())
        .collect();
    assert!(known.len() > 20, "{}", known.len());
    let least =
        |row: &BTreeMap<String, String>| number(row, "srtt_ns") - number(row, "queueing_delay_ns");
    let shortest = known.iter().map(|row| least(row)).fold(f64::MAX, f64::min);
    // Four delays of 1 us, and at least the bits of a handshake: two small frames on two links.
    assert!((4_000.0..60_000.0).contains(&shortest), "{shortest}");
    let largest = known.iter().map(|row| number(row, "queueing_delay_ns"));
    assert!(largest.fold(0.0, f64::max) > 100_000.0);
}

#[test]
fn pauses_are_the_ones_that_the_summary_counts() {
    let text = r#"
        [topology]
        kind = "star"
        hosts = 9
        [switch]
        buffer = "2MiB"
        [[workload]]
        kind = "incast"
        fan_in = 8
        size = "400KB"
        receiver = 8
        at = "0s"
        [cc]
        kind = "none"
        window_bdp = 0
        [observe]
        interval = "7us"
        links = true"#;
    let dir = tempfile::tempdir().unwrap();
    let summary = run(text, dir.path(), 1);
    assert!(summary.pfc_pauses > 0);
    let links = table(dir.path(), "links.csv");
    let paused = sum(&links, "paused_ns");
    assert!(
        (paused - summary.pfc_paused_ns).abs() < 1e-3,
        "{paused} {}",
        summary.pfc_paused_ns
    );
    // A long pause fills some intervals completely.
    let longest = links
        .iter()
        .map(|row| number(row, "paused_ns"))
        .fold(0.0, f64::max);
    assert!(longest <= 7_000.0 && longest > 0.0, "{longest}");
}

/// A star in which each of four hosts sends 400 KB to host 8, with the keys `observe`.
pub(crate) fn incast(observe: &str) -> String {
    format!(
        r#"
            [topology]
            kind = "star"
            hosts = 9
            [[workload]]
            kind = "incast"
            fan_in = 4
            size = "400KB"
            receiver = 8
            at = "0s"
            [[workload]]
            kind = "incast"
            fan_in = 2
            size = "10KB"
            receiver = 8
            at = "31us"
            [cc]
            kind = "hpcc"
            [observe]
            {observe}"#
    )
}

pub(crate) fn times(dir: &Path, name: &str) -> Vec<f64> {
    let rows = table(dir, name);
    let mut times: Vec<f64> = rows.iter().map(|row| number(row, "time_ns")).collect();
    times.dedup();
    times
}

#[test]
fn samples_are_taken_when_they_are_asked_for() {
    let dir = tempfile::tempdir().unwrap();
    let text = incast(
        r#"interval = "10us"
            from = "15us"
            until = "50us"
            queues = true
            queue_distribution = true
            links = true
            flows = true
            towards = "hosts"
            nodes = ["8..10"]
            ports = ["6..9"]"#,
    );
    run(&text, dir.path(), 1);
    for name in ["queues.csv", "links.csv", "flows.csv"] {
        assert_eq!(
            times(dir.path(), name),
            [25_000.0, 35_000.0, 45_000.0, 50_000.0],
            "{name}"
        );
    }
    let ports = |name| -> Vec<Vec<String>> {
        grouped(&table(dir.path(), name), &["node", "port"])
            .into_keys()
            .collect()
    };
    let switch = [["9", "6"], ["9", "7"], ["9", "8"]];
    assert_eq!(ports("queues.csv"), switch);
    assert_eq!(ports("links.csv"), switch);
    for bins in grouped(
        &table(dir.path(), "queue_distribution.csv"),
        &["node", "port"],
    )
    .values()
    {
        let time: f64 = bins.iter().map(|bin| number(bin, "time_ns")).sum();
        assert!((time - 35_000.0).abs() < 1e-3);
    }
    // The first interval ends at 25 us: bytes that were acknowledged before it do not count.
    let flows = table(dir.path(), "flows.csv");
    let first = &flows[0];
    assert!(number(first, "throughput_bps") < 8e9 * number(first, "acknowledged_bytes") / 10_000.0);
}
