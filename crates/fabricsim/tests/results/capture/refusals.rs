//! Runs that cannot be captured.

use crate::support;
use fabricsim::outcome::{Run, RunParts, WantedCheckpoint};
use fabricsim::{Error, Scenario, Simulation};
use fabricsim_base::units::Time;

const CAPTURED: &str = r#"
    [topology]
    kind = "star"
    hosts = 3
    [[workload]]
    kind = "permutation"
    size = "10KB"
    [cc]
    kind = "hpcc"
    [capture]
"#;

fn scenario() -> Scenario {
    support::scenario(CAPTURED)
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
    let plain = support::scenario(&CAPTURED.replace("[capture]", ""));
    let mut simulation = Simulation::new(&plain, 1).unwrap();
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

/// A program that does not handle the capture gets an error instead of losing it silently.
#[test]
fn a_program_says_where_frames_go() {
    let error = Simulation::new(&scenario(), 1).err().unwrap();
    let diagnostic = error.diagnostic().unwrap();
    assert_eq!(diagnostic.faulty_text(), "[capture]");
    assert!(error.to_string().contains("file"), "{error}");
    assert!(diagnostic.help().contains("Simulation::capturing"));
}

#[test]
fn captures_of_programs_need_a_folder_that_can_be_written() {
    let folder = tempfile::tempdir().unwrap();
    let open = |path: &std::path::Path| Simulation::capturing(&scenario(), 1, path);
    let missing = folder.path().join("none").join("run.pcapng");
    assert!(matches!(open(&missing), Err(Error::Write { .. })));
    let error = open(folder.path()).err().unwrap();
    assert!(error.to_string().contains("it is a folder"), "{error}");
    assert_eq!(folder.path().read_dir().unwrap().count(), 0);
}

#[test]
fn simulations_with_captures_have_no_checkpoints() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.pcapng");
    let mut simulation = Simulation::capturing(&scenario(), 1, &path).unwrap();
    let plain = support::scenario(&CAPTURED.replace("[capture]", ""));
    let checkpoint = Simulation::new(&plain, 1).unwrap().snapshot().unwrap();
    for refused in [
        simulation.snapshot().err(),
        simulation.resume(&checkpoint).err(),
        Simulation::restore(&scenario(), 1, &checkpoint).err(),
        simulation.fork(1).err(),
    ] {
        let said = refused.unwrap().to_string();
        assert!(said.contains("no captured frames"), "{said}");
    }
}
