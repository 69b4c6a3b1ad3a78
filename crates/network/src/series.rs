//! Series of `[observe]`: the recorders of nodes, and the rows of the output files.
//!
//! A series is a file beside this one with a type that implements [`Series`], and a line in
//! [`each_series!`](crate::each_series). That line defines its key in `[observe]`, the
//! documentation of the key, and its file `KEY.csv` or `KEY.parquet`.

mod delays;
mod flows;
mod hop_delays;
mod links;
mod operations;
mod ports;
mod queue_distribution;
pub(crate) mod queue_times;
mod queues;
mod rows;
mod selection;

use std::fmt;
use std::io;
use std::ops::Range;

use fabricsim_base::checkpoint::Checkpointed;
use fabricsim_base::id::{NodeId, PortId};
use fabricsim_base::units::{Bytes, Duration, Time};
use fabricsim_report::FctRecord;
use fabricsim_topology::Topology;

use crate::node_log::AttachedObserver;
use crate::runner::Runner;

pub use delays::Delays;
pub use flows::Flows;
pub use hop_delays::HopDelays;
pub use links::Links;
pub use operations::Operations;
pub use queue_distribution::QueueDistribution;
pub use queue_times::{QueueArea, QueueBin};
pub use queues::Queues;
pub use rows::{CellKind, Columns, Rows, SeriesCell};
pub use selection::FlowFilter;

/// Calls the macro `$with` with all series: key in `[observe]`, type, and documentation of the key.
#[macro_export]
macro_rules! each_series {
    ($with:ident) => {
        $with! {
            queues: Queues, " Write queues.csv: queue lengths of switch ports.";
            queue_distribution: QueueDistribution, " Write queue_distribution.csv: how long each queue had each length.";
            links: Links, " Write links.csv: utilization, marks, drops and pauses of ports.";
            flows: Flows, " Write flows.csv: rate, window and throughput of flows.";
            operations: Operations, " Write operations.csv: computations and messages of the ranks of jobs.";
            delays: Delays, " Write delays.csv: the completion time of each flow, divided by what it waited for.";
            hop_delays: HopDelays, " Write hop_delays.csv: how long packets of each flow waited at each hop.";
        }
    };
}

/// A series of `[observe]`. Checkpoints save its [`Checkpointed`] state; the rows so far are saved
/// separately.
pub trait Series: Checkpointed + Send + fmt::Debug {
    /// Returns the columns of the series' file.
    fn columns() -> Columns
    where
        Self: Sized;

    /// Returns a new series that observes `scope`.
    fn new(scope: &Scope<'_>) -> Self
    where
        Self: Sized;

    /// Returns the recorder of `node`; `None` if the node has nothing to record. Your
    /// [`Self::finish`] finds the recorders by [`recorders`](crate::Runner#method.recorders).
    fn recorder(_scope: &Scope<'_>, _node: NodeId) -> Option<Box<dyn AttachedObserver>>
    where
        Self: Sized,
    {
        None
    }

    /// Returns `true` if the series has rows for each interval. Otherwise, it only has rows at the
    /// end of the run, and no state except that of its recorders.
    fn is_sampled(&self) -> bool {
        true
    }

    /// Takes the records that the recorders have made since the last call. Called before
    /// [`Self::sample`] and before [`Self::finish`], when all nodes have reached the same time.
    fn collect(&mut self, _network: &mut dyn Runner) {}

    /// Ends an interval at `view.now`, or begins the first one.
    ///
    /// # Errors
    /// Fails if the file cannot be written.
    fn sample(&mut self, _view: &View<'_>, _rows: &mut dyn Rows) -> io::Result<()> {
        Ok(())
    }

    /// Writes the rows that depend on the whole run. Called once, at its end.
    ///
    /// # Errors
    /// Fails if the file cannot be written.
    fn finish(&mut self, _view: &View<'_>, _rows: &mut dyn Rows) -> io::Result<()> {
        Ok(())
    }
}

/// The part of a run that is observed.
#[derive(Clone, Debug)]
pub struct Scope<'a> {
    /// Nodes and links.
    pub topology: &'a Topology,
    /// The observed time: from the start of the first interval to the end of the last one.
    pub time: Range<Time>,
    /// The chosen ports of hosts and switches, in the order of nodes and ports.
    pub ports: Vec<(NodeId, PortId)>,
    /// Width of the bins of queue lengths, in bytes.
    pub bin: Bytes,
    /// The chosen flows.
    pub flows: FlowFilter,
}

impl Scope<'_> {
    /// Returns the chosen ports of switches and of hosts that forward. Ports of other hosts have no
    /// queues.
    fn queues(&self) -> Vec<(NodeId, PortId)> {
        let ports = self.ports.iter().copied();
        ports
            .filter(|(node, _)| self.topology.forwards(*node))
            .collect()
    }

    /// Returns the chosen ports of the switch `node`; none if it does not forward.
    fn queues_of(&self, node: NodeId) -> impl Iterator<Item = PortId> {
        let first = self.ports.partition_point(|(other, _)| *other < node);
        let rest = match self.topology.forwards(node) {
            true => &self.ports[first..],
            false => &[],
        };
        let own = rest.iter().take_while(move |(other, _)| *other == node);
        own.map(|(_, port)| *port)
    }
}

/// The state of a run at the end of an interval.
pub struct View<'a> {
    /// The current time.
    pub now: Time,
    /// Length of the interval; `None` at the start of the first one.
    pub interval: Option<Duration>,
    /// Nodes and links.
    pub topology: &'a Topology,
    /// The network.
    pub network: &'a dyn Runner,
    /// All flows that have ended so far.
    pub ended: &'a [FctRecord],
}

impl View<'_> {
    /// Describes the rows that are missing from a file that is now full.
    fn later_rows(&self) -> String {
        format!("samples from {} on", self.now)
    }
}

/// A kind of series that a scenario can enable.
#[derive(Clone, Copy, Debug)]
pub struct SeriesKind {
    /// Key of the series in `[observe]`, and the name of its file without the extension.
    pub key: &'static str,
    /// The columns of its file.
    pub columns: fn() -> Columns,
    /// Creates the series.
    pub new: fn(&Scope<'_>) -> Box<dyn Series>,
    /// Creates the recorder of a node, if the series has one for it.
    pub recorder: fn(&Scope<'_>, NodeId) -> Option<Box<dyn AttachedObserver>>,
}

impl SeriesKind {
    /// Returns the kind of series that `S` implements, with the key `key`.
    #[must_use]
    pub const fn of<S: Series + 'static>(key: &'static str) -> Self {
        Self {
            key,
            columns: S::columns,
            new: |scope| Box::new(S::new(scope)),
            recorder: S::recorder,
        }
    }
}
