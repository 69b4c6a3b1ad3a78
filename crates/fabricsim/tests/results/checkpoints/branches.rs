//! Runs that continue from a checkpoint with other settings.

use crate::support;
use fabricsim::checkpoint::Checkpoint;
use fabricsim::outcome::{RunParts, run_in_parts_to_folder};
use fabricsim::{Scenario, Simulation};
use fabricsim_base::units::{Duration, Time};
use fabricsim_core::network::Stop;
use serde_json::Value;

const AT: Time = Time::from_ns(60_000);

fn scenario(cc: &str, more: &str) -> Scenario {
    let text = format!(
        r#"
            [topology]
            kind = "star"
            hosts = 9
            [cc]
            {cc}
            [[workload]]
            kind = "incast"
            fan_in = 8
            size = "400KB"
            at = "0s"
            receiver = 0
            [[workload]]
            kind = "poisson"
            sizes = "websearch"
            load = 0.3
            duration = "500us"
            {more}"#
    );
    support::scenario(&text)
}

fn taken(cc: &str, more: &str) -> Checkpoint {
    let mut simulation = Simulation::new(&scenario(cc, more), 1).unwrap();
    simulation.run_until(AT);
    simulation.snapshot().unwrap()
}

/// Runs the branch of `checkpoint` with other settings to its end. Returns the end of the last
/// flow.
fn ended(checkpoint: &Checkpoint, cc: &str, more: &str) -> Time {
    let mut branch = Simulation::restore(&scenario(cc, more), 1, checkpoint).unwrap();
    assert_eq!(branch.run_until(Time::MAX), Stop::Finished, "{cc} {more}");
    assert_eq!(branch.flows_started(), branch.flows_finished());
    branch.ended()
}

