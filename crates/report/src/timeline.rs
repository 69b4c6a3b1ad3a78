//! A run as trace events, for the timelines of Perfetto and Chrome's tracing.
//!
//! The format is the JSON array of Google's "Trace Event Format": complete events (`X`) with a
//! beginning and an end, instants (`i`), and metadata (`M`) that names tracks. Times are
//! microseconds with three decimals. A node is a process; its overlapping events are on several
//! tracks.

mod event;
mod ranks;
mod tracks;

use std::collections::BTreeMap;
use std::io::{self, Write};

use fabricsim_base::id::NodeId;
use fabricsim_base::units::Time;

use crate::collective::CollectiveRow;
use crate::observed::{OperationRow, PauseRow};
use crate::record::FctRecord;
use crate::rpc::RpcRecord;
use event::{Event, EventWriter};
use tracks::{Span, Tracks};

/// The process of events that belong to no node; the process of a node is its number plus two.
const NETWORK: u64 = 1;
/// The first track of each kind in a process.
const FLOWS: u64 = 1 << 20;
const QUERIES: u64 = 2 << 20;
const JOBS: u64 = 3 << 20;
const PORTS: u64 = 4 << 20;
/// Priorities of a port; each has its own track.
const PRIORITIES: u64 = 8;

/// The names of processes.
type Processes = BTreeMap<u64, String>;

/// Contents of a timeline.
#[derive(Clone, Debug, Default)]
pub struct Timeline<'a> {
    /// Flows that have ended.
    pub flows: &'a [FctRecord],
    /// Remote procedure calls that have ended.
    pub queries: &'a [RpcRecord],
    /// Collectives that have ended.
    pub collectives: &'a [CollectiveRow],
    /// Operations of ranks, in the order of their ends.
    pub operations: &'a [OperationRow<'a>],
    /// Pauses and resumes, in the order of time.
    pub pauses: &'a [PauseRow],
    /// Events in the network: time and description.
    pub events: &'a [(Time, String)],
    /// The names of nodes; a node without a name is shown by its number.
    pub names: BTreeMap<NodeId, String>,
    /// The end of the run; pauses that have not ended are drawn up to here.
    pub end: Time,
}

/// Number of events of each kind in a timeline.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct TimelineCounts {
    /// Flows.
    pub flows: usize,
    /// Remote procedure calls.
    pub queries: usize,
    /// Collectives.
    pub collectives: usize,
    /// Operations of ranks.
    pub operations: usize,
    /// Pauses, each from its first pause frame to its end.
    pub pauses: usize,
    /// Events in the network.
    pub events: usize,
    /// Flows, calls, collectives, operations and pauses that were omitted in favor of longer ones.
    pub left_out: usize,
}

/// A period for which a priority of a port was paused.
struct Paused {
    node: NodeId,
    port: u16,
    priority: u8,
    start: Time,
    end: Time,
}

