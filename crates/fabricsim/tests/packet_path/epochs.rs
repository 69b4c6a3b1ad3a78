//! Tests that the division of time into epochs does not matter. Random networks with very different
//! link delays, and with failures in quick succession, give the same results if they run as a
//! whole, in odd steps, or in steps so short that no switch runs lazily. The same holds for
//! everything observable along the way, for a simulation restored from a checkpoint there, and for
//! ports that timers serve on time.

mod cases;
mod failures;

use std::fs;
use std::ops::Range;
use std::path::Path;

use fabricsim::checkpoint::Checkpoint;
use fabricsim::simulation::PauseEvent;
use fabricsim::{Error, Scenario, Simulation};
use fabricsim_base::flow::Completion;
use fabricsim_base::units::{Bytes, Duration, Time};
use fabricsim_core::network::{Counters, Stop};
use fabricsim_core::packet::Header;
use fabricsim_core::plugin::{EndpointCounters, Observer};

use crate::epochs::cases::{Case, REPAIRED, case, crowds, long};
use crate::epochs::failures::{flaps, lost_resume};

/// The time at which a host sends a last byte, after everything else.
const LAST: Time = Time::from_ns(20_000_000_000);

/// The observable state of a simulation at one time.
#[derive(Debug, PartialEq)]
struct Sample {
    stop: Stop,
    now: Time,
    network: Counters,
    ends: EndpointCounters,
    queued: Bytes,
    paused: usize,
    pauses: Vec<PauseEvent>,
    done: Vec<Completion>,
}

fn look(simulation: &mut Simulation, stop: Stop) -> Sample {
    Sample {
        stop,
        now: simulation.now(),
        network: simulation.counters(),
        ends: simulation.endpoint_counters(),
        queued: simulation.queued_bytes(),
        paused: simulation.paused_ports(),
        pauses: simulation.pause_events(),
        done: simulation.take_completions(),
    }
}

/// A way of running a case.
#[derive(Clone, Copy, Debug)]
enum Way {
    /// In steps as short as an epoch, so no node runs lazily.
    Level,
    /// From sample to sample, unless the fields say otherwise.
    Looks { late_events: bool, probed: bool },
    /// From sample to sample, with a restore from a checkpoint at each of them.
    Restored,
    /// From sample to sample, with an observer at each node that needs calls in the order of time,
    /// so all ports of switches have timers.
    Observed,
}

/// An observer that needs calls in the order of time, and does nothing.
#[derive(Debug)]
struct Watcher;

impl<H: Header> Observer<H> for Watcher {}

fn build(case: &Case, dir: &Path, threads: usize) -> Result<Simulation, Error> {
    fs::write(dir.join("topology.txt"), &case.topology).unwrap();
    let scenario = Scenario::from_text("case", &case.scenario, dir, &[])?;
    let mut simulation = Simulation::new(&scenario, threads)?;
    for flow in &case.flows {
        simulation.inject(*flow)?;
    }
    Ok(simulation)
}

/// Returns the simulation restored from a checkpoint of `simulation`, to run on `threads` threads.
fn again(simulation: &mut Simulation, threads: usize) -> Simulation {
    let checkpoint = simulation.snapshot().unwrap();
    let bytes = checkpoint.to_bytes();
    let read = Checkpoint::from_bytes(&bytes).unwrap();
    let mut restored = Simulation::restore(simulation.scenario(), threads, &read).unwrap();
    assert!(
        restored.snapshot().unwrap().to_bytes() == bytes,
        "nothing is left out"
    );
    restored
}

/// Runs a case. Returns a sample for each time in `looks` and one for the end.
fn run(case: &Case, way: Way, threads: usize) -> Result<Vec<Sample>, Error> {
    let dir = tempfile::tempdir().unwrap();
    let mut simulation = build(case, dir.path(), threads)?;
    if matches!(way, Way::Observed) {
        simulation.observe(|_| Watcher);
    }
    // Late events are scheduled just before they are due, since a running simulation must accept
    // them too.
    let mut coming = case.events.iter().peekable();
    let late = matches!(
        way,
        Way::Looks {
            late_events: true,
            ..
        }
    );
    if !late {
        for event in coming.by_ref() {
            simulation.schedule(*event)?;
        }
    }
    let mut samples = Vec::new();
    let mut stop = Stop::TimeReached;
    // Every way stops at the same times, so that its samples can be compared.
    for &until in &case.looks {
        while let Some(event) = coming.next_if(|event| event.at < until) {
            simulation.schedule(*event)?;
        }
        match way {
            Way::Level => {
                let mut at = simulation.now();
                while at < until && stop == Stop::TimeReached {
                    at = (at + case.lookahead).min(until);
                    stop = simulation.run_until(at);
                }
            }
            Way::Looks { probed: true, .. } => {
                stop = simulation.run_probed(until, &mut (), &mut ());
            }
            Way::Looks { .. } | Way::Restored | Way::Observed => stop = simulation.run_until(until),
        }
        samples.push(look(&mut simulation, stop));
        if matches!(way, Way::Restored) {
            simulation = again(&mut simulation, 1 + samples.len() % threads);
        }
    }
    for event in coming {
        simulation.schedule(*event)?;
    }
    if matches!(way, Way::Level) {
        let mut at = simulation.now();
        while at < REPAIRED + Duration::from_us(1_000) && stop == Stop::TimeReached {
            at += case.lookahead;
            stop = simulation.run_until(at);
        }
    }
    // A host sends the last byte, and then nothing is left in the network.
    stop = simulation.run_until(LAST);
    samples.push(look(&mut simulation, stop));
    stop = simulation.run_until(Time::MAX);
    samples.push(look(&mut simulation, stop));
    Ok(samples)
}

