//! The retransmission timeout follows the fabric, and timeouts for nothing are told.

use fabricsim::outcome::Status;
use fabricsim_base::units::Duration;

use crate::summary::{scenario, simulation, summary};

/// Two bursts of 64 hosts at 25 Gbps to one, beside a permutation of all 72: packets wait for
/// milliseconds in paused switches, and none is lost.
const INCAST: &str = "[topology]\nkind = \"leaf-spine\"\nleaves = 3\nhosts_per_leaf = 24\nspines = 2\n\
     host_rate = \"25Gbps\"\nfabric_rate = \"100Gbps\"\n\
     [[workload]]\nkind = \"incast\"\nfan_in = 64\nsize = \"500KB\"\nreceiver = 3\nperiod = \"500us\"\nduration = \"1ms\"\n\
     [[workload]]\nkind = \"permutation\"\nsize = \"2MB\"\n";

fn with(text: &str, cc: &str, more: &str) -> String {
    format!("{text}{more}[cc]\nkind = \"{cc}\"\n")
}

#[test]
fn pauses_do_not_look_like_losses() {
    for cc in ["dcqcn", "timely"] {
        let now = summary(&with(INCAST, cc, ""));
        let short = summary(&with(INCAST, cc, "[rdma]\nrto_min = \"4ms\"\n"));
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
        // What the default must not do happens where the timeout is short.
        assert!(short.timeouts > 0 && short.retransmitted_bytes > 0);
        let warning = &short.warnings[0];
        assert!(warning.starts_with(&format!("{} retransmission timeouts", short.timeouts)));
        assert!(warning.contains("[rdma] rto_min = \"4ms\""), "{warning}");
    }
}

#[test]
fn timeouts_of_losses_are_no_warning() {
    let lossy = INCAST.replace("500us", "100us").replace("1ms", "200us");
    let lossy = with(
        &lossy,
        "none",
        "[switch]\npfc = false\nbuffer = \"1MB\"\n[rdma]\nrto_min = \"200us\"\n",
    );
    let run = summary(&lossy);
    assert!(run.timeouts > 0 && run.buffer_drops > 0);
    assert!(
        run.warnings
            .iter()
            .all(|warning| !warning.contains("timeouts"))
    );
}

#[test]
fn the_timeout_follows_what_the_fabric_can_lose() {
    // 4.096 us x 2^17.
    let (long, short) = (Duration::from_ns(536_870_912), Duration::from_ms(4));
    let event = "[[event]]\nat = \"1ms\"\nkind = \"link-down\"\nlink = [72, 75]\n";
    for (more, expected) in [
        ("", long),
        ("[switch]\npfc = true\nheadroom = \"worst-case\"\n", long),
        ("[switch]\npfc = false\n", short),
        ("[switch]\nheadroom = \"published\"\n", short),
        (event, short),
        ("[rdma]\nrto_min = \"9ms\"\n", Duration::from_ms(9)),
        (
            "[switch]\npfc = false\n[rdma]\nrto_min = \"9ms\"\n",
            Duration::from_ms(9),
        ),
    ] {
        let scenario = scenario(&with(INCAST, "dcqcn", more));
        let resolved = scenario.transport_resolved();
        assert_eq!(resolved.rto_min, Some(expected), "{more}");
        let shown = &scenario.resolved()["rdma"]["rto_min"];
        assert_eq!(
            shown.as_str(),
            Some(expected.to_string().as_str()),
            "{more}"
        );
    }
    let published = format!("profile = \"ns3-hpcc\"\n{}", with(INCAST, "dcqcn", ""));
    assert_eq!(
        scenario(&published).transport_resolved().rto_min,
        Some(short)
    );
    let folder = tempfile::tempdir().unwrap();
    let links = |loss: f64| format!("3 1 2\n2\n0 2 100Gbps 1us 0\n1 2 100Gbps 1us {loss}\n");
    for (loss, expected) in [(0.0, long), (0.01, short)] {
        std::fs::write(folder.path().join("net.txt"), links(loss)).unwrap();
        let text = "[topology]\nkind = \"file\"\npath = \"net.txt\"\n\
                    [[workload]]\nkind = \"permutation\"\nsize = \"1KB\"\n[cc]\nkind = \"hpcc\"\n";
        let scenario = fabricsim::Scenario::from_text("test", text, folder.path(), &[]).unwrap();
        assert_eq!(
            scenario.transport_resolved().rto_min,
            Some(expected),
            "{loss}"
        );
    }
}

/// Two flows over links of `delay`, which takes four times as long there and back.
fn far(delay: &str, cc: &str, more: &str) -> String {
    let topology = format!("[topology]\nkind = \"star\"\nhosts = 4\ndelay = \"{delay}\"\n");
    let flows = "[[workload]]\nkind = \"incast\"\nfan_in = 2\nsize = \"10KB\"\nat = \"0s\"\n";
    with(&format!("{topology}{flows}"), cc, more)
}

/// A handshake and the first window take two round trips in which no byte is acknowledged.
#[test]
fn runs_over_long_paths_are_not_given_up() {
    for (delay, cc, more) in [
        ("200ms", "cubic", "[tcp]\nprofile = \"datacenter\"\n"),
        ("150ms", "cubic", "[tcp]\nprofile = \"linux-wan\"\n"),
        ("1s", "prague", "[tcp]\nprofile = \"linux-wan\"\n"),
        ("10s", "hpcc", ""),
        ("10s", "dcqcn", "[switch]\npfc = false\n"),
    ] {
        let run = summary(&far(delay, cc, more));
        assert_eq!(run.status, Status::Finished, "{cc} {delay}");
        assert_eq!(run.flows.finished, 2, "{cc} {delay}");
    }
}

#[test]
fn the_time_after_which_a_run_is_given_up_follows_the_network() {
    let after = |delay: &str, cc: &str, more: &str| {
        let info = *simulation(&far(delay, cc, more)).network_info();
        let round_trips = Duration::from_ps(4 * info.path_stats.base_rtt.as_ps());
        (info.stall_after, round_trips)
    };
    let second = Duration::from_ms(1_000);
    assert_eq!(after("1us", "dcqcn", "").0, second);
    assert_eq!(after("10ms", "cubic", "").0, second);
    // Where nothing is lost the timeout is 4.096 us x 2^17; datacenters have 2 ms, Linux 200 ms.
    for (delay, cc, more, timeout) in [
        ("1s", "dcqcn", "", Duration::from_ns(536_870_912)),
        ("1s", "cubic", "", Duration::from_ms(2)),
        (
            "1s",
            "cubic",
            "[tcp]\nprofile = \"linux-wan\"\n",
            Duration::from_ms(200),
        ),
        (
            "1us",
            "dcqcn",
            "[rdma]\nrto_min = \"3s\"\n",
            Duration::from_ms(3_000),
        ),
    ] {
        let (found, round_trips) = after(delay, cc, more);
        assert_eq!(found, round_trips + timeout, "{cc} {delay} {more}");
    }
    let given = after("1s", "cubic", "[run]\nstall_after = \"7ms\"\n").0;
    assert_eq!(given, Duration::from_ms(7));
}
