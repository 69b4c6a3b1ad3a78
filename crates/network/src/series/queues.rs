//! The series `queues`: lengths of queues.

use std::io;

use fabricsim_base::checkpoint::Checkpointed;

use super::ports::{NamedPort, named, places};
use super::rows::{CellKind, Columns, Rows, SeriesCell};
use super::{Scope, Series, View};

/// The lengths of queues at the end of each interval.
#[derive(Checkpointed, Debug)]
#[checkpoint(absolute)]
pub struct Queues {
    #[checkpoint(rebuilt)]
    ports: Vec<NamedPort>,
}

impl Series for Queues {
    fn columns() -> Columns {
        &[
            ("time_ns", CellKind::Nanoseconds),
            ("node", CellKind::Whole),
            ("port", CellKind::Whole),
            ("name", CellKind::Text),
            ("tier", CellKind::Text),
            ("peer", CellKind::Text),
            ("queue_bytes", CellKind::Whole),
        ]
    }

    fn new(scope: &Scope<'_>) -> Self {
        Self {
            ports: named(scope.topology, &scope.queues()),
        }
    }

    fn sample(&mut self, view: &View<'_>, rows: &mut dyn Rows) -> io::Result<()> {
        if view.interval.is_none() || !rows.has_room(self.ports.len(), &|| view.later_rows()) {
            return Ok(());
        }
        let samples = view.network.ports(&places(&self.ports));
        for (at, sample) in self.ports.iter().zip(samples) {
            let [node, port, name, tier, peer] = at.cells();
            rows.write(&[
                SeriesCell::Picoseconds(view.now.as_ps()),
                node,
                port,
                name,
                tier,
                peer,
                SeriesCell::Whole(sample.queue.get()),
            ])?;
        }
        Ok(())
    }
}
