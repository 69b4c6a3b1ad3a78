//! Tests of the sums of a profile.

use super::*;

fn profile_of(epochs: &[&[u64]]) -> Parallelism {
    let mut profile = Parallelism::with_reading(4, Reading::default());
    for costs in epochs {
        profile.costs.extend(costs.iter().copied().zip(0..));
        let span = Duration::from_nanos(costs.iter().sum::<u64>() + 10);
        profile.close_window(span, span);
    }
    profile
}

#[test]
fn windows_are_scheduled_one_by_one() {
    let profile = profile_of(&[&[3, 9, 4, 4], &[], &[5, 5]]);
    // Two workers: 9 | 4 4 3 is 11, and 5 | 5; from four on the costliest nodes.
    assert_eq!(profile.scheduled_ns, [16, 14, 14, 14, 14, 14, 14]);
    assert_eq!(profile.critical_ns, 14);
    assert_eq!(profile.search_ns, 30);
    assert_eq!(profile.epoch_work_ns, [20, 0, 10]);
    assert_eq!(profile.epoch_nodes, [4, 0, 2]);
    let totals = profile.nodes.iter().map(|node| (node.cost_ns, node.epochs));
    assert!(totals.eq([(8, 2), (14, 2), (4, 1), (4, 1)]));
}

#[test]
fn measuring_is_not_work() {
    let mut profile = Parallelism::with_reading(
        1,
        Reading {
            within_ns: 20,
            whole_ns: 50,
        },
    );
    profile.costs.extend([(100, 0), (200, 0)]);
    let span = Duration::from_nanos(300 + 2 * 50 + 20 + 7);
    profile.close_window(span, span);
    assert_eq!(profile.search_ns, 7);
}

#[test]
fn what_others_take_is_not_work() {
    let mut profile = Parallelism::with_reading(4, Reading::default());
    profile
        .costs
        .extend([(30, 0), (4_050, 1), (40, 2), (20, 3)]);
    let ns = Duration::from_nanos;
    profile.close_window(ns(4_150), ns(150));
    assert_eq!(profile.nodes[1].cost_ns, 50);
    assert_eq!([profile.critical_ns, profile.epoch_work_ns[0]], [50, 140]);
    assert_eq!(profile.search_ns, 10);
    // Two interruptions, and more lost than nodes can have lost.
    let mut costs = [(900, 1), (700, 3), (30, 0), (20, 2)];
    take_off(&mut costs, 5_000);
    assert_eq!(costs, [(30, 1), (30, 3), (30, 0), (20, 2)]);
    take_off(&mut [], 5);
}

#[test]
fn time_goes_to_domains_and_to_the_driver() {
    let wait = Duration::from_millis(2);
    let mut profile = Parallelism::new(2);
    profile.start();
    std::thread::sleep(3 * wait);
    profile.epoch_begins();
    profile.process_begins(1);
    std::thread::sleep(wait);
    profile.process_ends(1);
    profile.epoch_ends();
    // A reading costs far less than half a wait.
    assert!(profile.driver_ns > nanos(5 * wait / 2));
    assert!(profile.nodes[1].cost_ns > nanos(wait / 2));
    assert_eq!(profile.critical_ns, profile.nodes[1].cost_ns);
    assert_eq!([profile.nodes[0].epochs, profile.nodes[1].epochs], [0, 1]);
    assert_eq!(profile.nodes[0].cost_ns, 0);
}
