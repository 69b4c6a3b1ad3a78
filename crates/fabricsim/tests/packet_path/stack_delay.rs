//! The time of a pass through a host: four of them in a round trip.

use std::path::Path;

use fabricsim::{Scenario, Simulation};
use fabricsim_base::units::{Duration, Time};
use fabricsim_core::network::Stop;

fn run(text: &str, threads: usize) -> Simulation {
    let scenario = Scenario::from_text("host.toml", text, Path::new("."), &[]);
    let mut simulation = Simulation::new(&scenario.unwrap(), threads).unwrap();
    assert_eq!(simulation.run_until(Time::MAX), Stop::Finished, "{text}");
    simulation
}

/// Flows of one packet, which meet nobody: they take their round trip.
fn lone(cc: &str, host: &str) -> String {
    format!(
        "[topology]\nkind = \"testbed\"\n[[workload]]\nkind = \"poisson\"\nsizes = \"1KB\"\n\
         load = 0.0002\nduration = \"5ms\"\nsources = [\"0\"]\ndestinations = [\"3\", \"5\"]\n\
         [cc]\n{cc}\n{host}"
    )
}

#[test]
fn a_round_trip_has_four_passes() {
    let open = "kind = \"newreno\"\nopening = \"open\"";
    let shaken = "kind = \"newreno\"";
    for (cc, round_trips) in [("kind = \"dcqcn\"", 1), (open, 1), (shaken, 2)] {
        let run = |host: &str| {
            let mut simulation = run(&lone(cc, host), 1);
            let mut done = simulation.take_completions();
            done.sort_by_key(|completion| completion.flow.id);
            let ideal = simulation.ideal();
            let flows = done.iter().map(|completion| {
                let base_rtt = completion.flow.path.base_rtt;
                [completion.fct(), base_rtt, ideal.of(completion)]
            });
            (
                simulation.network_info().path_stats.base_rtt,
                flows.collect::<Vec<_>>(),
            )
        };
        let (at_once, plain) = run("");
        let (later, delayed) = run("[host]\nstack_delay = \"3us\"\n");
        let four = Duration::from_us(12);
        assert_eq!(later, at_once + four, "T of the network");
        assert!(plain.len() > 3 && plain.len() == delayed.len());
        for (plain, delayed) in plain.iter().zip(&delayed) {
            let more = four * round_trips;
            assert_eq!(
                *delayed,
                [plain[0] + more, plain[1] + four, plain[2] + more],
                "{cc}"
            );
        }
        assert_eq!(run("[host]\nstack_delay = \"0s\"\n"), (at_once, plain));
    }
}

/// Pauses pass the stack too, and headroom knows: nothing is dropped.
#[test]
fn a_lossless_network_stays_lossless() {
    let text = "[topology]\nkind = \"testbed\"\n[host]\nstack_delay = \"4us\"\n[switch]\n\
                buffer = \"2MiB\"\nalpha = 0.11\n[[workload]]\nkind = \"incast\"\nfan_in = 7\n\
                size = \"500KB\"\nreceiver = 3\nat = \"0s\"\n[cc]\nkind = \"none\"\n\
                window_bdp = 0\n[routing]\nnics = [{ class = 0, to = 1 }]\n";
    let simulation = run(text, 2);
    let counters = simulation.counters();
    assert_eq!((counters.buffer_drops, counters.queue_drops), (0, 0));
    assert!(counters.pauses > 0);
}
