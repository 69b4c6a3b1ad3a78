//! Estimate of the gain from more cores, from one run on one thread.
//!
//! Within an epoch the nodes (hosts and switches) are independent. A list schedule of their
//! measured costs therefore gives the duration of the epoch for any number of workers. Each epoch
//! adds a barrier. The driver's work between epochs stays serial.

mod barrier;
mod ranks;
mod report;
mod run;
mod schedule;

use std::hint::black_box;
use std::io::{self, Write};
use std::thread::available_parallelism;
use std::time::{Duration, Instant};

use cpu_time::ThreadTime;
use fabricsim_base::id::NodeId;
use fabricsim_engine::Probe;
use fabricsim_topology::Topology;

use fabricsim_scenario::text::error::Error;

use barrier::Barriers;
use ranks::RankLoads;
pub use ranks::{MessageCosts, RANKS, RankRow};
pub use report::{BarrierSource, Kind, NodeCost, ParallelismReport, Spread, WorkerRow};
pub use run::profile_to_folder;
use schedule::ListSchedule;

/// Numbers of workers in the estimate.
pub const WORKERS: [usize; 7] = [2, 4, 8, 16, 32, 64, 128];

/// Rounds, and readings per round, of the calibration that measures the cost of a measurement.
const TRIAL_ROUNDS: usize = 64;
const TRIAL_READINGS: u32 = 256;

/// Measures the costs of nodes during a run. It needs 12 bytes per epoch and 16 per node.
#[derive(Debug)]
pub struct Parallelism {
    reading: Reading,
    /// Start time of the running node.
    node_begun: Instant,
    window_begun: Instant,
    /// CPU time of the thread at the start of the epoch.
    window_cpu: ThreadTime,
    /// Start of the driver's present work: the end of the last epoch, or the start of the run.
    window_ended: Instant,
    /// Cost of each node in this epoch, in nanoseconds, and the node's number.
    costs: Vec<(u64, u32)>,
    /// The costs alone, in decreasing order.
    sorted: Vec<u64>,
    nodes: Vec<NodeTotal>,
    schedule: ListSchedule,
    /// Length of the list schedule in nanoseconds, summed over all epochs, for each of [`WORKERS`].
    scheduled_ns: [u64; WORKERS.len()],
    /// Cost of the costliest node of each epoch, summed over all epochs.
    critical_ns: u64,
    /// Time in epochs that belongs to no node. It may be negative for single epochs, if a reading
    /// was faster than the calibration.
    search_ns: i64,
    /// Time between epochs.
    driver_ns: u64,
    epoch_work_ns: Vec<u64>,
    epoch_nodes: Vec<u32>,
    /// Estimated loads for each number of ranks.
    ranks: RankLoads,
    /// Time that the profile itself spent on messages while the present node was running.
    heard_ns: u64,
    /// The same, summed over this epoch.
    epoch_heard_ns: u64,
}

/// Cost of one node over all epochs.
#[derive(Clone, Copy, Debug, Default)]
struct NodeTotal {
    cost_ns: u64,
    /// Epochs in which the node ran.
    epochs: u64,
}

/// Cost of the measurement of one node.
#[derive(Clone, Copy, Debug, Default)]
struct Reading {
    /// The part between the two clock readings, which would be counted as work.
    within_ns: u64,
    /// The whole cost.
    whole_ns: u64,
}

impl Parallelism {
    /// Returns a profile of a network of `nodes` hosts and switches. It calibrates the cost of
    /// measurements, which takes some milliseconds.
    #[must_use]
    pub fn new(nodes: usize) -> Self {
        Self::with_reading(nodes, Reading::measure())
    }

    fn with_reading(nodes: usize, reading: Reading) -> Self {
        let now = Instant::now();
        Self {
            reading,
            node_begun: now,
            window_begun: now,
            window_cpu: ThreadTime::now(),
            window_ended: now,
            costs: Vec::new(),
            sorted: Vec::new(),
            nodes: vec![NodeTotal::default(); nodes],
            schedule: ListSchedule::default(),
            scheduled_ns: [0; WORKERS.len()],
            critical_ns: 0,
            search_ns: 0,
            driver_ns: 0,
            epoch_work_ns: Vec::new(),
            epoch_nodes: Vec::new(),
            ranks: RankLoads::default(),
            heard_ns: 0,
            epoch_heard_ns: 0,
        }
    }

    /// Also estimates runs on [`RANKS`] ranks for the nodes of `topology`.
    #[must_use]
    pub fn with_ranks(mut self, topology: &Topology) -> Self {
        self.ranks = RankLoads::new(topology);
        self
    }

    /// Marks the start of the run. Time until the first epoch counts as the driver's.
    pub fn start(&mut self) {
        self.window_ended = Instant::now();
    }

    /// Returns the estimates for the nodes of `topology`. It measures the barrier, which takes a
    /// few tenths of a second at most. `cpu_share` is the CPU time of the run over its wall time.
    ///
    /// # Errors
    /// If the system does not provide a thread for each core.
    pub fn report(
        &self,
        topology: &Topology,
        cpu_share: f64,
        messages: MessageCosts,
    ) -> Result<ParallelismReport, Error> {
        let cores = available_parallelism().map_or(1, std::num::NonZero::get);
        let barriers = Barriers::measure(cores).map_err(Error::threads)?;
        Ok(report::assemble(
            self, topology, &barriers, cpu_share, messages,
        ))
    }

