//! The linear program behind a plan.

use fabricsim_base::input::ConfigError;
use microlp::{ComparisonOp, OptimizationDirection, Problem, Variable};

use super::{Demand, NOTHING, QuerySet};

/// Returns the share of each of `sets` such that each query gets at least its frequency.
///
/// # Errors
/// Returns an error if `budget` bits are too few for that.
pub(super) fn serve(
    demands: &[Demand],
    budget: u32,
    sets: &[QuerySet],
) -> Result<Vec<f64>, ConfigError> {
    // Frequencies that are already at their maximum.
    let mut settled: Vec<Option<f64>> = vec![None; demands.len()];
    let (mut factor, mut shares) = evenly(demands, sets, &settled);
    if factor < 1.0 - NOTHING {
        return Err(shortage(demands, budget, factor));
    }
    loop {
        let mut news = false;
        for (demand, settled) in demands.iter().zip(&mut settled) {
            if settled.is_none() && demand.frequency * factor >= 1.0 - NOTHING {
                // Slightly less, so that rounding cannot make the program infeasible.
                *settled = Some(1.0 - NOTHING / 100.0);
                news = true;
            }
        }
        if !news || settled.iter().all(Option::is_some) {
            return Ok(shares);
        }
        (factor, shares) = evenly(demands, sets, &settled);
    }
}

/// Returns the error for `demands` if only a factor of `share` is possible.
fn shortage(demands: &[Demand], budget: u32, share: f64) -> ConfigError {
    let mean: f64 = demands.iter().map(mean_bits).sum();
    let message = if mean > f64::from(budget) + NOTHING {
        format!(
            "the queries need {mean:.2} bits of a packet on average, and the budget is {budget}"
        )
    } else {
        format!(
            "digests do not fit packets of {budget} bits in any way that serves more \
             than {:.1}% of the requested frequencies",
            share * 100.0
        )
    };
    let help =
        format!("give packets more bits, queries fewer, or multiply each frequency by {share:.3}");
    ConfigError::new("bits", message, help)
}

fn mean_bits(demand: &Demand) -> f64 {
    f64::from(demand.bits) * demand.frequency
}

/// Returns the largest factor for all frequencies that are not `settled` (each limited to 1), and
/// the shares of the sets that reach it.
fn evenly(demands: &[Demand], sets: &[QuerySet], settled: &[Option<f64>]) -> (f64, Vec<f64>) {
    let open = demands.iter().zip(settled).filter(|(_, s)| s.is_none());
    let highest = open
        .map(|(demand, _)| 1.0 / demand.frequency)
        .fold(f64::INFINITY, f64::min);
    let mut problem = Problem::new(OptimizationDirection::Maximize);
    let factor = problem.add_var(1.0, (0.0, highest));
    let shares: Vec<Variable> = sets
        .iter()
        .map(|_| problem.add_var(0.0, (0.0, 1.0)))
        .collect();
    let all: Vec<(Variable, f64)> = shares.iter().map(|&share| (share, 1.0)).collect();
    problem.add_constraint(&all, ComparisonOp::Eq, 1.0);
    for (index, (demand, settled)) in demands.iter().zip(settled).enumerate() {
        let with = sets.iter().zip(&shares).filter(|(set, _)| set.has(index));
        let mut served: Vec<(Variable, f64)> = with.map(|(_, &share)| (share, 1.0)).collect();
        let least = settled.unwrap_or(0.0);
        if settled.is_none() {
            served.push((factor, -demand.frequency));
        }
        problem.add_constraint(&served, ComparisonOp::Ge, least);
    }
    let solution = problem
        .solve()
        .ok()
        .and_then(|outcome| outcome.into_solution().ok())
        .expect(
            "the settled frequencies have been served before, and a factor of 0 is always possible",
        );
    let value = |variable: Variable| solution.var_value(variable);
    (value(factor), shares.into_iter().map(value).collect())
}
