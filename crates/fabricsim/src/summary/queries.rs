//! Results of queries that packets carry, in `summary.json`: decoded paths, and errors against the
//! true values.

use fabricsim_pint::query::{Aggregation, HopResult, PathResult, QueryConfig, Reach};
use fabricsim_report::{
    HopRow, PathRow, QueryErrors, QueryPaths, errors_of_hops, summary_of_paths,
};
use fabricsim_scenario::schema::queries::QuerySettings;
use serde::{Deserialize, Serialize};

/// The results of a query.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct QuerySummary {
    /// Name of the query.
    pub query: String,
    /// The file of its results.
    pub file: String,
    /// The value of switches, as in the scenario.
    pub value: String,
    /// The way in which values of hops and packets become a result.
    pub aggregation: Aggregation,
    /// Decoded paths, if it is a query for paths.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paths: Option<QueryPaths>,
    /// Errors by statistic, if it is a query for the values of hops.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<QueryErrors>,
    /// Flows with a result, if packets carry one number for all hops.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flows: Option<usize>,
    /// The reason why nothing can be compared with the truth.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_compared: Option<String>,
}

impl QuerySummary {
    /// Returns the summary of the query `config`, called `name`, without results.
    pub(crate) fn new(config: &QueryConfig, name: &str, file: &str) -> Self {
        Self {
            query: name.to_owned(),
            file: file.to_owned(),
            value: config.value.name().to_owned(),
            aggregation: config.aggregation(),
            paths: None,
            errors: Vec::new(),
            flows: None,
            not_compared: None,
        }
    }

    /// Adds the paths of flows.
    pub(crate) fn add_paths<'r>(&mut self, results: impl Iterator<Item = &'r PathResult>) {
        let rows: Vec<PathRow> = results.map(path_row).collect();
        if rows.is_empty() {
            self.not_compared = Some(NOTHING.to_owned());
        } else if rows.iter().all(|row| row.correct.is_none()) {
            let known = rows.iter().any(|row| row.packets_to_decode.is_some());
            self.not_compared =
                known.then(|| "the true ports of paths are not recorded".to_owned());
        }
        self.paths = Some(summary_of_paths(&rows));
    }

    /// Adds the values of hops.
    pub(crate) fn add_hops<'r>(
        &mut self,
        results: impl Iterator<Item = &'r HopResult>,
        config: &QueryConfig,
        settings: &QuerySettings,
    ) {
        let rows: Vec<HopRow> = results.map(hop_row).collect();
        self.errors = errors_of_hops(&rows);
        let reason = if rows.is_empty() {
            Some(NOTHING)
        } else if !config.is_judged() {
            Some("true values are known only for keep = \"all\" and \"sketch\"")
        } else if !settings.pint.truth {
            Some("true values are not recorded: set truth = true in [pint]")
        } else {
            None
        };
        self.not_compared = reason.map(str::to_owned);
    }

    /// Adds the number of flows with a result.
    pub(crate) fn add_packets(&mut self, flows: usize) {
        self.flows = Some(flows);
        let reason = match flows {
            0 => NOTHING,
            _ => "the true value of each packet's whole path is not recorded",
        };
        self.not_compared = Some(reason.to_owned());
    }
}

/// The reason if a query has no results.
const NOTHING: &str = "no digest of the query arrived";

fn path_row(result: &PathResult) -> PathRow {
    let part = &result.part;
    PathRow {
        switches: part.hops,
        packets: part.packets,
        packets_to_decode: part.decoded_after,
        correct: part.correct,
        changed: part.ended_by.is_some(),
    }
}

fn hop_row(result: &HopResult) -> HopRow {
    let estimate = result.estimate;
    HopRow {
        flow: [
            result.flow.flow.map(|flow| flow.0),
            result.flow.src.map(|node| node.0),
            result.flow.dst.map(|node| node.0),
        ],
        hop: result.hop,
        statistic: result.statistic.to_string(),
        estimate: estimate.map(|estimate| estimate.value),
        truth: result.truth,
        clipped: estimate.is_some_and(|estimate| estimate.reach == Reach::Largest),
        digests: result.digests,
    }
}
