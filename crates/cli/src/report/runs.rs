//! The runs of a report, read one at a time. Only the data for figures and tables stays in memory.

use std::collections::BTreeMap;
use std::path::PathBuf;

use fabricsim::Error;
use fabricsim_base::id::ClassId;
use fabricsim_plot::figure::{BinCount, CdfOf, SlowdownCurve, Style, cdf_curve};
use fabricsim_report::{
    Confidence, FctRecord, Goodput, GroupTails, Percentile, SlowdownTable, group_tails,
    incast_rounds,
};
use serde_json::Value;

use crate::queries::{Queries, read_queries};
use crate::results::{
    FlowSelection, PARTIAL, Place, class_name, fct_file, names, places, read_flows, read_summary,
    refuse_mixture, summary_beside,
};

/// Percentiles of the slowdown in figures.
pub(crate) const SHOWN: [Percentile; 3] = [Percentile::P50, Percentile::P95, Percentile::P99];

/// The data of a run in the report.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) name: String,
    /// Its folder or file.
    pub(crate) path: PathBuf,
    /// Its summary.json, or `Null` if there is none.
    pub(crate) summary: Value,
    /// Finished flows in the file of flows.
    pub(crate) flows: usize,
    /// Slowdowns over size, of each class of flows in the order of their numbers.
    pub(crate) curves: Vec<(u16, SlowdownCurve)>,
    /// Distributions of slowdowns, for classes of flows of one size.
    pub(crate) of_one_size: Vec<(u16, Vec<(f64, f64)>)>,
    /// Tails of the slowdown by class and size.
    pub(crate) tails: Vec<GroupTails>,
    /// Completion times of the rounds of incasts in nanoseconds, sorted, by class.
    pub(crate) incasts: Vec<(u16, Vec<f64>)>,
    /// Queries by class.
    pub(crate) queries: Vec<Queries>,
    pub(crate) slowdowns: SlowdownTable,
    /// Distribution of completion times.
    pub(crate) fct: Vec<(f64, f64)>,
    /// Distribution of slowdowns.
    pub(crate) slowdown: Vec<(f64, f64)>,
    /// Goodput of flows above 10 MB, if there are any.
    pub(crate) goodput: Option<Goodput>,
    /// Problems found in the files.
    pub(crate) remarks: Vec<String>,
}

/// Reads the runs at `paths` with the flows that `selection` chooses. Each path is a folder of
/// results, a file of flows or a folder of a sweep.
pub(crate) fn read_runs(paths: &[PathBuf], selection: &FlowSelection) -> Result<Vec<Run>, Error> {
    let places = places(paths)?;
    let all: Vec<PathBuf> = places.iter().map(|place| place.path.clone()).collect();
    let named = places.iter().zip(names(&all));
    named
        .map(|(place, name)| read_run(place, name, selection))
        .collect()
}

fn read_run(place: &Place, name: String, selection: &FlowSelection) -> Result<Run, Error> {
    let path = &place.path;
    let mut remarks = Vec::new();
    refuse_mixture(path)?;
    let partial = path.join(PARTIAL);
    let whole = fct_file(path);
    let mut summary = read_summary(&path.join("summary.json"))?;
    // Without its flows a whole run is still not the one that was interrupted.
    let only_partial = !whole.exists()
        && partial.exists()
        && (summary.is_null() || summary["status"] == "interrupted");
    if only_partial && summary.is_null() {
        summary = read_summary(&summary_beside(&partial))?;
    }
    let records = if whole.exists() {
        read_flows(&whole)?
    } else if only_partial {
        remarks.push(
            "the run was interrupted: the report has only the flows of fct.partial.csv".to_owned(),
        );
        read_flows(&partial)?
    } else if place.is_point || !summary.is_null() {
        remarks.push("there is no fct.csv: the run has failed or has not finished".to_owned());
        Vec::new()
    } else {
        // The error names the missing file.
        read_flows(&whole)?
    };
    let records = selection.apply(path, records)?;
    let queries = read_queries(path, selection)?;
    let mut curves = Vec::new();
    let mut of_one_size = Vec::new();
    for (class, flows) in by_class(&records) {
        let bins = BinCount::OfFlows(flows.len());
        let curve = SlowdownCurve::new("", Style::nth(0), &flows, &SHOWN, bins);
        if curve.has_one_size() {
            of_one_size.push((class, cdf_curve(&flows, CdfOf::Slowdown)));
        }
        curves.push((class, curve));
    }
    Ok(Run {
        name,
        path: path.clone(),
        flows: records.len(),
        curves,
        of_one_size,
        tails: group_tails(&records, &SHOWN, Confidence::P95),
        incasts: incasts(&records, &summary),
        queries,
        slowdowns: SlowdownTable::new(&records),
        fct: cdf_curve(&records, CdfOf::Fct),
        slowdown: cdf_curve(&records, CdfOf::Slowdown),
        goodput: Goodput::of_flows_above(Goodput::LONG, &records),
        remarks,
        summary,
    })
}

