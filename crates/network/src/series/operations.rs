//! The series `operations`: computations and messages of the ranks of jobs.
//!
//! The ranks record their operations themselves, because only they know when an operation could
//! have started. Memory is proportional to the operations of an interval and to the operations
//! under way.

use std::any::Any;
use std::io;
use std::ops::Range;
use std::sync::Arc;

use fabricsim_base::checkpoint::Checkpointed;
use fabricsim_base::id::NodeId;
use fabricsim_base::units::Time;
use fabricsim_core::plugin::Application;
use fabricsim_workload::{OperationKind, OperationRecord, RankApplication};

use super::rows::{CellKind, Columns, Rows, SeriesCell};
use super::{Scope, Series, View};
use crate::runner::Runner;

/// The operations of all ranks at chosen hosts that start and end in the observed time.
#[derive(Checkpointed, Debug)]
#[checkpoint(absolute)]
pub struct Operations {
    /// The chosen hosts, in order.
    #[checkpoint(rebuilt)]
    hosts: Vec<NodeId>,
    #[checkpoint(rebuilt)]
    time: Range<Time>,
    /// The operations since the last sample; none when a checkpoint is taken.
    #[checkpoint(rebuilt)]
    rows: Vec<Row>,
}

/// An operation of a rank.
#[derive(Debug)]
struct Row {
    class: u16,
    job: Arc<str>,
    rank: u32,
    host: NodeId,
    iteration: u32,
    operation: Option<u32>,
    kind: OperationKind,
    name: Box<str>,
    stream: Option<u16>,
    peer: Option<u32>,
    size: Option<u64>,
    flow: Option<u32>,
    collective: Option<u32>,
    ready: Option<Time>,
    start: Time,
    end: Time,
}

impl Series for Operations {
    fn columns() -> Columns {
        &[
            ("class", CellKind::Whole),
            ("job", CellKind::Text),
            ("rank", CellKind::Whole),
            ("host", CellKind::Whole),
            ("iteration", CellKind::Whole),
            ("operation", CellKind::Optional),
            ("kind", CellKind::Text),
            ("name", CellKind::Text),
            ("stream", CellKind::Optional),
            ("peer_rank", CellKind::Optional),
            ("size_bytes", CellKind::Optional),
            ("flow", CellKind::Optional),
            ("collective", CellKind::Optional),
            ("waited_ns", CellKind::Nanoseconds),
            ("start_ns", CellKind::Nanoseconds),
            ("end_ns", CellKind::Nanoseconds),
        ]
    }

    fn new(scope: &Scope<'_>) -> Self {
        let mut hosts: Vec<NodeId> = (scope.ports.iter())
            .map(|&(node, _)| node)
            .filter(|&node| scope.topology.is_host(node))
            .collect();
        hosts.dedup();
        Self {
            hosts,
            time: scope.time.clone(),
            rows: Vec::new(),
        }
    }

    fn collect(&mut self, network: &mut dyn Runner) {
        let Self { hosts, time, rows } = self;
        network.for_each_application(&mut |host, application| {
            let Some(rank) = rank(application) else {
                return;
            };
            let is_chosen = hosts.binary_search(&host).is_ok();
            rank.take_operations(host, &mut |record| {
                if is_chosen && time.contains(&record.start) && record.end <= time.end {
                    rows.push(Row::new(record));
                }
            });
        });
    }

    fn sample(&mut self, _view: &View<'_>, rows: &mut dyn Rows) -> io::Result<()> {
        self.write(rows)
    }

    fn finish(&mut self, _view: &View<'_>, rows: &mut dyn Rows) -> io::Result<()> {
        self.write(rows)
    }
}

impl Operations {
    /// Lets the rank record its operations if `application` is one.
    pub fn record(application: &mut dyn Application) {
        if let Some(rank) = rank(application) {
            rank.record_operations();
        }
    }

    fn write(&mut self, rows: &mut dyn Rows) -> io::Result<()> {
        let mut own = std::mem::take(&mut self.rows);
        if rows.is_full() {
            return Ok(());
        }
        // The sort is stable, and a rank's operations are in the order of their ends already.
        own.sort_by_key(|row| (row.end, row.class, row.rank));
        let late = || {
            let first = own.first().map_or(Time::ZERO, |row| row.end);
            format!("operations that end from {first} on")
        };
        if rows.has_room(own.len(), &late) {
            for row in &own {
                row.write(rows)?;
            }
        }
        Ok(())
    }
}

/// Returns the rank of a job if `application` is one.
fn rank(application: &mut dyn Application) -> Option<&mut RankApplication> {
    let any: &mut dyn Any = application;
    any.downcast_mut()
}

impl Row {
    fn new(record: &OperationRecord<'_>) -> Self {
        Self {
            class: record.info.class.0,
            job: Arc::clone(&record.info.job),
            rank: record.rank,
            host: record.host,
            iteration: record.iteration,
            operation: record.operation,
            kind: record.kind,
            name: record.name.into(),
            stream: record.stream,
            peer: record.peer,
            size: record.size.map(|size| size.get()),
            flow: record.flow.map(|flow| flow.0),
            collective: record.collective,
            ready: record.ready,
            start: record.start,
            end: record.end,
        }
    }

    fn write(&self, rows: &mut dyn Rows) -> io::Result<()> {
        let whole = |number: u32| SeriesCell::Whole(u64::from(number));
        let optional = |number: Option<u32>| number.map_or(SeriesCell::Empty, whole);
        let waited = self.start.since(self.ready.unwrap_or(self.start));
        rows.write(&[
            whole(self.class.into()),
            SeriesCell::Text(&self.job),
            whole(self.rank),
            whole(self.host.0),
            whole(self.iteration),
            optional(self.operation),
            SeriesCell::Text(self.kind.name()),
            SeriesCell::Text(&self.name),
            optional(self.stream.map(u32::from)),
            optional(self.peer),
            self.size.map_or(SeriesCell::Empty, SeriesCell::Whole),
            optional(self.flow),
            optional(self.collective),
            SeriesCell::Picoseconds(waited.as_ps()),
            SeriesCell::Picoseconds(self.start.as_ps()),
            SeriesCell::Picoseconds(self.end.as_ps()),
        ])
    }
}
