//! Random small scenarios of all kinds.

use std::path::Path;

use fabricsim::Scenario;

use crate::random_scenario::scenario;
use crate::ranks::same_bytes::assert_ranks_do_not_matter;

#[test]
fn random_scenarios_have_the_results_of_one_process() {
    let (mut hops, mut pauses, mut unfinished) = (0, 0, 0);
    for seed in 0..100 {
        let text = scenario(seed);
        let scenario = Scenario::from_text("random", &text, Path::new("."), &[]);
        let scenario = scenario.unwrap_or_else(|error| panic!("{error}\n{text}"));
        let many = 2 + usize::try_from(seed % 3).unwrap();
        let threads = 1 + usize::try_from(seed % 2).unwrap();
        let summary = assert_ranks_do_not_matter(&scenario, &[(many, threads)], &text);
        hops += summary["packet_hops"].as_u64().unwrap();
        pauses += summary["pfc_pauses"].as_u64().unwrap();
        unfinished += u64::from(summary["status"] != "finished");
    }
    // Enough happened for the comparison to mean something.
    assert!(hops > 1_000_000 && pauses > 100 && unfinished > 3);
}
