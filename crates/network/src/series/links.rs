//! The series `links`: utilization, marks, drops and pauses of ports.

use std::io;

use fabricsim_base::checkpoint::Checkpointed;
use fabricsim_core::network::PortSample;

use super::ports::{NamedPort, named, places};
use super::rows::{CellKind, Columns, Rows, SeriesCell};
use super::{Scope, Series, View};

/// Bytes sent, packets marked and dropped, and pause times of ports in each interval.
#[derive(Checkpointed, Debug)]
#[checkpoint(absolute)]
pub struct Links {
    #[checkpoint(rebuilt)]
    ports: Vec<NamedPort>,
    /// The state of each port at the end of the last interval.
    before: Vec<PortSample>,
}

impl Series for Links {
    fn columns() -> Columns {
        &[
            ("time_ns", CellKind::Nanoseconds),
            ("node", CellKind::Whole),
            ("port", CellKind::Whole),
            ("name", CellKind::Text),
            ("tier", CellKind::Text),
            ("peer", CellKind::Text),
            ("sent_bytes", CellKind::Whole),
            ("utilization", CellKind::Share),
            ("marked_packets", CellKind::Whole),
            ("dropped_packets", CellKind::Whole),
            ("paused_ns", CellKind::Nanoseconds),
        ]
    }

    fn new(scope: &Scope<'_>) -> Self {
        Self {
            ports: named(scope.topology, &scope.ports),
            before: Vec::new(),
        }
    }

    fn sample(&mut self, view: &View<'_>, rows: &mut dyn Rows) -> io::Result<()> {
        let samples = || view.network.ports(&places(&self.ports));
        let Some(interval) = view.interval else {
            self.before = samples();
            return Ok(());
        };
        if !rows.has_room(self.ports.len(), &|| view.later_rows()) {
            return Ok(());
        }
        let samples = samples();
        for ((at, before), after) in self.ports.iter().zip(&mut self.before).zip(samples) {
            let [node, port, name, tier, peer] = at.cells();
            let paused = after.paused.saturating_sub(before.paused);
            rows.write(&[
                SeriesCell::Picoseconds(view.now.as_ps()),
                node,
                port,
                name,
                tier,
                peer,
                SeriesCell::Whole((after.sent - before.sent).get()),
                SeriesCell::Millionths(millionths(after.utilization_since(before, interval))),
                SeriesCell::Whole(after.marked - before.marked),
                SeriesCell::Whole(after.dropped - before.dropped),
                SeriesCell::Picoseconds(paused.as_ps()),
            ])?;
            *before = after;
        }
        Ok(())
    }
}

/// Returns `share` in millionths, rounded half up.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a share is 0 to 1"
)]
fn millionths(share: f64) -> u64 {
    (share * 1e6 + 0.5) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_rounded() {
        assert_eq!(millionths(0.25), 250_000);
        assert_eq!(millionths(1.0), 1_000_000);
        assert_eq!(millionths(0.000_000_6), 1);
    }
}
