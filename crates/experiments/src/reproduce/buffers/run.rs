//! Figures of one run.

use std::path::Path;

use fabricsim::observe::QueueGroupSummary;
use fabricsim_base::id::ClassId;
use fabricsim_base::units::{Duration, Time};
use fabricsim_plot::figure::group_curve;
use fabricsim_report::{Cut, CutEnd, RpcRecord, RpcStatistics, read_rpc};
use fabricsim_scenario::text::error::Error;
use fabricsim_scenario::text::file_kind::FileKind;
use fabricsim_scenario::text::input_file::read_text;
use serde::Serialize;

use super::super::measured::Measured;
use super::super::point_facts::PointFacts;
use super::{KEPT, OWN_FLOWS, PAYLOAD, SHARED, STORAGE};
use crate::sweep::{Point, PointResults, PointState};

/// The class of the victim's queries.
const VICTIM: ClassId = ClassId(1);
/// Queries that the victim has outstanding on each connection.
const OUTSTANDING: u64 = 2;
/// Upper ends of the size classes: the points of the storage system's distribution.
const SIZES: [u64; 8] = [
    4_000, 8_000, 16_000, 32_000, 64_000, 128_000, 256_000, 2_000_000,
];
/// Queries up to this size are short: 90.5% of the storage system's queries.
const SHORT: u64 = 32_000;
/// No query takes this long unless it waits for a retransmission timeout.
const TIMEOUT: Duration = Duration::from_ms(2);

/// The preset's group of the ports through which all queries of the victim pass.
const BOTTLENECK: &str = "bottleneck";
const ALL: &str = "all";
const TO_HOSTS: &str = "ToR to host";

/// Queries of the victim that finished in the time that counts.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct VictimFigures {
    /// Their number.
    pub queries: usize,
    /// Their number per second.
    pub qps: f64,
    /// Queries that the victim has outstanding at any time.
    pub outstanding: u64,
    /// Mean query completion time, in microseconds.
    pub mean_us: f64,
    /// Median.
    pub p50_us: f64,
    /// 95th percentile.
    pub p95_us: f64,
    /// 99th percentile.
    pub p99_us: f64,
    /// 99.9th percentile.
    pub p999_us: f64,
    /// Share of them that took 2 ms or more.
    pub above_ms: f64,
}

impl VictimFigures {
    /// Returns queries per second over the value of Little's formula: outstanding queries over the
    /// mean time.
    #[must_use]
    pub fn little(&self) -> f64 {
        self.qps * self.mean_us / 1e6 / self.outstanding as f64
    }
}

/// Slowdowns of queries of some sizes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SizeRow {
    /// The largest size, in bytes.
    pub upto_bytes: u64,
    /// Queries of these sizes that count.
    pub queries: usize,
    /// Median slowdown.
    pub p50: f64,
    /// 99th percentile.
    pub p99: f64,
}

/// Lengths of queues over time, in bytes.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct QueueFigures {
    /// Mean, in bytes.
    pub mean_bytes: f64,
    /// Median, in bytes.
    pub p50_bytes: f64,
    /// 99th percentile.
    pub p99_bytes: f64,
    /// Median over the time in which the queue is not empty.
    pub busy_p50_bytes: Option<f64>,
    /// Median at ports towards servers.
    pub to_hosts_p50_bytes: Option<f64>,
    /// Cumulative distribution: (bytes, percent of the time with at most that many).
    #[serde(skip)]
    pub(super) curve: Vec<(f64, f64)>,
}

/// Figures of one run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RunFigures {
    /// The experiment, by its name in the preset.
    pub experiment: String,
    /// The scheme.
    pub scheme: String,
    /// The seed.
    pub seed: u64,
    /// The victim's queries (floods only).
    pub victim: Option<VictimFigures>,
    /// Slowdowns of size classes (storage benchmark only).
    pub sizes: Vec<SizeRow>,
    /// Slowdowns of queries up to 32 KB.
    pub short: Option<SizeRow>,
    /// Queue of the bottleneck in floods, of all switch ports in the storage benchmark.
    pub queue: QueueFigures,
    /// Packets that switches dropped.
    pub drops: u64,
    /// Payload bytes that were retransmitted.
    pub retransmitted_bytes: u64,
    /// Pause frames.
    pub pfc_pauses: u64,
    /// Sum of the times for which ports were paused, in nanoseconds.
    pub pfc_paused_ns: f64,
}

impl RunFigures {
    pub(super) fn empty(experiment: &str, scheme: &str) -> Self {
        Self {
            experiment: experiment.to_owned(),
            scheme: scheme.to_owned(),
            seed: 1,
            victim: None,
            sizes: Vec::new(),
            short: None,
            queue: QueueFigures::default(),
            drops: 0,
            retransmitted_bytes: 0,
            pfc_pauses: 0,
            pfc_paused_ns: 0.0,
        }
    }