    /// Writes `parallelism_nodes.csv`: a row for each node, in the order of their numbers.
    ///
    /// # Errors
    /// If `out` cannot be written.
    pub fn write_nodes(&self, out: &mut impl Write, topology: &Topology) -> io::Result<()> {
        writeln!(out, "node,kind,cost_ns,epochs")?;
        for (index, total) in self.nodes.iter().enumerate() {
            let kind = Kind::of(topology, NodeId::from_index(index)).name();
            writeln!(out, "{index},{kind},{},{}", total.cost_ns, total.epochs)?;
        }
        Ok(())
    }

    /// Closes an epoch with the costs of its nodes in `self.costs`.
    ///
    /// The epoch lasted `span`, in which the thread ran for `cpu`. The difference went to other
    /// programs and is subtracted from the costliest nodes.
    fn close_window(&mut self, span: Duration, cpu: Duration) {
        let lost = nanos(span.saturating_sub(cpu));
        self.costs.sort_unstable_by(|a, b| b.cmp(a));
        take_off(&mut self.costs, lost);
        self.sorted.clear();
        self.sorted.extend(self.costs.iter().map(|(cost, _)| cost));
        self.sorted.sort_unstable_by(|a, b| b.cmp(a));
        for (cost, index) in self.costs.drain(..) {
            let total = &mut self.nodes[index as usize];
            total.cost_ns += cost;
            total.epochs += 1;
            self.ranks.add_work(index, cost);
        }
        self.ranks.close_epoch();
        let nodes = self.sorted.len();
        let work: u64 = self.sorted.iter().sum();
        let measuring = self.reading.whole_ns * nodes as u64 + self.reading.within_ns;
        let heard = std::mem::take(&mut self.epoch_heard_ns);
        self.search_ns += signed(nanos(span)) - signed(work + measuring + lost + heard);
        self.critical_ns += self.sorted.first().copied().unwrap_or(0);
        for (sum, workers) in self.scheduled_ns.iter_mut().zip(WORKERS) {
            *sum += self.schedule.length(&self.sorted, workers);
        }
        self.epoch_work_ns.push(work);
        let nodes = u32::try_from(nodes).expect("nodes are numbered by u32");
        self.epoch_nodes.push(nodes);
    }
}

/// Subtracts `lost` from the highest `costs`, which are sorted in decreasing order, but reduces no
/// cost below the median.
///
/// If the thread was interrupted, the running node appears to be a costly one.
fn take_off(costs: &mut [(u64, u32)], mut lost: u64) {
    let Some(&(median, _)) = costs.get(costs.len() / 2) else {
        return;
    };
    for (cost, _) in costs {
        let taken = lost.min(*cost - median.min(*cost));
        *cost -= taken;
        lost -= taken;
        if lost == 0 {
            return;
        }
    }
}

impl Probe for Parallelism {
    fn epoch_begins(&mut self) {
        let now = Instant::now();
        let between = nanos(now - self.window_ended);
        self.driver_ns += between.saturating_sub(self.reading.within_ns);
        self.window_cpu = ThreadTime::now();
        self.window_begun = Instant::now();
    }

    fn process_begins(&mut self, _index: usize) {
        self.node_begun = Instant::now();
    }

    fn process_ends(&mut self, index: usize) {
        let heard = std::mem::take(&mut self.heard_ns);
        self.epoch_heard_ns += heard;
        let cost = nanos(self.node_begun.elapsed()).saturating_sub(self.reading.within_ns + heard);
        let index = u32::try_from(index).expect("nodes are numbered by u32");
        self.costs.push((cost, index));
    }

    fn hears_of_messages(&self) -> bool {
        self.ranks.is_on()
    }

    fn sends(
        &mut self,
        index: usize,
        channel: usize,
        messages: usize,
        pack: &mut dyn FnMut() -> usize,
    ) {
        let begun = Instant::now();
        self.ranks
            .add_messages(index, channel, messages as u64, pack);
        self.heard_ns += nanos(begun.elapsed()) + self.reading.within_ns;
    }

    fn epoch_ends(&mut self) {
        let span = self.window_begun.elapsed();
        let cpu = if cfg!(unix) {
            self.window_cpu.elapsed()
        } else {
            // Elsewhere CPU time is counted in ticks that are longer than epochs.
            span
        };
        self.close_window(span, cpu);
        // The time of the scheduling above belongs to neither nodes nor driver.
        self.window_ended = Instant::now();
    }
}

impl Reading {
    /// Calibrates with nodes that do nothing.
    fn measure() -> Self {
        let mut trial = Parallelism::with_reading(1, Self::default());
        let mut whole: Vec<u64> = Vec::with_capacity(TRIAL_ROUNDS);
        let mut within = Vec::new();
        for _ in 0..TRIAL_ROUNDS {
            let probe: &mut dyn Probe = black_box(&mut trial);
            let begun = Instant::now();
            for _ in 0..TRIAL_READINGS {
                probe.process_begins(0);
                probe.process_ends(0);
            }
            whole.push(nanos(begun.elapsed()) / u64::from(TRIAL_READINGS));
            within.extend(trial.costs.drain(..).map(|(cost, _)| cost));
        }
        Self {
            within_ns: median(&mut within),
            whole_ns: median(&mut whole),
        }
    }
}

/// Returns the median of `values`, which are not empty; the upper one if there are two.
fn median(values: &mut [u64]) -> u64 {
    let middle = values.len() / 2;
    *values.select_nth_unstable(middle).1
}

fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

fn signed(ns: u64) -> i64 {
    i64::try_from(ns).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests;
