//! The ranks of jobs in a timeline: computations, waits, and messages.

use std::collections::BTreeMap;
use std::io::{self, Write};

use fabricsim_base::id::NodeId;
use fabricsim_base::units::Time;

use super::event::{Event, EventWriter};
use super::tracks::{Span, Tracks, longest};
use super::{Processes, Timeline};
use crate::observed::OperationRow;

/// The first tracks of each kind in a process, in the order in which viewers show them.
const COMPUTATIONS: u64 = 1 << 18;
const WAITS: u64 = 2 << 18;
const COLLECTIVES: u64 = 3 << 18;
const SENDS: u64 = 5 << 20;
const RECEIPTS: u64 = 6 << 20;

/// The time between two computations in which a rank could not go on.
struct Wait<'t> {
    host: NodeId,
    rank: u32,
    start: Time,
    end: Time,
    /// The last message before the next computation, sent or received.
    last: Option<&'t OperationRow<'t>>,
}

impl Timeline<'_> {
    /// Writes the operations of ranks and the waits between their computations: of each, up to
    /// `most` of the longest ones. Returns the number of operations.
    pub(super) fn write_ranks<W: Write>(
        &self,
        writer: &mut EventWriter<W>,
        processes: &mut Processes,
        most: usize,
    ) -> io::Result<usize> {
        let chosen = longest(self.operations, span, most);
        let mut tracks = [
            ("collective", Tracks::new("rank: collectives", COLLECTIVES)),
            ("compute", Tracks::new("rank: computing", COMPUTATIONS)),
            ("receive", Tracks::new("rank: messages to it", RECEIPTS)),
            ("send", Tracks::new("rank: messages of it", SENDS)),
        ];
        for row in &chosen {
            let Some((_, tracks)) = tracks.iter_mut().find(|(kind, _)| *kind == row.kind) else {
                continue;
            };
            let process = self.process(processes, row.host);
            writer.complete(&Event {
                process,
                track: tracks.track(process, span(row)),
                span: span(row),
                category: "rank",
                name: &name(row),
                arguments: &arguments(row),
            })?;
        }
        self.write_waits(writer, processes, most)?;
        for (_, tracks) in &tracks {
            tracks.name(writer)?;
        }
        Ok(chosen.len())
    }

    fn write_waits<W: Write>(
        &self,
        writer: &mut EventWriter<W>,
        processes: &mut Processes,
        most: usize,
    ) -> io::Result<()> {
        let waits = waits(self.operations);
        let span = |wait: &Wait<'_>| Span::new(wait.start, wait.end);
        let mut tracks = Tracks::new("rank: waiting", WAITS);
        for wait in longest(&waits, span, most) {
            let process = self.process(processes, wait.host);
            let name = match wait.last {
                Some(row) if row.kind == "receive" => {
                    format!("rank {} waits for rank {}", wait.rank, peer(row))
                }
                Some(row) => format!("rank {} waits: message to {}", wait.rank, peer(row)),
                None => format!("rank {} waits", wait.rank),
            };
            writer.complete(&Event {
                process,
                track: tracks.track(process, span(wait)),
                span: span(wait),
                category: "wait",
                name: &name,
                arguments: &wait.last.map(arguments).unwrap_or_default(),
            })?;
        }
        tracks.name(writer)
    }
}

fn span(row: &OperationRow<'_>) -> Span {
    Span::new(row.start, row.end)
}

fn peer(row: &OperationRow<'_>) -> String {
    row.peer.map_or_else(String::new, |peer| peer.to_string())
}

fn name(row: &OperationRow<'_>) -> String {
    let what = match row.kind {
        "compute" if row.stream.is_none() => "computes between iterations".to_owned(),
        "compute" => "computes".to_owned(),
        "send" => format!("to rank {}", peer(row)),
        "receive" => format!("from rank {}", peer(row)),
        _ => String::new(),
    };
    let words = [row.job, &format!("rank {}", row.rank), &what, row.name];
    let words = words.iter().filter(|word| !word.is_empty());
    words.copied().collect::<Vec<_>>().join(" ")
}

