//! Slowdowns by class of flows.

use std::collections::BTreeMap;

use fabricsim_report::FctRecord;
use serde::{Deserialize, Serialize};

use super::slowdowns;

/// Slowdowns of one class of flows.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct ClassSlowdown {
    /// Number of the class.
    pub class: u16,
    /// Number of finished flows.
    pub flows: usize,
    /// Median slowdown; this and the other percentiles are absent if there are too few flows.
    pub p50: Option<f64>,
    /// 95th percentile of the slowdown.
    pub p95: Option<f64>,
    /// 99th percentile of the slowdown.
    pub p99: Option<f64>,
    /// Mean slowdown.
    pub mean: Option<f64>,
}

/// Returns the slowdowns of each class that has finished flows, in the order of their numbers.
pub(super) fn class_slowdowns(records: &[FctRecord]) -> Vec<ClassSlowdown> {
    let mut classes: BTreeMap<u16, Vec<FctRecord>> = BTreeMap::new();
    for record in records {
        classes.entry(record.class.0).or_default().push(*record);
    }
    let row = |(class, records): (u16, Vec<FctRecord>)| {
        let all = slowdowns(&records).into_iter().next()?;
        Some(ClassSlowdown {
            class,
            flows: all.flows,
            p50: all.p50,
            p95: all.p95,
            p99: all.p99,
            mean: all.mean,
        })
    };
    classes.into_iter().filter_map(row).collect()
}
