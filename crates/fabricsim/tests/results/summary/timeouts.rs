//! The retransmission timeout follows the fabric, and needless timeouts cause a warning.

use crate::support;
use fabricsim::outcome::Status;
use fabricsim_base::units::Duration;

/// Two bursts of 64 hosts at 25 Gbps to one, with a permutation of all 72: packets wait for
/// milliseconds in paused switches, and none is lost.
const INCAST: &str = r#"
    [topology]
    kind = "leaf-spine"
    leaves = 3
    hosts_per_leaf = 24
    spines = 2
    host_rate = "25Gbps"
    fabric_rate = "100Gbps"
    [[workload]]
    kind = "incast"
    fan_in = 64
    size = "500KB"
    receiver = 3
    period = "500us"
    duration = "1ms"
    [[workload]]
    kind = "permutation"
    size = "2MB"
"#;

fn with(text: &str, cc: &str, more: &str) -> String {
    format!(
        r#"
        {text}{more}
        [cc]
        kind = "{cc}"
    "#
    )
}

#[test]
fn pauses_do_not_look_like_losses() {
    for cc in ["dcqcn", "timely"] {
        let now = support::summary(&with(INCAST, cc, ""), 1);
        let short = support::summary(
            &with(
                INCAST,
                cc,
                r#"
            [rdma]
            rto_min = "4ms"
        "#,
            ),
            1,
        );
        for run in [&now, &short] {
            assert_eq!(run.buffer_drops + run.link_losses + run.lost_bytes, 0);
            assert_eq!(run.flows.finished, 2 * 64 + 72);
        }
        println!(
            "{cc}: {} pauses; by default {} timeouts, {} bytes again; with 4ms {} timeouts, {} bytes again",
            now.pfc_pauses,
            now.timeouts,
            now.retransmitted_bytes,
            short.timeouts,
            short.retransmitted_bytes
        );
        assert!(now.pfc_pauses > 0);
        assert_eq!((now.timeouts, now.retransmitted_bytes), (0, 0));
        assert!(
            now.warnings
                .iter()
                .all(|warning| !warning.contains("timeouts"))
        );
        // A short timeout shows the needless retransmissions that the default avoids.
        assert!(short.timeouts > 0 && short.retransmitted_bytes > 0);
        let warning = &short.warnings[0];
        assert!(warning.starts_with(&format!("{} retransmission timeouts", short.timeouts)));
        assert!(warning.contains(r#"[rdma] rto_min = "4ms""#), "{warning}");
    }
}

#[test]
fn timeouts_of_losses_are_no_warning() {
    let lossy = INCAST.replace("500us", "100us").replace("1ms", "200us");
    let lossy = with(
        &lossy,
        "none",
        r#"
            [switch]
            pfc = false
            buffer = "1MB"
            [rdma]
            rto_min = "200us"
        "#,
    );
    let run = support::summary(&lossy, 1);
    assert!(run.timeouts > 0 && run.buffer_drops > 0);
    assert!(
        run.warnings
            .iter()
            .all(|warning| !warning.contains("timeouts"))
    );
}

#[test]
#[expect(clippy::too_many_lines, reason = "scenarios are written out")]
fn the_timeout_follows_what_the_fabric_can_lose() {
    // 4.096 us x 2^17.
    let (long, short) = (Duration::from_ns(536_870_912), Duration::from_ms(4));
    let event = r#"
        [[event]]
        at = "1ms"
        kind = "link-down"
        link = [72, 75]
    "#;
    // A fabric that can lose packets needs the short timeout, unless the scenario sets one.
    for (more, expected) in [
        ("", long),
        (
            r#"
            [switch]
            pfc = true
            headroom = "worst-case"
        "#,
            long,
        ),
        ("[switch]\npfc = false\n", short),
        (
            r#"
            [switch]
            headroom = "published"
        "#,
            short,
        ),
        (event, short),
        (
            r#"
            [rdma]
            rto_min = "9ms"
        "#,
            Duration::from_ms(9),
        ),
        (
            r#"
                [switch]
                pfc = false
                [rdma]
                rto_min = "9ms"
            "#,
            Duration::from_ms(9),
        ),
    ] {
        let scenario = support::scenario(&with(INCAST, "dcqcn", more));
        let resolved = scenario.transport_resolved();
        assert_eq!(resolved.rto_min, Some(expected), "{more}");
        let shown = &scenario.resolved()["rdma"]["rto_min"];
        assert_eq!(
            shown.as_str(),
            Some(expected.to_string().as_str()),
            "{more}"
        );
    }
    // The published profile always has the short timeout.
    let published = format!(
        r#"profile = "ns3-hpcc"
        {}"#,
        with(INCAST, "dcqcn", "")
    );
    assert_eq!(
        support::scenario(&published).transport_resolved().rto_min,
        Some(short)
    );
    // Loss on a single link is enough for the short timeout.
    let folder = tempfile::tempdir().unwrap();
    let links = |loss: f64| format!("3 1 2\n2\n0 2 100Gbps 1us 0\n1 2 100Gbps 1us {loss}\n");
    for (loss, expected) in [(0.0, long), (0.01, short)] {
        std::fs::write(folder.path().join("net.txt"), links(loss)).unwrap();
        let text = r#"
            [topology]
            kind = "file"
            path = "net.txt"
            [[workload]]
            kind = "permutation"
            size = "1KB"
            [cc]
            kind = "hpcc"
        "#;
        let scenario = fabricsim::Scenario::from_text("test", text, folder.path(), &[]).unwrap();
        assert_eq!(
            scenario.transport_resolved().rto_min,
            Some(expected),
            "{loss}"
        );
    }
}

/// Two flows over links of `delay`; a round trip crosses four of them.
fn far(delay: &str, cc: &str, more: &str) -> String {
    let topology = format!(
        r#"
        [topology]
        kind = "star"
        hosts = 4
        delay = "{delay}"
    "#
    );
    let flows = r#"
        [[workload]]
        kind = "incast"
        fan_in = 2
        size = "10KB"
        at = "0s"
    "#;
    with(&format!("{topology}{flows}"), cc, more)
}

/// A handshake and the first window take two round trips without an acknowledged byte.
#[test]
fn runs_over_long_paths_are_not_given_up() {
    for (delay, cc, more) in [
        (
            "200ms",
            "cubic",
            r#"
            [tcp]
            profile = "datacenter"
        "#,
        ),
        (
            "150ms",
            "cubic",
            r#"
            [tcp]
            profile = "linux-wan"
        "#,
        ),
        (
            "1s",
            "prague",
            r#"
            [tcp]
            profile = "linux-wan"
        "#,
        ),
        ("10s", "hpcc", ""),
        ("10s", "dcqcn", "[switch]\npfc = false\n"),
    ] {
        let run = support::summary(&far(delay, cc, more), 1);
        assert_eq!(run.status, Status::Finished, "{cc} {delay}");
        assert_eq!(run.flows.finished, 2, "{cc} {delay}");
    }
}

#[test]
fn the_time_after_which_a_run_is_given_up_follows_the_network() {
    let after = |delay: &str, cc: &str, more: &str| {
        let info = *support::simulation(&far(delay, cc, more), 1).network_info();
        let round_trips = Duration::from_ps(4 * info.path_stats.base_rtt.as_ps());
        (info.stall_after, round_trips)
    };
    let second = Duration::from_ms(1_000);
    assert_eq!(after("1us", "dcqcn", "").0, second);
    assert_eq!(after("10ms", "cubic", "").0, second);
    // Without losses the timeout is 4.096 us x 2^17; datacenters have 2 ms, Linux 200 ms.
    for (delay, cc, more, timeout) in [
        ("1s", "dcqcn", "", Duration::from_ns(536_870_912)),
        ("1s", "cubic", "", Duration::from_ms(2)),
        (
            "1s",
            "cubic",
            r#"
                [tcp]
                profile = "linux-wan"
            "#,
            Duration::from_ms(200),
        ),
        (
            "1us",
            "dcqcn",
            r#"
                [rdma]
                rto_min = "3s"
            "#,
            Duration::from_ms(3_000),
        ),
    ] {
        let (found, round_trips) = after(delay, cc, more);
        assert_eq!(found, round_trips + timeout, "{cc} {delay} {more}");
    }
    let given = after(
        "1s",
        "cubic",
        r#"
        [run]
        stall_after = "7ms"
    "#,
    )
    .0;
    assert_eq!(given, Duration::from_ms(7));
}
