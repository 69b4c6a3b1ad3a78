//! The series `queue_distribution`: the time that each queue spent at each length.

use std::io;

use fabricsim_base::checkpoint::Checkpointed;
use fabricsim_base::id::NodeId;

use super::queue_times::QueueTimes;
use super::rows::{CellKind, Columns, Rows, SeriesCell};
use super::{Scope, Series, View};
use crate::node_log::AttachedObserver;

/// The time that each queue spent at each length. It is exact, because recorders see every change.
#[derive(Checkpointed, Debug)]
#[checkpoint(absolute)]
pub struct QueueDistribution;

impl Series for QueueDistribution {
    fn columns() -> Columns {
        &[
            ("node", CellKind::Whole),
            ("port", CellKind::Whole),
            ("from_bytes", CellKind::Whole),
            ("upto_bytes", CellKind::Whole),
            ("time_ns", CellKind::Nanoseconds),
        ]
    }

    fn new(_scope: &Scope<'_>) -> Self {
        Self
    }

    fn recorder(scope: &Scope<'_>, node: NodeId) -> Option<Box<dyn AttachedObserver>> {
        let mut own = scope.queues_of(node).peekable();
        own.peek()?;
        let count = scope.topology.ports(node).len();
        let times = QueueTimes::new(scope.time.clone(), scope.bin, count, own);
        Some(Box::new(times))
    }

    fn is_sampled(&self) -> bool {
        false
    }

    fn finish(&mut self, view: &View<'_>, rows: &mut dyn Rows) -> io::Result<()> {
        for bin in view.network.queue_distribution() {
            let label = view.topology.label(bin.node);
            let left_out = || format!("{label} port {} and later ports", bin.port);
            if !rows.has_room(1, &left_out) {
                break;
            }
            rows.write(&[
                SeriesCell::Whole(u64::from(bin.node.0)),
                SeriesCell::Whole(u64::from(bin.port.0)),
                SeriesCell::Whole(bin.from.get()),
                SeriesCell::Whole(bin.upto.get()),
                SeriesCell::Picoseconds(bin.time.as_ps()),
            ])?;
        }
        Ok(())
    }
}
