//! Warnings that a reader of the results needs because no result shows the problem by itself.

use fabricsim_core::network::Counters;
use fabricsim_core::plugin::EndpointCounters;

use crate::simulation::Simulation;
use crate::utilization::ExpectedUtilization;
use fabricsim_scenario::scenario::Scenario;

/// The warnings about a run that has ended, each with a suggested fix.
pub(crate) fn warnings(
    scenario: &Scenario,
    simulation: &Simulation,
    expected: &ExpectedUtilization,
) -> Vec<String> {
    let counters = simulation.counters();
    let hosts = simulation.endpoint_counters();
    let timeouts = timeouts_without_loss(scenario, &counters, &hosts);
    timeouts
        .into_iter()
        .chain(expected.warning())
        .chain(waiting_applications(scenario, simulation))
        .collect()
}

/// Returns a warning about applications that are still waiting although no flow is left.
fn waiting_applications(scenario: &Scenario, simulation: &Simulation) -> Option<String> {
    let downloads = simulation.downloads().len() as u64;
    if simulation.flows_finished() + downloads < simulation.flows_started() {
        return None;
    }
    let waiting = simulation.waiting_applications();
    let (host, reason) = waiting.first()?;
    let others = match waiting.len() - 1 {
        0 => String::new(),
        1 => ", and one other waits".to_owned(),
        others => format!(", and {others} others wait"),
    };
    Some(format!(
        "all flows have ended, but the application at {} waits for {reason}{others}",
        scenario.topology().label(*host)
    ))
}

/// Returns a warning about retransmission timeouts that occurred although no packet was lost.
fn timeouts_without_loss(
    scenario: &Scenario,
    counters: &Counters,
    hosts: &EndpointCounters,
) -> Option<String> {
    let lost = counters.buffer_drops
        + counters.queue_drops
        + counters.link_losses
        + counters.link_down_drops
        + counters.no_route;
    if hosts.timeouts == 0 || lost > 0 {
        return None;
    }
    let mut keys = Vec::new();
    if scenario.has_rdma() {
        let least = scenario.transport_resolved().rto_min.unwrap_or_default();
        keys.push(format!("[rdma] rto_min = \"{least}\""));
    }
    if scenario.has_tcp() {
        let least = scenario.tcp().parameters().min_rto;
        keys.push(format!("[tcp] min_rto = \"{least}\""));
    }
    Some(format!(
        "{} retransmission timeouts although no packet was lost, and {} bytes were retransmitted for nothing: \
         queues and pauses held packets for longer than {}; give a higher one",
        hosts.timeouts,
        hosts.retransmitted.get(),
        keys.join(" or ")
    ))
}
