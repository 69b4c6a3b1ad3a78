//! Columns of `points.csv` for the slowdowns of each class of flows that has some at any point.

use fabricsim::summary::ClassSlowdown;

use super::record::PointState;

/// The columns of a class.
const STATISTICS: [&str; 5] = [
    "flows",
    "slowdown_p50",
    "slowdown_p95",
    "slowdown_p99",
    "slowdown_mean",
];

/// Returns `true` if `name` has the form of such a column.
pub(super) fn is_flow_column(name: &str) -> bool {
    STATISTICS.iter().any(|statistic| {
        let class = name
            .strip_prefix(statistic)
            .and_then(|rest| rest.strip_prefix("_class"));
        class.is_some_and(|class| class.parse::<u16>().is_ok())
    })
}

/// Returns the classes that have flows at any point, in increasing order.
pub(super) fn flow_classes(states: &[PointState]) -> Vec<u16> {
    let mut classes: Vec<u16> = Vec::new();
    for state in states {
        if let PointState::Done(results) = state {
            classes.extend(results.class_slowdown.iter().map(|row| row.class));
        }
    }
    classes.sort_unstable();
    classes.dedup();
    classes
}

/// Returns the names of the columns of `classes`.
pub(super) fn flow_columns(classes: &[u16]) -> impl Iterator<Item = String> {
    classes
        .iter()
        .flat_map(|class| STATISTICS.map(|statistic| format!("{statistic}_class{class}")))
}

/// Returns the cells of a point with the slowdowns `rows` in the columns of `classes`.
pub(super) fn flow_cells(classes: &[u16], rows: &[ClassSlowdown]) -> impl Iterator<Item = String> {
    classes.iter().flat_map(|class| {
        let Some(row) = rows.iter().find(|row| row.class == *class) else {
            return [const { String::new() }; STATISTICS.len()];
        };
        let number =
            |value: Option<f64>| value.map_or_else(String::new, |value| format!("{value:.6}"));
        [
            row.flows.to_string(),
            number(row.p50),
            number(row.p95),
            number(row.p99),
            number(row.mean),
        ]
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_class_has_its_columns_and_a_point_without_it_empty_cells() {
        let columns: Vec<String> = flow_columns(&[0, 12]).collect();
        assert!(columns.iter().all(|name| is_flow_column(name)));
        assert_eq!(columns[8], "slowdown_p99_class12");
        assert!(!is_flow_column("slowdown_p99") && !is_flow_column("flows_classes"));
        let row = ClassSlowdown {
            class: 12,
            flows: 64,
            p50: Some(1.5),
            p95: Some(2.0),
            p99: None,
            mean: Some(1.75),
        };
        let cells: Vec<String> = flow_cells(&[0, 12], &[row]).collect();
        assert!(cells[..5].iter().all(String::is_empty));
        assert_eq!(cells[5..], ["64", "1.500000", "2.000000", "", "1.750000"]);
    }
}
