//! Random failures of a fabric.

use crate::support;
use proptest::prelude::*;

use crate::failures::{QUICK_TIMEOUT, event, finish};

/// Returns a strategy for events in a leaf-spine fabric of nine hosts, three leaves (9 to 11) and
/// two spines.
fn incidents() -> impl Strategy<Value = String> {
    let links = prop_oneof![
        (0u32..9).prop_map(|host| [host, 9 + host / 3]),
        (9u32..12, 12u32..14).prop_map(|(leaf, spine)| [leaf, spine]),
    ];
    let on_link = (links, 0usize..6).prop_map(|(link, what)| {
        let kind = [
            r#""link-down""#,
            r#""link-down""#,
            r#""link-up""#,
            "\"link-rate\"\nrate = \"40Gbps\"",
            "\"link-loss\"\nloss = 0.05",
            "\"link-loss\"\nloss = 0",
        ][what];
        format!("link = {link:?}\nkind = {kind}")
    });
    let on_switch = (9u32..14, prop::bool::ANY).prop_map(|(switch, down)| {
        let kind = if down { "switch-down" } else { "switch-up" };
        format!(
            r#"switch = {switch}
            kind = "{kind}""#
        )
    });
    (0u64..60_000, prop_oneof![3 => on_link, 1 => on_switch]).prop_map(|(ns, what)| {
        format!(
            r#"
            [[event]]
            at = "{ns}ns"
            {what}
        "#
        )
    })
}

/// Returns the repair of everything, so that all flows can end.
fn repairs() -> String {
    let mut text = String::new();
    let hosts = (0..9).map(|host| [host, 9 + host / 3]);
    let fabric = (9..12).flat_map(|leaf| [[leaf, 12], [leaf, 13]]);
    for link in hosts.chain(fabric) {
        text.push_str(&event(
            80,
            &format!(
                r#"kind = "link-up"
            link = {link:?}"#
            ),
        ));
        let healed = format!(
            r#"kind = "link-loss"
            link = {link:?}
            loss = 0"#
        );
        text.push_str(&event(80, &healed));
    }
    for switch in 9..14 {
        let up = format!(
            r#"kind = "switch-up"
            switch = {switch}"#
        );
        text.push_str(&event(80, &up));
    }
    text
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, max_shrink_iters: 60, ..ProptestConfig::default() })]

    #[test]
    fn whatever_fails_everything_adds_up_and_every_flow_ends(
        incidents in prop::collection::vec(incidents(), 1..12),
        cc in prop::sample::select(vec![
            r#"kind = "hpcc""#, r#"kind = "none""#, r#"kind = "none"
                window_bdp = 0.0"#,
        ]),
        switch in prop::sample::select(vec![
            r#"buffer = "4MiB"
                alpha = 0.0078125"#, r#"pfc = false
                buffer = "200KiB""#, "",
        ]),
        convergence in 0u64..30,
        profile in prop::bool::weighted(0.2),
    ) {
        let profile = if profile { "profile = \"ns3-hpcc\"\n" } else { "" };
        let text = format!(
            "{profile}[topology]\nkind = \"leaf-spine\"\nleaves = 3\nhosts_per_leaf = 3\nspines = 2\n\
             [switch]\n{switch}\n[routing]\nconvergence = \"{convergence}us\"\n{QUICK_TIMEOUT}\
             [[workload]]\nkind = \"all-to-all\"\nsize = \"40KB\"\n\
             [[workload]]\nkind = \"incast\"\nfan_in = 8\nsize = \"20KB\"\nat = \"30us\"\n\
             [cc]\n{cc}\n{}{}",
            incidents.concat(), repairs()
        );
        let run = |threads| {
            let mut simulation = support::simulation(&text, threads);
            let done = finish(&mut simulation);
            let apart = simulation.unreachable().len();
            assert_eq!(done.len() as u64, simulation.flows_started());
            // The flows of the workloads, and the byte that ends a run.
            assert_eq!(done.len() + apart, 9 * 8 + 8 + 1);
            (done, simulation.counters(), simulation.epochs())
        };
        prop_assert_eq!(run(1), run(3));
    }
}
