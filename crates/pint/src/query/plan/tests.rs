use proptest::prelude::*;

use super::*;

fn demand(bits: u32, frequency: f64) -> Demand {
    Demand { bits, frequency }
}

fn plan(demands: &[Demand], budget: u32) -> Result<Plan, ConfigError> {
    Plan::new(demands, budget, 1)
}

/// Returns the sets of a plan, as lists of query indices, and their shares.
fn shares(plan: &Plan) -> Vec<(Vec<usize>, f64)> {
    let rounded = |share: f64| (share * 1e5).round() / 1e5;
    let sets = plan.sets().iter();
    sets.map(|set| (set.queries.iter().collect(), rounded(set.share)))
        .collect()
}

#[test]
fn three_queries_of_a_byte_share_two_bytes() {
    let plan = plan(&[demand(8, 0.7), demand(8, 0.7), demand(8, 0.6)], 16).unwrap();
    let expected = [(vec![0, 1], 0.4), (vec![0, 2], 0.3), (vec![1, 2], 0.3)];
    assert_eq!(shares(&plan), expected);
}

#[test]
fn the_plan_of_the_combined_experiment() {
    let plan = plan(
        &[
            demand(8, 1.0),
            demand(8, 15.0 / 16.0),
            demand(8, 1.0 / 16.0),
        ],
        16,
    )
    .unwrap();
    assert_eq!(shares(&plan), [(vec![0, 1], 0.9375), (vec![0, 2], 0.0625)]);
    assert_eq!(plan.wire_bytes(), 2);
    let [latency, control] = plan.sets() else {
        panic!("two sets")
    };
    assert_eq!((latency.offset(0), latency.offset(1)), (0, 8));
    assert_eq!((control.offset(0), control.offset(2)), (0, 8));
}

#[test]
fn what_is_left_over_goes_to_all_alike() {
    let thirds = plan(&[demand(8, 0.5); 3], 16).unwrap();
    for query in 0..3 {
        assert!((thirds.frequency(query) - 2.0 / 3.0).abs() < 1e-6);
    }
    // Every packet serves the first query; the other two share the rest.
    let rest = plan(&[demand(8, 1.0), demand(8, 0.1), demand(8, 0.3)], 16).unwrap();
    let found: Vec<f64> = (0..3).map(|query| rest.frequency(query)).collect();
    for (found, expected) in found.into_iter().zip([1.0, 0.25, 0.75]) {
        assert!((found - expected).abs() < 1e-5, "{found}, not {expected}");
    }
    assert_eq!(
        shares(&plan(&[demand(4, 0.01)], 16).unwrap()),
        [(vec![0], 1.0)]
    );
}

#[test]
fn a_budget_that_is_too_small_is_refused_with_what_it_allows() {
    let refused = plan(&[demand(8, 1.0), demand(8, 1.0), demand(8, 0.5)], 16).unwrap_err();
    assert_eq!(refused.key, "bits");
    assert_eq!(
        refused.message,
        "the queries need 20.00 bits of a packet on average, and the budget is 16"
    );
    assert!(refused.help.ends_with("by 0.800"), "{}", refused.help);
    // There are enough bits on average, but no two digests fit in one packet.
    let refused = plan(&[demand(9, 0.6), demand(9, 0.6)], 16).unwrap_err();
    assert!(
        refused.message.contains("more than 83.3%"),
        "{}",
        refused.message
    );
}

#[test]
fn demands_without_a_meaning_are_refused() {
    let key = |demands: &[Demand], budget| plan(demands, budget).unwrap_err().key;
    assert_eq!(key(&[demand(0, 1.0)], 16), "bits");
    assert_eq!(key(&[demand(17, 1.0)], 16), "bits");
    assert_eq!(key(&[demand(8, 1.0)], 0), "bits");
    assert_eq!(key(&[demand(8, 1.0)], 65), "bits");
    assert_eq!(key(&[], 16), "query");
    assert_eq!(key(&[demand(1, 0.1); MOST_QUERIES + 1], 16), "query");
    for frequency in [0.0, 1e-300, 1e-6, -0.5, 1.01, f64::NAN] {
        assert_eq!(key(&[demand(8, frequency)], 16), "frequency");
    }
}

#[test]
fn packets_are_assigned_in_these_shares() {
    let plan = plan(&[demand(8, 0.7), demand(8, 0.7), demand(8, 0.6)], 16).unwrap();
    let count = 200_000u32;
    for set in plan.sets() {
        let same = (0..u64::from(count)).filter(|&packet| plan.set_of(packet) == set);
        let found = same.count() as f64;
        let expected = set.share * f64::from(count);
        let deviation = (expected * (1.0 - set.share)).sqrt();
        assert!(
            (found - expected).abs() < 4.0 * deviation,
            "{found} of {expected}"
        );
    }
}

proptest! {
    #[test]
    fn a_plan_keeps_its_promises(
        queries in proptest::collection::vec((1u32..=16, 0.01f64..=1.0), 1..6),
        budget in 1u32..=32,
    ) {
        let demands: Vec<Demand> = queries.iter().map(|&(bits, f)| demand(bits, f)).collect();
        let Ok(plan) = plan(&demands, budget) else {
            // If each digest fits in a packet, the demands divided by their number must have a
            // plan.
            let single = demands.iter().all(|d| d.bits <= budget);
            let half: Vec<Demand> = demands.iter()
                .map(|d| demand(d.bits, d.frequency / demands.len() as f64)).collect();
            prop_assert!(!single || Plan::new(&half, budget, 1).is_ok());
            return Ok(());
        };
        let total: f64 = plan.sets().iter().map(|set| set.share).sum();
        prop_assert!((total - 1.0).abs() < 1e-12);
        for set in plan.sets() {
            let mut next = 0;
            for index in set.queries.iter() {
                prop_assert_eq!(set.offset(index), next);
                next += demands[index].bits;
            }
            prop_assert!(next <= budget);
        }
        for (index, demand) in demands.iter().enumerate() {
            prop_assert!(plan.frequency(index) >= demand.frequency - 1e-5 && plan.frequency(index) > 0.0);
        }
    }
}
