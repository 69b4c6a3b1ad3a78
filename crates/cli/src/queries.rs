//! Queries of results: the files of remote procedure calls.

use std::collections::BTreeMap;
use std::path::Path;

use fabricsim::Error;
use fabricsim_base::units::Time;
use fabricsim_report::{Percentile, RpcRecord, RpcStatistics, read_rpc};
use fabricsim_scenario::text::file_kind::FileKind;
use fabricsim_scenario::text::input_file::read_text;

use crate::results::FlowSelection;

/// The file of queries in the folder of a run.
const FILE: &str = "rpc.csv";

/// The percentiles of query completion times in tables.
pub(crate) const PERCENTILES: [Percentile; 4] = [
    Percentile::P50,
    Percentile::P95,
    Percentile::P99,
    Percentile::P999,
];

/// The queries of a class.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Queries {
    pub(crate) class: u16,
    /// Completed queries.
    pub(crate) count: usize,
    /// Query completion times, in nanoseconds.
    times: RpcStatistics,
}

impl Queries {
    /// Returns the query completion times at [`PERCENTILES`] in nanoseconds, `None` if there are
    /// too few queries for a percentile.
    pub(crate) fn percentiles(&self) -> [Option<f64>; 4] {
        let RpcStatistics {
            p50,
            p95,
            p99,
            p999,
            ..
        } = self.times;
        let mut values = [p50, p95, p99, p999].into_iter();
        PERCENTILES.map(|percentile| {
            let value = values.next();
            value.filter(|_| percentile.is_known_of(self.count))
        })
    }

    /// Returns the mean query completion time in nanoseconds.
    pub(crate) const fn mean(&self) -> f64 {
        self.times.mean
    }
}

/// Returns the queries of the results at `path` that `selection` chooses, in the order in which
/// they were sent. The list is empty if there is no file of queries.
pub(crate) fn query_records(
    path: &Path,
    selection: &FlowSelection,
) -> Result<Vec<RpcRecord>, Error> {
    let file = match path.is_dir() {
        true => path.join(FILE),
        false => path.with_file_name(FILE),
    };
    if !file.is_file() {
        return Ok(Vec::new());
    }
    let text = read_text(FileKind::RESULTS, &file)?;
    let mut records =
        read_rpc(&text).map_err(|error| Error::input(&file.display().to_string(), &text, error))?;
    records.retain(|record| selection.class.is_none_or(|class| record.class.0 == class));
    let first = records.iter().map(|record| record.issue).min();
    let from = first
        .unwrap_or(Time::ZERO)
        .saturating_add(selection.warm_up);
    records.retain(|record| record.issue >= from);
    Ok(records)
}

/// Returns the statistics of [`query_records`] by class.
pub(crate) fn read_queries(path: &Path, selection: &FlowSelection) -> Result<Vec<Queries>, Error> {
    let mut classes: BTreeMap<u16, Vec<f64>> = BTreeMap::new();
    for record in query_records(path, selection)? {
        let times = classes.entry(record.class.0).or_default();
        times.push(record.qct().as_ps() as f64 / 1e3);
    }
    let queries = classes.into_iter().filter_map(|(class, times)| {
        Some(Queries {
            class,
            count: times.len(),
            times: RpcStatistics::of(times)?,
        })
    });
    Ok(queries.collect())
}
