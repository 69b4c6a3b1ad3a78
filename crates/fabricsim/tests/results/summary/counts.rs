//! Every flow that is due is counted once: it started or had no route, and what started has
//! finished or not.

use std::fmt::Write as _;

use proptest::prelude::*;

use crate::summary::summary;

/// Links and switches of a leaf-spine with hosts 0 to 8, leaves 9 to 11 and spines 12 and 13 fail,
/// and not all come back.
fn events() -> impl Strategy<Value = String> {
    let link = prop_oneof![
        (0u32..9).prop_map(|host| (host, 9 + host / 3)),
        (9u32..12, 12u32..14).prop_map(|(leaf, spine)| (leaf, spine)),
    ];
    let what = prop_oneof![
        link.clone()
            .prop_map(|(a, b)| format!("kind = \"link-down\"\nlink = [{a}, {b}]")),
        link.prop_map(|(a, b)| format!("kind = \"link-up\"\nlink = [{a}, {b}]")),
        (9u32..14).prop_map(|switch| format!("kind = \"switch-down\"\nswitch = {switch}")),
        (9u32..14).prop_map(|switch| format!("kind = \"switch-up\"\nswitch = {switch}")),
    ];
    let event = (0u64..200, what);
    prop::collection::vec(event, 0..10).prop_map(|mut events| {
        events.sort();
        events.iter().fold(String::new(), |mut text, (at, what)| {
            let _ = writeln!(text, "[[event]]\nat = \"{at}us\"\n{what}");
            text
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 120, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn flows_add_up_whatever_fails(
        events in events(),
        stop in 1u64..400,
        stagger in 0u64..30,
        cc in prop::sample::select(vec!["hpcc", "dcqcn", "newreno"]),
    ) {
        let text = format!(
            "[topology]\nkind = \"leaf-spine\"\nleaves = 3\nhosts_per_leaf = 3\nspines = 2\n\
             [[workload]]\nkind = \"all-to-all\"\nsize = \"50KB\"\nstagger = \"{stagger}us\"\n\
             [run]\nstop_at = \"{stop}us\"\n[cc]\nkind = \"{cc}\"\n{events}"
        );
        let flows = summary(&text).flows;
        // Nine hosts begin a flow each in every round, the rounds `stagger` apart.
        let rounds = (0..8u64).filter(|round| round * stagger < stop).count() as u64;
        prop_assert_eq!(flows.started, flows.finished + flows.unfinished, "{}", text);
        prop_assert_eq!(flows.started + flows.unreachable, 9 * rounds, "{}", text);
    }
}

/// Host 0 is cut off from the start: its eight flows to others and theirs to it never start.
#[test]
fn flows_without_a_route_have_not_started() {
    let flows = summary(
        "[topology]\nkind = \"star\"\nhosts = 9\n[[workload]]\nkind = \"all-to-all\"\nsize = \"1KB\"\n\
         start = \"1us\"\n[[event]]\nat = \"0s\"\nkind = \"link-down\"\nlink = [0, 9]\n\
         [cc]\nkind = \"hpcc\"\n",
    )
    .flows;
    assert_eq!(
        (flows.started, flows.finished, flows.unfinished),
        (56, 56, 0)
    );
    assert_eq!(flows.unreachable, 16);
}
