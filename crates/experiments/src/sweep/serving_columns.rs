//! Columns of `points.csv` for requests to language models: a group for each flow class that has
//! them at any point.

use fabricsim::outcome::{ServingSummary, ServingTimes};

use super::record::PointState;

/// The columns of a class.
const STATISTICS: [&str; 15] = [
    "serving_requests",
    "serving_unfinished",
    "serving_tokens_per_s",
    "serving_requests_per_s",
    "serving_goodput_per_s",
    "ttft_mean_ns",
    "ttft_p50_ns",
    "ttft_p99_ns",
    "tpot_mean_ns",
    "tpot_p50_ns",
    "tpot_p99_ns",
    "e2e_mean_ns",
    "e2e_p99_ns",
    "kv_transfer_mean_ns",
    "kv_bytes",
];

/// Returns `true` if `name` has the form of such a column.
pub(super) fn is_serving_column(name: &str) -> bool {
    STATISTICS.iter().any(|statistic| {
        let class = name
            .strip_prefix(statistic)
            .and_then(|rest| rest.strip_prefix("_class"));
        class.is_some_and(|class| class.parse::<u16>().is_ok())
    })
}

/// Returns the classes that have requests at any point, in increasing order.
pub(super) fn serving_classes(states: &[PointState]) -> Vec<u16> {
    let mut classes: Vec<u16> = Vec::new();
    for state in states {
        if let PointState::Done(results) = state {
            classes.extend(results.serving.iter().map(|row| row.class));
        }
    }
    classes.sort_unstable();
    classes.dedup();
    classes
}

/// Returns the names of the columns of `classes`.
pub(super) fn serving_columns(classes: &[u16]) -> impl Iterator<Item = String> {
    classes
        .iter()
        .flat_map(|class| STATISTICS.map(|statistic| format!("{statistic}_class{class}")))
}

/// Returns the cells of a point with the results `serving` in the columns of `classes`.
pub(super) fn serving_cells(
    classes: &[u16],
    serving: &[ServingSummary],
) -> impl Iterator<Item = String> {
    classes.iter().flat_map(|class| {
        let Some(row) = serving.iter().find(|row| row.class == *class) else {
            return [const { String::new() }; STATISTICS.len()];
        };
        let number =
            |value: Option<f64>| value.map_or_else(String::new, |value| format!("{value:.3}"));
        let mean = |times: Option<ServingTimes>| number(times.map(|times| times.mean_ns));
        let p50 = |times: Option<ServingTimes>| number(times.and_then(|times| times.p50_ns));
        let p99 = |times: Option<ServingTimes>| number(times.and_then(|times| times.p99_ns));
        [
            row.requests.to_string(),
            row.unfinished.to_string(),
            number(row.tokens_per_s),
            number(row.requests_per_s),
            number(row.goodput_per_s),
            mean(row.ttft),
            p50(row.ttft),
            p99(row.ttft),
            mean(row.tpot),
            p50(row.tpot),
            p99(row.tpot),
            mean(row.e2e),
            p99(row.e2e),
            mean(row.kv_transfer),
            row.kv_bytes.to_string(),
        ]
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_class_has_its_columns_and_a_point_without_it_empty_cells() {
        let columns: Vec<String> = serving_columns(&[0, 12]).collect();
        assert_eq!(columns.len(), 2 * STATISTICS.len());
        assert!(columns.iter().all(|name| is_serving_column(name)));
        let times = ServingTimes {
            mean_ns: 1.5,
            p50_ns: Some(1.0),
            p95_ns: None,
            p99_ns: None,
            p999_ns: None,
        };
        let row = ServingSummary {
            class: 12,
            requests: 5,
            unfinished: 1,
            input_tokens: 10,
            output_tokens: 20,
            tokens_per_s: Some(2.0),
            requests_per_s: None,
            good_requests: None,
            goodput_per_s: None,
            ttft: Some(times),
            tpot: None,
            e2e: Some(times),
            queueing: Some(times),
            kv_transfer: None,
            kv_bytes: 7,
        };
        let cells: Vec<String> = serving_cells(&[0, 12], &[row]).collect();
        assert!(cells[..15].iter().all(String::is_empty));
        let expected = [
            "5", "1", "2.000", "", "", "1.500", "1.000", "", "", "", "", "1.500", "", "", "7",
        ];
        assert_eq!(cells[15..], expected);
    }
}
