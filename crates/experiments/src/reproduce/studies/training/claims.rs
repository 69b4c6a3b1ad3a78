//! Claims about iterations, tested on their times.

use super::row::TrainingRow;
use crate::reproduce::claim::Claim;

/// Factor of the computing times of the slow rank.
pub(super) const SLOW: f64 = 1.5;
/// Times below this are no difference: a picosecond for each printed digit of a microsecond.
const ROUNDING_US: f64 = 1e-3;
/// Routing over all paths.
const OVER_ALL_PATHS: [&str; 2] = ["spraying", "adaptive"];

/// Tests the claims about `rows`. `computed_us` is the computing time of a rank of a workload.
pub(super) fn claims(
    rows: &[TrainingRow],
    workloads: &[&str],
    controls: &[&str],
    computed_us: impl Fn(&str) -> f64,
) -> Vec<Claim> {
    let mut claims = vec![adds_up(rows)];
    for workload in workloads {
        let own: Vec<&TrainingRow> = rows
            .iter()
            .filter(|row| row.workload == *workload)
            .collect();
        claims.push(above_bound(workload, &own));
        claims.push(hides_straggler(workload, &own, computed_us(workload)));
        claims.push(no_gain_by_failure(workload, &own));
        for control in controls {
            claims
                .extend(OVER_ALL_PATHS.map(|routing| no_slower(workload, control, routing, &own)));
        }
    }
    claims
}

fn adds_up(rows: &[TrainingRow]) -> Claim {
    let differences = rows
        .iter()
        .map(|row| (row.path_us() - row.iteration_us).abs());
    let most = differences.max_by(f64::total_cmp);
    Claim::tested(
        "the parts of each critical path add up to the time of its iteration".to_owned(),
        most.map(|most| (most < ROUNDING_US, format!("{most:.6} us apart at most"))),
    )
}

fn above_bound(workload: &str, rows: &[&TrainingRow]) -> Claim {
    let ratios = rows
        .iter()
        .filter_map(|row| Some(row.iteration_us / row.bound_us?));
    let least = ratios.min_by(f64::total_cmp);
    Claim::tested(
        format!("{workload}: no iteration is shorter than its computation and its bytes allow"),
        least.map(|least| {
            (
                least >= 1.0,
                format!("the nearest is {least:.3} times its bound"),
            )
        }),
    )
}

/// Returns the pairs of a healthy run and the run in `condition`, otherwise with the same settings.
fn pairs<'r>(rows: &[&'r TrainingRow], condition: &str) -> Vec<(&'r TrainingRow, &'r TrainingRow)> {
    let with = |condition: &str| {
        let condition = condition.to_owned();
        rows.iter()
            .copied()
            .filter(move |row| row.condition == condition)
    };
    with("healthy")
        .filter_map(|healthy| {
            let same = |other: &&TrainingRow| {
                (&other.control, &other.routing) == (&healthy.control, &healthy.routing)
            };
            Some((healthy, with(condition).find(same)?))
        })
        .collect()
}

fn hides_straggler(workload: &str, rows: &[&TrainingRow], computed_us: f64) -> Claim {
    let longer = pairs(rows, "straggler");
    let longer = longer
        .iter()
        .map(|(healthy, slow)| slow.iteration_us - healthy.iteration_us);
    let extra = computed_us * (SLOW - 1.0);
    Claim::tested(
        format!(
            "{workload}: a slow rank lengthens an iteration by at most what it computes longer"
        ),
        longer.max_by(f64::total_cmp).map(|most| {
            let evidence =
                format!("{most:.1} us longer at most; the rank computes {extra:.1} us longer");
            (most <= extra + ROUNDING_US, evidence)
        }),
    )
}

fn no_gain_by_failure(workload: &str, rows: &[&TrainingRow]) -> Claim {
    let ratios = pairs(rows, "failure");
    let ratios = ratios.iter().map(|(healthy, failed)| {
        let ratio = failed.iteration_us / healthy.iteration_us;
        (ratio, format!("{}, {}", healthy.control, healthy.routing))
    });
    let least = ratios.min_by(|a, b| a.0.total_cmp(&b.0));
    Claim::tested(
        format!("{workload}: a failed link shortens no iteration"),
        least.map(|(least, place)| (least >= 1.0, format!("at least {least:.4} times ({place})"))),
    )
}

fn no_slower(workload: &str, control: &str, routing: &str, rows: &[&TrainingRow]) -> Claim {
    let time = |routing: &str| {
        let mut own = rows.iter();
        let found = own.find(|row| {
            row.condition == "healthy" && row.control == control && row.routing == routing
        });
        found.map(|row| row.iteration_us)
    };
    Claim::tested(
        format!("{workload}, {control}: {routing} takes no longer than ECMP"),
        time(routing).zip(time("ECMP")).map(|(own, ecmp)| {
            (
                own <= ecmp + ROUNDING_US,
                format!("{own:.1} us, ECMP {ecmp:.1} us"),
            )
        }),
    )
}

#[cfg(test)]
mod tests {
    use fabricsim_base::units::Duration;

    use super::super::row::PathParts;
    use super::*;
    use crate::reproduce::Outcome;

    fn row(routing: &str, condition: &str, us: u64) -> TrainingRow {
        TrainingRow {
            workload: "w".to_owned(),
            control: "c".to_owned(),
            routing: routing.to_owned(),
            condition: condition.to_owned(),
            iteration_us: us as f64,
            computation_us: 40.0,
            bound_us: Some(90.0),
            path: PathParts {
                computation: Duration::from_us(us),
                ..PathParts::default()
            },
        }
    }

    fn outcomes(rows: &[TrainingRow]) -> Vec<Outcome> {
        let claims = claims(rows, &["w"], &["c"], |_| 40.0);
        claims.iter().map(|claim| claim.outcome).collect()
    }

    /// A rank that computes 40 us takes 20 us longer. In order: the sum, the bound, the straggler,
    /// the failure, spraying, adaptive routing.
    #[test]
    fn claims_follow_from_times() {
        use Outcome::{Fails, Holds, Untested};
        let mut rows = vec![
            row("ECMP", "healthy", 100),
            row("ECMP", "straggler", 120),
            row("ECMP", "failure", 101),
            row("spraying", "healthy", 100),
        ];
        assert_eq!(
            outcomes(&rows),
            [Holds, Holds, Holds, Holds, Holds, Untested]
        );
        rows[1].iteration_us = 121.0;
        rows[2].iteration_us = 89.0;
        rows[3].iteration_us = 102.0;
        rows.push(row("adaptive", "healthy", 110));
        assert_eq!(outcomes(&rows), [Fails; 6]);
    }

    #[test]
    fn without_results_nothing_is_tested() {
        assert_eq!(outcomes(&[]), [Outcome::Untested; 6]);
    }
}