/// Groups flows by class.
fn by_class(records: &[FctRecord]) -> Vec<(u16, Vec<FctRecord>)> {
    let mut classes: BTreeMap<u16, Vec<FctRecord>> = BTreeMap::new();
    for record in records {
        classes.entry(record.class.0).or_default().push(*record);
    }
    classes.into_iter().collect()
}

/// Returns the completion times of the incasts that `summary` names, by class.
fn incasts(records: &[FctRecord], summary: &Value) -> Vec<(u16, Vec<f64>)> {
    let workloads = summary
        .pointer("/scenario/workload")
        .and_then(Value::as_array);
    let workloads = workloads.map_or(&[][..], Vec::as_slice);
    (0u16..)
        .zip(workloads)
        .filter(|(_, workload)| workload["kind"] == "incast")
        .map(|(class, _)| {
            let rounds = incast_rounds(records, ClassId(class));
            let mut times: Vec<f64> = rounds
                .iter()
                .map(|round| round.time.as_ps() as f64 / 1e3)
                .collect();
            times.sort_unstable_by(f64::total_cmp);
            (class, times)
        })
        .filter(|(_, times)| !times.is_empty())
        .collect()
}

impl Run {
    /// Returns a value of the summary as text, or a dash if there is none.
    pub(crate) fn text(&self, pointer: &str) -> String {
        match self.summary.pointer(pointer) {
            None | Some(Value::Null) => "-".to_owned(),
            Some(Value::String(text)) => text.clone(),
            Some(other) => other.to_string(),
        }
    }

    /// Describes the flows of a class.
    pub(crate) fn class_name(&self, class: u16) -> String {
        class_name(&self.summary, class)
    }

    /// Returns a count of the summary.
    pub(crate) fn count(&self, pointer: &str) -> u64 {
        self.summary
            .pointer(pointer)
            .and_then(Value::as_u64)
            .unwrap_or(0)
    }

    /// Returns seconds of the summary with three digits.
    pub(crate) fn seconds(&self, pointer: &str) -> String {
        let value = self.summary.pointer(pointer).and_then(Value::as_f64);
        value.map_or_else(
            || "-".to_owned(),
            |value| {
                if value < 10.0 {
                    format!("{value:.2}")
                } else {
                    format!("{value:.0}")
                }
            },
        )
    }

    /// Returns the loads of its workloads.
    pub(crate) fn loads(&self) -> String {
        let workloads = self
            .summary
            .pointer("/scenario/workload")
            .and_then(Value::as_array);
        let loads = workloads
            .into_iter()
            .flatten()
            .filter_map(|workload| workload.get("load"));
        let loads: Vec<String> = loads.map(Value::to_string).collect();
        if loads.is_empty() {
            "-".to_owned()
        } else {
            loads.join(", ")
        }
    }

    /// Returns the warnings that a reader must see before the results.
    pub(crate) fn warnings(&self) -> Vec<String> {
        let mut warnings = self.remarks.clone();
        match self.text("/status").as_str() {
            "finished" | "-" => {}
            status => warnings.push(format!("the run ended as {status}")),
        }
        for (pointer, what) in [
            (
                "/flows/unfinished",
                "flows have not finished: the results are without them",
            ),
            ("/flows/unreachable", "flows have no route"),
            (
                "/buffer_drops",
                "packets were dropped because buffers were full",
            ),
            ("/queue_drops", "packets were dropped by queue disciplines"),
            (
                "/trimmed_headers_lost",
                "trimmed packets lost their headers, too, and were found by timeouts",
            ),
        ] {
            let count = self.count(pointer);
            if count > 0 {
                warnings.push(format!("{} {what}", thousands(count)));
            }
        }
        let own = self.summary.get("warnings").and_then(Value::as_array);
        let own = own.into_iter().flatten().filter_map(Value::as_str);
        warnings.extend(own.map(str::to_owned));
        warnings
    }
}

/// Formats `count` with commas between thousands.
pub(crate) fn thousands(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_have_commas() {
        for (count, text) in [
            (0, "0"),
            (999, "999"),
            (1_000, "1,000"),
            (1_234_567, "1,234,567"),
        ] {
            assert_eq!(thousands(count), text);
        }
    }
}
