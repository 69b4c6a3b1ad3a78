//! Replaces the linear program in a build without its solver.

use fabricsim_base::input::ConfigError;

use super::{Demand, QuerySet};

/// Makes no plan.
///
/// # Errors
/// Always returns an error: the queries do not all fit in `budget` bits.
pub(super) fn serve(
    _demands: &[Demand],
    budget: u32,
    _sets: &[QuerySet],
) -> Result<Vec<f64>, ConfigError> {
    Err(ConfigError::new(
        "bits",
        format!(
            "not all queries fit a packet of {budget} bits, and this build cannot divide \
             packets among queries, because its feature `plans` was left out"
        ),
        "build it without --no-default-features, or give packets more bits",
    ))
}

#[cfg(test)]
mod tests {
    use super::super::Plan;
    use super::*;

    #[test]
    fn queries_that_do_not_fit_together_are_refused() {
        let demand = Demand {
            bits: 8,
            frequency: 0.5,
        };
        assert_eq!(Plan::new(&[demand; 2], 16, 1).unwrap().sets().len(), 1);
        let error = Plan::new(&[demand; 3], 16, 1).unwrap_err();
        assert!(error.message.contains("feature `plans`"), "{error:?}");
    }
}
