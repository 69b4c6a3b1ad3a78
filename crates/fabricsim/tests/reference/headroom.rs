//! Under pauses the default headroom holds whatever is on its way.

use fabricsim::registry::{LAWS, Transport};

use crate::runs::{scenario, simulate};

/// Every law of RDMA, with a window and without where that is a choice: the keys of `[cc]`.
fn laws() -> Vec<String> {
    let mut laws = Vec::new();
    for law in LAWS.iter().filter(|law| law.transport == Transport::Rdma) {
        let kind = format!("kind = \"{}\"", law.name);
        match law.name {
            _ if law.keys.iter().any(|(key, _)| *key == "window") => {
                laws.push(format!("{kind}\nwindow = true"));
                laws.push(format!("{kind}\nwindow = false"));
            }
            "line-rate" => {
                laws.push(format!("{kind}\nwindow_bdp = 1"));
                laws.push(format!("{kind}\nwindow_bdp = 0"));
            }
            _ => laws.push(kind),
        }
    }
    laws
}

#[test]
fn nothing_is_dropped_under_any_law() {
    for cc in laws() {
        let run = simulate(&scenario("pfc64", "", &cc));
        let counters = run.counters;
        eprintln!(
            "{} pauses, largest queue {} B: {cc:?}",
            counters.pauses, counters.max_queue
        );
        assert_eq!(counters.buffer_drops, 0, "{cc}");
        assert_eq!(counters.queue_drops, 0, "{cc}");
        let again = run.records.iter().map(|record| record.retransmitted.get());
        assert_eq!(again.sum::<u64>(), 0, "{cc}");
        assert!(counters.pauses > 0, "{cc}: nobody was paused");
    }
}