impl Timeline<'_> {
    /// Writes the events to `out`: of each kind, up to `most` of the longest ones.
    ///
    /// # Errors
    /// Fails if `out` fails.
    pub fn write(&self, out: impl Write, most: usize) -> io::Result<TimelineCounts> {
        let mut writer = EventWriter::new(out)?;
        let mut counts = TimelineCounts::default();
        let mut processes = BTreeMap::new();
        counts.flows = self.write_flows(&mut writer, &mut processes, most)?;
        counts.queries = self.write_queries(&mut writer, &mut processes, most)?;
        counts.collectives = self.write_collectives(&mut writer, &mut processes, most)?;
        counts.operations = self.write_ranks(&mut writer, &mut processes, most)?;
        let pauses = self.paused();
        counts.pauses = self.write_pauses(&mut writer, &mut processes, &pauses, most)?;
        for (at, what) in self.events {
            processes.insert(NETWORK, "network".to_owned());
            writer.instant(NETWORK, *at, what)?;
            counts.events += 1;
        }
        for (process, name) in &processes {
            writer.name_process(*process, name)?;
        }
        let rows = self.flows.len() + self.queries.len() + self.collectives.len();
        let all = rows + self.operations.len() + pauses.len();
        let rows = counts.flows + counts.queries + counts.collectives;
        let shown = rows + counts.operations + counts.pauses;
        counts.left_out = all - shown;
        writer.finish()?;
        Ok(counts)
    }

    /// Returns the process of `node` and adds its name to `processes`.
    fn process(&self, processes: &mut Processes, node: NodeId) -> u64 {
        let process = u64::from(node.0) + 2;
        processes.entry(process).or_insert_with(|| self.name(node));
        process
    }

    fn name(&self, node: NodeId) -> String {
        let name = self.names.get(&node).cloned();
        name.unwrap_or_else(|| format!("node {node}"))
    }

    fn write_flows<W: Write>(
        &self,
        writer: &mut EventWriter<W>,
        processes: &mut Processes,
        most: usize,
    ) -> io::Result<usize> {
        let flow = |record: &FctRecord| Span::new(record.start, record.finish());
        let chosen = tracks::longest(self.flows, flow, most);
        let mut tracks = Tracks::new("flows", FLOWS);
        for record in &chosen {
            let process = self.process(processes, record.src);
            writer.complete(&Event {
                process,
                track: tracks.track(process, flow(record)),
                span: flow(record),
                category: "flow",
                name: &format!("flow {} to {}", record.flow.0, self.name(record.dst)),
                arguments: &[
                    ("bytes", record.size.get().to_string()),
                    ("class", record.class.0.to_string()),
                    ("slowdown", format!("{:.3}", record.slowdown())),
                    ("retransmitted", record.retransmitted.get().to_string()),
                ],
            })?;
        }
        tracks.name(writer)?;
        Ok(chosen.len())
    }

    fn write_queries<W: Write>(
        &self,
        writer: &mut EventWriter<W>,
        processes: &mut Processes,
        most: usize,
    ) -> io::Result<usize> {
        let query = |record: &RpcRecord| Span::new(record.issue, record.completion);
        let chosen = tracks::longest(self.queries, query, most);
        let mut tracks = Tracks::new("queries", QUERIES);
        for record in &chosen {
            let process = self.process(processes, record.client);
            writer.complete(&Event {
                process,
                track: tracks.track(process, query(record)),
                span: query(record),
                category: "rpc",
                name: &format!("query {} to {}", record.query.0, self.name(record.server)),
                arguments: &[
                    ("query_bytes", record.size.get().to_string()),
                    ("response_bytes", record.response.get().to_string()),
                    ("class", record.class.0.to_string()),
                ],
            })?;
        }
        tracks.name(writer)?;
        Ok(chosen.len())
    }

    fn write_collectives<W: Write>(
        &self,
        writer: &mut EventWriter<W>,
        processes: &mut Processes,
        most: usize,
    ) -> io::Result<usize> {
        let collective = |row: &CollectiveRow| Span::new(row.start, row.end);
        let chosen = tracks::longest(self.collectives, collective, most);
        let mut tracks = Tracks::new("collectives", JOBS);
        for row in &chosen {
            processes.insert(NETWORK, "network".to_owned());
            writer.complete(&Event {
                process: NETWORK,
                track: tracks.track(NETWORK, collective(row)),
                span: collective(row),
                category: "collective",
                name: &format!("{} {} ({})", row.job, row.operation, row.algorithm),
                arguments: &[("iteration", row.iteration.to_string())],
            })?;
        }
        tracks.name(writer)?;
        Ok(chosen.len())
    }

    fn write_pauses<W: Write>(
        &self,
        writer: &mut EventWriter<W>,
        processes: &mut Processes,
        pauses: &[Paused],
        most: usize,
    ) -> io::Result<usize> {
        let paused = |pause: &Paused| Span::new(pause.start, pause.end);
        let chosen = tracks::longest(pauses, paused, most);
        let mut tracks = BTreeMap::new();
        for pause in &chosen {
            let process = self.process(processes, pause.node);
            let port = u64::from(pause.port) * PRIORITIES + u64::from(pause.priority);
            let name = format!("port {} priority {}", pause.port, pause.priority);
            tracks.insert((process, PORTS + port), name);
            writer.complete(&Event {
                process,
                track: PORTS + port,
                span: paused(pause),
                category: "pause",
                name: "paused",
                arguments: &[],
            })?;
        }
        for ((process, track), name) in tracks {
            writer.name_track(process, track, &name)?;
        }
        Ok(chosen.len())
    }

    /// Returns the periods for which ports were paused, by node, port and priority.
    fn paused(&self) -> Vec<Paused> {
        let mut since = BTreeMap::new();
        let mut pauses = Vec::new();
        let mut pause = |(node, port, priority), start, end| {
            pauses.push(Paused {
                node,
                port,
                priority,
                start,
                end,
            });
        };
        for row in self.pauses {
            let key = (row.node, row.port.0, row.priority);
            if row.stops {
                since.entry(key).or_insert(row.at);
            } else if let Some(start) = since.remove(&key) {
                pause(key, start, row.at);
            }
        }
        for (key, start) in since {
            pause(key, start, self.end.max(start));
        }
        pauses
    }
}

#[cfg(test)]
mod tests;