#[test]
fn flows_go_on_with_another_algorithm() {
    let checkpoint = taken(r#"kind = "dcqcn""#, "");
    let same = ended(&checkpoint, r#"kind = "dcqcn""#, "");
    for cc in ["timely", "dctcp", "swift", "nscc", "none", "theta-powertcp"] {
        let other = ended(&checkpoint, &format!(r#"kind = "{cc}""#), "");
        assert_ne!(other, same, "{cc}");
    }
    // The telemetry remains the same.
    let int = taken(r#"kind = "hpcc""#, "");
    ended(&int, r#"kind = "powertcp""#, "");
    ended(
        &int,
        r#"kind = "hpcc"
        eta = 0.5"#,
        "",
    );
}

/// A flow with only lost packets has used up its window when the new algorithm, which has none,
/// lets it continue. It sends at the next event of its host, here an acknowledgement of a flow that
/// has nothing left to send.
#[test]
fn what_another_algorithm_allows_is_sent_at_the_next_event() {
    let dir = tempfile::tempdir().unwrap();
    let topology = "4 1 3\n3\n0 3 100Gbps 1us 0\n1 3 100Gbps 1us 0\n2 3 100Gbps 1us 0.9999999\n";
    let flows = "2\n0 2 3 100 10000000 0\n0 1 3 100 20000 0.0001\n";
    std::fs::write(dir.path().join("topology.txt"), topology).unwrap();
    std::fs::write(dir.path().join("flows.txt"), flows).unwrap();
    let scenario = |cc: &str| {
        let text = format!(
            r#"
                [topology]
                kind = "file"
                path = "topology.txt"
                [cc]
                kind = "{cc}"
                [rdma]
                rto_min = "10ms"
                [[workload]]
                kind = "list"
                path = "flows.txt"
            "#
        );
        Scenario::from_text("case", &text, dir.path(), &[]).unwrap()
    };
    let mut simulation = Simulation::new(&scenario("dctcp"), 1).unwrap();
    simulation.run_until(Time::from_ns(103_000));
    let checkpoint = simulation.snapshot().unwrap();
    let sent = |simulation: &Simulation| simulation.endpoint_counters().packets;
    let mut branch = Simulation::restore(&scenario("timely"), 1, &checkpoint).unwrap();
    let before = sent(&branch);
    while sent(&branch) == before {
        branch.run_until(branch.now() + Duration::from_ns(20));
        assert!(
            branch.now() < Time::from_ns(200_000),
            "the window is used up"
        );
    }
    assert_eq!(
        branch.flows_finished(),
        0,
        "not first when the other flow ends"
    );
}

#[test]
fn a_branch_is_the_same_on_any_number_of_threads() {
    let checkpoint = taken(r#"kind = "dcqcn""#, "");
    let other = scenario(r#"kind = "timely""#, "");
    let run = |threads| {
        let mut branch = Simulation::restore(&other, threads, &checkpoint).unwrap();
        branch.run_until(Time::MAX);
        (branch.take_completions(), branch.counters())
    };
    let expected = run(1);
    assert!(run(2) == expected && run(3) == expected);
}

/// A flow that starts after the checkpoint has the new algorithm from its first packet.
#[test]
fn later_flows_know_nothing_of_the_algorithm_before() {
    let text = |cc: &str| {
        let text = format!(
            r#"
                [topology]
                kind = "star"
                hosts = 3
                [cc]
                kind = "{cc}"
                [[workload]]
                kind = "incast"
                fan_in = 2
                size = "500KB"
                at = "100us"
                receiver = 0
            "#
        );
        support::scenario(&text)
    };
    let mut before = Simulation::new(&text("timely"), 1).unwrap();
    before.run_until(AT);
    let checkpoint = before.snapshot().unwrap();
    let mut branch = Simulation::restore(&text("dcqcn"), 1, &checkpoint).unwrap();
    let mut whole = Simulation::new(&text("dcqcn"), 1).unwrap();
    for simulation in [&mut branch, &mut whole] {
        simulation.run_until(Time::MAX);
    }
    assert_eq!(branch.take_completions(), whole.take_completions());
}

#[test]
fn events_to_come_may_be_others() {
    let down = |at: &str| {
        let event = "[[event]]\nkind = \"link-rate\"\nlink = [0, 9]\nrate = \"10Gbps\"\nat";
        format!(r#"{event} = "{at}""#)
    };
    let cc = r#"kind = "dcqcn""#;
    let checkpoint = taken(cc, "");
    let whole = ended(&checkpoint, cc, "");
    let slower = ended(&checkpoint, cc, &down("70us"));
    assert!(slower > whole);
    let refused = Simulation::restore(&scenario(cc, &down("50us")), 1, &checkpoint);
    let message = refused.expect_err("it is in the past").to_string();
    assert_eq!(
        message,
        "the checkpoint: events before 60us, the time of the checkpoint, have changed"
    );
    // This equals a run that had the event from the start.
    let mut early = Simulation::new(&scenario(cc, &down("70us")), 1).unwrap();
    early.run_until(Time::MAX);
    assert_eq!(early.ended(), slower);
}

/// The results of a branch record their origin, and do not overwrite other results.
#[test]
fn results_of_a_branch_say_so() {
    let dir = tempfile::tempdir().unwrap();
    let dcqcn = scenario(r#"kind = "dcqcn""#, "");
    let file = dir.path().join("warm.checkpoint");
    let parts = RunParts {
        checkpoints: vec![fabricsim::outcome::WantedCheckpoint {
            at: AT,
            path: file.clone(),
        }],
        ..RunParts::default()
    };
    let whole = dir.path().join("whole");
    run_in_parts_to_folder(&dcqcn, &whole, 1, &mut (), parts).unwrap();
    let checkpoint = Checkpoint::read(&file).unwrap();
    let from = || RunParts {
        from: Some(&checkpoint),
        ..RunParts::default()
    };
    let timely = scenario(r#"kind = "timely""#, "");
    let Err(refused) = run_in_parts_to_folder(&timely, &whole, 1, &mut (), from()) else {
        panic!("other results are there");
    };
    let message = refused.to_string();
    assert!(message.contains("it has other results"), "{message}");
    let other = dir.path().join("other");
    run_in_parts_to_folder(&timely, &other, 1, &mut (), from()).unwrap();
    let summary = std::fs::read(other.join("summary.json")).unwrap();
    let summary: Value = serde_json::from_slice(&summary).unwrap();
    let branch = &summary["scenario"]["checkpoint"];
    assert_eq!(branch["time_ns"], 60_000.0);
    assert_eq!(branch["changed"]["cc.kind"]["before"], "dcqcn");
    assert_eq!(branch["changed"]["cc.kind"]["after"], "timely");
    // A run of the same settings from the start does not overwrite them either.
    let refused = fabricsim::outcome::run_to_folder(&timely, &other, 1, &mut ());
    assert!(refused.is_err());
    // Without changes it repeats the whole run.
    run_in_parts_to_folder(&dcqcn, &whole, 1, &mut (), from()).unwrap();
}
