//! Programs that drive a simulation from outside of the engine.

mod cost;
mod log;
mod ring;
mod rules;
mod storm;

use fabricsim::{Scenario, Simulation};
use fabricsim_scenario::kinds::Registry;

/// A simulation of a scenario that may have no workload.
fn simulation(text: &str, threads: usize) -> Simulation {
    let registry = Registry::default().with_optional_workloads();
    let scenario = Scenario::from_toml_with(text, registry).unwrap();
    Simulation::new(&scenario, threads).unwrap()
}
