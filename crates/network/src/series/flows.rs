//! The series `flows`: rates, windows and throughputs of flows.

use std::io;

use fabricsim_base::checkpoint::Checkpointed;
use fabricsim_base::id::{ClassId, FlowId, NodeId};
use fabricsim_base::units::{Bytes, Duration, Time};
use fabricsim_core::plugin::RoundTrip;
use fabricsim_report::FctRecord;

use super::rows::{CellKind, Columns, Rows, SeriesCell};
use super::selection::FlowFilter;
use super::{Scope, Series, View};

/// The rates, windows and throughputs of flows in each interval. A flow that ends in an interval
/// gets a last row for that interval.
#[derive(Checkpointed, Debug)]
#[checkpoint(absolute)]
pub struct Flows {
    #[checkpoint(rebuilt)]
    filter: FlowFilter,
    /// Live flows at the end of the last interval and their acknowledged bytes, sorted by flow
    /// number.
    before: Vec<(FlowId, Bytes)>,
    /// Number of flows that had ended at the end of the last interval.
    ended: usize,
}

/// A flow at the end of an interval.
#[derive(Clone, Copy, Debug)]
struct FlowRow {
    flow: FlowId,
    src: NodeId,
    dst: NodeId,
    class: ClassId,
    /// Zero if the flow has ended.
    rate_bps: u64,
    window: Option<Bytes>,
    acknowledged: Bytes,
    round_trip: Option<RoundTrip>,
}

impl Series for Flows {
    fn columns() -> Columns {
        &[
            ("time_ns", CellKind::Nanoseconds),
            ("flow", CellKind::Whole),
            ("src", CellKind::Whole),
            ("dst", CellKind::Whole),
            ("class", CellKind::Whole),
            ("rate_bps", CellKind::Whole),
            ("window_bytes", CellKind::Optional),
            ("acknowledged_bytes", CellKind::Whole),
            ("throughput_bps", CellKind::Whole),
            ("srtt_ns", CellKind::Optional),
            ("queueing_delay_ns", CellKind::Optional),
        ]
    }

    fn new(scope: &Scope<'_>) -> Self {
        Self {
            filter: scope.flows.clone(),
            before: Vec::new(),
            ended: 0,
        }
    }

    fn sample(&mut self, view: &View<'_>, rows: &mut dyn Rows) -> io::Result<()> {
        if rows.is_full() {
            return Ok(());
        }
        let mut flows = self.live(view);
        let live = flows.len();
        if let Some(interval) = view.interval {
            let since = &view.ended[self.ended..];
            let chosen = since
                .iter()
                .filter(|r| self.filter.takes(r.flow, r.class, r.size));
            flows.extend(chosen.map(last_row));
            flows.sort_unstable_by_key(|row| row.flow);
            if !rows.has_room(flows.len(), &|| view.later_rows()) {
                return Ok(());
            }
            for row in &flows {
                let place = self
                    .before
                    .binary_search_by_key(&row.flow, |(flow, _)| *flow);
                let before = place.map_or(Bytes::ZERO, |place| self.before[place].1);
                let newly = row.acknowledged.saturating_sub(before);
                rows.write(&cells(view.now, row, throughput(newly, interval)))?;
            }
        }
        self.ended = view.ended.len();
        self.before.clear();
        self.before.reserve(live);
        let running = flows.iter().filter(|row| row.rate_bps > 0);
        self.before
            .extend(running.map(|row| (row.flow, row.acknowledged)));
        Ok(())
    }
}

impl Flows {
    /// Returns the chosen flows that are alive now, in the order of their numbers.
    fn live(&self, view: &View<'_>) -> Vec<FlowRow> {
        let mut rows = Vec::new();
        view.network.for_each_live(&mut |live| {
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
                    round_trip: live.round_trip,
                });
            }
        });
        rows.sort_unstable_by_key(|row| row.flow);
        rows
    }
}

/// Returns the last row of a flow that has ended.
const fn last_row(record: &FctRecord) -> FlowRow {
    FlowRow {
        flow: record.flow,
        src: record.src,
        dst: record.dst,
        class: record.class,
        rate_bps: 0,
        window: None,
        acknowledged: record.size,
        round_trip: None,
    }
}

fn cells(now: Time, row: &FlowRow, throughput_bps: u64) -> [SeriesCell<'static>; 11] {
    let round_trip = |of: fn(RoundTrip) -> Duration| {
        let time = row.round_trip.map(|times| of(times).as_ps() / 1_000);
        time.map_or(SeriesCell::Empty, SeriesCell::Whole)
    };
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
        round_trip(|times| times.smoothed),
        round_trip(|times| times.smoothed - times.least),
    ]
}

/// Returns the throughput of `bytes` per `interval`, in bits per second, rounded down.
fn throughput(bytes: Bytes, interval: Duration) -> u64 {
    let bits = u128::from(bytes.get()) * 8 * 1_000_000_000_000;
    u64::try_from(bits / u128::from(interval.as_ps().max(1))).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn throughputs_are_rounded_down() {
        let us = Duration::from_us(1);
        assert_eq!(throughput(Bytes::new(12_500), us), 100_000_000_000);
        assert_eq!(throughput(Bytes::new(1), Duration::from_us(3)), 2_666_666);
    }
}
