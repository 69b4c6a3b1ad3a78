//! Failures of links while pauses are in effect.

use crate::support;
use std::fmt::Write as _;

use crate::failures::{event, finish, finish_on_any_threads, us};

#[test]
fn a_failure_takes_pauses_with_it() {
    let mut text = r#"
        [topology]
        kind = "leaf-spine"
        leaves = 3
        hosts_per_leaf = 4
        spines = 1
        [switch]
        buffer = "2MiB"
        alpha = 0.0078125
        [rdma]
        rto_min = "100us"
        [[workload]]
        kind = "incast"
        fan_in = 11
        receiver = 0
        size = "400KB"
        at = "0us"
        [cc]
        kind = "none"
        window_bdp = 0.0
    "#
    .to_owned();
    // The links of a paused host and of the receiver, and links between switches, each down for 5
    // us.
    for (at, link) in [(20, [4, 13]), (30, [0, 12]), (40, [13, 15]), (50, [12, 15])] {
        for (at, kind) in [(at, "link-down"), (at + 5, "link-up")] {
            let what = format!(
                r#"kind = "{kind}"
                link = {link:?}"#
            );
            text.push_str(&event(at, &what));
        }
    }
    let simulation = finish_on_any_threads(&text);
    let counters = simulation.counters();
    assert!(counters.pauses > 20, "{counters:?}");
    assert!(counters.link_down_drops > 50, "{counters:?}");
}

/// The link of a paused host fails for a moment, which ends the pause at both ends. The switch must
/// pause the host again before it overruns the buffer by more than the bytes that were on the link.
#[test]
fn a_neighbor_is_paused_again_after_a_flap() {
    let mut text = r#"
        [topology]
        kind = "star"
        hosts = 9
        [switch]
        buffer = "2MiB"
        alpha = 0.0078125
        [rdma]
        rto_min = "100us"
        [[workload]]
        kind = "incast"
        fan_in = 8
        receiver = 0
        size = "1MB"
        at = "0us"
        [cc]
        kind = "none"
        window_bdp = 0.0
    "#
    .to_owned();
    for host in 1..9 {
        for (ns, kind) in [(11_000, "link-down"), (11_100, "link-up")] {
            writeln!(
                text,
                r#"
                    [[event]]
                    at = "{ns}ns"
                    kind = "{kind}"
                    link = [{host}, 9]"#
            )
            .unwrap();
        }
    }
    let mut simulation = support::simulation(&text, 1);
    simulation.run_until(us(11));
    assert!(simulation.counters().pauses > 0);
    finish(&mut simulation);
    let drops = simulation.counters().buffer_drops;
    println!("{drops} buffer drops");
    assert!(drops < 200, "{drops}");
}
