//! Downloads and fetches: the bytes travel from the server to the client that requested them.

use crate::support;
use fabricsim::outcome::Summary;
use fabricsim_core::plugin::LiveFlow;

use super::*;

/// A host that sends to another at 50 Mbps, with a round trip of 20 ms.
const PAIR: &str = r#"
    [topology]
    kind = "star"
    hosts = 2
    rate = "10Gbps"
    downlink_rate = "50Mbps"
    delay = "5ms"
    [tcp]
    profile = "linux-wan"
    [switch]
    buffer = "1GB"
    [[queue]]
    discipline = "codel ecn"
"#;

/// Returns the rate and window of the only flow, sampled `count` times from `from` on, every 10 ms.
fn samples(text: &str, from: Duration, count: u64) -> Vec<LiveFlow> {
    let mut simulation = support::simulation(text, 1);
    let mut sample = |number: u64| {
        let at = Time::ZERO + from + Duration::from_ms(10) * number;
        assert_eq!(simulation.run_until(at), Stop::TimeReached);
        let live = simulation.live_flows();
        assert_eq!(live.len(), 1, "{live:?}");
        live[0]
    };
    (0..count).map(&mut sample).collect()
}

/// Returns the share of samples in which rate and window differ by more than a fiftieth or two
/// segments.
fn apart(a: &[LiveFlow], b: &[LiveFlow]) -> f64 {
    let differ = |a: f64, b: f64, least: f64| (a - b).abs() > least.max(0.02 * b);
    let window = |live: &LiveFlow| live.window.unwrap().as_f64();
    let pairs = a.iter().zip(b).filter(|(a, b)| {
        differ(window(a), window(b), 2.0 * 1_448.0)
            || differ(a.rate.as_bps_f64(), b.rate.as_bps_f64(), 0.0)
    });
    pairs.count() as f64 / a.len() as f64
}

/// The data of a download starts later than a flow from the server itself: by half a round trip, 10
/// ms, and by the transmission time of the request, which is less than 0.1 ms.
#[test]
fn windows_and_rates_of_a_download_are_those_of_its_server() {
    for cc in ["newreno", "cubic", "bbr", "prague"] {
        let head = format!(
            r#"
            {PAIR}
            [cc]
            kind = "{cc}"
            [run]
            stop_at = "9s"
            [[workload]]
        "#
        );
        let pushed = format!(
            r#"{head}kind = "incast"
                fan_in = 1
                receiver = 0
                size = "100MB"
                at = "0s"
            "#
        );
        let asked = format!(
            r#"{head}kind = "download"
            client = 0
            server = 1
        "#
        );
        let pushed = samples(&pushed, Duration::from_ms(25), 200);
        let asked = samples(&asked, Duration::from_us(35_100), 200);
        let windows = pushed.iter().map(|live| live.window);
        let least = windows.clone().min().flatten().unwrap();
        let most = windows.max().flatten().unwrap();
        assert!(most.get() > 3 * least.get(), "{cc}: {least} to {most}");
        // The first round-trip time differs by some bytes.
        let apart = apart(&asked, &pushed);
        assert!(apart < 0.03, "{cc}: {apart}");
        assert!(asked.iter().all(|live| live.flow.request.src == NodeId(0)));
    }
}

/// Until the server has received the request of a download, samples show its first window.
#[test]
fn a_download_that_is_being_opened_has_the_first_window() {
    let text = format!(
        r#"
            {PAIR}
            [cc]
            kind = "cubic"
            [run]
            stop_at = "1s"
            [[workload]]
            kind = "download"
            client = 0
            server = 1
        "#
    );
    let first = samples(&text, Duration::from_ms(1), 1)[0];
    assert_eq!(first.window, Some(Bytes::new(10 * 1_448)));
}

/// Two fetches on one connection: the second one continues with the window of the first.
#[test]
fn windows_of_fetches_are_those_of_the_server_also_on_a_connection_that_is_used_again() {
    let text = format!(
        r#"
            {PAIR}
            [cc]
            kind = "newreno"
            [run]
            stop_at = "20s"
            [[workload]]
            kind = "fetch"
            client = 0
            server = 1
            duration = "3s"
            len_p95 = "64KiB"
            mean_arrival = "20ms"
        "#
    );
    let mut simulation = support::simulation(&text, 1);
    let mut windows = std::collections::BTreeMap::<u32, Vec<u64>>::new();
    for ms in (0..6_000).step_by(5) {
        let stop = simulation.run_until(Time::ZERO + Duration::from_ms(ms));
        for live in simulation.live_flows() {
            let window = live.window.unwrap().get() / 1_448;
            windows.entry(live.flow.id.0).or_default().push(window);
        }
        if stop == Stop::Finished {
            break;
        }
    }
    assert!(windows.len() > 5, "{windows:?}");
    let grows = |all: &&Vec<u64>| all.last() > all.first();
    let growing = windows.values().filter(grows).count();
    assert!(growing > 5, "{windows:?}");
    let later = windows.values().filter(|all| all[0] > 10).count();
    assert!(later > 0, "a connection is used again: {windows:?}");
}

#[test]
fn runs_of_downloads_alone_are_told_apart_by_their_checksums() {
    let with = |cc: &str, server: u32| {
        let client = 1 - server;
        support::summary(
            &format!(
                r#"
                {PAIR}
                [cc]
                kind = "{cc}"
                [run]
                stop_at = "700ms"
                [[workload]]
                kind = "download"
                client = {client}
                server = {server}
            "#
            ),
            1,
        )
    };
    let first = with("cubic", 1);
    assert_eq!(first.checksum, with("cubic", 1).checksum);
    for (cc, server) in [("bbr", 1), ("prague", 1)] {
        let other = with(cc, server);
        let received = |summary: &Summary| summary.downloads[0].received_bytes;
        assert_ne!(received(&first), received(&other));
        assert_ne!(first.checksum, other.checksum, "{cc}");
    }
}

/// Routers of two groups, joined by links with different delays. A flow then has several unequal
/// shortest paths, and the best one gives the ideal.
#[test]
fn a_download_over_paths_that_differ_has_no_ideal_beyond_the_longest_time() {
    let text = r#"
        [topology]
        kind = "dragonfly"
        hosts_per_router = 1
        routers_per_group = 2
        global_links = 1
        local_delay = "700ns"
        global_delay = "9us"
        [cc]
        kind = "newreno"
        [[workload]]
        kind = "download"
        client = 4
        server = 1
        [run]
        stop_at = "50us"
    "#;
    let mut simulation = support::simulation(text, 1);
    assert_eq!(
        simulation.run_until(Time::ZERO + Duration::from_us(50)),
        Stop::TimeReached
    );
    assert_eq!(simulation.downloads().len(), 1);
}