    /// Returns the slowdowns of the queries of 4 KB.
    pub(super) fn smallest(&self) -> Option<&SizeRow> {
        self.sizes.iter().find(|row| row.upto_bytes == SIZES[0])
    }

    pub(super) fn is_storage(&self) -> bool {
        [STORAGE, PAYLOAD, SHARED, OWN_FLOWS, KEPT].contains(&self.experiment.as_str())
    }
}

impl QueueFigures {
    #[cfg(test)]
    pub(super) fn of(mean: f64, p50: f64, p99: f64) -> Self {
        Self {
            mean_bytes: mean,
            p50_bytes: p50,
            p99_bytes: p99,
            ..Self::default()
        }
    }
}

/// Reads the figures of all points that have results.
pub(super) fn read(measured: &mut Measured<'_>) -> Result<Vec<RunFigures>, Error> {
    let mut runs = Vec::new();
    for point in measured.points() {
        let mut facts = PointFacts::new(point.name());
        if let PointState::Done(results) = PointState::of(point, measured.dir()) {
            let (figures, counted) = of(measured, point, &results)?;
            facts.fill(&results, counted);
            runs.push(figures);
        }
        measured.note(facts);
    }
    Ok(runs)
}

/// Returns the figures of `point`, and the number of its queries that count.
fn of(
    measured: &Measured<'_>,
    point: &Point,
    results: &PointResults,
) -> Result<(RunFigures, usize), Error> {
    let name = |axis| measured.value(point, axis).unwrap_or_default();
    // The text after a dot names the schemes of a variant of the experiment.
    let experiment = name("experiment").split('.').next().unwrap_or_default();
    let folder = point.folder(measured.dir());
    let queries = queries(&folder.join("rpc.csv"))?;
    let (from, until) = window(measured.cut());
    let mut figures = RunFigures {
        drops: results.buffer_drops,
        retransmitted_bytes: results.retransmitted_bytes,
        pfc_pauses: results.pfc_pauses,
        pfc_paused_ns: results.pfc_paused_ns,
        seed: name("seed").parse().unwrap_or(1),
        ..RunFigures::empty(experiment, name("scheme"))
    };
    let curves = folder.join("queue_groups.csv");
    let text = read_text(FileKind::RESULTS, &curves)?;
    let group = if figures.is_storage() {
        ALL
    } else {
        BOTTLENECK
    };
    let curve = group_curve(&text, group)
        .map_err(|error| Error::input(&curves.display().to_string(), &text, error))?;
    figures.queue = queue(&results.queue_groups, group, curve);
    let counted = if figures.is_storage() {
        let kept: Vec<&RpcRecord> = queries
            .iter()
            .filter(|query| (from..until).contains(&query.issue))
            .collect();
        let lower = |place: usize| place.checked_sub(1).map_or(0, |below| SIZES[below]);
        let rows = SIZES.iter().enumerate();
        figures.sizes = rows
            .filter_map(|(place, &upto)| sizes(&kept, lower(place), upto))
            .collect();
        figures.short = sizes(&kept, 0, SHORT);
        kept.len()
    } else {
        figures.victim = victim(&queries, from, until);
        figures.victim.as_ref().map_or(0, |victim| victim.queries)
    };
    Ok((figures, counted))
}

fn queries(path: &Path) -> Result<Vec<RpcRecord>, Error> {
    let text = read_text(FileKind::RESULTS, path)?;
    read_rpc(&text).map_err(|error| Error::input(&path.display().to_string(), &text, error))
}

/// Returns the start and end of the time that counts.
const fn window(cut: Cut) -> (Time, Time) {
    let from = Time::from_ps(cut.warm_up.as_ps());
    match cut.end {
        CutEnd::Until(until) => (from, until),
        CutEnd::CoolDown(_) => (from, Time::MAX),
    }
}

/// Returns the figures of the victim's queries that finish from `from` until before `until`.
fn victim(queries: &[RpcRecord], from: Time, until: Time) -> Option<VictimFigures> {
    let victims = || queries.iter().filter(|query| query.class == VICTIM);
    let times: Vec<f64> = victims()
        .filter(|query| (from..until).contains(&query.completion))
        .map(|query| query.qct().as_ps() as f64 / 1e6)
        .collect();
    let mut connections: Vec<u32> = victims().map(|query| query.connection.0).collect();
    connections.sort_unstable();
    connections.dedup();
    let span_s = until.since(from).as_ps() as f64 / 1e12;
    let timeout_us = TIMEOUT.as_ps() as f64 / 1e6;
    let above = times.iter().filter(|&&time| time >= timeout_us).count();
    let count = times.len();
    let statistics = RpcStatistics::of(times)?;
    Some(VictimFigures {
        queries: count,
        qps: count as f64 / span_s,
        outstanding: OUTSTANDING * connections.len() as u64,
        mean_us: statistics.mean,
        p50_us: statistics.p50,
        p95_us: statistics.p95,
        p99_us: statistics.p99,
        p999_us: statistics.p999,
        above_ms: above as f64 / count as f64,
    })
}

