//! Columns of `points.csv` for remote procedure calls: a group for each flow class that has queries
//! at any point.

use fabricsim::outcome::RpcSummary;

use super::record::PointState;

/// The columns of a class.
const STATISTICS: [&str; 9] = [
    "queries",
    "queries_unfinished",
    "qps",
    "qct_mean_ns",
    "qct_p50_ns",
    "qct_p95_ns",
    "qct_p99_ns",
    "qct_p999_ns",
    "qct_slowdown_p99",
];

/// Returns `true` if `name` has the form of such a column.
pub(super) fn is_rpc_column(name: &str) -> bool {
    STATISTICS.iter().any(|statistic| {
        let class = name
            .strip_prefix(statistic)
            .and_then(|rest| rest.strip_prefix("_class"));
        class.is_some_and(|class| class.parse::<u16>().is_ok())
    })
}

/// Returns the classes that have queries at any point, in increasing order.
pub(super) fn rpc_classes(states: &[PointState]) -> Vec<u16> {
    let mut classes: Vec<u16> = Vec::new();
    for state in states {
        if let PointState::Done(results) = state {
            classes.extend(results.rpc.iter().map(|row| row.class));
        }
    }
    classes.sort_unstable();
    classes.dedup();
    classes
}

/// Returns the names of the columns of `classes`.
pub(super) fn rpc_columns(classes: &[u16]) -> impl Iterator<Item = String> {
    classes
        .iter()
        .flat_map(|class| STATISTICS.map(|statistic| format!("{statistic}_class{class}")))
}

/// Returns the cells of a point with the results `rpc` in the columns of `classes`.
pub(super) fn rpc_cells(classes: &[u16], rpc: &[RpcSummary]) -> impl Iterator<Item = String> {
    classes.iter().flat_map(|class| {
        let Some(row) = rpc.iter().find(|row| row.class == *class) else {
            return [const { String::new() }; STATISTICS.len()];
        };
        let number = |value: Option<f64>, decimals: usize| {
            value.map_or_else(String::new, |value| format!("{value:.decimals$}"))
        };
        [
            row.queries.to_string(),
            row.unfinished.to_string(),
            number(row.qps, 3),
            number(row.qct_mean_ns, 3),
            number(row.qct_p50_ns, 3),
            number(row.qct_p95_ns, 3),
            number(row.qct_p99_ns, 3),
            number(row.qct_p999_ns, 3),
            number(row.slowdown_p99, 6),
        ]
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_class_has_its_columns_and_a_point_without_it_empty_cells() {
        let columns: Vec<String> = rpc_columns(&[0, 12]).collect();
        assert_eq!(columns.len(), 2 * STATISTICS.len());
        assert!(columns.iter().all(|name| is_rpc_column(name)));
        assert!(columns.contains(&"qct_p999_ns_class12".to_owned()));
        assert!(!is_rpc_column("qps") && !is_rpc_column("qps_classes"));
        let row = RpcSummary {
            class: 12,
            queries: 5,
            unfinished: 1,
            qps: Some(1.5),
            qct_mean_ns: None,
            qct_p50_ns: Some(1.0),
            qct_p95_ns: None,
            qct_p99_ns: None,
            qct_p999_ns: None,
            slowdown_mean: None,
            slowdown_p50: None,
            slowdown_p95: None,
            slowdown_p99: Some(2.0),
            slowdown_p999: None,
        };
        let cells: Vec<String> = rpc_cells(&[0, 12], &[row]).collect();
        assert!(cells[..9].iter().all(String::is_empty));
        assert_eq!(
            cells[9..],
            ["5", "1", "1.500", "", "1.000", "", "", "", "2.000000"]
        );
    }
}
