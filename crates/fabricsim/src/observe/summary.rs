//! What is said of a time series in `summary.json`.

use serde::Serialize;

/// What has become of a time series, as it stands in `summary.json`.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
pub struct SeriesSummary {
    /// The file.
    pub file: String,
    /// Its rows, without the header.
    pub rows: u64,
    /// What is not in it because of `max_rows`; absent when nothing is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_out: Option<String>,
}
