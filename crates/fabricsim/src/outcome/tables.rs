//! The tables in addition to `fct.csv`: counts of queue disciplines, and pauses.

use std::io::{self, BufWriter, Write};

use fabricsim_base::id::{NodeId, PortId};
use fabricsim_core::plugin::QueueReport;
use fabricsim_network::PauseEvent;
use fabricsim_scenario::scenario::Scenario;
use fabricsim_scenario::text::error::Error;

use super::topology::{TOPOLOGY, write_topology};
use super::{PAUSES, QUEUE_STATS};
use crate::buffers::{BUFFERS, write_buffers};
use crate::observe::{QUEUE_GROUPS, groups_of, write_queue_groups};
use crate::output::{Ending, ResultFolder};
use crate::simulation::Simulation;

/// Writes `topology.csv`, and `queue_stats.csv`, `queue_groups.csv`, `buffers.csv` and `pauses.csv` if
/// the run has them.
pub(super) fn write_tables(
    scenario: &Scenario,
    simulation: &Simulation,
    folder: &mut ResultFolder,
    ending: Ending,
) -> Result<(), Error> {
    let reports = simulation.queue_reports();
    if !reports.is_empty() {
        folder.write(ending.name(QUEUE_STATS), |file| {
            let mut buffered = BufWriter::new(file);
            write_queue_stats(&mut buffered, &reports)?;
            buffered.flush()
        })?;
    }
    let groups = groups_of(scenario, simulation);
    if !groups.is_empty() {
        folder.write(ending.name(QUEUE_GROUPS), |file| {
            let mut buffered = BufWriter::new(file);
            write_queue_groups(&mut buffered, &groups)?;
            buffered.flush()
        })?;
    }
    if simulation.routes().topology().forwarders().next().is_some() {
        folder.write(ending.name(BUFFERS), |file| {
            let mut buffered = BufWriter::new(file);
            write_buffers(&mut buffered, scenario, simulation)?;
            buffered.flush()
        })?;
    }
    folder.write(ending.name(TOPOLOGY), |file| {
        let mut buffered = BufWriter::new(file);
        write_topology(&mut buffered, scenario.topology())?;
        buffered.flush()
    })?;
    if scenario.output().pauses {
        folder.write(ending.name(PAUSES), |file| {
            let mut buffered = BufWriter::new(file);
            write_pauses(&mut buffered, &simulation.pause_events())?;
            buffered.flush()
        })?;
    }
    Ok(())
}

/// Writes `queue_stats.csv`: one row for each queue with its own discipline.
fn write_queue_stats(
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
fn write_pauses(out: &mut impl Write, events: &[PauseEvent]) -> io::Result<()> {
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