/// Returns `true` if the case of `seed` can be built. If so, runs it in all ways.
fn check(seed: u64) -> bool {
    check_case(&case(seed), seed)
}

/// Returns `true` if `case`, the case of `seed` or a similar one, can be built. If so, runs it in
/// all ways.
fn check_case(case: &Case, seed: u64) -> bool {
    // Some buffers have no room for the headroom of long links.
    let Ok(expected) = run(case, Way::Level, 1) else {
        return false;
    };
    let looks = |late_events, probed| Way::Looks {
        late_events,
        probed,
    };
    let threads = 2 + usize::try_from(seed % 7).unwrap();
    for (way, threads) in [
        (looks(false, false), 1),
        (looks(true, false), 1),
        (looks(false, false), threads),
        (looks(true, true), 3),
        (Way::Restored, 3),
        (Way::Observed, 2),
    ] {
        let seen = run(case, way, threads).unwrap();
        assert_eq!(seen, expected, "case {seed}, {way:?}, {threads} threads");
    }
    // In one go, without samples on the way.
    let seen = run_whole(case, Time::MAX).unwrap();
    let last = expected.last().unwrap();
    let done = expected
        .iter()
        .flat_map(|sample| sample.done.iter().copied());
    assert_eq!(seen.done, done.collect::<Vec<_>>(), "case {seed}");
    assert_eq!(
        (seen.stop, seen.ends),
        (last.stop, last.ends),
        "case {seed}"
    );
    true
}

fn run_whole(case: &Case, until: Time) -> Result<Sample, Error> {
    let dir = tempfile::tempdir().unwrap();
    let mut simulation = build(case, dir.path(), 1)?;
    for &event in &case.events {
        simulation.schedule(event)?;
    }
    let stop = simulation.run_until(until);
    Ok(look(&mut simulation, stop))
}

/// Runs a case until its flows have ended, while packets may still be on their way. Returns `true`
/// if it can be built.
fn check_end(seed: u64) -> bool {
    check_end_of(case(seed), seed)
}

fn check_end_of(mut case: Case, seed: u64) -> bool {
    case.scenario = case.scenario.replace("20s", "1us");
    let Ok(end) = run_whole(&case, Time::MAX) else {
        return false;
    };
    assert_eq!(end.stop, Stop::Finished, "case {seed}");
    let seen = run_whole(&case, end.now).unwrap();
    assert_eq!(seen, end, "case {seed}");
    true
}

/// Checks `cases`, most of which can be built.
fn check_all(cases: Range<u64>, check: impl Fn(u64) -> bool) {
    let count = usize::try_from(cases.end - cases.start).unwrap();
    let built = cases.filter(|&seed| check(seed)).count();
    assert!(10 * built > 9 * count, "{built} of {count}");
}

#[test]
fn windows_do_not_matter() {
    check_all(100..150, check);
    // The link of a host recovers before a time at which its port was due for service.
    assert!(check(44_536));
}

/// A packet is not forwarded without queueing at a port with a due event.
#[test]
fn a_frame_is_lost_at_the_instant_at_which_it_was_to_leave() {
    assert!(check_case(&lost_resume(), 0));
}

/// Packets that wait in the inbox leave as from a queue.
#[test]
fn many_packets_for_a_port_in_an_epoch_leave_as_one_by_one() {
    for seed in 0..60 {
        assert!(check_case(&crowds(seed), seed));
    }
}

/// The same at rates at which a byte does not take a whole number of picoseconds.
#[test]
fn many_packets_for_a_port_leave_as_one_by_one_at_odd_rates() {
    for seed in 0..24 {
        let mut case = crowds(seed);
        case.topology = case.topology.replace(" 100Gbps", " 30Gbps");
        assert!(check_case(&case, seed));
    }
}

/// Waiting packets are lost, and the port has an event when its link becomes free in any case.
#[test]
fn a_link_is_down_for_less_than_a_packet() {
    for seed in 0..20 {
        assert!(check_case(&flaps(seed), seed));
    }
}

/// If a run ends by itself, everything before its end has happened.
#[test]
fn nobody_lags_behind_in_the_end() {
    check_all(150..250, check_end);
    // In networks with two sides, which alternate until shortly before the end.
    check_all(150..200, |seed| check_end_of(crowds(seed), seed));
    check_all(150..160, |seed| check_end_of(long(crowds(seed)), seed));
}

/// Returns the seeds from `FABRICSIM_SEEDS`, such as `30000..90000`, or `usual`.
fn seeds(usual: Range<u64>) -> Range<u64> {
    let Ok(text) = std::env::var("FABRICSIM_SEEDS") else {
        return usual;
    };
    let (from, to) = text.split_once("..").expect("FABRICSIM_SEEDS is FROM..TO");
    let number = |text: &str| text.parse().expect("FABRICSIM_SEEDS is FROM..TO");
    number(from)..number(to)
}

#[test]
#[ignore = "takes minutes"]
fn windows_do_not_matter_in_many_cases() {
    check_all(seeds(1_000..4_000), |seed| {
        let ends = check_end(seed) && check_end_of(crowds(seed), seed);
        let ends = ends && (seed % 16 > 0 || check_end_of(long(crowds(seed)), seed));
        check_case(&crowds(seed), seed) && check(seed) && ends
    });
}
