//! The runs of a report. Only the data for figures and tables stays in memory.

use std::path::PathBuf;

use fabricsim_report::{Goodput, GroupTails, Percentile, SlowdownTable};
use serde_json::Value;

use crate::queries::Queries;
use crate::results::class_name;

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
    /// Tails of the slowdown by class and size.
    pub(crate) tails: Vec<GroupTails>,
    /// Completion times of the rounds of incasts in nanoseconds, sorted, by class.
    pub(crate) incasts: Vec<(u16, Vec<f64>)>,
    /// Queries by class.
    pub(crate) queries: Vec<Queries>,
    pub(crate) slowdowns: SlowdownTable,
    /// Goodput of flows above 10 MB, if there are any.
    pub(crate) goodput: Option<Goodput>,
    /// Problems found in the files.
    pub(crate) remarks: Vec<String>,
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
