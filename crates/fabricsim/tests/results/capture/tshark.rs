//! Captures as Wireshark's own decoder reads them. Skipped if tshark is not installed.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use crate::capture::{run, table};

/// Returns the values that tshark prints for `fields` of the frames that pass `filter`, in the
/// capture in `dir`. Returns `None` if tshark is not installed.
fn decoded(dir: &Path, filter: &str, fields: &[&str]) -> Option<Vec<Vec<String>>> {
    let mut command = Command::new("tshark");
    command.arg("-r").arg(dir.join("capture.pcapng"));
    command.args([
        "-n",
        "-o",
        "ip.check_checksum:TRUE",
        "-o",
        "tcp.check_checksum:TRUE",
    ]);
    command.args([
        "-o",
        "udp.check_checksum:TRUE",
        "-T",
        "fields",
        "-E",
        "separator=;",
    ]);
    if !filter.is_empty() {
        command.args(["-Y", filter]);
    }
    fields.iter().for_each(|field| {
        command.args(["-e", field]);
    });
    let Ok(output) = command.output() else {
        println!("skipped: tshark is not installed");
        return None;
    };
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    let text = String::from_utf8(output.stdout).unwrap();
    let row = |line: &str| line.split(';').map(str::to_owned).collect();
    Some(text.lines().map(row).collect())
}

/// Returns the frames that tshark reports as faulty, with its messages.
fn faults(dir: &Path) -> Option<Vec<Vec<String>>> {
    let filter = "_ws.malformed || _ws.expert.severity == 0x00800000 || ip.checksum.status == 0 \
                  || tcp.checksum.status == 0 || udp.checksum.status == 0";
    decoded(
        dir,
        filter,
        &["frame.number", "frame.protocols", "_ws.expert.message"],
    )
}

/// Eight senders to one receiver over one switch, followed by the tables `more`.
fn incast(cc: &str, more: &str) -> String {
    format!(
        r#"
            [topology]
            kind = "star"
            hosts = 9
            [[workload]]
            kind = "incast"
            fan_in = 8
            size = "300KB"
            at = "0s"
            [cc]
            kind = "{cc}"
            [output]
            pauses = true
            [observe]
            links = true
            {more}"#
    )
}

/// Checks the bytes of each IP conversation among the frames that hosts send: tshark's sum of frame
/// lengths equals the bytes that the links of these hosts have carried.
fn check_conversations(dir: &Path) -> Option<()> {
    let fields = ["ip.src", "ipv6.src", "ip.dst", "ipv6.dst", "frame.len"];
    let rows = decoded(
        dir,
        "(ip || ipv6) && frame.packet_flags_direction == 2",
        &fields,
    )?;
    // Addresses end with the number of the host.
    let host = |address: &str| -> String {
        let last = address.rsplit(['.', ':']).next().unwrap();
        let radix = if address.contains(':') { 16 } else { 10 };
        u32::from_str_radix(last, radix).unwrap_or(0).to_string()
    };
    let mut sent: BTreeMap<(String, String), u64> = BTreeMap::new();
    for row in &rows {
        let one_of = |a: usize| {
            if row[a].is_empty() {
                &row[a + 1]
            } else {
                &row[a]
            }
        };
        let bytes: u64 = row[4].parse().unwrap();
        *sent.entry((host(one_of(0)), host(one_of(2)))).or_default() += bytes;
    }
    let flows = table(dir, "fct.csv");
    assert!(!flows.is_empty());
    // A sender's port carries its data to the one receiver, and the receiver's port carries all
    // replies.
    let carried = |node: &str| -> u64 {
        let rows = table(dir, "links.csv");
        let own = rows.iter().filter(|row| row["node"] == node);
        own.map(|row| row["sent_bytes"].parse::<u64>().unwrap())
            .sum()
    };
    let mut replies = 0;
    for flow in &flows {
        let (src, dst) = (flow["src"].clone(), flow["dst"].clone());
        assert_eq!(
            sent[&(src.clone(), dst.clone())],
            carried(&src),
            "from {src}"
        );
        replies += sent[&(dst, src)];
    }
    assert_eq!(replies, carried(&flows[0]["dst"]));
    assert_eq!(sent.len(), 2 * flows.len());
    Some(())
}

/// Captures the frames that hosts send in a run of `text`, and decodes them.
fn check(text: &str, wanted: &[&str]) {
    let dir = tempfile::tempdir().unwrap();
    let summary = run(text, dir.path(), 2);
    let Some(frames) = decoded(dir.path(), "", &["frame.protocols"]) else {
        return;
    };
    assert_eq!(frames.len() as u64, summary.captured.unwrap().frames);
    let kinds: BTreeSet<&str> = frames.iter().map(|row| row[0].as_str()).collect();
    for wanted in wanted {
        assert!(kinds.contains(wanted), "{wanted}: {kinds:?}");
    }
    let faults = faults(dir.path()).unwrap();
    assert!(
        faults.is_empty(),
        "{:?} of {}",
        &faults[..faults.len().min(5)],
        faults.len()
    );
    // Some texts are in the list of frames only, and not in a field.
    let listed = Command::new("tshark")
        .arg("-r")
        .arg(dir.path().join("capture.pcapng"))
        .output()
        .unwrap();
    let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
    let malformed = listed.lines().find(|line| line.contains("Malformed"));
    assert_eq!(malformed, None);
    check_conversations(dir.path());
}

