//! The state of a simulation as bytes, and restoring it.

use fabricsim::checkpoint::Checkpoint;
use fabricsim::{Scenario, Simulation};
use fabricsim_base::checkpoint::Rebuilt;
use fabricsim_base::rng::{Purpose, Stream};
use fabricsim_base::units::Time;

use crate::cases::cases;

/// Returns everything observable of a simulation, as text.
fn seen(simulation: &mut Simulation) -> String {
    format!(
        "{:?} {:?}\n{:?}\n{:?}\n{:?}\n{:?}\n{:?}\n{:?}\n{:?}\n{:?}",
        simulation.now(),
        simulation.ended(),
        simulation.take_completions(),
        simulation.counters(),
        simulation.endpoint_counters(),
        simulation.unfinished(),
        simulation.queue_reports(),
        simulation.pause_events(),
        simulation.queue_distribution(),
        simulation.query_results(),
    )
}

/// Returns `count` instants before `end`, in order.
pub(crate) fn instants(seed: u64, end: Time, count: usize) -> Vec<Time> {
    let mut draws = Stream::new(seed, 0, Purpose::Custom(7));
    let mut at: Vec<Time> = (0..count)
        .map(|_| Time::from_ps(draws.below(end.as_ps())))
        .collect();
    at.sort_unstable();
    at
}

/// Checks that `restored`, made from a checkpoint of `saved`, has the fields that the checkpoint
/// leaves out.
fn assert_rebuilt(saved: &[Rebuilt], restored: &[Rebuilt], name: &str) {
    for (before, after) in saved.iter().zip(restored) {
        assert!(
            before == after,
            "{name}: {} changes while a simulation runs, and a checkpoint does not hold it:\n\
             saved    {}\nrestored {} {}",
            before.field,
            before.value,
            after.field,
            after.value
        );
    }
    assert_eq!(saved.len(), restored.len(), "{name}");
    assert!(!saved.is_empty(), "{name}: nothing was looked at");
}

/// Runs `scenario` as a whole, and from checkpoints at `count` instants.
pub(crate) fn check(name: &str, scenario: &Scenario, seed: u64, count: usize) {
    let mut whole = Simulation::new(scenario, 1).unwrap();
    let until = scenario
        .run()
        .stop_at
        .map_or(Time::MAX, |after| Time::ZERO + after);
    whole.run_until(until);
    let expected = seen(&mut whole);
    let end = match whole.ended() {
        // No end of its own: the time limit has stopped the run.
        Time::ZERO => whole.now(),
        ended => ended,
    };
    let mut simulation = Simulation::new(scenario, 1).unwrap();
    for (number, at) in instants(seed, end, count).into_iter().enumerate() {
        simulation.run_until(at);
        let checkpoint = simulation
            .snapshot()
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        let bytes = checkpoint.to_bytes();
        let read = Checkpoint::from_bytes(&bytes).unwrap();
        let threads = 1 + number % 3;
        let restored = Simulation::restore(scenario, threads, &read);
        let mut restored = restored.unwrap_or_else(|error| panic!("{name} at {at}: {error}"));
        assert_eq!(restored.now(), at, "{name}");
        let left_out = simulation.audit().unwrap();
        assert_rebuilt(&left_out, &restored.audit().unwrap(), name);
        // A second checkpoint is equal, so no state is missing or added.
        let again = restored.snapshot().unwrap().to_bytes();
        assert!(
            again == bytes,
            "{name} at {at}: {} and {} bytes",
            again.len(),
            bytes.len()
        );
        restored.run_until(until);
        let found = seen(&mut restored);
        assert!(
            found == expected,
            "{name} at {at} on {threads} threads:\n{found}\n{expected}"
        );
    }
    // Taking checkpoints must not affect the simulation itself.
    simulation.run_until(until);
    assert!(seen(&mut simulation) == expected, "{name}");
}

#[test]
fn restored_simulations_do_what_they_would_have_done() {
    for case in cases() {
        check(case.name, &case.scenario(), 3, 3);
    }
}
