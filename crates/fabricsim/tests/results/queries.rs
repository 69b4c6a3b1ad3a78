//! Queries on real packets (PINT, SIGCOMM 2020): found paths equal the paths of packets, quantiles
//! are close to the truth, and all switches and sinks follow a plan.

mod paths;
mod plans;
mod values;

use crate::support;
use fabricsim::{Scenario, Simulation};
use fabricsim_base::flow::Completion;
use fabricsim_base::units::Time;
use fabricsim_core::network::Stop;
use fabricsim_pint::query::{PathResult, QueryResults};

/// 320 hosts, then 20 top-of-rack, 20 aggregation and 16 core switches.
const FAT320: &str = r#"
    [topology]
    kind = "fat-tree"
    preset = "hpcc-fat320"
"#;

/// Runs `scenario` to the end of all flows.
fn finish(scenario: &Scenario, threads: usize) -> (Vec<Completion>, QueryResults) {
    let mut simulation = Simulation::new(scenario, threads).unwrap();
    assert_eq!(simulation.run_until(Time::MAX), Stop::Finished);
    (simulation.take_completions(), simulation.query_results())
}

fn query(keys: &str) -> String {
    format!("[[query]]\n{keys}\n")
}

/// Checks that no path was wrong and that no digest was used for an outdated path. Returns the
/// number of found paths.
fn decoded(results: &QueryResults) -> usize {
    let known: Vec<&PathResult> = results
        .paths
        .iter()
        .filter(|result| result.part.decoded_after.is_some())
        .collect();
    for result in &known {
        assert_eq!(result.part.correct, Some(true), "{result:?}");
        assert_eq!(result.part.path.len(), usize::from(result.part.hops));
    }
    known.len()
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (mut sum, mut count) = (0.0, 0u32);
    for value in values {
        sum += value;
        count += 1;
    }
    sum / f64::from(count)
}

/// Web search traffic at 60% on 16 hosts, with `rest`.
fn websearch(rest: &str) -> Scenario {
    support::scenario(&format!(
        r#"
            [topology]
            kind = "fat-tree"
            k = 4
            [[workload]]
            kind = "poisson"
            sizes = "websearch"
            load = 0.6
            duration = "4ms"
            {rest}"#
    ))
}

const PINT_CC: &str = r#"
    [cc]
    kind = "hpcc-pint"
"#;

const PATH: &str = r#"name = "path"
    value = "switch-id""#;

const LATENCY: &str = r#"name = "latency"
    value = "hop-latency""#;

fn middle(mut values: Vec<f64>) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    values[values.len() / 2]
}