fn arguments(row: &OperationRow<'_>) -> Vec<(&'static str, String)> {
    let mut arguments = vec![("iteration", row.iteration.to_string())];
    arguments.extend(row.stream.map(|stream| ("stream", stream.to_string())));
    arguments.extend(row.flow.map(|flow| ("flow", flow.0.to_string())));
    arguments.extend(row.size.map(|size| ("bytes", size.get().to_string())));
    if row.waited.as_ps() > 0 {
        let waited = row.waited.as_ps() as f64 / 1e3;
        arguments.push(("waited_for_stream_ns", waited.to_string()));
    }
    arguments
}

/// Returns the times between the computations of each rank. A rank without computations has none.
fn waits<'t>(rows: &'t [OperationRow<'t>]) -> Vec<Wait<'t>> {
    let mut ranks: BTreeMap<(u16, u32), Vec<&OperationRow<'_>>> = BTreeMap::new();
    for row in rows {
        ranks.entry((row.class.0, row.rank)).or_default().push(row);
    }
    let mut waits = Vec::new();
    for own in ranks.into_values() {
        let mut computations: Vec<_> = own.iter().filter(|row| row.kind == "compute").collect();
        computations.sort_by_key(|row| (row.start, row.end));
        // The rows are in the order of their ends.
        let is_message = |row: &&&OperationRow<'_>| matches!(row.kind, "send" | "receive");
        let messages: Vec<_> = own.iter().filter(is_message).collect();
        let mut busy_until: Option<Time> = None;
        for row in computations {
            if let Some(before) = busy_until.filter(|&before| before < row.start) {
                let ended = messages.partition_point(|message| message.end <= row.start);
                let last = messages[..ended].last().filter(|last| last.end > before);
                waits.push(Wait {
                    host: row.host,
                    rank: row.rank,
                    start: before,
                    end: row.start,
                    last: last.map(|&&row| row),
                });
            }
            busy_until = busy_until.max(Some(row.end));
        }
    }
    waits
}

#[cfg(test)]
mod tests {
    use fabricsim_base::id::ClassId;
    use fabricsim_base::units::Duration;

    use super::*;

    fn row(kind: &'static str, start: u64, end: u64) -> OperationRow<'static> {
        OperationRow {
            class: ClassId(0),
            job: "train",
            rank: 3,
            host: NodeId(7),
            iteration: 0,
            kind,
            name: "",
            stream: (kind == "compute").then_some(0),
            peer: (kind != "compute").then_some(2),
            size: None,
            flow: None,
            waited: Duration::ZERO,
            start: Time::from_ns(start),
            end: Time::from_ns(end),
        }
    }

    #[test]
    fn a_rank_waits_between_its_computations_for_the_last_message() {
        let rows = [
            row("compute", 0, 100),
            row("receive", 50, 150),
            row("receive", 20, 180),
            row("compute", 180, 200),
            row("compute", 190, 260),
            row("compute", 300, 310),
        ];
        let waits = waits(&rows);
        let found: Vec<_> = waits
            .iter()
            .map(|wait| {
                (
                    wait.start.as_ns(),
                    wait.end.as_ns(),
                    wait.last.map(|row| row.start.as_ns()),
                )
            })
            .collect();
        assert_eq!(found, [(100, 180, Some(20)), (260, 300, None)]);
    }

    #[test]
    fn operations_of_a_rank_are_in_the_process_of_its_host() {
        let rows = [
            row("compute", 0, 100),
            row("send", 100, 150),
            row("compute", 150, 160),
        ];
        let timeline = Timeline {
            operations: &rows,
            ..Timeline::default()
        };
        let mut text = Vec::new();
        let counts = timeline.write(&mut text, 10).unwrap();
        assert_eq!((counts.operations, counts.left_out), (3, 0));
        let events: Vec<serde_json::Value> = serde_json::from_slice(&text).unwrap();
        let names = |category: &str| {
            let own = events.iter().filter(|event| event["cat"] == category);
            let own = own.map(|event| {
                assert_eq!(event["pid"], 9);
                event["name"].as_str().unwrap().to_owned()
            });
            own.collect::<Vec<_>>()
        };
        assert_eq!(
            names("rank"),
            [
                "train rank 3 computes",
                "train rank 3 to rank 2",
                "train rank 3 computes"
            ]
        );
        assert_eq!(names("wait"), ["rank 3 waits: message to 2"]);
    }
}
