//! Every due flow counts once: it started or had no route, and a started flow has finished or not.

use crate::support;
use std::fmt::Write as _;

use proptest::prelude::*;

/// Links and switches of a leaf-spine with hosts 0 to 8, leaves 9 to 11 and spines 12 and 13 fail,
/// and some do not recover.
fn events() -> impl Strategy<Value = String> {
    let link = prop_oneof![
        (0u32..9).prop_map(|host| (host, 9 + host / 3)),
        (9u32..12, 12u32..14).prop_map(|(leaf, spine)| (leaf, spine)),
    ];
    let what = prop_oneof![
        link.clone().prop_map(|(a, b)| format!(
            r#"kind = "link-down"
                link = [{a}, {b}]"#
        )),
        link.prop_map(|(a, b)| format!(
            r#"kind = "link-up"
            link = [{a}, {b}]"#
        )),
        (9u32..14).prop_map(|switch| format!(
            r#"kind = "switch-down"
            switch = {switch}"#
        )),
        (9u32..14).prop_map(|switch| format!(
            r#"kind = "switch-up"
            switch = {switch}"#
        )),
    ];
    let event = (0u64..200, what);
    prop::collection::vec(event, 0..10).prop_map(|mut events| {
        events.sort();
        events.iter().fold(String::new(), |mut text, (at, what)| {
            let _ = writeln!(
                text,
                r#"
                [[event]]
                at = "{at}us"
                {what}"#
            );
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
            r#"
                [topology]
                kind = "leaf-spine"
                leaves = 3
                hosts_per_leaf = 3
                spines = 2
                [[workload]]
                kind = "all-to-all"
                size = "50KB"
                stagger = "{stagger}us"
                [run]
                stop_at = "{stop}us"
                [cc]
                kind = "{cc}"
                {events}"#
        );
        let flows = support::summary(&text, 1).flows;
        // In every round nine hosts begin a flow each, and rounds are `stagger` apart.
        let rounds = (0..8u64).filter(|round| round * stagger < stop).count() as u64;
        prop_assert_eq!(flows.started, flows.finished + flows.unfinished, "{}", text);
        prop_assert_eq!(flows.started + flows.unreachable, 9 * rounds, "{}", text);
    }
}

/// Host 0 is cut off from the start: its eight flows to other hosts and their flows to it never
/// start.
#[test]
fn flows_without_a_route_have_not_started() {
    let flows = support::summary(
        r#"
            [topology]
            kind = "star"
            hosts = 9
            [[workload]]
            kind = "all-to-all"
            size = "1KB"
            start = "1us"
            [[event]]
            at = "0s"
            kind = "link-down"
            link = [0, 9]
            [cc]
            kind = "hpcc"
        "#,
        1,
    )
    .flows;
    assert_eq!(
        (flows.started, flows.finished, flows.unfinished),
        (56, 56, 0)
    );
    assert_eq!(flows.unreachable, 16);
}
