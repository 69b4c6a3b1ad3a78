//! Time series: what is in them is what has happened, and the packets do not notice.

#![allow(
    clippy::unwrap_used,
    reason = "a test may stop at what it did not expect"
)]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use fabricsim::outcome::{Existing, Monitor, Status, Summary, run_to_folder};
use fabricsim::output::Destination;
use fabricsim::simulation::Expectation;
use fabricsim::{Scenario, Simulation};
use fabricsim_core::network::{Progress, Stop};
use fabricsim_core::units::Time;

const SERIES: [&str; 4] = [
    "queues.csv",
    "queue_distribution.csv",
    "links.csv",
    "flows.csv",
];

const ALL: &str = "
    [observe]
    interval = \"3us\"
    queues = true
    queue_distribution = true
    links = true
    flows = true
    ";

/// Spines may run late, links lose packets, one fails and one changes its rate.
const HARSH: &str = "
    [topology]
    kind = \"leaf-spine\"
    leaves = 2
    hosts_per_leaf = 4
    spines = 2
    host_delay = \"100ns\"
    [rdma]
    rto_min = \"100us\"
    recovery = \"selective\"
    [[workload]]
    kind = \"poisson\"
    sizes = \"hadoop\"
    load = 0.4
    duration = \"200us\"
    [[workload]]
    kind = \"incast\"
    fan_in = 7
    size = \"200KB\"
    at = \"40us\"
    [[event]]
    at = \"50us\"
    kind = \"link-down\"
    link = [8, 10]
    [[event]]
    at = \"75us\"
    kind = \"link-rate\"
    link = [9, 11]
    rate = \"40Gbps\"
    [[event]]
    at = \"80us\"
    kind = \"link-loss\"
    link = [9, 11]
    loss = 0.01
    [[event]]
    at = \"120us\"
    kind = \"link-up\"
    link = [8, 10]
    [switch]
    buffer = \"1MiB\"
    pfc = false
    [cc]
    ";

fn scenario(text: &str) -> Scenario {
    Scenario::from_toml(text).unwrap_or_else(|error| panic!("{error}"))
}

fn run(text: &str, dir: &Path, threads: usize) -> Summary {
    let place = Destination::new(dir, Existing::Replace);
    run_to_folder(&scenario(text), place, threads, &mut ()).unwrap()
}

/// The cells of a CSV file by the names of its columns.
fn table(dir: &Path, name: &str) -> Vec<BTreeMap<String, String>> {
    let text = fs::read_to_string(dir.join(name)).unwrap();
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next().unwrap().split(',').collect();
    lines
        .map(|line| {
            let cells: Vec<&str> = line.split(',').collect();
            assert_eq!(cells.len(), header.len(), "{name}: {line}");
            let cells = header.iter().zip(cells);
            cells
                .map(|(n, c)| ((*n).to_owned(), c.to_owned()))
                .collect()
        })
        .collect()
}

fn number(row: &BTreeMap<String, String>, column: &str) -> f64 {
    row[column].parse().unwrap()
}

fn sum(rows: &[BTreeMap<String, String>], column: &str) -> f64 {
    rows.iter().map(|row| number(row, column)).sum()
}

/// Rows by the values of `keys`, in the order of the file.
fn grouped<'r>(
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
        format!("{HARSH}kind = \"hpcc\""),
        format!("{HARSH}kind = \"dctcp\""),
        "profile = \"ns3-hpcc\"
        [topology]
        kind = \"star\"
        hosts = 9
        [[workload]]
        kind = \"incast\"
        fan_in = 8
        size = \"200KB\"
        at = \"1us\"
        [cc]
        kind = \"dcqcn\""
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
        // A run that observes nothing leaves no old series behind.
        run(&head, first.path(), 1);
        assert!(SERIES.iter().all(|name| !first.path().join(name).exists()));
    }
}

