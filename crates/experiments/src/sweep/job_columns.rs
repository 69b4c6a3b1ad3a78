//! Columns of `points.csv` for collectives and graphs: a group for each flow class that has jobs at
//! any point.

use fabricsim::outcome::JobSummary;

use super::record::PointState;

/// The columns of a class.
const STATISTICS: [&str; 11] = [
    "job_ranks_finished",
    "job_iterations",
    "job_completion_ns",
    "job_iteration_mean_ns",
    "job_iteration_p50_ns",
    "job_iteration_p99_ns",
    "job_iteration_max_ns",
    "job_algbw_gbps",
    "job_busbw_gbps",
    "job_busbw_slowest_gbps",
    "job_computing_share",
];

/// Returns `true` if `name` has the form of such a column.
pub(super) fn is_job_column(name: &str) -> bool {
    STATISTICS.iter().any(|statistic| {
        let class = name
            .strip_prefix(statistic)
            .and_then(|rest| rest.strip_prefix("_class"));
        class.is_some_and(|class| class.parse::<u16>().is_ok())
    })
}

/// Returns the classes that have jobs at any point, in increasing order.
pub(super) fn job_classes(states: &[PointState]) -> Vec<u16> {
    let mut classes: Vec<u16> = Vec::new();
    for state in states {
        if let PointState::Done(results) = state {
            classes.extend(results.jobs.iter().map(|row| row.class));
        }
    }
    classes.sort_unstable();
    classes.dedup();
    classes
}

/// Returns the names of the columns of `classes`.
pub(super) fn job_columns(classes: &[u16]) -> impl Iterator<Item = String> {
    classes
        .iter()
        .flat_map(|class| STATISTICS.map(|statistic| format!("{statistic}_class{class}")))
}

/// Returns the cells of a point with the results `jobs` in the columns of `classes`.
pub(super) fn job_cells(classes: &[u16], jobs: &[JobSummary]) -> impl Iterator<Item = String> {
    classes.iter().flat_map(|class| {
        let Some(row) = jobs.iter().find(|row| row.class == *class) else {
            return [const { String::new() }; STATISTICS.len()];
        };
        let number = |value: Option<f64>, decimals: usize| {
            value.map_or_else(String::new, |value| format!("{value:.decimals$}"))
        };
        [
            row.ranks_finished.to_string(),
            row.iterations.to_string(),
            number(row.completion_ns, 3),
            number(row.iteration_mean_ns, 3),
            number(row.iteration_p50_ns, 3),
            number(row.iteration_p99_ns, 3),
            number(row.iteration_max_ns, 3),
            number(row.algbw_gbps, 6),
            number(row.busbw_gbps, 6),
            number(row.busbw_slowest_gbps, 6),
            number(row.rank_times.computing_share, 6),
        ]
    })
}

#[cfg(test)]
mod tests {
    use fabricsim::outcome::RankTimes;

    use super::*;

    #[test]
    fn each_class_has_its_columns_and_a_point_without_it_empty_cells() {
        let columns: Vec<String> = job_columns(&[0, 12]).collect();
        assert_eq!(columns.len(), 2 * STATISTICS.len());
        assert!(columns.iter().all(|name| is_job_column(name)));
        assert!(columns.contains(&"job_iteration_p99_ns_class12".to_owned()));
        assert!(!is_job_column("job_iterations") && !is_job_column("jobs_class1"));
        let row = JobSummary {
            class: 12,
            job: "train".to_owned(),
            ranks: 8,
            ranks_finished: 7,
            operations: 100,
            iterations: 3,
            warm_up: 0,
            completion_ns: None,
            iteration_mean_ns: Some(1.0),
            iteration_p50_ns: Some(2.0),
            iteration_p99_ns: Some(3.0),
            iteration_max_ns: Some(4.5),
            collectives: 3,
            collectives_unfinished: 1,
            algbw_gbps: Some(5.0),
            busbw_gbps: Some(6.0),
            busbw_slowest_gbps: Some(5.5),
            rank_times: RankTimes {
                computing_share: Some(0.25),
                ..RankTimes::default()
            },
            waiting: Vec::new(),
        };
        let cells: Vec<String> = job_cells(&[0, 12], &[row]).collect();
        assert!(cells[..11].iter().all(String::is_empty));
        assert_eq!(
            cells[11..],
            [
                "7", "3", "", "1.000", "2.000", "3.000", "4.500", "5.000000", "6.000000",
                "5.500000", "0.250000"
            ]
        );
    }
}
