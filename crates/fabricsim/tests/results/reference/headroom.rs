//! Under pauses the default headroom holds all packets that are on their way.

use fabricsim_scenario::cc::registry::{CONGESTION_CONTROLS, Transport};

use crate::reference::runs::{scenario, simulate};

/// Returns the keys of `[cc]` for every algorithm of RDMA, with a window and without if there is a
/// choice.
fn algorithms() -> Vec<String> {
    let mut algorithms = Vec::new();
    for cc in CONGESTION_CONTROLS
        .iter()
        .filter(|cc| cc.transport == Transport::Rdma)
    {
        let kind = format!(r#"kind = "{}""#, cc.name);
        match cc.name {
            _ if cc.keys().iter().any(|key| key.name == "window") => {
                algorithms.push(format!("{kind}\nwindow = true"));
                algorithms.push(format!("{kind}\nwindow = false"));
            }
            "none" => {
                algorithms.push(format!("{kind}\nwindow_bdp = 1"));
                algorithms.push(format!("{kind}\nwindow_bdp = 0"));
            }
            _ => algorithms.push(kind),
        }
    }
    algorithms
}

#[test]
fn nothing_is_dropped_under_any_algorithm() {
    for cc in algorithms() {
        let run = simulate(&scenario("pfc64", "", &cc));
        let counters = run.counters;
        eprintln!(
            "{} pauses, largest queue {} B: {cc:?}",
            counters.pauses,
            counters.max_queue.get()
        );
        assert_eq!(counters.buffer_drops, 0, "{cc}");
        assert_eq!(counters.queue_drops, 0, "{cc}");
        let again = run.records.iter().map(|record| record.retransmitted.get());
        assert_eq!(again.sum::<u64>(), 0, "{cc}");
        assert!(counters.pauses > 0, "{cc}: nobody was paused");
    }
}