const ROCE: &str = "eth:ethertype:ip:udp:infiniband";
const PFC: &str = "eth:ethertype:macc";

#[test]
fn hpcc_and_pauses_are_decoded() {
    let hosts = r#"
        [capture]
        nodes = ["0..9"]
        [switch]
        buffer = "600KB"
    "#;
    check(&incast("hpcc", hosts), &[ROCE, PFC]);
}

#[test]
fn telemetry_is_decoded_as_ioam() {
    let more = r#"
        [capture]
        nodes = ["0..9"]
        telemetry = true
        snap_length = "2000B"
    "#;
    check(
        &incast("hpcc", more),
        &[
            "eth:ethertype:ipv6:ipv6.hopopts:udp:infiniband",
            "eth:ethertype:ipv6:udp:infiniband",
        ],
    );
}

#[test]
fn congestion_notifications_and_pauses_of_dcqcn_are_decoded() {
    let hosts = r#"
        [capture]
        nodes = ["0..9"]
        [switch]
        buffer = "600KB"
    "#;
    check(&incast("dcqcn", hosts), &[ROCE, PFC]);
}

#[test]
fn tcp_is_decoded() {
    for cc in ["cubic", "tcp-dctcp", "prague"] {
        let more = r#"
            [capture]
            nodes = ["0..9"]
            snap_length = "2000B"
        "#;
        check(&incast(cc, more), &["eth:ethertype:ip:tcp"]);
        let wide = format!(
            r#"
            {more}
            [tcp]
            profile = "linux-wan"
        "#
        );
        check(&incast(cc, &wide), &["eth:ethertype:ip:tcp"]);
    }
}

#[test]
fn selective_acknowledgements_are_decoded() {
    let dir = tempfile::tempdir().unwrap();
    let more = r#"
        [capture]
        nodes = ["0..9"]
        [[queue]]
        discipline = "pfifo limit 20"
    "#;
    run(&incast("cubic", more), dir.path(), 1);
    let filter = "tcp.options.sack_le && frame.packet_flags_direction == 1";
    let fields = ["tcp.options.sack_le", "tcp.options.sack_re", "tcp.ack"];
    let Some(rows) = decoded(dir.path(), filter, &fields) else {
        return;
    };
    assert!(rows.len() > 10, "{}", rows.len());
    for row in &rows {
        let edges = |at: usize| row[at].split(',').map(|edge| edge.parse::<u64>().unwrap());
        assert!(
            edges(0).zip(edges(1)).all(|(left, right)| left < right),
            "{row:?}"
        );
    }
}

#[test]
fn trimmed_headers_and_credit_are_decoded() {
    let more = r#"
        [capture]
        nodes = ["0..9"]
        [switch]
        pfc = false
        trim_above = "80KB"
    "#;
    check(&incast("nscc", more), &[ROCE]);
    check(&incast("rccc", more), &[ROCE]);
}

/// The fields of a trace and of acknowledgements have the values of the simulator.
#[test]
fn fields_have_the_values_of_the_simulator() {
    let dir = tempfile::tempdir().unwrap();
    let more = r#"
        [capture]
        nodes = ["9"]
        telemetry = true
        snap_length = "2000B"
    "#;
    let summary = run(&incast("hpcc", more), dir.path(), 1);
    let data = "ipv6.opt.ioam.trace.node.tss && frame.packet_flags_direction == 2";
    let fields = [
        "frame.time_epoch",
        "ipv6.opt.ioam.trace.node.tss",
        "ipv6.opt.ioam.trace.node.tsf",
        "ipv6.opt.ioam.trace.node.qdepth",
    ];
    let Some(rows) = decoded(dir.path(), data, &fields) else {
        return;
    };
    assert!(rows.len() > 1_000, "{}", rows.len());
    let mut longest = 0;
    for row in &rows {
        let number = |at: usize| -> u64 {
            let text = &row[at];
            match text.strip_prefix("0x") {
                Some(hex) => u64::from_str_radix(hex, 16).unwrap(),
                None => text.parse().unwrap(),
            }
        };
        let (seconds, fraction) = row[0].split_once('.').unwrap();
        let left =
            seconds.parse::<u64>().unwrap() * 1_000_000_000 + fraction.parse::<u64>().unwrap();
        // The switch writes the time at which the packet leaves, in steps of 256 ps.
        let written = number(1) * 1_000_000_000 + number(2);
        assert!(written <= left && left <= written + 1, "{row:?}");
        longest = longest.max(number(3));
    }
    assert!(longest > 0 && longest <= summary.max_queue_bytes);
    // Every data packet has an acknowledgement, and the last one of a flow is for its last packet.
    let replies = [
        "infiniband.bth.opcode",
        "infiniband.aeth.syndrome",
        "infiniband.bth.psn",
    ];
    let filter = "infiniband.aeth && frame.packet_flags_direction == 1";
    let rows = decoded(dir.path(), filter, &replies).unwrap();
    assert!(rows.iter().all(|row| row[0] == "17"));
    let last = rows.iter().map(|row| row[2].parse::<u64>().unwrap()).max();
    assert_eq!(last, Some(299));
}
