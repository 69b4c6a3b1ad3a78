//! Series of a whole run add up.

use crate::support;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use fabricsim::outcome::Status;

use crate::observation::{ALL, HARSH, SERIES, number, run, sum, table};

/// Returns rows grouped by the values of `keys`, in the order of the file.
pub(crate) fn grouped<'r>(
    rows: &'r [BTreeMap<String, String>],
    keys: &[&str],
) -> BTreeMap<Vec<String>, Vec<&'r BTreeMap<String, String>>> {
    let mut groups: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for row in rows {
        let key = keys.iter().map(|key| row[*key].clone()).collect();
        groups.entry(key).or_default().push(row);
    }
    groups
}

#[test]
fn observation_changes_no_result_and_threads_change_no_observation() {
    for head in [
        format!(r#"{HARSH}kind = "hpcc""#),
        format!(r#"{HARSH}kind = "dctcp""#),
        r#"profile = "ns3-hpcc"
            [topology]
            kind = "star"
            hosts = 9
            [[workload]]
            kind = "incast"
            fan_in = 8
            size = "200KB"
            at = "1us"
            [cc]
            kind = "dcqcn""#
            .to_owned(),
    ] {
        let without = tempfile::tempdir().unwrap();
        let unobserved = run(&head, without.path(), 1);
        assert!(unobserved.observed.is_empty());
        let text = format!("{head}{ALL}");
        let first = tempfile::tempdir().unwrap();
        let observed = run(&text, first.path(), 1);
        assert_eq!(observed.checksum, unobserved.checksum, "{head}");
        assert_eq!(observed.observed.len(), SERIES.len());
        for threads in [2, 3] {
            let other = tempfile::tempdir().unwrap();
            assert_eq!(
                run(&text, other.path(), threads).checksum,
                unobserved.checksum
            );
            for name in SERIES {
                let read = |dir: &Path| fs::read(dir.join(name)).unwrap();
                assert!(
                    read(other.path()) == read(first.path()),
                    "{name} on {threads} threads:\n{head}"
                );
                assert!(!without.path().join(name).exists());
            }
        }
        // A run without observation leaves no old series behind.
        run(&head, first.path(), 1);
        assert!(SERIES.iter().all(|name| !first.path().join(name).exists()));
    }
}

#[test]
fn intervals_add_up_to_the_whole() {
    let text = format!(r#"{HARSH}kind = "dctcp"{ALL}"#);
    let dir = tempfile::tempdir().unwrap();
    let summary = run(&text, dir.path(), 1);
    assert_eq!(summary.status, Status::Finished);
    let mut simulation = support::run(&text, 1);
    let ports = simulation.ports();
    let counters = simulation.counters();

    let links = table(dir.path(), "links.csv");
    let sent: u64 = ports.iter().map(|port| port.sent.get()).sum();
    assert_eq!(sent, counters.wire_bytes.get());
    assert!((sum(&links, "sent_bytes") - sent as f64).abs() < 0.5);
    let dropped: u64 = ports.iter().map(|port| port.dropped).sum();
    let losses = counters.buffer_drops + counters.link_losses + counters.link_down_drops;
    assert!(counters.buffer_drops > 0 && counters.link_losses > 0 && counters.link_down_drops > 0);
    assert_eq!(dropped, losses);
    assert!((sum(&links, "dropped_packets") - dropped as f64).abs() < 0.5);
    let marked: u64 = ports.iter().map(|port| port.marked).sum();
    assert!(marked > 50, "{marked}");
    assert!((sum(&links, "marked_packets") - marked as f64).abs() < 0.5);

    // A port that always sends is always busy, and no port is busier.
    let busiest = links.iter().map(|row| number(row, "utilization"));
    let busiest = busiest.fold(0.0, f64::max);
    assert!(busiest > 0.99 && busiest <= 1.0, "{busiest}");
    for (port, rows) in grouped(&links, &["node", "port"]) {
        let mut before = 0.0;
        let mut busy_bytes = 0.0;
        // Bytes at 100 Gbps between hosts and leaves; other links are faster, and one changes.
        let node: u32 = port[0].parse().unwrap();
        let at_host = node < 8 || (node < 10 && port[1].parse::<u32>().unwrap() < 4);
        for row in rows.iter().copied() {
            let time = number(row, "time_ns");
            busy_bytes += number(row, "utilization") * (time - before) * 12.5;
            before = time;
        }
        let sent: f64 = rows.iter().map(|row| number(row, "sent_bytes")).sum();
        // A row is rounded to a millionth of 3 us, which is less than a tenth of a byte.
        let tolerance = rows.len() as f64;
        assert!(
            !at_host || (busy_bytes - sent).abs() < tolerance,
            "{port:?}: {busy_bytes} {sent}"
        );
    }
}

#[test]
fn throughput_adds_up_to_the_size_of_each_flow() {
    let text = format!(r#"{HARSH}kind = "hpcc"{ALL}"#);
    let dir = tempfile::tempdir().unwrap();
    run(&text, dir.path(), 1);
    let fct = table(dir.path(), "fct.csv");
    let flows = table(dir.path(), "flows.csv");
    let of_flow = grouped(&flows, &["flow"]);
    assert_eq!(of_flow.len(), fct.len(), "every flow has a row");
    let times: Vec<f64> = grouped(&table(dir.path(), "links.csv"), &["time_ns"])
        .keys()
        .map(|key| key[0].parse().unwrap())
        .collect();
    let before = |time: f64| {
        times
            .iter()
            .copied()
            .filter(|&t| t < time)
            .fold(0.0, f64::max)
    };
    for flow in &fct {
        let rows = &of_flow[&vec![flow["flow"].clone()]];
        let bytes: f64 = rows
            .iter()
            .map(|row| {
                let time = number(row, "time_ns");
                number(row, "throughput_bps") * (time - before(time)) / 8e9
            })
            .sum();
        let size = number(flow, "size_bytes");
        assert!(
            (bytes - size).abs() < 0.01 * rows.len() as f64,
            "{bytes} {size}"
        );
        let (last, live) = rows.split_last().unwrap();
        assert_eq!(
            (last["rate_bps"].as_str(), last["window_bytes"].as_str()),
            ("0", "")
        );
        assert!((number(last, "acknowledged_bytes") - size).abs() < 0.5);
        assert!(live.iter().all(|row| number(row, "rate_bps") >= 1e9));
        let finish = number(flow, "start_ns") + number(flow, "fct_ns");
        assert!(number(last, "time_ns") >= finish && before(number(last, "time_ns")) <= finish);
    }
}

#[test]
fn a_distribution_has_all_the_time_and_the_mean_of_many_samples() {
    let text = format!(r#"{HARSH}kind = "hpcc"{ALL}"#).replace(r#""3us""#, r#""50ns""#);
    let dir = tempfile::tempdir().unwrap();
    let summary = run(&text, dir.path(), 1);
    let bins = table(dir.path(), "queue_distribution.csv");
    let samples = table(dir.path(), "queues.csv");
    let sampled = grouped(&samples, &["node", "port"]);
    let distributions = grouped(&bins, &["node", "port"]);
    assert_eq!(sampled.len(), distributions.len());
    let mut waited = 0;
    for (port, bins) in distributions {
        let time: f64 = bins.iter().map(|bin| number(bin, "time_ns")).sum();
        assert!(
            (time - summary.simulated_ns).abs() < 1e-3,
            "{port:?}: {time}"
        );
        let weighted = |column: &str| -> f64 {
            let products = bins
                .iter()
                .map(|bin| number(bin, column) * number(bin, "time_ns"));
            products.sum::<f64>() / time
        };
        let rows = &sampled[&port];
        let mean = rows
            .iter()
            .map(|row| number(row, "queue_bytes"))
            .sum::<f64>()
            / rows.len() as f64;
        let margin = 20.0 + 0.02 * mean;
        let (least, most) = (weighted("from_bytes"), weighted("upto_bytes"));
        assert!(
            least - margin <= mean && mean <= most + margin,
            "{port:?}: {least} {mean} {most}"
        );
        waited += usize::from(mean > 1_000.0);
    }
    assert!(waited >= 2, "some queues are long");
}
