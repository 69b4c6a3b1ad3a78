//! The samples of queues, links and flows.

use fabricsim_base::checkpoint::{Checkpointed, LoadError, Reader, Stored, Writer};
use fabricsim_base::id::{ClassId, FlowId, NodeId, PortId};
use fabricsim_base::units::{Bytes, Duration, Time};
use fabricsim_core::network::PortSample;
use fabricsim_report::FctRecord;

use super::file::SeriesFile;
use super::ports::NamedPort;
use super::rows::SeriesCell;
use super::selection::FlowFilter;
use crate::simulation::Simulation;
use fabricsim_network::QueueBin;
use fabricsim_scenario::text::error::Error;

/// Returns a function that describes the samples missing from a file that has been full since
/// `now`.
fn later_than(now: Time) -> impl Fn() -> String {
    move || format!("samples from {now} on")
}

fn places(ports: &[NamedPort]) -> Vec<(NodeId, PortId)> {
    ports.iter().map(|at| (at.node, at.port)).collect()
}

/// The lengths of queues.
#[derive(Debug)]
pub(super) struct QueueSeries {
    ports: Vec<NamedPort>,
    file: SeriesFile,
}

impl QueueSeries {
    pub(super) const fn new(ports: Vec<NamedPort>, file: SeriesFile) -> Self {
        Self { ports, file }
    }

    pub(super) const fn file(&self) -> &SeriesFile {
        &self.file
    }

    pub(super) fn into_file(self) -> SeriesFile {
        self.file
    }

    pub(super) fn look(&mut self, now: Time, simulation: &Simulation) -> Result<(), Error> {
        if !self.file.has_room(self.ports.len(), later_than(now)) {
            return Ok(());
        }
        let samples = simulation.port_samples(&places(&self.ports));
        for (at, sample) in self.ports.iter().zip(samples) {
            self.file.write(&[
                SeriesCell::Picoseconds(now.as_ps()),
                SeriesCell::Whole(u64::from(at.node.0)),
                SeriesCell::Whole(u64::from(at.port.0)),
                SeriesCell::Text(&at.name),
                SeriesCell::Text(&at.tier),
                SeriesCell::Text(&at.peer),
                SeriesCell::Whole(sample.queue.get()),
            ])?;
        }
        Ok(())
    }
}

/// Time series of bytes sent and packets marked and dropped by ports.
#[derive(Debug)]
pub(super) struct LinkSeries {
    ports: Vec<NamedPort>,
    /// Each port at the end of the last interval.
    before: Vec<PortSample>,
    file: SeriesFile,
}

impl LinkSeries {
    pub(super) const fn new(ports: Vec<NamedPort>, file: SeriesFile) -> Self {
        Self {
            ports,
            before: Vec::new(),
            file,
        }
    }

    pub(super) const fn file(&self) -> &SeriesFile {
        &self.file
    }

    pub(super) fn into_file(self) -> SeriesFile {
        self.file
    }

