//! Time for which ports were paused.

use std::collections::BTreeMap;

use fabricsim_base::id::{NodeId, PortId};
use fabricsim_base::input::InputError;
use fabricsim_base::units::{Duration, Time};
use serde::Serialize;

use crate::observed::plus;
use crate::table::read_columns;

/// A pause or resume frame that arrived: a row of `pauses.csv`.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct PauseRow {
    /// Time at which the frame arrived.
    pub at: Time,
    /// The node that must stop or may continue.
    pub node: NodeId,
    /// The port at which it arrived.
    pub port: PortId,
    /// The paused or resumed priority.
    pub priority: u8,
    /// `true` if the port must stop; otherwise it may continue.
    pub stops: bool,
}

/// Time for which one priority of a port was paused.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
pub struct PausedPort {
    /// The node that had to stop.
    pub node: u32,
    /// The paused port.
    pub port: u16,
    /// The paused priority.
    pub priority: u8,
    /// Number of pauses; a pause frame for a port that is already paused does not count.
    pub pauses: usize,
    /// Total paused time, in picoseconds.
    pub paused_ps: u64,
    /// `true` if the port was still paused at the end of the run, up to which that pause counts.
    pub paused_at_end: bool,
}

/// Reads `pauses.csv`, in the order of its rows.
///
/// # Errors
/// Fails at the offending word.
pub fn read_pauses(text: &str) -> Result<Vec<PauseRow>, InputError> {
    let columns = ["time_ns", "node", "port", "priority", "event"];
    read_columns(
        text,
        "pauses.csv",
        columns,
        |[at, node, port, priority, event]| {
            Ok(PauseRow {
                at: Time::from_ps(at.nanoseconds("time_ns")?),
                node: NodeId(node.integer("node")?),
                port: PortId(port.integer("port")?),
                priority: priority.integer("priority")?,
                stops: match event.text {
                    "pause" => true,
                    "resume" => false,
                    other => {
                        return Err(event.error(
                            format!("`{other}` does not fit `event`"),
                            "write `pause` or `resume`",
                        ));
                    }
                },
            })
        },
    )
}

/// Computes the time for which each port was paused in a run that ended at `end`, in the order of
/// (node, port, priority). `rows` must be in time order.
#[must_use]
pub fn paused_ports(rows: &[PauseRow], end: Time) -> Vec<PausedPort> {
    #[derive(Default)]
    struct Port {
        pauses: usize,
        paused: Duration,
        since: Option<Time>,
    }
    let mut ports: BTreeMap<(NodeId, PortId, u8), Port> = BTreeMap::new();
    for row in rows {
        let port = ports.entry((row.node, row.port, row.priority)).or_default();
        match (row.stops, port.since) {
            (true, None) => {
                port.pauses += 1;
                port.since = Some(row.at);
            }
            (false, Some(since)) => {
                port.paused = plus(port.paused, row.at.since(since));
                port.since = None;
            }
            (true, Some(_)) | (false, None) => {}
        }
    }
    ports
        .into_iter()
        .map(|((node, number, priority), port)| {
            let open = port.since.map_or(Duration::ZERO, |since| end.since(since));
            PausedPort {
                node: node.0,
                port: number.0,
                priority,
                pauses: port.pauses,
                paused_ps: plus(port.paused, open).as_ps(),
                paused_at_end: port.since.is_some(),
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_last_until_the_port_may_go_on() {
        let text = "\
time_ns,node,port,priority,event
100,5,2,3,pause
150.5,5,2,3,pause
200,3,0,3,pause
300,5,2,3,resume
310,5,2,3,resume
400,5,2,3,pause
450,5,2,3,resume
";
        let ports = paused_ports(&read_pauses(text).expect("rows"), Time::from_ns(1_000));
        let found: Vec<_> = ports
            .iter()
            .map(|port| {
                (
                    port.node,
                    port.pauses,
                    port.paused_ps / 1_000,
                    port.paused_at_end,
                )
            })
            .collect();
        assert_eq!(found, [(3, 1, 800, true), (5, 2, 250, false)]);
    }

    #[test]
    fn other_events_are_refused() {
        let text = "time_ns,node,port,priority,event\n100,5,2,3,stop\n";
        let error = read_pauses(text).expect_err("refused");
        assert_eq!(&text[error.span], "stop");
    }
}
