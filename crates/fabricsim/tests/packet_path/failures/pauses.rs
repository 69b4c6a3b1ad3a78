//! Failures and pauses.

use std::fmt::Write as _;

use crate::failures::{event, finish, finish_on_any_threads, simulation, us};

#[test]
fn a_failure_takes_pauses_with_it() {
    let mut text = "[topology]\nkind = \"leaf-spine\"\nleaves = 3\nhosts_per_leaf = 4\nspines = 1\n\
         [switch]\nbuffer = \"2MiB\"\nalpha = 0.0078125\n[rdma]\nrto_min = \"100us\"\n\
         [[workload]]\nkind = \"incast\"\nfan_in = 11\nreceiver = 0\nsize = \"400KB\"\nat = \"0us\"\n\
         [cc]\nkind = \"none\"\nwindow_bdp = 0.0\n"
        .to_owned();
    // A host that is paused, the receiver, and links between switches, each down for 5 us.
    for (at, link) in [(20, [4, 13]), (30, [0, 12]), (40, [13, 15]), (50, [12, 15])] {
        for (at, kind) in [(at, "link-down"), (at + 5, "link-up")] {
            let what = format!("kind = \"{kind}\"\nlink = {link:?}");
            text.push_str(&event(at, &what));
        }
    }
    let simulation = finish_on_any_threads(&text);
    let counters = simulation.counters();
    assert!(counters.pauses > 20, "{counters:?}");
    assert!(counters.link_down_drops > 50, "{counters:?}");
}

/// A host is paused; its link fails for a moment, which ends the pause at both ends, so that it is
/// paused again before it overruns the buffer by more than what was on the wire.
#[test]
fn a_neighbor_is_paused_again_after_a_flap() {
    let mut text = "[topology]\nkind = \"star\"\nhosts = 9\n\
         [switch]\nbuffer = \"2MiB\"\nalpha = 0.0078125\n[rdma]\nrto_min = \"100us\"\n\
         [[workload]]\nkind = \"incast\"\nfan_in = 8\nreceiver = 0\nsize = \"1MB\"\nat = \"0us\"\n\
         [cc]\nkind = \"none\"\nwindow_bdp = 0.0\n"
        .to_owned();
    for host in 1..9 {
        for (ns, kind) in [(11_000, "link-down"), (11_100, "link-up")] {
            writeln!(
                text,
                "[[event]]\nat = \"{ns}ns\"\nkind = \"{kind}\"\nlink = [{host}, 9]"
            )
            .unwrap();
        }
    }
    let mut simulation = simulation(&text, 1);
    simulation.run_until(us(11));
    assert!(simulation.counters().pauses > 0);
    finish(&mut simulation);
    let drops = simulation.counters().buffer_drops;
    println!("{drops} buffer drops");
    assert!(drops < 200, "{drops}");
}