#[test]
fn intervals_add_up_to_the_whole() {
    let text = format!("{HARSH}kind = \"dctcp\"{ALL}");
    let dir = tempfile::tempdir().unwrap();
    let summary = run(&text, dir.path(), 1);
    assert_eq!(summary.status, Status::Finished);
    let mut simulation = Simulation::new(&scenario(&text), 1).unwrap();
    assert_eq!(simulation.run_until(Time::MAX), Stop::Finished);
    let ports = simulation.ports();
    let counters = simulation.counters();

    let links = table(dir.path(), "links.csv");
    let sent: u64 = ports.iter().map(|port| port.sent.get()).sum();
    assert_eq!(sent, counters.wire_bytes);
    assert!((sum(&links, "sent_bytes") - sent as f64).abs() < 0.5);
    let dropped: u64 = ports.iter().map(|port| port.dropped).sum();
    let losses = counters.buffer_drops + counters.link_losses + counters.link_down_drops;
    assert!(counters.buffer_drops > 0 && counters.link_losses > 0 && counters.link_down_drops > 0);
    assert_eq!(dropped, losses);
    assert!((sum(&links, "dropped_packets") - dropped as f64).abs() < 0.5);
    let marked: u64 = ports.iter().map(|port| port.marked).sum();
    assert!(marked > 50, "{marked}");
    assert!((sum(&links, "marked_packets") - marked as f64).abs() < 0.5);

    // Whoever sends all the time is busy all the time; nobody is busier.
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
    let text = format!("{HARSH}kind = \"hpcc\"{ALL}");
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
    let text = format!("{HARSH}kind = \"hpcc\"{ALL}").replace("\"3us\"", "\"50ns\"");
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

/// Frames of 1,048 bytes take 83.84 ns at 100 Gbps and 1 us to the switch. Hosts 0 and 1 send without
/// a pause, so frame k of each is at the switch 1,000 + 83.84 k ns after the start, and the port to
/// host 2 sends one of two: at 2 us 11 of 22 are waiting, at 4 us 35 of 70 (no frame arrives between
/// 1,000 + 35 x 83.84 = 3,934.4 and 4,018.24). The first wire bytes leave at 1,083.84: 916.16 of the first 2,000 ns.
/// The first acknowledgement of 60 bytes has to take 4.8 ns twice: it comes to host 0 at 1,083.84 +
/// 1,083.84 + 2 x 1,004.8 = 4,177.28 ns, and the next one to host 1 83.84 ns later: 22 until 6 us,
/// 11 for each. (The workload draws its senders: flow 0 comes from host 1.)
#[test]
fn two_flows_over_a_star_can_be_checked_by_hand() {
    let text = "
        [topology]
        kind = \"star\"
        hosts = 3
        [[workload]]
        kind = \"incast\"
        fan_in = 2
        size = \"1MB\"
        receiver = 2
        at = \"0s\"
        [cc]
        kind = \"none\"
        window_bdp = 0
        [run]
        stop_at = \"6us\"
        [observe]
        interval = \"2us\"
        nodes = [\"3\"]
        ports = [\"2\"]
        queues = true
        links = true
        flows = true";
    let dir = tempfile::tempdir().unwrap();
    let summary = run(text, dir.path(), 1);
    assert_eq!(summary.status, Status::TimeReached);
    let read = |name| fs::read_to_string(dir.path().join(name)).unwrap();
    assert_eq!(
        read("queues.csv"),
        "time_ns,node,port,queue_bytes\n2000,3,2,11528\n4000,3,2,36680\n6000,3,2,61832\n"
    );
    assert_eq!(
        read("links.csv"),
        "time_ns,node,port,sent_bytes,utilization,marked_packets,dropped_packets,paused_ns\n\
         2000,3,2,11528,0.458080,0,0,0\n\
         4000,3,2,25152,1.000000,0,0,0\n\
         6000,3,2,25152,1.000000,0,0,0\n"
    );
    assert_eq!(
        read("flows.csv"),
        "time_ns,flow,src,dst,class,rate_bps,window_bytes,acknowledged_bytes,throughput_bps\n\
         2000,0,1,2,0,100000000000,,0,0\n\
         2000,1,0,2,0,100000000000,,0,0\n\
         4000,0,1,2,0,100000000000,,0,0\n\
         4000,1,0,2,0,100000000000,,0,0\n\
         6000,0,1,2,0,100000000000,,11000,44000000000\n\
         6000,1,0,2,0,100000000000,,11000,44000000000\n"
    );
}

#[test]
fn pauses_are_the_ones_that_the_summary_counts() {
    let text = "
        [topology]
        kind = \"star\"
        hosts = 9
        [switch]
        buffer = \"2MiB\"
        [[workload]]
        kind = \"incast\"
        fan_in = 8
        size = \"400KB\"
        receiver = 8
        at = \"0s\"
        [cc]
        kind = \"none\"
        window_bdp = 0
        [observe]
        interval = \"7us\"
        links = true";
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
    // Pauses are longer than an interval in part: it is full then.
    let longest = links
        .iter()
        .map(|row| number(row, "paused_ns"))
        .fold(0.0, f64::max);
    assert!(longest <= 7_000.0 && longest > 0.0, "{longest}");
}

/// A star in which host 8 gets 400 KB of each of four hosts, and `observe`.
fn incast(observe: &str) -> String {
    format!(
        "[topology]\nkind = \"star\"\nhosts = 9\n[[workload]]\nkind = \"incast\"\nfan_in = 4\n\
         size = \"400KB\"\nreceiver = 8\nat = \"0s\"\n[[workload]]\nkind = \"incast\"\nfan_in = 2\n\
         size = \"10KB\"\nreceiver = 8\nat = \"31us\"\n[cc]\nkind = \"hpcc\"\n[observe]\n{observe}"
    )
}

fn times(dir: &Path, name: &str) -> Vec<f64> {
    let rows = table(dir, name);
    let mut times: Vec<f64> = rows.iter().map(|row| number(row, "time_ns")).collect();
    times.dedup();
    times
}

#[test]
fn samples_are_taken_when_they_are_asked_for() {
    let dir = tempfile::tempdir().unwrap();
    let text = incast(
        "interval = \"10us\"\nfrom = \"15us\"\nuntil = \"50us\"\nqueues = true\n\
         queue_distribution = true\nlinks = true\nflows = true\ntowards = \"hosts\"\n\
         nodes = [\"8..10\"]\nports = [\"6..9\"]",
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
    // At 25 us the first interval ends: what had been acknowledged before it does not count.
    let flows = table(dir.path(), "flows.csv");
    let first = &flows[0];
    assert!(number(first, "throughput_bps") < 8e9 * number(first, "acknowledged_bytes") / 10_000.0);
}

#[test]
fn flows_are_chosen_by_number_class_and_size() {
    let chosen = |filter: &str| -> Vec<String> {
        let dir = tempfile::tempdir().unwrap();
        let text = incast(&format!("interval = \"5us\"\nflows = true\n{filter}"));
        run(&text, dir.path(), 1);
        let rows = table(dir.path(), "flows.csv");
        let keys = grouped(&rows, &["flow"]).into_keys();
        keys.map(|mut key| key.remove(0)).collect()
    };
    assert_eq!(chosen(""), ["0", "1", "2", "3", "4", "5"]);
    assert_eq!(chosen("flow_ids = [\"1..3\", \"5\"]"), ["1", "2", "5"]);
    assert_eq!(chosen("classes = [\"1\"]"), ["4", "5"]);
    assert_eq!(chosen("min_size = \"11KB\""), ["0", "1", "2", "3"]);
}

#[test]
fn a_full_file_says_what_is_missing() {
    let dir = tempfile::tempdir().unwrap();
    let text = incast("interval = \"10us\"\nlinks = true\nflows = true\nmax_rows = 40");
    let summary = run(&text, dir.path(), 1);
    // Two rows of 18 ports fit into 40, and four flows into far more.
    let links = &summary.observed[0];
    assert_eq!((links.file.as_str(), links.rows), ("links.csv", 36));
    assert_eq!(links.left_out.as_deref(), Some("samples from 30us on"));
    assert_eq!(times(dir.path(), "links.csv"), [10_000.0, 20_000.0]);
    let flows = &summary.observed[1];
    assert!(flows.rows > 36 && flows.rows <= 40, "{flows:?}");
    assert_eq!(table(dir.path(), "flows.csv").len() as u64, flows.rows);
    let json = fs::read_to_string(dir.path().join("summary.json")).unwrap();
    assert!(
        json.contains("\"left_out\": \"samples from 30us on\""),
        "{json}"
    );
}

/// Stops a run at its first look.
struct Impatient;

impl Monitor for Impatient {
    fn progress(&mut self, _progress: &Progress, _expected: Expectation) -> bool {
        false
    }
}

#[test]
fn an_interrupted_run_leaves_partial_series() {
    let dir = tempfile::tempdir().unwrap();
    let text = incast("interval = \"1us\"\nqueues = true\nqueue_distribution = true\nflows = true")
        .replace("400KB", "40MB");
    let summary = run_to_folder(&scenario(&text), dir.path(), 1, &mut Impatient).unwrap();
    assert_eq!(summary.status, Status::Interrupted);
    for name in ["queues", "queue_distribution", "flows"] {
        assert!(!dir.path().join(format!("{name}.csv")).exists());
        assert!(
            !table(dir.path(), &format!("{name}.partial.csv")).is_empty(),
            "{name}"
        );
    }
    // The next run takes their place.
    run(&incast("queues = true"), dir.path(), 1);
    assert!(dir.path().join("queues.csv").exists());
    assert!(!dir.path().join("queues.partial.csv").exists());
    assert!(!dir.path().join("flows.partial.csv").exists());
}

#[cfg(feature = "parquet")]
#[test]
fn series_can_be_parquet() {
    let dir = tempfile::tempdir().unwrap();
    let observe = "queues = true\nqueue_distribution = true\nlinks = true\nflows = true";
    run(&incast(observe), dir.path(), 1);
    let rows =
        |summary: &Summary| -> Vec<u64> { summary.observed.iter().map(|s| s.rows).collect() };
    let csv = run(&incast(observe), dir.path(), 1);
    let summary = run(
        &incast(&format!("{observe}\nformat = \"parquet\"")),
        dir.path(),
        1,
    );
    assert_eq!(rows(&summary), rows(&csv));
    for name in SERIES {
        let bytes = fs::read(dir.path().join(name.replace(".csv", ".parquet"))).unwrap();
        assert!(
            bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1"),
            "{name}"
        );
        assert!(!dir.path().join(name).exists());
    }
}
