//! Tables of the quantities observed inside runs: queues, links, pauses, fairness.

use std::collections::BTreeMap;

use fabricsim::Error;
use fabricsim_base::id::{NodeId, PortId};
use fabricsim_base::units::{Duration, Time};
use fabricsim_plot::figure::{Unit, quantity};
use fabricsim_plot::html::{Cell, Page};
use fabricsim_report::Percentile;
use fabricsim_report::observed::{
    PortQueueTime, QueueDistribution, fairness_over_time, link_uses, paused_ports,
    read_flow_samples, read_links, read_pauses, read_port_names, read_queue_distribution,
};

use super::classes::time;
use super::runs::{Run, thousands};
use super::{diagnostic, part};

/// Ports of a run in a table, at most.
const PORTS: usize = 10;

/// Adds the tables of all runs that have observations.
pub(super) fn tables(page: &mut Page, runs: &[Run]) -> Result<(), Error> {
    goodput(page, runs);
    queues(page, runs)?;
    links(page, runs)?;
    pauses(page, runs)?;
    fairness(page, runs)
}

fn gbps(bps: f64) -> Cell {
    Cell::from(format!("{:.3}", bps / 1e9))
}

/// Adds the goodput of long flows for each run that has such flows.
fn goodput(page: &mut Page, runs: &[Run]) {
    let rows: Vec<Vec<Cell>> = runs
        .iter()
        .filter_map(|run| {
            let goodput = run.goodput.as_ref()?;
            Some(vec![
                Cell::from(run.name.as_str()),
                Cell::from(thousands(u64::try_from(goodput.flows).unwrap_or(u64::MAX))),
                gbps(goodput.mean_bps),
                gbps(goodput.median_bps),
                gbps(goodput.aggregate_bps),
            ])
        })
        .collect();
    if rows.is_empty() {
        return;
    }
    page.section("Goodput of flows above 10 MB");
    page.table(
        &[
            "run",
            "flows",
            "mean (Gbps)",
            "median (Gbps)",
            "all bytes over all time (Gbps)",
        ],
        &rows,
    );
}

fn queues(page: &mut Page, runs: &[Run]) -> Result<(), Error> {
    let mut rows = Vec::new();
    for run in runs {
        let Some((file, text)) = part(run, "queue_distribution.csv")? else {
            continue;
        };
        let ports =
            read_queue_distribution(&text).map_err(|error| diagnostic(&file, &text, error))?;
        let mut names: Vec<_> = ports.iter().map(|row| (row.node, row.port)).collect();
        names.sort_unstable();
        names.dedup();
        let all = format!("all {} ports", names.len());
        rows.push(queue_row(&run.name, all, &QueueDistribution::new(&ports)));
        let called = PortNames::of(run)?;
        let mut by_port: Vec<(f64, String, QueueDistribution)> = names
            .iter()
            .filter_map(|&(node, port)| {
                let mine = |row: &&PortQueueTime| (row.node, row.port) == (node, port);
                let queue = QueueDistribution::new(ports.iter().filter(mine));
                let name = called.of_port(node, port);
                Some((queue.mean()?, name, queue))
            })
            .collect();
        // The longest queues first; ports of equal means stay in the order of their numbers.
        by_port.sort_by(|a, b| b.0.total_cmp(&a.0));
        if names.len() > 1 {
            let longest = by_port.into_iter().take(PORTS);
            rows.extend(longest.map(|(_, name, queue)| queue_row(&run.name, name, &queue)));
        }
    }
    if !rows.is_empty() {
        page.section("Queue lengths, weighted by time");
        page.paragraph(&format!(
            "Queues at a switch port, all priorities: of all observed ports together, and of the {PORTS} with the \
             longest queues of each run. A percentile is the upper end of its bin."
        ));
        page.table(
            &["run", "ports", "mean", "p50", "p95", "p99", "p99.9"],
            &rows,
        );
    }
    Ok(())
}

/// The names of a run's ports: `leaf3 -> spine1` if its files have names, otherwise `node 235 port
/// 4`.
struct PortNames(BTreeMap<(NodeId, PortId), String>);

impl PortNames {
    fn of(run: &Run) -> Result<Self, Error> {
        let mut names = BTreeMap::new();
        for name in ["links.csv", "queues.csv"] {
            if let Some((file, text)) = part(run, name)? {
                let read = read_port_names(&text);
                names.extend(read.map_err(|error| diagnostic(&file, &text, error))?);
            }
        }
        Ok(Self(names))
    }

    fn of_port(&self, node: NodeId, port: PortId) -> String {
        let name = self.0.get(&(node, port)).cloned();
        name.unwrap_or_else(|| format!("node {node} port {port}"))
    }
}

fn queue_row(run: &str, ports: String, queue: &QueueDistribution) -> Vec<Cell> {
    let mut row = vec![Cell::from(run), Cell::from(ports)];
    let mean = queue.mean().map(|mean| quantity(mean.round(), Unit::Bytes));
    row.push(Cell::from(mean.unwrap_or_default()));
    for percentile in [
        Percentile::P50,
        Percentile::P95,
        Percentile::P99,
        Percentile::P999,
    ] {
        // The empty queue has a bin of its own, up to 1.
        let upto = queue.percentile(percentile).map(|(from, upto)| {
            let empty = from.get() == 0 && upto.get() == 1;
            if empty { 0.0 } else { upto.as_f64() }
        });
        let text = upto.map(|bytes| quantity(bytes, Unit::Bytes));
        row.push(Cell::from(text.unwrap_or_default()));
    }
    row
}

