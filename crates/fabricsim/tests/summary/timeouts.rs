//! The retransmission timeout follows the fabric, and timeouts for nothing are told.

use fabricsim_core::units::Duration;

use crate::{scenario, summary};

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
