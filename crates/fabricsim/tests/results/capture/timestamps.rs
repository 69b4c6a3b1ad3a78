//! Timestamps of TCP in captures (RFC 7323), compared with an oracle that knows frames only.

use std::collections::BTreeMap;

use crate::capture::file::{Frame, read};
use crate::capture::run;

/// The end of a connection: its address and port, and the address and port of the other end.
type End = ([u8; 6], [u8; 6]);

/// A TCP segment, parsed from the bytes of its frame.
#[derive(Debug)]
struct Segment {
    from: [u8; 6],
    to: [u8; 6],
    seq: u32,
    payload: u32,
    ack: Option<u32>,
    syn: bool,
    fin: bool,
    sack: bool,
    /// The timestamps option: TSval and TSecr.
    times: Option<(u32, u32)>,
}

fn word(bytes: &[u8]) -> u32 {
    u32::from_be_bytes(bytes[..4].try_into().unwrap())
}

impl Segment {
    fn of(frame: &Frame) -> Self {
        let (ip, tcp) = (&frame.bytes[14..34], &frame.bytes[34..]);
        let end = |address: &[u8], port: &[u8]| [address, port].concat().try_into().unwrap();
        let header = usize::from(tcp[12] >> 4) * 4;
        let len = usize::from(u16::from_be_bytes([ip[2], ip[3]]));
        let flags = tcp[13];
        let mut segment = Self {
            from: end(&ip[12..16], &tcp[..2]),
            to: end(&ip[16..20], &tcp[2..4]),
            seq: word(&tcp[4..]),
            payload: u32::try_from(len - 20 - header).unwrap(),
            ack: (flags & 0x10 != 0).then(|| word(&tcp[8..])),
            syn: flags & 2 != 0,
            fin: flags & 1 != 0,
            sack: false,
            times: None,
        };
        let mut options = &tcp[20..header];
        while let [kind, rest @ ..] = options {
            if *kind < 2 {
                options = rest;
                continue;
            }
            match kind {
                5 => segment.sack = true,
                8 => segment.times = Some((word(&options[2..]), word(&options[6..]))),
                _ => {}
            }
            options = &options[usize::from(rest[0])..];
        }
        segment
    }
}

/// The state of a connection at a host.
#[derive(Debug, Default)]
struct Known {
    /// TS.Recent and Last.ACK.sent (RFC 7323, section 4.3).
    recent: u32,
    last_ack: u32,
    /// The timestamp that arrived last.
    latest: u32,
    /// `true` if an acknowledgement has arrived since, with a frame that had no room for a
    /// timestamp beside its blocks.
    untimed: bool,
    /// `true` if the last sent segment has waited for the port, so that later segments arrived
    /// after its acknowledgement was made.
    waited: bool,
    /// The timestamp that was sent last.
    own: u32,
    /// The number of checked segments: with data, and without.
    checked: [u64; 2],
}

impl Known {
    /// A segment arrives (rule 2 of section 4.3).
    fn hear(&mut self, segment: &Segment) {
        let Some((sent, _)) = segment.times else {
            self.untimed = true;
            return;
        };
        self.untimed = false;
        self.latest = sent;
        if segment.syn || sent >= self.recent && segment.seq <= self.last_ack {
            self.recent = sent;
        }
    }

    /// A segment leaves at `us`.
    fn say(&mut self, us: u64, segment: &Segment, order: Order) {
        assert!(segment.times.is_some() || segment.sack, "{segment:?}");
        if let Some((sent, echo)) = segment.times {
            let (now, sent) = (u32::try_from(us).unwrap(), sent);
            assert!(sent >= self.own && sent <= now, "{segment:?} at {us}");
            assert!(now - sent < 2_000, "{segment:?} at {us}");
            self.own = sent;
            let waited = std::mem::replace(&mut self.waited, sent < now);
            let expected = match segment.ack {
                None => [0, 0],
                // The echo of a segment beyond a gap is immediate: see fidelity.md.
                Some(_) if order == Order::Gaps || waited => [self.recent, self.latest],
                Some(_) => [self.recent, self.recent],
            };
            let unseen = self.untimed && echo > self.recent && echo <= now;
            let right = expected.contains(&echo) || unseen;
            assert!(right, "{segment:?} at {us}: {self:?}");
            assert!(segment.ack.is_none() || echo > 0, "{segment:?}");
            self.checked[usize::from(segment.payload == 0)] += 1;
        }
        if let Some(ack) = segment.ack {
            self.last_ack = ack;
        }
    }
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Order {
    Kept,
    Gaps,
}

/// Follows both ends of all connections of `text` at their hosts. Returns the number of correct
/// segments with data, and without.
fn check(text: &str, order: Order) -> [u64; 2] {
    let dir = tempfile::tempdir().unwrap();
    run(text, dir.path(), 1);
    let (names, frames) = read(dir.path());
    let mut known: BTreeMap<End, Known> = BTreeMap::new();
    let at_hosts = frames
        .iter()
        .filter(|frame| names[frame.interface].starts_with("host"));
    for frame in at_hosts {
        let segment = Segment::of(frame);
        if frame.sent {
            let own = known.entry((segment.from, segment.to)).or_default();
            own.say(frame.ns / 1_000, &segment, order);
        } else {
            let own = known.entry((segment.to, segment.from)).or_default();
            own.hear(&segment);
        }
        if segment.syn {
            assert!(segment.times.is_some() && !segment.fin, "{segment:?}");
        }
    }
    let sums = known.values().map(|own| own.checked);
    sums.fold([0; 2], |sum, one| [sum[0] + one[0], sum[1] + one[1]])
}

const PAIR: &str = r#"
    [topology]
    kind = "star"
    hosts = 3
    rate = "1Gbps"
    delay = "50us"
    [cc]
    kind = "cubic"
    [capture]
    [run]
    stop_at = "300ms"
"#;

/// Both directions of each kind of connection: a sender, a fetch by a client, and downloads. The
/// clock begins at 1 ms, so that no timestamp is 0.
#[test]
fn each_segment_echoes_the_timestamp_that_the_rules_say() {
    for profile in ["linux-wan", "datacenter"] {
        let text = format!(
            r#"
                {PAIR}
                [tcp]
                profile = "{profile}"
                [[workload]]
                kind = "incast"
                fan_in = 1
                receiver = 1
                size = "200KB"
                at = "1ms"
                [[workload]]
                kind = "download"
                client = 2
                server = 1
                start = "2ms"
                [[workload]]
                kind = "fetch"
                client = 0
                server = 2
                start = "3ms"
                duration = "100ms"
                mean_arrival = "20ms"
                len_p95 = "64KiB"
            "#
        );
        let [data, others] = check(&text, Order::Kept);
        assert!(data > 2_000 && others > 500, "{profile}: {data}, {others}");
    }
}

/// A queue of 20 segments, which loses some.
#[test]
fn timestamps_are_right_where_segments_are_lost() {
    for profile in ["linux-wan", "datacenter"] {
        let text = format!(
            r#"
                {PAIR}
                [tcp]
                profile = "{profile}"
                [[queue]]
                discipline = "pfifo limit 20"
                [[workload]]
                kind = "incast"
                fan_in = 2
                receiver = 1
                size = "3MB"
                at = "1ms"
            "#
        );
        let [data, others] = check(&text, Order::Gaps);
        assert!(data > 2_000 && others > 500, "{profile}: {data}, {others}");
    }
}
