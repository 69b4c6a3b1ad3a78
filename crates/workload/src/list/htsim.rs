//! Connection matrices of htsim (`.cm`), with triggers.

mod connection;
mod trigger;

use fabricsim_base::flow::FlowRequest;
use fabricsim_base::id::ClassId;
use fabricsim_base::input::InputError;
use fabricsim_base::priority::Priority;
use fabricsim_base::units::Time;

use super::{Classes, FlowList};
use crate::check::{DEFAULT_DST_PORT, DEFAULT_PRIORITY};
use crate::context::WorkloadContext;
use crate::text::{Piece, lines};
use connection::{Begin, Connection};
use trigger::{TriggerSetting, Triggers};

/// The first words of lines of the header.
const HEADER: [&str; 4] = ["Nodes", "Connections", "Triggers", "Failures"];

/// Returns `true` if `line` begins a connection matrix.
pub(super) fn is_header(line: Piece<'_>) -> bool {
    let mut words = line.words();
    let first = words.next().map_or("", |word| word.text);
    let count = words.next().map_or("", |word| word.text);
    HEADER.contains(&first) && count.bytes().all(|byte| byte.is_ascii_digit())
}

/// Reads a connection matrix: a header (`Nodes`, `Connections`, `Triggers`), then a line for each
/// flow and each trigger, in any order.
///
/// A flow is `src->dst` with `size` in bytes and either `start` in picoseconds or `trigger`, the
/// number of the trigger that starts it. When the flow ends, it fires its `send_done_trigger` and
/// its `recv_done_trigger`. `id` is the name of the flow. Nodes are counted from 0 in the order of
/// hosts. `prio` is ignored: it is the order in which EQDS receivers pull packets.
///
/// There are three kinds of triggers:
///
/// * `oneshot` starts all of its flows;
/// * `multishot` starts the next one of its flows each time it is fired;
/// * `barrier` with a `count` starts all of its flows when it has been fired that many times.
///
/// Differs from htsim: a host detects the end of a flow to it by its last byte, and the end of a
/// flow from it by the last acknowledgement, for either trigger of that flow. A flow that starts at
/// a third host cannot be triggered and is rejected. Times are exact, not of single precision.
///
/// # Errors
/// Returns the position of the first error:
///
/// * a count that differs from the number of lines, or other hosts than the network has;
/// * an unknown word, `failure` or `addon`;
/// * a trigger that is missing, or is fired too often or never;
/// * a trigger that is fired at hosts other than the sources of its flows.
pub fn parse_connection_matrix(
    text: &str,
    context: &WorkloadContext,
) -> Result<FlowList, InputError> {
    let mut header = Header::default();
    let mut connections = Vec::new();
    let mut triggers = Triggers::default();
    for line in lines(text) {
        let first = line.words().next().unwrap_or(line);
        match first.text {
            "trigger" => triggers.define(TriggerSetting::read(line)?)?,
            "failure" => {
                return Err(first.error(
                    "links do not fail by a list of flows",
                    "remove the line and its count, and add an [[event]] of kind \"link-down\" to the scenario",
                ));
            }
            word if word.contains("->") => connections.push(Connection::read(line, context)?),
            word if HEADER.contains(&word) => header.read(line)?,
            word => {
                return Err(first.error(
                    format!("a line of a connection matrix does not begin with `{word}`"),
                    "write Nodes, Connections, Triggers, a connection such as `0->1`, or trigger",
                ));
            }
        }
    }
    header.check(text, context, connections.len(), triggers.len())?;
    let flows: Vec<FlowRequest> = connections.iter().map(flow).collect();
    if connections
        .iter()
        .all(|it| matches!(it.begin, Begin::At(_)))
    {
        return Ok(FlowList::sorted(flows, Classes::OfWorkload));
    }
    let waits = triggers.waits(&connections, &flows)?;
    Ok(FlowList::waiting(flows, Classes::OfWorkload, waits))
}

fn flow(connection: &Connection<'_>) -> FlowRequest {
    FlowRequest {
        src: connection.src,
        dst: connection.dst,
        size: connection.size,
        start: match connection.begin {
            Begin::At(start) => start,
            Begin::By(_) => Time::ZERO,
        },
        class: ClassId(0),
        priority: Priority::new(DEFAULT_PRIORITY),
        src_port: None,
        dst_port: DEFAULT_DST_PORT,
    }
}

/// The counts of the header, each with its position.
#[derive(Debug, Default)]
struct Header<'t> {
    counts: [Option<(Piece<'t>, u64)>; HEADER.len()],
}

impl<'t> Header<'t> {
    fn read(&mut self, line: Piece<'t>) -> Result<(), InputError> {
        let mut words = line.words();
        let name = words.next().unwrap_or(line);
        let place = HEADER.iter().position(|known| *known == name.text);
        let place = place.expect("only lines of the header come here");
        let help = "write a word and a number, as in `Nodes 16`";
        let count = words
            .next()
            .ok_or_else(|| line.error("the number is missing", help))?;
        if self.counts[place].is_some() {
            return Err(name.error(format!("a second `{}`", name.text), "keep one of them"));
        }
        self.counts[place] = Some((count, count.integer("a number", help)?));
        match words.next() {
            Some(extra) => Err(extra.error("a third word", help)),
            None => Ok(()),
        }
    }

    /// Compares the counts with the numbers of hosts, connections and triggers.
    fn check(
        &self,
        text: &str,
        context: &WorkloadContext,
        connections: usize,
        triggers: usize,
    ) -> Result<(), InputError> {
        let hosts = context.hosts.len();
        let there = [hosts, connections, triggers, 0];
        for (place, (count, there)) in self.counts.iter().zip(there).enumerate() {
            let name = HEADER[place];
            let Some((word, count)) = count else {
                if there == 0 || name == "Failures" {
                    continue;
                }
                let end = text.len()..text.len();
                let message = format!("there is no line `{name} ..`");
                return Err(InputError::new(
                    end,
                    message,
                    format!("write `{name} {there}`"),
                ));
            };
            if *count == there as u64 {
                continue;
            }
            return Err(match name {
                "Nodes" => word.error(
                    format!("the matrix has {count} nodes, the network has {there} hosts"),
                    "give a network with as many hosts, or another matrix",
                ),
                _ => word.error(
                    format!("{name} is {count}, and there are {there}"),
                    "correct the number, or the lines",
                ),
            });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