fn links(page: &mut Page, runs: &[Run]) -> Result<(), Error> {
    let mut rows = Vec::new();
    for run in runs {
        let Some((file, text)) = part(run, "links.csv")? else {
            continue;
        };
        let samples = read_links(&text).map_err(|error| diagnostic(&file, &text, error))?;
        let mut uses = link_uses(&samples);
        uses.sort_by(|a, b| b.mean.total_cmp(&a.mean));
        let called = PortNames::of(run)?;
        let percent = |share: f64| Cell::from(format!("{:.1}%", share * 100.0));
        rows.extend(uses.iter().take(PORTS).map(|link| {
            vec![
                Cell::from(run.name.as_str()),
                Cell::from(called.of_port(NodeId(link.node), PortId(link.port))),
                percent(link.mean),
                percent(link.p50),
                percent(link.p95),
                percent(link.greatest),
                Cell::from(quantity(link.sent_bytes as f64, Unit::Bytes)),
                Cell::from(thousands(link.marked_packets)),
                Cell::from(thousands(link.dropped_packets)),
                paused(link.paused_ps),
            ]
        }));
    }
    if !rows.is_empty() {
        page.section("Links");
        page.paragraph(&format!(
            "The {PORTS} busiest observed directions of links of each run, named by the node and port that send; \
             utilization over the sampled intervals."
        ));
        page.table(
            &[
                "run",
                "sender",
                "mean",
                "p50",
                "p95",
                "greatest",
                "bytes",
                "marked packets",
                "dropped packets",
                "paused",
            ],
            &rows,
        );
    }
    Ok(())
}

fn paused(ps: u64) -> Cell {
    time(Some(ps as f64 / 1e3))
}

fn pauses(page: &mut Page, runs: &[Run]) -> Result<(), Error> {
    let mut rows = Vec::new();
    for run in runs {
        let Some((file, text)) = part(run, "pauses.csv")? else {
            continue;
        };
        let frames = read_pauses(&text).map_err(|error| diagnostic(&file, &text, error))?;
        let called = PortNames::of(run)?;
        let last = frames.iter().map(|row| row.at).max();
        let end = run
            .summary
            .get("simulated_ns")
            .and_then(serde_json::Value::as_f64)
            .map(|ns| Time::ZERO + Duration::from_secs_f64(ns / 1e9));
        let end = end.max(last).unwrap_or(Time::ZERO);
        let mut ports = paused_ports(&frames, end);
        ports.sort_by_key(|port| std::cmp::Reverse(port.paused_ps));
        rows.extend(ports.iter().take(PORTS).map(|port| {
            vec![
                Cell::from(run.name.as_str()),
                Cell::from(format!(
                    "{} priority {}",
                    called.of_port(NodeId(port.node), PortId(port.port)),
                    port.priority
                )),
                Cell::from(thousands(u64::try_from(port.pauses).unwrap_or(u64::MAX))),
                paused(port.paused_ps),
                if port.paused_at_end {
                    Cell::bad("yes")
                } else {
                    Cell::from("no")
                },
            ]
        }));
    }
    if !rows.is_empty() {
        page.section("Pauses");
        page.paragraph(&format!(
            "The {PORTS} ports of each run that priority flow control paused longest."
        ));
        page.table(
            &["run", "paused port", "pauses", "time", "still at the end"],
            &rows,
        );
    }
    Ok(())
}

fn fairness(page: &mut Page, runs: &[Run]) -> Result<(), Error> {
    let mut rows = Vec::new();
    for run in runs {
        let Some((file, text)) = part(run, "flows.csv")? else {
            continue;
        };
        let samples = read_flow_samples(&text).map_err(|error| diagnostic(&file, &text, error))?;
        let points = fairness_over_time(&samples);
        let mut shared: Vec<f64> = points
            .iter()
            .filter(|point| point.flows > 1)
            .map(|point| point.index)
            .collect();
        if shared.is_empty() {
            continue;
        }
        shared.sort_unstable_by(f64::total_cmp);
        let mean = shared.iter().sum::<f64>() / shared.len() as f64;
        let at = |p| fabricsim_report::percentile(&shared, p).unwrap_or(f64::NAN);
        rows.push(vec![
            Cell::from(run.name.as_str()),
            Cell::from(shared.len().to_string()),
            Cell::from(format!("{mean:.3}")),
            Cell::from(format!("{:.3}", at(0.05))),
            Cell::from(format!("{:.3}", at(0.5))),
        ]);
    }
    if !rows.is_empty() {
        page.section("Fairness");
        page.paragraph(
            "Jain's index of the throughputs of the flows that are live at a sample: 1 when all are equal, 1/n when one \
             of n has everything. Over the samples with more than one flow.",
        );
        page.table(&["run", "samples", "mean", "p5", "p50"], &rows);
    }
    Ok(())
}
