//! NICs of several rates in one network: a window is the number of bytes that the flow's own NIC
//! sends in a base round-trip time, independent of the NICs of other hosts.

use std::fmt::Write as _;
use std::path::Path;

use crate::algorithms::{cc_tables, factories_of};
use fabricsim::{Scenario, Simulation};
use fabricsim_base::units::{Duration, Time};
use fabricsim_core::network::Stop;
use fabricsim_scenario::cc::registry::{CcEntry, Transport};

const SENDERS: u64 = 8;
const MTU: u64 = 1_000;
/// 4 links of 2.89 us and two packets at 25 Gbps: T = 12.2 us, in which 25 Gbps carry 38,125 bytes.
const DELAY: &str = "2890ns";
const BASE_RTT: Duration = Duration::from_ns(4 * 2_890 + 2 * 320);
const WINDOW: u64 = 38_125;

/// Hosts 0 to 8 of 25 Gbps at the switch 9, then two idle hosts if `idle` has a rate.
fn star(idle: Option<&str>) -> String {
    let nodes = if idle.is_some() { 12 } else { 10 };
    let mut text = format!("{nodes} 1 {}\n9\n", nodes - 1);
    for host in 0..=SENDERS {
        writeln!(text, "{host} 9 25Gbps {DELAY} 0").unwrap();
    }
    for (host, rate) in [10, 11].into_iter().zip(idle.into_iter().cycle()) {
        writeln!(text, "{host} 9 {rate} {DELAY} 0").unwrap();
    }
    text
}

/// The outcome of eight hosts that send 2 MB each to host 8.
#[derive(Debug, PartialEq)]
struct Incast {
    fcts: Vec<Duration>,
    longest_queue: u64,
    /// Time of the last sample, taken every 5 us, in which the queue held more than 10 KB.
    short_from: Time,
    /// Bytes of a full packet on the wire.
    wire: u64,
}

fn incast(cc: &str, head: &str, idle: Option<&str>) -> Incast {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("star.txt"), star(idle)).unwrap();
    let flows = (0..SENDERS).map(|host| format!("{host},{SENDERS},2000000,0\n"));
    let flows = format!("src,dst,size_bytes,start_ns\n{}", flows.collect::<String>());
    std::fs::write(folder.path().join("flows.csv"), flows).unwrap();
    let text = format!(
        r#"
            {head}
            [topology]
            kind = "file"
            path = "star.txt"
            [[workload]]
            kind = "list"
            path = "flows.csv"
            [cc]
            {cc}
        "#
    );
    let scenario = Scenario::from_text("mixed.toml", &text, Path::new(folder.path()), &[]);
    let mut simulation = Simulation::new(&scenario.unwrap(), 1).unwrap();
    let mut short_from = Time::ZERO;
    for step in 1.. {
        let now = Time::from_ns(step * 5_000);
        let stop = simulation.run_until(now);
        if simulation.queued_bytes().get() > 10_000 {
            short_from = now;
        }
        if stop == Stop::Finished {
            break;
        }
    }
    let info = *simulation.network_info();
    assert_eq!(info.path_stats.base_rtt, BASE_RTT);
    let mut completions = simulation.take_completions();
    assert_eq!(completions.len() as u64, SENDERS);
    completions.sort_by_key(|completion| completion.flow.id);
    Incast {
        fcts: completions
            .iter()
            .map(|completion| completion.fct())
            .collect(),
        longest_queue: simulation.counters().max_queue.get(),
        short_from,
        wire: MTU + 48 + u64::from(info.telemetry_bytes),
    }
}

/// Returns the algorithms with a window, with that window enabled.
fn windowed() -> impl Iterator<Item = String> {
    let tables = cc_tables(Transport::Rdma).into_iter();
    tables.filter(|table| !table.contains("window = false"))
}

#[test]
fn hosts_that_do_nothing_change_nothing() {
    for cc in windowed().chain([r#"kind = "hpcc"
        form = "window""#
        .to_owned()])
    {
        for base in ["largest", "pair"] {
            let head = format!(
                r#"
                [rdma]
                base_rtt = "{base}""#
            );
            let alone = incast(&cc, &head, None);
            for rate in ["100Gbps", "400Gbps"] {
                let beside = incast(&cc, &head, Some(rate));
                assert_eq!(beside, alone, "{cc}, {base}, beside idle hosts of {rate}");
            }
        }
    }
}

/// Returns `true` if the algorithm of `table` has `key`.
fn has_key(table: &str, key: &str) -> bool {
    let of_table =
        |cc: &&CcEntry| table.lines().next() == Some(&format!(r#"kind = "{}""#, cc.name));
    let entry = factories_of(Transport::Rdma).find(of_table).unwrap();
    entry.keys().iter().any(|own| own.name == key)
}

/// By hand: a sender has sent a window when its first packet is acknowledged, and checks the window
/// before each packet, so it sends 39 packets of 1,000 bytes. A window counted in packets is a
/// whole number of them, 38, and so is a window into which a whole packet must fit, as in NSCC.
/// Credit counts headers, too. The packets that do not wait are in flight: in T the receiver's link
/// carries 35 packets of 1,090 bytes.
#[test]
fn the_longest_queue_is_that_of_the_senders_own_windows() {
    for mut cc in windowed() {
        if has_key(&cc, "max_window_bdp") {
            cc += "\nmax_window_bdp = 1";
        }
        let incast = incast(&cc, "", Some("100Gbps"));
        let packets = if has_key(&cc, "grant_packets") {
            WINDOW.div_ceil(incast.wire)
        } else if has_key(&cc, "max_cwnd") || has_key(&cc, "max_window_bdp") {
            WINDOW / MTU
        } else {
            WINDOW.div_ceil(MTU)
        };
        let in_flight = SENDERS * packets;
        let under_way = 25 * BASE_RTT.as_ps() / 8_000 / incast.wire;
        let expected = (in_flight - under_way) * incast.wire;
        assert!(
            incast.longest_queue <= in_flight * incast.wire,
            "{cc}: {incast:?}"
        );
        // The senders have sent the whole burst before any algorithm sees more than a first sign of
        // it.
        assert!(
            incast.longest_queue.abs_diff(expected) <= 2 * incast.wire,
            "{cc}: {incast:?}, by hand {expected}"
        );
    }
}
