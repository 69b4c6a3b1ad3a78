//! Contents of `parallelism.json`.

use fabricsim_base::id::NodeId;
use fabricsim_report::percentile;
use fabricsim_topology::Topology;
use serde::Serialize;

use super::barrier::Barriers;
use super::ranks::{MessageCosts, RankRow};
use super::{Parallelism, WORKERS};

/// Costliest processes in the report.
const COSTLIEST: usize = 10;
/// The least efficiency of the advised number of workers.
const WORTHWHILE: f64 = 0.5;

/// Estimate of runs on more threads, from one run on one thread.
#[derive(Clone, Debug, Serialize)]
pub struct ParallelismReport {
    /// Epochs that were run.
    pub epochs: u64,
    /// Processes: hosts and switches.
    pub nodes: usize,
    /// Time that nodes took, in nanoseconds.
    pub work_ns: u64,
    /// Time in epochs that belongs to no node: the search for due nodes. Workers share it.
    pub search_ns: u64,
    /// Time between epochs, in which one thread works: it starts flows and writes completions.
    pub driver_ns: u64,
    /// Sum over epochs of the costliest node: the time with a worker for each node.
    pub critical_path_ns: u64,
    /// Upper bound of the speedup for any number of workers: the sum of `work_ns`, `search_ns` and
    /// `driver_ns` over the sum of `critical_path_ns` and `driver_ns`.
    pub speedup_bound: f64,
    /// Work in an epoch, in nanoseconds.
    pub epoch_work_ns: Spread,
    /// Processes that run in an epoch.
    pub epoch_nodes: Spread,
    /// Cost of measuring a node in nanoseconds, already subtracted.
    pub reading_ns: u64,
    /// CPU time over wall time. If it is well below one, other programs used the machine.
    pub cpu_share: f64,
    /// Cores of the machine.
    pub cores: usize,
    /// The largest number of threads of a barrier measurement.
    pub barrier_threads: usize,
    /// The share of measured barriers in which every thread took part. If it is well below one,
    /// other programs used the machine and the barrier seems too slow.
    pub barrier_share: f64,
    /// Estimates by number of workers.
    pub workers: Vec<WorkerRow>,
    /// The assumed costs of messages between ranks.
    pub messages: MessageCosts,
    /// Estimates by number of ranks, each of one thread.
    pub ranks: Vec<RankRow>,
    /// The largest number of workers that are used at least by half; 1 if two are not.
    pub advised_workers: usize,
    /// The costliest nodes, in decreasing order.
    pub costliest: Vec<NodeCost>,
}

/// A distribution over epochs. Percentiles are not interpolated.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Spread {
    /// Mean.
    pub mean: f64,
    /// Median.
    pub p50: f64,
    /// 99th percentile.
    pub p99: f64,
    /// Maximum.
    pub max: f64,
}

/// Estimate for one number of workers.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct WorkerRow {
    /// Number of workers.
    pub workers: usize,
    /// The time of the run, in nanoseconds.
    pub time_ns: f64,
    /// Time on one thread over `time_ns`.
    pub speedup: f64,
    /// `speedup` over `workers`.
    pub efficiency: f64,
    /// One barrier, in nanoseconds.
    pub barrier_ns: f64,
    /// Source of `barrier_ns`.
    pub barrier: BarrierSource,
}

/// Source of the cost of a barrier.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum BarrierSource {
    /// It was measured with as many threads.
    Measured,
    /// The machine has fewer cores: scaled from the largest measured number of threads.
    Scaled,
}

/// Kind of a node.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A host.
    Host,
    /// A switch.
    Switch,
}

impl Kind {
    pub(super) fn of(topology: &Topology, node: NodeId) -> Self {
        if topology.is_host(node) {
            Self::Host
        } else {
            Self::Switch
        }
    }

    /// Returns the name for files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Host => "host",
            Self::Switch => "switch",
        }
    }
}

