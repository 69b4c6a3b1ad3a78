//! Switches that fail, forever or for a while.

use crate::support;
use fabricsim_base::id::NodeId;
use fabricsim_base::units::Time;
use fabricsim_core::network::Stop;

use crate::failures::{
    FAT_TREE, QUICK_TIMEOUT, TRAFFIC, each_algorithm, event, finish_on_any_threads, us,
};

#[test]
fn a_core_or_aggregation_switch_can_be_lost_for_ever() {
    each_algorithm(|cc, cut| {
        for switch in [90, 72] {
            let lost = event(
                30,
                &format!(
                    r#"kind = "switch-down"
                switch = {switch}"#
                ),
            );
            let text = [FAT_TREE, TRAFFIC, QUICK_TIMEOUT, &lost, cc].concat();
            let simulation = finish_on_any_threads(&text);
            let counters = simulation.counters();
            assert!(counters.link_down_drops >= cut, "{counters:?}");
            assert_eq!(counters.no_route, 0);
        }
    });
}

#[test]
fn the_flows_of_a_lost_rack_are_reported_and_the_others_finish() {
    let lost = event(
        30,
        r#"kind = "switch-down"
        switch = 54"#,
    );
    let cc = r#"
        [run]
        stall_after = "50ms"
        [cc]
        kind = "hpcc"
    "#;
    let text = [FAT_TREE, TRAFFIC, QUICK_TIMEOUT, &lost, cc].concat();
    let run = |threads| {
        let mut simulation = support::simulation(&text, threads);
        assert_eq!(simulation.run_until(Time::MAX), Stop::Stalled);
        let left = simulation.unfinished();
        let in_rack = |node: NodeId| (0..3).contains(&node.0);
        assert!(left.len() >= 2, "{left:?}");
        for unfinished in &left {
            let request = &unfinished.request;
            assert!(in_rack(request.src) || in_rack(request.dst), "{request:?}");
            let [src, dst] =
                [request.src, request.dst].map(|host| format!("host{host} (node {host})"));
            let reason = format!("no route from {src} to {dst}: tor0 (node 54) is down since 30us");
            assert!(
                unfinished.reason.starts_with(&reason),
                "{}",
                unfinished.reason
            );
        }
        let apart = simulation.unreachable();
        assert!(!apart.is_empty());
        for (index, request) in apart.iter().enumerate() {
            assert!(in_rack(request.src) || in_rack(request.dst), "{request:?}");
            assert!(request.start >= us(30));
            let reason = simulation.unreachable_reason(index);
            assert!(
                reason.contains("tor0 (node 54) is down since 30us"),
                "{reason}"
            );
        }
        assert_eq!(
            simulation.flows_started(),
            simulation.flows_finished() + left.len() as u64
        );
        simulation.take_completions()
    };
    assert_eq!(run(1), run(3));
}

#[test]
fn a_rack_that_comes_back_is_served_again() {
    let text = [
        FAT_TREE,
        r#"
            [[workload]]
            kind = "permutation"
            size = "400KB"
        "#,
        QUICK_TIMEOUT,
        // The failure lasts longer than a run waits for progress, since a pending event may be the
        // repair.
        &event(
            10,
            r#"kind = "switch-down"
            switch = 54"#,
        ),
        &event(
            90_000,
            r#"kind = "switch-up"
            switch = 54"#,
        ),
        r#"
            [run]
            stall_after = "1ms"
            [cc]
            kind = "hpcc"
        "#,
    ]
    .concat();
    let simulation = finish_on_any_threads(&text);
    assert!(simulation.now() > us(90_000));
}
