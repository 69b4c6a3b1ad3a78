//! Summary of a time series in `summary.json`.

use serde::Serialize;

/// State of a time series after the run, as reported in `summary.json`.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
pub struct SeriesSummary {
    /// Name of the file.
    pub file: String,
    /// Number of rows in the file, without the header.
    pub rows: u64,
    /// Description of the samples missing because of `max_rows`; absent if none are missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_out: Option<String>,
}