/// Cost of one node over the whole run.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct NodeCost {
    /// Its number.
    pub node: u32,
    /// Kind of the node.
    pub kind: Kind,
    /// Its time, in nanoseconds.
    pub cost_ns: u64,
    /// Its share of `work_ns`.
    pub share: f64,
    /// Epochs in which it ran.
    pub epochs: u64,
}

pub(super) fn assemble(
    profile: &Parallelism,
    topology: &Topology,
    barriers: &Barriers,
    cpu_share: f64,
    messages: MessageCosts,
) -> ParallelismReport {
    let epochs = profile.epoch_work_ns.len() as u64;
    let work_ns: u64 = profile.epoch_work_ns.iter().sum();
    let search_ns = profile.search_ns.max(0).unsigned_abs();
    let driver_ns = profile.driver_ns;
    let alone = (work_ns + search_ns + driver_ns) as f64;
    let row = |(workers, scheduled_ns): (usize, u64)| {
        let (barrier_ns, barrier) = barriers.of(workers);
        let shared = scheduled_ns as f64 + search_ns as f64 / workers as f64;
        let time_ns = shared + epochs as f64 * barrier_ns + driver_ns as f64;
        let speedup = ratio(alone, time_ns);
        WorkerRow {
            workers,
            time_ns,
            speedup,
            efficiency: speedup / workers as f64,
            barrier_ns,
            barrier,
        }
    };
    let workers: Vec<WorkerRow> = WORKERS
        .into_iter()
        .zip(profile.scheduled_ns)
        .map(row)
        .collect();
    let worthwhile = workers.iter().filter(|row| row.efficiency >= WORTHWHILE);
    ParallelismReport {
        epochs,
        nodes: profile.nodes.len(),
        work_ns,
        search_ns,
        driver_ns,
        critical_path_ns: profile.critical_ns,
        speedup_bound: ratio(alone, (profile.critical_ns + driver_ns) as f64),
        epoch_work_ns: Spread::of(profile.epoch_work_ns.iter().map(|&ns| ns as f64)),
        epoch_nodes: Spread::of(profile.epoch_nodes.iter().map(|&n| f64::from(n))),
        reading_ns: profile.reading.whole_ns,
        cpu_share,
        cores: barriers.cores,
        barrier_threads: barriers.most_threads(),
        barrier_share: barriers.undisturbed,
        ranks: profile
            .ranks
            .rows(alone, (search_ns + driver_ns) as f64, epochs, &messages),
        messages,
        advised_workers: worthwhile.map(|row| row.workers).max().unwrap_or(1),
        workers,
        costliest: costliest(profile, topology, work_ns),
    }
}

fn costliest(profile: &Parallelism, topology: &Topology, work_ns: u64) -> Vec<NodeCost> {
    let mut order: Vec<usize> = (0..profile.nodes.len()).collect();
    order.sort_by_key(|&index| std::cmp::Reverse(profile.nodes[index].cost_ns));
    let top = order.into_iter().take(COSTLIEST).map(|index| {
        let (node, total) = (NodeId::from_index(index), profile.nodes[index]);
        NodeCost {
            node: node.0,
            kind: Kind::of(topology, node),
            cost_ns: total.cost_ns,
            share: ratio(total.cost_ns as f64, work_ns as f64),
            epochs: total.epochs,
        }
    });
    top.collect()
}

/// Returns `a` over `b`, or 1 if `b` is zero.
fn ratio(a: f64, b: f64) -> f64 {
    if b > 0.0 { a / b } else { 1.0 }
}

impl Spread {
    fn of(values: impl Iterator<Item = f64>) -> Self {
        let mut sorted: Vec<f64> = values.collect();
        sorted.sort_unstable_by(f64::total_cmp);
        let at = |p| percentile(&sorted, p).unwrap_or(0.0);
        Self {
            mean: sorted.iter().sum::<f64>() / sorted.len().max(1) as f64,
            p50: at(0.5),
            p99: at(0.99),
            max: at(1.0),
        }
    }
}
