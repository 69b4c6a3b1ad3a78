//! Runs that cannot be captured.

use fabricsim::outcome::{Run, RunParts, WantedCheckpoint};
use fabricsim::{Scenario, Simulation};
use fabricsim_core::units::Time;

const CAPTURED: &str = "
    [topology]
    kind = \"star\"
    hosts = 3
    [[workload]]
    kind = \"permutation\"
    size = \"10KB\"
    [cc]
    kind = \"hpcc\"
    [capture]
    ";

fn scenario() -> Scenario {
    Scenario::from_toml(CAPTURED).unwrap()
}

#[test]
fn checkpoints_hold_no_frames() {
    let scenario = scenario();
    let wanted = WantedCheckpoint {
        at: Time::from_ns(1_000),
        path: "never-written.checkpoint".into(),
    };
    let taken = RunParts {
        checkpoints: vec![wanted],
        ..RunParts::default()
    };
    let error = Run::new(&scenario, 1)
        .unwrap()
        .in_parts(taken)
        .err()
        .unwrap();
    let said = error.to_string();
    assert!(
        said.contains("checkpoints hold no captured frames"),
        "{said}"
    );
    let mut simulation = Simulation::new(&scenario, 1).unwrap();
    simulation.run_until(Time::from_ns(500));
    let checkpoint = simulation.snapshot().unwrap();
    let from = RunParts {
        from: Some(&checkpoint),
        ..RunParts::default()
    };
    let error = Run::new(&scenario, 1)
        .unwrap()
        .in_parts(from)
        .err()
        .unwrap();
    assert!(error.to_string().contains("checkpoints hold"), "{error}");
}