/// Returns the slowdowns of queries above `above` and up to `upto` bytes; `None` if there are none.
fn sizes(queries: &[&RpcRecord], above: u64, upto: u64) -> Option<SizeRow> {
    let same = queries
        .iter()
        .filter(|query| query.size.get() > above && query.size.get() <= upto);
    let slowdowns: Vec<f64> = same.map(|query| query.slowdown()).collect();
    let queries = slowdowns.len();
    let statistics = RpcStatistics::of(slowdowns)?;
    Some(SizeRow {
        upto_bytes: upto,
        queries,
        p50: statistics.p50,
        p99: statistics.p99,
    })
}

fn queue(groups: &[QueueGroupSummary], name: &str, curve: Vec<(f64, f64)>) -> QueueFigures {
    let group = |name: &str| groups.iter().find(|group| group.group == name);
    let Some(summary) = group(name) else {
        return QueueFigures::default();
    };
    // The first step of the curve is the share of the time without a queue.
    let empty = curve
        .iter()
        .take_while(|(bytes, _)| *bytes <= 0.0)
        .last()
        .map_or(0.0, |&(_, percent)| percent);
    let half = empty.midpoint(100.0);
    let busy = curve.iter().find(|&&(_, percent)| percent >= half);
    QueueFigures {
        mean_bytes: summary.mean_bytes,
        p50_bytes: summary.p50_bytes as f64,
        p99_bytes: summary.p99_bytes as f64,
        busy_p50_bytes: busy.map(|&(bytes, _)| bytes),
        to_hosts_p50_bytes: group(TO_HOSTS).map(|group| group.p50_bytes as f64),
        curve,
    }
}

#[cfg(test)]
mod tests {
    use fabricsim_base::id::{FlowId, NodeId};
    use fabricsim_base::units::Bytes;

    use super::*;

    fn query(connection: u32, issue_us: u64, qct_us: u64, size: u64) -> RpcRecord {
        RpcRecord {
            query: FlowId(0),
            class: VICTIM,
            client: NodeId(1),
            server: NodeId(0),
            connection: FlowId(connection),
            size: Bytes::new(size),
            response: Bytes::new(64),
            issue: Time::ZERO + Duration::from_us(issue_us),
            completion: Time::ZERO + Duration::from_us(issue_us + qct_us),
            ideal: Duration::from_us(10),
        }
    }

    /// Two connections, each with two queries of 100 us outstanding: 40,000 per second.
    #[test]
    fn a_closed_loop_obeys_littles_formula() {
        let queries: Vec<RpcRecord> = (0..1000)
            .flat_map(|n| [1, 1, 2, 2].map(|connection| query(connection, n * 100, 100, 4_000)))
            .collect();
        let (from, until) = (
            Time::ZERO + Duration::from_ms(20),
            Time::ZERO + Duration::from_ms(90),
        );
        let figures = victim(&queries, from, until).expect("queries");
        assert_eq!((figures.queries, figures.outstanding), (2800, 4));
        assert!((figures.qps - 40e3).abs() < 1e-6 && (figures.mean_us - 100.0).abs() < 1e-9);
        assert!((figures.little() - 1.0).abs() < 1e-9);
        assert!(figures.above_ms.abs() < 1e-9);
        assert!(victim(&[], from, until).is_none());
    }

    #[test]
    fn classes_of_sizes_end_where_the_distribution_has_its_points() {
        let queries = [
            query(1, 0, 20, 4_000),
            query(1, 0, 40, 4_001),
            query(1, 0, 50, 8_000),
        ];
        let queries: Vec<&RpcRecord> = queries.iter().collect();
        let smallest = sizes(&queries, 0, 4_000).expect("one");
        assert_eq!((smallest.queries, smallest.p50), (1, 2.0));
        assert_eq!(
            sizes(&queries, 4_000, 8_000).map(|row| row.queries),
            Some(2)
        );
        assert_eq!(sizes(&queries, 8_000, 16_000), None);
    }

    #[test]
    fn the_median_of_a_busy_queue_leaves_out_the_time_without_one() {
        let summary = QueueGroupSummary {
            group: ALL.to_owned(),
            ports: 1,
            mean_bytes: 100.0,
            p50_bytes: 0,
            p95_bytes: 900,
            p99_bytes: 900,
            longest_bytes: 900,
        };
        let curve = vec![(0.0, 0.0), (0.0, 60.0), (500.0, 80.0), (900.0, 100.0)];
        let figures = queue(&[summary], ALL, curve);
        assert_eq!(
            (figures.p50_bytes, figures.busy_p50_bytes),
            (0.0, Some(500.0))
        );
        assert_eq!(queue(&[], ALL, Vec::new()), QueueFigures::default());
    }
}