    /// Begins the first interval at `now`, or ends one that has lasted for `interval`.
    pub(super) fn look(
        &mut self,
        now: Time,
        interval: Option<Duration>,
        simulation: &Simulation,
    ) -> Result<(), Error> {
        let samples = || simulation.port_samples(&places(&self.ports));
        let Some(interval) = interval else {
            self.before = samples();
            return Ok(());
        };
        if !self.file.has_room(self.ports.len(), later_than(now)) {
            return Ok(());
        }
        let samples = samples();
        for ((at, before), after) in self.ports.iter().zip(&mut self.before).zip(samples) {
            let paused = after.paused.saturating_sub(before.paused);
            self.file.write(&[
                SeriesCell::Picoseconds(now.as_ps()),
                SeriesCell::Whole(u64::from(after.node.0)),
                SeriesCell::Whole(u64::from(after.port.0)),
                SeriesCell::Text(&at.name),
                SeriesCell::Text(&at.tier),
                SeriesCell::Text(&at.peer),
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

/// `share` in millionths, rounded half up.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a share is 0 to 1"
)]
fn millionths(share: f64) -> u64 {
    (share * 1e6 + 0.5) as u64
}

/// The rates, windows and throughputs of flows.
#[derive(Debug)]
pub(super) struct FlowSeries {
    filter: FlowFilter,
    /// Live flows at the end of the last interval and what had been acknowledged of them, by
    /// number.
    before: Vec<(FlowId, Bytes)>,
    /// Number of flows that had ended at the end of the last interval.
    ended: usize,
    file: SeriesFile,
}

/// A flow at the end of an interval.
#[derive(Clone, Copy, Debug)]
struct FlowRow {
    flow: FlowId,
    src: NodeId,
    dst: NodeId,
    class: ClassId,
    /// Zero when it has ended.
    rate_bps: u64,
    window: Option<Bytes>,
    acknowledged: Bytes,
}

impl FlowSeries {
    pub(super) const fn new(filter: FlowFilter, file: SeriesFile) -> Self {
        Self {
            filter,
            before: Vec::new(),
            ended: 0,
            file,
        }
    }

    pub(super) const fn file(&self) -> &SeriesFile {
        &self.file
    }

    pub(super) fn into_file(self) -> SeriesFile {
        self.file
    }

    /// Begins the first interval at `now`, or ends one that has lasted for `interval`; `ended` are
    /// all flows that have ended so far. One that has ended in the interval has a last row.
    pub(super) fn look(
        &mut self,
        now: Time,
        interval: Option<Duration>,
        simulation: &Simulation,
        ended: &[FctRecord],
    ) -> Result<(), Error> {
        if self.file.is_full() {
            return Ok(());
        }
        let mut rows = self.live(simulation);
        let live = rows.len();
        if let Some(interval) = interval {
            let since = &ended[self.ended..];
            let chosen = since
                .iter()
                .filter(|r| self.filter.takes(r.flow, r.class, r.size));
            rows.extend(chosen.map(last_row));
            rows.sort_unstable_by_key(|row| row.flow);
            if !self.file.has_room(rows.len(), later_than(now)) {
                return Ok(());
            }
            for row in &rows {
                let place = self
                    .before
                    .binary_search_by_key(&row.flow, |(flow, _)| *flow);
                let before = place.map_or(Bytes::ZERO, |place| self.before[place].1);
                let newly = row.acknowledged.saturating_sub(before);
                self.file
                    .write(&cells(now, row, throughput(newly, interval)))?;
            }
        }
        self.ended = ended.len();
        self.before.clear();
        self.before.reserve(live);
        let running = rows.iter().filter(|row| row.rate_bps > 0);
        self.before
            .extend(running.map(|row| (row.flow, row.acknowledged)));
        Ok(())
    }

    /// The chosen flows that live now, in the order of their numbers.
    fn live(&self, simulation: &Simulation) -> Vec<FlowRow> {
        let mut rows = Vec::new();
        simulation.for_each_live(&mut |live| {
            let request = &live.flow.request;
            if self.filter.takes(live.flow.id, request.class, request.size) {
                rows.push(FlowRow {
                    flow: live.flow.id,
                    src: request.src,
                    dst: request.dst,
                    class: request.class,
                    rate_bps: live.rate.as_bps(),
                    window: live.window,
                    acknowledged: live.acknowledged,
                });
            }
        });
        rows.sort_unstable_by_key(|row| row.flow);
        rows
    }
}

impl QueueSeries {
    /// Saves the rows so far, as a section.
    pub(super) fn save(&mut self, out: &mut Writer) -> Result<(), Error> {
        let Self { ports: _, file } = self;
        let rows = file.rows_so_far()?;
        out.section(|out| {
            file.save(&rows, out);
        });
        Ok(())
    }

    /// Goes on behind the rows that [`Self::save`] has saved.
    pub(super) fn load(&mut self, input: &mut Reader<'_>) -> Result<(), LoadError> {
        let Self { ports: _, file } = self;
        file.load(input)
    }
}

impl LinkSeries {
    /// Saves the rows so far, as a section.
    pub(super) fn save(&mut self, out: &mut Writer) -> Result<(), Error> {
        let Self {
            ports: _,
            before,
            file,
        } = self;
        let rows = file.rows_so_far()?;
        out.section(|out| {
            before.store(out);
            file.save(&rows, out);
        });
        Ok(())
    }

    /// Goes on behind the rows that [`Self::save`] has saved.
    pub(super) fn load(&mut self, input: &mut Reader<'_>) -> Result<(), LoadError> {
        let Self {
            ports: _,
            before,
            file,
        } = self;
        before.load(input)?;
        file.load(input)
    }
}

impl FlowSeries {
    /// Saves the rows so far, as a section.
    pub(super) fn save(&mut self, out: &mut Writer) -> Result<(), Error> {
        let Self {
            filter: _,
            before,
            ended,
            file,
        } = self;
        let rows = file.rows_so_far()?;
        out.section(|out| {
            before.store(out);
            ended.store(out);
            file.save(&rows, out);
        });
        Ok(())
    }

    /// Goes on behind the rows that [`Self::save`] has saved.
    pub(super) fn load(&mut self, input: &mut Reader<'_>) -> Result<(), LoadError> {
        let Self {
            filter: _,
            before,
            ended,
            file,
        } = self;
        before.load(input)?;
        ended.load(input)?;
        file.load(input)
    }
}

/// The last row of a flow that has ended.
const fn last_row(record: &FctRecord) -> FlowRow {
    FlowRow {
        flow: record.flow,
        src: record.src,
        dst: record.dst,
        class: record.class,
        rate_bps: 0,
        window: None,
        acknowledged: record.size,
    }
}

fn cells(now: Time, row: &FlowRow, throughput_bps: u64) -> [SeriesCell<'static>; 9] {
    [
        SeriesCell::Picoseconds(now.as_ps()),
        SeriesCell::Whole(u64::from(row.flow.0)),
        SeriesCell::Whole(u64::from(row.src.0)),
        SeriesCell::Whole(u64::from(row.dst.0)),
        SeriesCell::Whole(u64::from(row.class.0)),
        SeriesCell::Whole(row.rate_bps),
        row.window
            .map_or(SeriesCell::Empty, |window| SeriesCell::Whole(window.get())),
        SeriesCell::Whole(row.acknowledged.get()),
        SeriesCell::Whole(throughput_bps),
    ]
}

/// `bytes` in `interval`, in bits per second, rounded down.
fn throughput(bytes: Bytes, interval: Duration) -> u64 {
    let bits = u128::from(bytes.get()) * 8 * 1_000_000_000_000;
    u64::try_from(bits / u128::from(interval.as_ps().max(1))).unwrap_or(u64::MAX)
}

/// The row of a bin of a distribution.
pub(super) fn bin_cells(bin: &QueueBin) -> [SeriesCell<'static>; 5] {
    [
        SeriesCell::Whole(u64::from(bin.node.0)),
        SeriesCell::Whole(u64::from(bin.port.0)),
        SeriesCell::Whole(bin.from.get()),
        SeriesCell::Whole(bin.upto.get()),
        SeriesCell::Picoseconds(bin.time.as_ps()),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn throughputs_and_shares_are_rounded() {
        let us = Duration::from_us(1);
        assert_eq!(throughput(Bytes::new(12_500), us), 100_000_000_000);
        assert_eq!(throughput(Bytes::new(1), Duration::from_us(3)), 2_666_666);
        assert_eq!(millionths(0.25), 250_000);
        assert_eq!(millionths(1.0), 1_000_000);
        assert_eq!(millionths(0.000_000_6), 1);
    }
}
