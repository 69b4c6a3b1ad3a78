//! A capture contains exactly the events of the simulation.

use std::fs;

use crate::capture::file::{Frame, read};
use crate::capture::{HARSH, run, table};

/// Returns the sum of `column` in `links.csv` over all ports of switches and hosts, by port.
fn links(dir: &std::path::Path, column: &str) -> Vec<(String, u64)> {
    let mut sums: Vec<(String, u64)> = Vec::new();
    for row in table(dir, "links.csv") {
        let port = format!("{} port {}", row["name"], row["port"]);
        let count: u64 = row[column].parse().unwrap();
        match sums.iter_mut().find(|(name, _)| *name == port) {
            Some((_, sum)) => *sum += count,
            None => sums.push((port, count)),
        }
    }
    sums
}

fn observed(more: &str, cc: &str) -> String {
    format!(
        r#"
            {HARSH}
            [cc]
            kind = "{cc}"
            [output]
            pauses = true
            [observe]
            links = true
            {more}"#
    )
}

#[test]
fn every_port_has_sent_the_bytes_and_marks_that_its_link_counts() {
    for cc in ["hpcc", "dcqcn", "cubic"] {
        let dir = tempfile::tempdir().unwrap();
        let summary = run(&observed("[capture]\n", cc), dir.path(), 2);
        let (names, frames) = read(dir.path());
        let sent = |value: &dyn Fn(&Frame) -> u64| -> Vec<(String, u64)> {
            let of_port = |index: usize| {
                let own = frames.iter().filter(|frame| frame.interface == index);
                own.filter(|frame| frame.sent).map(value).sum()
            };
            (0..names.len())
                .map(|index| (names[index].clone(), of_port(index)))
                .collect()
        };
        assert_eq!(
            sent(&|frame| frame.wire as u64),
            links(dir.path(), "sent_bytes"),
            "{cc}"
        );
        let captured = summary.captured.as_ref().unwrap();
        assert_eq!(captured.frames, frames.len() as u64);
        let all_sent = frames.iter().filter(|frame| frame.sent).count() as u64;
        assert_eq!(all_sent, summary.packet_hops, "{cc}");
        assert!(frames.is_sorted_by_key(|frame| frame.ns));
        // Each arrival was sent, but frames that the links lost have not arrived.
        let lost = summary.link_losses;
        let arrived = frames.len() as u64 - all_sent;
        assert!(lost > 0 && summary.link_down_drops > 0, "{cc}: {summary:?}");
        assert!(arrived <= all_sent - lost, "{cc}");
        assert!(
            arrived + lost + summary.link_down_drops + 20 >= all_sent,
            "{cc}"
        );
    }
}

#[test]
fn pauses_arrive_when_and_where_the_log_says() {
    let dir = tempfile::tempdir().unwrap();
    let text = observed(
        r#"
            [capture]
            direction = "in"
            [switch]
            buffer = "600KB"
        "#,
        "dcqcn",
    );
    run(&text, dir.path(), 1);
    let (_, frames) = read(dir.path());
    let pauses: Vec<(u64, bool)> = frames
        .iter()
        .filter(|frame| frame.is_pause())
        .map(|frame| (frame.ns, frame.bytes[18..34].iter().any(|&byte| byte != 0)))
        .collect();
    let mut logged: Vec<(u64, bool)> = table(dir.path(), "pauses.csv")
        .iter()
        .map(|row| {
            let ns = row["time_ns"].split('.').next().unwrap().parse().unwrap();
            (ns, row["event"] == "pause")
        })
        .collect();
    assert!(pauses.len() > 10, "{}", pauses.len());
    let mut pauses = pauses;
    pauses.sort_unstable();
    logged.sort_unstable();
    assert_eq!(pauses, logged);
}

#[test]
fn switches_mark_what_they_send() {
    let dir = tempfile::tempdir().unwrap();
    run(
        &observed(
            r#"
            [capture]
            direction = "out"
        "#,
            "dcqcn",
        ),
        dir.path(),
        1,
    );
    let (names, frames) = read(dir.path());
    // The queue of the incast marks packets, and no later queue on the path to the host does.
    let marked: u64 = links(dir.path(), "marked_packets")
        .iter()
        .map(|(_, count)| count)
        .sum();
    let last = |frame: &&Frame| {
        let name = &names[frame.interface];
        frame.is_marked() && !name.starts_with("host")
    };
    assert!(marked > 10);
    assert_eq!(frames.iter().filter(last).count() as u64, marked);
}

/// The bit of a base transport header that echoes a mark.
#[test]
fn acknowledgements_echo_what_was_marked() {
    let dir = tempfile::tempdir().unwrap();
    run(
        &observed(
            r#"
            [capture]
            direction = "in"
        "#,
            "dcqcn",
        ),
        dir.path(),
        1,
    );
    let (names, frames) = read(dir.path());
    let at_hosts = frames
        .iter()
        .filter(|frame| names[frame.interface].starts_with("host"));
    let (data, replies): (Vec<&Frame>, Vec<&Frame>) = at_hosts
        .filter(|frame| !frame.is_pause())
        .partition(|frame| frame.bytes[42] != 17);
    let marked = data.iter().filter(|frame| frame.is_marked()).count();
    let echoes = replies
        .iter()
        .filter(|frame| frame.bytes[46] == 0x40)
        .count();
    assert!(marked > 10);
    // Some data has no acknowledgement of its own, and some acknowledgements are lost.
    assert!(
        echoes <= marked && 10 * echoes > 9 * marked,
        "{echoes} of {marked}"
    );
}

