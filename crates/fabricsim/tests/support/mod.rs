//! Common steps of tests: a scenario from its text, and a run to its end.

use fabricsim::outcome::{Summary, run_to_folder};
use fabricsim::{Scenario, Simulation};
use fabricsim_base::units::Time;
use fabricsim_core::network::Stop;

/// Returns the scenario that `text` describes.
pub(crate) fn scenario(text: &str) -> Scenario {
    Scenario::from_toml(text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// Returns the simulation of `text`, at its start.
pub(crate) fn simulation(text: &str, threads: usize) -> Simulation {
    Simulation::new(&scenario(text), threads).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// Runs `text` until all its flows have ended.
pub(crate) fn run(text: &str, threads: usize) -> Simulation {
    let mut simulation = simulation(text, threads);
    let stop = simulation.run_until(Time::MAX);
    let left = simulation.unfinished();
    assert_eq!(stop, Stop::Finished, "{text}\n{left:?}");
    simulation
}

/// Runs `text` with results in a temporary folder, and returns its summary.
pub(crate) fn summary(text: &str, threads: usize) -> Summary {
    let folder = tempfile::tempdir().unwrap();
    run_to_folder(&scenario(text), folder.path(), threads, &mut ()).unwrap()
}
