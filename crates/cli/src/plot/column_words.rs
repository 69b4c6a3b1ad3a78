//! Columns and axes of points.csv in words.

use fabricsim_plot::figure::{Unit, percentile_in_words};
use fabricsim_report::{Percentile, SizeClass};

/// Stems of columns whose words are not just the stem with spaces.
const STEMS: [(&str, &str); 20] = [
    ("algbw", "algorithm bandwidth"),
    ("buffer_drops", "packets dropped for lack of buffer"),
    ("busbw", "bus bandwidth"),
    ("busbw_slowest", "bus bandwidth of the slowest group"),
    ("completion", "completion time"),
    ("drops", "packets dropped"),
    ("iteration", "iteration time"),
    ("link_down_drops", "packets lost on failed links"),
    ("link_losses", "packets lost on links"),
    ("max_queue", "longest queue"),
    ("no_route_drops", "packets without a route"),
    ("pfc_paused", "time paused by PFC"),
    ("pfc_pauses", "PFC pause frames"),
    ("qct", "query completion time"),
    ("qct_slowdown", "query slowdown"),
    ("qps", "queries per second"),
    ("queue_drops", "packets dropped by queue disciplines"),
    ("retransmitted", "retransmitted payload"),
    ("simulated", "simulated time"),
    ("timeouts", "retransmission timeouts"),
];

/// Axes whose words are not just the last part of the key.
const AXES: [(&str, &str); 4] = [
    ("buffer", "switch buffer"),
    ("cc.kind", "congestion control"),
    ("policy", "routing policy"),
    ("routing.policy", "routing policy"),
];

/// Returns the words for the values in `column`, and their unit.
pub(super) fn column_in_words(column: &str) -> (String, Unit) {
    let (name, class) = match column.rsplit_once("_class") {
        Some((name, class)) if class.parse::<u16>().is_ok() => (name, Some(class)),
        _ => (column, None),
    };
    let mut sizes = SizeClass::ALL.iter().filter_map(|size| {
        let ending = size.column_ending();
        let name = name.strip_suffix(ending).filter(|_| !ending.is_empty())?;
        let of = if name == "flows" { "" } else { " of flows" };
        Some((name, format!("{of} {size}")))
    });
    let (name, size) = sizes.next().unwrap_or((name, String::new()));
    let name = name.strip_prefix("job_").unwrap_or(name);
    let (mut name, mut unit, mut in_label) = (name, Unit::Count, "");
    for (ending, own, label) in [
        ("_ns", Unit::Nanoseconds, ""),
        ("_bytes", Unit::Bytes, ""),
        ("_gbps", Unit::None, ", Gbps"),
    ] {
        if let Some(rest) = name.strip_suffix(ending) {
            (name, unit, in_label) = (rest, own, label);
        }
    }
    let mut statistic = String::new();
    let percentiles = [
        Percentile::P50,
        Percentile::P95,
        Percentile::P99,
        Percentile::P999,
    ];
    let mut statistics: Vec<(String, String)> = percentiles
        .iter()
        .map(|level| {
            (
                format!("_{}", level.to_string().replace('.', "")),
                percentile_in_words(*level),
            )
        })
        .collect();
    statistics.push(("_mean".to_owned(), "mean".to_owned()));
    statistics.push(("_max".to_owned(), "longest".to_owned()));
    for (ending, words) in &statistics {
        if let Some(rest) = name.strip_suffix(ending.as_str()) {
            (name, statistic) = (rest, format!(" ({words})"));
        }
    }
    let is_error = name.starts_with("query_") && name.ends_with("_error");
    if is_error || matches!(name, "slowdown" | "qct_slowdown" | "qps") {
        unit = Unit::None;
    }
    let stem = STEMS.iter().find(|(stem, _)| *stem == name);
    let stem = stem.map_or_else(|| name.replace('_', " "), |(_, words)| (*words).to_owned());
    if is_error {
        in_label = ", relative";
    }
    let class = class.map_or_else(String::new, |class| format!(" of class {class}"));
    (format!("{stem}{size}{class}{statistic}{in_label}"), unit)
}

/// Returns the words for an axis of a sweep.
pub(super) fn axis_in_words(axis: &str) -> String {
    if let Some((_, words)) = AXES.iter().find(|(own, _)| *own == axis) {
        return (*words).to_owned();
    }
    let parts: Vec<&str> = axis.split('.').collect();
    let words = match &parts[..] {
        [.., table, "kind"] => format!("{table} kind"),
        [.., last] => axis_of_part(last),
        [] => String::new(),
    };
    words.replace('_', " ")
}

fn axis_of_part(part: &str) -> String {
    let known = AXES.iter().find(|(own, _)| *own == part);
    known.map_or(part, |(_, words)| words).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_words_with_their_units() {
        for (column, words, unit) in [
            ("pfc_pauses", "PFC pause frames", Unit::Count),
            ("pfc_paused_ns", "time paused by PFC", Unit::Nanoseconds),
            ("max_queue_bytes", "longest queue", Unit::Bytes),
            ("flows_below_30KB", "flows < 30 KB", Unit::Count),
            ("slowdown_p99", "slowdown (99th percentile)", Unit::None),
            (
                "slowdown_p95_class1",
                "slowdown of class 1 (95th percentile)",
                Unit::None,
            ),
            (
                "job_busbw_gbps_class0",
                "bus bandwidth of class 0, Gbps",
                Unit::None,
            ),
            (
                "job_iteration_mean_ns_class0",
                "iteration time of class 0 (mean)",
                Unit::Nanoseconds,
            ),
            (
                "query_latency_p99_error_p50",
                "query latency p99 error (median), relative",
                Unit::None,
            ),
            (
                "qct_p999_ns_class2",
                "query completion time of class 2 (99.9th percentile)",
                Unit::Nanoseconds,
            ),
        ] {
            assert_eq!(
                column_in_words(column),
                (words.to_owned(), unit),
                "{column}"
            );
        }
    }

    #[test]
    fn axes_are_words() {
        for (axis, words) in [
            ("load", "load"),
            ("switch.buffer", "switch buffer"),
            ("cc.kind", "congestion control"),
            ("topology.kind", "topology kind"),
            ("hosts_per_leaf", "hosts per leaf"),
        ] {
            assert_eq!(axis_in_words(axis), words);
        }
    }
}