#[test]
fn nothing_arrives_over_a_link_that_has_failed() {
    const FAILS: u64 = 20_000;
    let dir = tempfile::tempdir().unwrap();
    run(&observed("[capture]\n", "hpcc"), dir.path(), 1);
    let rows = table(dir.path(), "topology.csv");
    let between = |a: &str, b: &str| {
        let mut own = rows
            .iter()
            .filter(|row| row["node"] == a && row["peer"] == b);
        let row = own.next().unwrap();
        format!("{} port {}", row["name"], row["port"])
    };
    let (names, frames) = read(dir.path());
    let of = |name: String| {
        let index = names.iter().position(|own| *own == name).unwrap();
        frames.iter().filter(move |frame| frame.interface == index)
    };
    let (below, above) = (between("8", "10"), between("10", "8"));
    let sent = of(below)
        .chain(of(above.clone()))
        .filter(|frame| frame.sent);
    let sent_late = sent
        .filter(|frame| (FAILS - 900..FAILS).contains(&frame.ns))
        .count();
    assert!(sent_late > 0, "something was on its way");
    let arrivals = of(above).filter(|frame| !frame.sent).map(|frame| frame.ns);
    let last = arrivals.max().unwrap();
    assert!(last < FAILS, "{last}");
}

#[test]
fn the_bytes_are_the_same_on_any_number_of_threads() {
    let captured = |threads| {
        let dir = tempfile::tempdir().unwrap();
        let capture = "[capture]\ntelemetry = true\n";
        run(&observed(capture, "hpcc"), dir.path(), threads);
        let series = fs::read(dir.path().join("links.csv")).unwrap();
        (fs::read(dir.path().join("capture.pcapng")).unwrap(), series)
    };
    let one = captured(1);
    assert!(one.0.len() > 1_000_000, "more than one chunk of the spill");
    for threads in [2, 3, 8] {
        assert!(captured(threads) == one, "{threads} threads");
    }
}

#[test]
fn a_capture_changes_no_result() {
    let results = |capture: &str| {
        let dir = tempfile::tempdir().unwrap();
        let text = format!(
            r#"
            {HARSH}
            [cc]
            kind = "hpcc"
            {capture}"#
        );
        let summary = run(&text, dir.path(), 1);
        (summary.checksum, summary.packet_hops, summary.events)
    };
    assert_eq!(results(""), results("[capture]\ntelemetry = true\n"));
}

#[test]
fn ports_flows_priorities_and_times_are_chosen() {
    let captured = |capture: &str| {
        let dir = tempfile::tempdir().unwrap();
        let text = format!(
            r#"
            {HARSH}
            [cc]
            kind = "hpcc"
            [capture]
            {capture}"#
        );
        let summary = run(&text, dir.path(), 1).captured.unwrap();
        let (names, frames) = read(dir.path());
        (names, frames, summary)
    };
    // A choice must equal the full capture, filtered by the same rule.
    let (all, frames, _) = captured("");
    let same = |chosen: &str, takes: &dyn Fn(&str, &Frame) -> bool| {
        let (names, own, _) = captured(chosen);
        let named = |names: &[String], frame: &Frame| {
            let Frame {
                ns,
                wire,
                sent,
                bytes,
                interface,
            } = frame.clone();
            (names[interface].clone(), ns, wire, sent, bytes)
        };
        let own: Vec<_> = own.iter().map(|frame| named(&names, frame)).collect();
        let wanted = frames
            .iter()
            .filter(|frame| takes(&all[frame.interface], frame));
        let wanted: Vec<_> = wanted.map(|frame| named(&all, frame)).collect();
        assert!(!own.is_empty(), "{chosen}");
        assert_eq!(own.len(), wanted.len(), "{chosen}");
        assert!(own == wanted, "{chosen}");
    };
    same(
        r#"nodes = ["8"]
        ports = ["1..3"]"#,
        &|name, _| ["leaf0 port 1", "leaf0 port 2"].contains(&name),
    );
    same(r#"direction = "out""#, &|_, frame| frame.sent);
    same(r#"direction = "in""#, &|_, frame| !frame.sent);
    same(
        r#"from = "10us"
        until = "30us""#,
        &|_, frame| (10_000..30_000).contains(&frame.ns),
    );
    // The queue pair in the base transport header is the flow's number plus 16.
    same(r#"flow_ids = ["2..4"]"#, &|_, frame| {
        frame.is_pause() || [18, 19].contains(&frame.bytes[49])
    });
    same(r#"priorities = ["3"]"#, &|_, frame| {
        frame.is_pause() || frame.bytes[15] >> 2 == 24
    });
    let (_, first, summary) = captured("max_frames = 100");
    assert_eq!(first, frames[..100]);
    assert_eq!(summary.left_out, frames.len() as u64 - 100);
}

/// A capture stores the requested bytes of a frame, and its whole length.
#[test]
fn frames_are_cut_at_the_snap_length() {
    let captured = |snap: &str| {
        let dir = tempfile::tempdir().unwrap();
        let capture = format!(
            r#"
            [capture]
            snap_length = "{snap}""#
        );
        run(
            &format!(
                r#"
                {HARSH}
                [cc]
                kind = "hpcc"
                {capture}"#
            ),
            dir.path(),
            1,
        );
        read(dir.path()).1
    };
    let (short, long) = (captured("64B"), captured("65535B"));
    assert_eq!(short.len(), long.len());
    for (short, long) in short.iter().zip(&long) {
        assert_eq!((short.ns, short.wire), (long.ns, long.wire));
        assert_eq!(long.bytes.len(), long.wire);
        assert_eq!(short.bytes, long.bytes[..long.wire.min(64)]);
    }
}
