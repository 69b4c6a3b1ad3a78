//! Columns of `points.csv` for queries that packets carry: a group for each query with results at
//! any point.

use fabricsim::summary::QuerySummary;
use fabricsim_report::{PathFigures, QueryErrors, quoted};

use super::record::PointState;

const PREFIX: &str = "query_";

/// The columns of a query for paths.
const OF_PATHS: [&str; 8] = [
    "paths",
    "decoded",
    "wrong",
    "too_few_packets",
    "changed",
    "packets_mean",
    "packets_p50",
    "packets_p99",
];

/// The columns of a statistic of a query for values of hops.
const OF_ERRORS: [&str; 5] = [
    "hops",
    "error_mean",
    "error_p50",
    "error_p95",
    "signed_error_p50",
];

/// The columns of queries in a sweep.
#[derive(Debug, Default, Eq, PartialEq)]
pub(super) struct QueryColumns {
    /// A query, and a statistic unless it is a query for paths; in the order of first appearance.
    groups: Vec<(String, Option<String>)>,
}

/// Returns `true` if `name` has the form of such a column.
pub(super) fn is_query_column(name: &str) -> bool {
    let ends = |ending: &&str| {
        let rest = name.strip_suffix(ending);
        rest.is_some_and(|rest| rest.ends_with('_'))
    };
    name.starts_with(PREFIX) && (OF_PATHS.iter().any(ends) || OF_ERRORS.iter().any(ends))
}

impl QueryColumns {
    /// Returns the columns for the results of all points.
    pub(super) fn of(states: &[PointState]) -> Self {
        let mut groups = Vec::new();
        let queries = states.iter().flat_map(|state| match state {
            PointState::Done(results) => &results.queries[..],
            _ => &[],
        });
        for query in queries {
            let paths = query.paths.iter().map(|_| None);
            let errors = query.errors.iter().filter(|own| own.all.hops > 0);
            let errors = errors.map(|own| Some(own.statistic.clone()));
            for statistic in paths.chain(errors) {
                let group = (query.query.clone(), statistic);
                if !groups.contains(&group) {
                    groups.push(group);
                }
            }
        }
        Self { groups }
    }

    /// Returns the names of the columns.
    pub(super) fn names(&self) -> impl Iterator<Item = String> {
        self.groups.iter().flat_map(|(query, statistic)| {
            let (columns, statistic) = match statistic {
                None => (&OF_PATHS[..], String::new()),
                Some(statistic) => (&OF_ERRORS[..], format!("{statistic}_")),
            };
            let name = |column: &&str| quoted(&format!("{PREFIX}{query}_{statistic}{column}"));
            columns.iter().map(name).collect::<Vec<String>>()
        })
    }

    /// Returns the cells of a point with the results `queries`.
    pub(super) fn cells(&self, queries: &[QuerySummary]) -> impl Iterator<Item = String> {
        self.groups.iter().flat_map(|(name, statistic)| {
            let query = queries.iter().find(|own| own.query == *name);
            match statistic {
                None => {
                    let paths = query.and_then(|own| own.paths.as_ref());
                    paths.map_or_else(|| empty(OF_PATHS.len()), |own| of_paths(&own.all))
                }
                Some(statistic) => {
                    let mut errors = query.into_iter().flat_map(|own| &own.errors);
                    let errors = errors.find(|own| own.statistic == *statistic);
                    errors.map_or_else(|| empty(OF_ERRORS.len()), of_errors)
                }
            }
        })
    }
}

fn empty(count: usize) -> Vec<String> {
    vec![String::new(); count]
}

fn number(value: Option<f64>) -> String {
    value.map_or_else(String::new, |value| format!("{value:.6}"))
}

fn of_paths(own: &PathFigures) -> Vec<String> {
    vec![
        own.paths.to_string(),
        own.decoded.to_string(),
        own.wrong.to_string(),
        own.too_few_packets.to_string(),
        own.changed.to_string(),
        number(own.packets_mean),
        number(own.packets_p50),
        number(own.packets_p99),
    ]
}

fn of_errors(own: &QueryErrors) -> Vec<String> {
    vec![
        own.all.hops.to_string(),
        number(own.all.error_mean),
        number(own.all.error_p50),
        number(own.all.error_p95),
        number(own.all.signed_p50),
    ]
}

#[cfg(test)]
mod tests {
    use fabricsim_report::{ErrorFigures, QueryPaths};

    use super::*;

    #[test]
    fn a_query_has_its_columns_and_a_point_without_it_empty_cells() {
        let groups = vec![
            ("path".to_owned(), None),
            ("latency".to_owned(), Some("p99".to_owned())),
        ];
        let columns = QueryColumns { groups };
        let names: Vec<String> = columns.names().collect();
        assert_eq!(names.len(), OF_PATHS.len() + OF_ERRORS.len());
        assert_eq!(names[1], "query_path_decoded");
        assert_eq!(names[10], "query_latency_p99_error_p50");
        assert!(names.iter().all(|name| is_query_column(name)));
        assert!(!is_query_column("query_bytes") && !is_query_column("decoded"));
        let query = |name: &str, paths, errors| {
            serde_json::from_value::<QuerySummary>(serde_json::json!({
                "query": name,
                "file": "query.csv",
                "value": "switch-id",
                "aggregation": "static",
                "paths": paths,
                "errors": errors,
            }))
            .expect("a summary")
        };
        let paths = QueryPaths {
            all: PathFigures {
                paths: 3,
                decoded: 2,
                packets_mean: Some(4.5),
                ..PathFigures::default()
            },
            by_length: Vec::new(),
        };
        let errors = QueryErrors {
            statistic: "p99".to_owned(),
            all: ErrorFigures {
                hops: 7,
                error_p50: Some(0.25),
                ..ErrorFigures::default()
            },
            by_length: Vec::new(),
            by_hop: Vec::new(),
        };
        let both = [
            query("path", Some(paths), Vec::new()),
            query("latency", None, vec![errors]),
        ];
        let cells: Vec<String> = columns.cells(&both).collect();
        assert_eq!(cells[..6], ["3", "2", "0", "0", "0", "4.500000"]);
        assert_eq!(cells[8..], ["7", "", "0.250000", "", ""]);
        assert!(columns.cells(&[]).all(|cell| cell.is_empty()));
        assert_eq!(columns.cells(&[]).count(), names.len());
    }
}
