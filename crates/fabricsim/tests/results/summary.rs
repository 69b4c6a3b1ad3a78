//! Tests of a run's report on itself: counts that add up, ideal completion times that no flow beats
//! by more than their tolerance, unnecessary timeouts, and the expected utilization of links.

mod counts;
mod ideal;
mod timeouts;
mod utilization;

use fabricsim::outcome::{Summary, run_to_folder};
use fabricsim::{Scenario, Simulation};

fn scenario(text: &str) -> Scenario {
    Scenario::from_toml(text).unwrap_or_else(|error| panic!("{text}\n{error:?}"))
}

fn simulation(text: &str) -> Simulation {
    Simulation::new(&scenario(text), 1).unwrap()
}

fn summary(text: &str) -> Summary {
    let folder = tempfile::tempdir().unwrap();
    run_to_folder(&scenario(text), folder.path(), 1, &mut ()).unwrap()
}
