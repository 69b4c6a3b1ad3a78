//! The report of unfinished flows.

use fabricsim::outcome::{Status, Summary};

use super::describe::file_name;
use crate::console::note;

/// Prints the number of unfinished flows, the reason, and details of the first ones.
pub(super) fn report_unfinished(summary: &Summary) {
    const SHOWN: usize = 10;
    let unreachable = summary.flows.unreachable;
    let left = summary.flows.unfinished + unreachable;
    if left == 0 {
        if summary.status == Status::BeyondHorizon {
            note!("flows that start after more than 53 days of simulated time are left out");
        }
        return;
    }
    let why = match summary.status {
        Status::Finished => "no route leads to their destinations",
        Status::TimeReached if summary.flows.unfinished == 0 => {
            "no route leads to their destinations"
        }
        Status::TimeReached => "the run reached the scenario's stop_at",
        Status::Stalled => "the network has stalled",
        Status::Deadlocked => "paused switch ports wait for one another (PFC deadlock)",
        Status::BeyondHorizon => "they need more than 53 days of simulated time",
        Status::Overloaded => summary
            .overload
            .as_deref()
            .unwrap_or("there were too many flows"),
        Status::Interrupted => "interrupted",
    };
    let without_route = match unreachable {
        0 => String::new(),
        _ if unreachable == left => String::new(),
        _ => format!("; {unreachable} of them have no route to their destinations"),
    };
    note!("{left} flows did not finish: {why}{without_route}");
    for port in &summary.deadlock {
        note!(
            "  {} (node {}) port {} is paused by {} (node {}) (priority {}, {} bytes wait)",
            port.switch_name,
            port.switch,
            port.port,
            port.paused_by_name,
            port.paused_by,
            port.priority,
            port.queued_bytes
        );
    }
    for flow in summary.unfinished.iter().take(SHOWN) {
        let number = flow
            .flow
            .map_or_else(|| "-".to_owned(), |flow| flow.to_string());
        let ends = format!(
            "{} (node {}) to {} (node {})",
            flow.src_name, flow.src, flow.dst_name, flow.dst
        );
        let reason = &flow.reason;
        match flow.size_bytes {
            Some(size) => note!(
                "  flow {number}, {ends}: {} of {size} bytes acknowledged; {reason}",
                flow.acknowledged_bytes
            ),
            None => note!("  flow {number}, {ends}, which never ends: {reason}"),
        }
    }
    if left > SHOWN as u64 {
        let file = file_name(summary, "summary.json");
        note!("  and {} more, see {file}", left - SHOWN as u64);
    }
}
