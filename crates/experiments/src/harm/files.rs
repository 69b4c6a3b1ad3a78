//! A report as CSV and JSON.

use std::io::{self, Write};

use fabricsim_report::ReplicaMean;
use serde_json::{Value, json};

use super::cell::ConnectionUse;
use super::log::BottleneckResult;
use super::report::{HarmReport, Row, Status};

/// The columns of [`HarmReport::write_flows`].
const FLOW_COLUMNS: &str =
    "seed,rtt_ms,cca,flow,start_ns,size_bytes,fct_ns,retransmitted_bytes,connection";

impl HarmReport {
    /// Writes a row for each seed, round-trip time and competitor, with all results of the cell.
    /// Unknown values are empty.
    ///
    /// # Errors
    /// If `out` cannot be written.
    pub fn write_csv(&self, out: &mut impl Write) -> io::Result<()> {
        write!(out, "seed,rtt_ms,cca,status,flows,complete")?;
        for name in self.statistic_names() {
            let name = name.to_lowercase();
            write!(out, ",{name}_ms,{name}_harm")?;
        }
        writeln!(
            out,
            ",competitor_goodput_bps,reused_connections,duration_s,packets,marked,dropped,\
             sojourn_mean_us,sojourn_p50_us,sojourn_p95_us"
        )?;
        for row in &self.rows {
            for one in &row.replications {
                let cell = &one.cell;
                write!(
                    out,
                    "{},{},{},{},{},{}",
                    one.seed,
                    ms(row),
                    name(row),
                    if cell.is_complete() {
                        "complete"
                    } else {
                        "partial"
                    },
                    cell.flows.len(),
                    one.complete()
                )?;
                for place in 0..=self.settings.percentiles.len() {
                    for value in [one.statistics.get(place), one.harm.get(place)] {
                        match value {
                            Some(value) => write!(out, ",{value:.6}")?,
                            None => write!(out, ",")?,
                        }
                    }
                }
                match cell.competitor_goodput {
                    Some(bps) => write!(out, ",{bps:.0}")?,
                    None => write!(out, ",")?,
                }
                let BottleneckResult {
                    packets,
                    marked,
                    dropped,
                    ..
                } = cell.bottleneck;
                let duration = cell.duration.as_secs_f64();
                write!(
                    out,
                    ",{},{duration:.3},{packets},{marked},{dropped}",
                    one.reused()
                )?;
                for wait in [
                    cell.bottleneck.sojourn_mean,
                    cell.bottleneck.sojourn_p50,
                    cell.bottleneck.sojourn_p95,
                ] {
                    write!(out, ",{:.3}", wait.as_secs_f64() * 1e6)?;
                }
                writeln!(out)?;
            }
        }
        Ok(())
    }

    /// Writes a row for each flow of each cell; `fct_ns` and `connection` are empty if the flow has
    /// not finished.
    ///
    /// # Errors
    /// If `out` cannot be written.
    pub fn write_flows(&self, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "{FLOW_COLUMNS}")?;
        for row in &self.rows {
            for one in &row.replications {
                for (number, flow) in one.cell.flows.iter().enumerate() {
                    let fct = flow.fct.map(|fct| fct.as_ns().to_string());
                    writeln!(
                        out,
                        "{},{},{},{number},{},{},{},{},{}",
                        one.seed,
                        ms(row),
                        name(row),
                        flow.start.as_ns(),
                        flow.size.get(),
                        fct.unwrap_or_default(),
                        flow.retransmitted.get(),
                        match flow.connection {
                            ConnectionUse::New => "new",
                            ConnectionUse::Reused => "reused",
                            ConnectionUse::Unknown => "",
                        }
                    )?;
                }
            }
        }
        Ok(())
    }

    /// Returns settings, workload and rows as JSON. Each statistic has its mean over seeds, its
    /// interval and the value of each seed.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let names = self.statistic_names();
        let rows: Vec<Value> = self
            .rows
            .iter()
            .map(|row| {
                let values = |means: &[ReplicaMean]| -> Value {
                    let means = names.iter().zip(means);
                    means
                        .map(|(name, mean)| (name.to_lowercase(), json!(mean)))
                        .collect::<serde_json::Map<_, _>>()
                        .into()
                };
                json!({
                    "rtt_ms": row.rtt.as_secs_f64() * 1e3,
                    "cca": row.competitor,
                    "status": status(row.status()),
                    "fct_ms": values(&row.statistics),
                    "harm": values(&row.harm),
                    "cells": row.replications.iter().map(|one| {
                        let cell = &one.cell;
                        let us = |wait: fabricsim_base::units::Duration| wait.as_secs_f64() * 1e6;
                        json!({
                            "seed": one.seed,
                            "status": status(
                                if cell.is_complete() { Status::Complete } else { Status::Partial }
                            ),
                            "flows": cell.flows.len(),
                            "complete": one.complete(),
                            "fct_ms": one.statistics,
                            "harm": one.harm,
                            "competitor_goodput_bps": cell.competitor_goodput,
                            "reused_connections": one.reused(),
                            "duration_s": cell.duration.as_secs_f64(),
                            "bottleneck": {
                                "packets": cell.bottleneck.packets,
                                "marked": cell.bottleneck.marked,
                                "dropped": cell.bottleneck.dropped,
                                "sojourn_mean_us": us(cell.bottleneck.sojourn_mean),
                                "sojourn_p50_us": us(cell.bottleneck.sojourn_p50),
                                "sojourn_p95_us": us(cell.bottleneck.sojourn_p95),
                            },
                        })
                    }).collect::<Vec<_>>(),
                })
            })
            .collect();
        json!({
            "settings": self.settings,
            "workload": {
                "flows": self.workload.flows,
                "duration_s": self.workload.duration.as_secs_f64(),
                "mean_arrival_ms": self.workload.mean_arrival.as_secs_f64() * 1e3,
                "len_p5_bytes": self.workload.len_p5,
                "len_mean_bytes": self.workload.len_mean,
                "len_p95_bytes": self.workload.len_p95,
                "offered_bps": self.workload.offered_bps(),
            },
            "status": status(self.status()),
            "rows": rows,
        })
    }
}

const fn status(status: Status) -> &'static str {
    match status {
        Status::Complete => "complete",
        Status::Partial => "partial",
    }
}

fn ms(row: &Row) -> f64 {
    row.rtt.as_secs_f64() * 1e3
}

fn name(row: &Row) -> &str {
    row.competitor.as_deref().unwrap_or("-")
}
