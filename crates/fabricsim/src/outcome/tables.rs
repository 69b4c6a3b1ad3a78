//! The tables in addition to `fct.csv`: counts of queue disciplines, and pauses.

use std::io::{self, Write};

use fabricsim_base::id::{NodeId, PortId};
use fabricsim_core::plugin::QueueReport;

use fabricsim_network::PauseEvent;

/// Writes `queue_stats.csv`: one row for each queue with its own discipline.
pub(super) fn write_queue_stats(
    out: &mut impl Write,
    reports: &[(NodeId, PortId, QueueReport)],
) -> io::Result<()> {
    writeln!(
        out,
        "node,port,priority,discipline,enqueued_packets,dequeued_packets,marked_packets,tail_drops,\
         aqm_drops,overload_drops,sojourn_p50_ns,sojourn_p95_ns,sojourn_p99_ns"
    )?;
    for (node, port, report) in reports {
        write!(
            out,
            "{},{},{},{},{},{},{},{},{},{}",
            node.0,
            port.0,
            report.priority,
            report.discipline,
            report.enqueued,
            report.dequeued,
            report.marked,
            report.tail_drops,
            report.aqm_drops,
            report.overload_drops
        )?;
        match report.sojourn {
            Some(times) => times
                .iter()
                .try_for_each(|time| write!(out, ",{}", time.as_ns()))?,
            None => write!(out, ",,,")?,
        }
        writeln!(out)?;
    }
    Ok(())
}

/// Writes `pauses.csv`: one row for each frame.
pub(super) fn write_pauses(out: &mut impl Write, events: &[PauseEvent]) -> io::Result<()> {
    writeln!(out, "time_ns,node,port,priority,event")?;
    for event in events {
        let (ns, ps) = (event.at.as_ns(), event.at.as_ps() % 1_000);
        let (node, port, name) = (event.node.0, event.port.0, event.change.name());
        if ps == 0 {
            writeln!(out, "{ns},{node},{port},{},{name}", event.priority)?;
        } else {
            writeln!(out, "{ns}.{ps:03},{node},{port},{},{name}", event.priority)?;
        }
    }
    Ok(())
}
