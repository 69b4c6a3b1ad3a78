//! Warnings about problems that the results themselves do not show.

use fabricsim_core::network::Counters;
use fabricsim_core::plugin::{EndpointCounters, PathStability};

use crate::observe::QueueGroup;
use crate::observe::groups_of;
use crate::simulation::{NetworkInfo, Simulation};
use crate::utilization::ExpectedUtilization;
use fabricsim_scenario::scenario::Scenario;
use fabricsim_transport::rdma::Recovery;

/// A workload that is expected to make fewer flows than this may well make none.
const FEW: f64 = 1.0;

/// Returns warnings about the settings of a scenario before it runs, each with a suggested fix.
#[must_use]
pub fn scenario_warnings(scenario: &Scenario) -> Vec<String> {
    let workloads = workload_warnings(scenario).into_iter();
    let paths = overtaken_packets(scenario).into_iter();
    workloads
        .chain(own_warnings(scenario))
        .chain(paths)
        .chain(overtaken_segments(scenario))
        .chain(unmarked_entropies(scenario))
        .chain(unmarked_queues(scenario))
        .chain(small_buffers(scenario))
        .collect()
}

/// Returns a warning about ports that can store packets only in their reserves.
fn small_buffers(scenario: &Scenario) -> Option<String> {
    let (switch, share) = scenario.with_reserves_alone()?;
    Some(format!(
        "a port of {} may have {share} of the buffer beside its reserve, and no full packet fits into \
         that, so that it holds {} at most; give [switch] a larger `buffer`, a larger `alpha`, or a \
         smaller `reserve`",
        scenario.topology().label(switch),
        scenario.switch().reserve
    ))
}

/// Returns the warnings about a scenario before it runs, in the network of its `simulation`, each
/// with a suggested fix: first the one about the load on links.
#[must_use]
pub fn warnings_before(scenario: &Scenario, simulation: &Simulation) -> Vec<String> {
    let info = simulation.network_info();
    let expected = ExpectedUtilization::of(scenario, simulation);
    let load = expected.warning().into_iter();
    load.chain(scenario_warnings(scenario))
        .chain(network_warnings(scenario, info))
        .chain(info.memory.warning())
        .collect()
}

/// Returns warnings about the settings of a scenario in its network, which `info` describes, each
/// with a suggested fix.
#[must_use]
pub fn network_warnings(scenario: &Scenario, info: &NetworkInfo) -> Vec<String> {
    let stalls = early_stall(scenario, info).into_iter();
    stalls.chain(early_timeouts(scenario, info)).collect()
}

/// Returns a warning about runs that are given up before the first acknowledgement can arrive.
fn early_stall(scenario: &Scenario, info: &NetworkInfo) -> Option<String> {
    let least = info.path_stats.base_rtt;
    let given = scenario.run().stall_after.filter(|&given| given < least)?;
    Some(format!(
        "[run] stall_after = \"{given}\" is below the largest base round-trip time, {least}: a run may be \
         given up although its packets are under way; give more than that, or leave it out"
    ))
}

/// Returns a warning about TCP timeouts that expire before an acknowledgement can arrive.
fn early_timeouts(scenario: &Scenario, info: &NetworkInfo) -> Option<String> {
    let least = info.path_stats.base_rtt;
    let most = scenario.tcp().parameters().max_rto;
    if !scenario.has_tcp() || most >= least {
        return None;
    }
    Some(format!(
        "[tcp] max_rto = \"{most}\" is below the largest base round-trip time, {least}: segments are \
         retransmitted before they can be acknowledged; give more than that"
    ))
}

/// Returns a warning about senders that wait for marks, if no switch marks packets.
fn unmarked_entropies(scenario: &Scenario) -> Option<String> {
    let policy = scenario.routing_policy();
    if policy.entropy().is_none() || scenario.marks_packets() {
        return None;
    }
    Some(format!(
        "`{}` avoids paths with marked packets, but no switch marks packets, so it only reacts to \
         timeouts; give [switch] `ecn`, or [cc] an algorithm that uses marks",
        policy.name()
    ))
}

/// Returns a warning about queues in which packets are trimmed before they are marked.
fn unmarked_queues(scenario: &Scenario) -> Option<String> {
    let above = scenario.switch().trim_above?;
    let marked = scenario.marked_above().filter(|&kmin| kmin >= above)?;
    Some(format!(
        "packets are trimmed above {above} of a queue and marked above {marked}, so no packet is marked at \
         ports of the NICs' rate; raise [switch] `trim_above`, or lower `ecn`"
    ))
}

/// Returns a warning about receivers that treat overtaken packets as lost.
fn overtaken_packets(scenario: &Scenario) -> Option<String> {
    let policy = scenario.routing_policy();
    if policy.path_stability() == PathStability::PerFlow || !scenario.has_rdma() {
        return None;
    }
    let (recovery, taken) = match scenario.recovery() {
        Recovery::AnyOrder => return None,
        Recovery::GoBackN => ("go-back-n", "every packet that later packets overtake"),
        Recovery::Selective => (
            "selective",
            "packets that later packets overtake by a quarter of a round trip",
        ),
    };
    Some(format!(
        "`{}` reorders packets of a flow, and [rdma] recovery = \"{recovery}\" treats {taken} \
         as lost; leave `recovery` out, or set it to \"any-order\"",
        policy.name()
    ))
}

/// Returns a warning about TCP senders, which treat overtaken segments as lost.
fn overtaken_segments(scenario: &Scenario) -> Option<String> {
    let policy = scenario.routing_policy();
    if policy.path_stability() == PathStability::PerFlow || !scenario.has_tcp() {
        return None;
    }
    Some(format!(
        "`{}` reorders packets of a flow, and TCP may treat late packets as lost: retransmitted bytes and \
         smaller windows then do not mean loss; set [routing] policy = \"ecmp\"",
        policy.name()
    ))
}

/// Returns warnings about workloads that are expected to make less than one flow, each with a
/// suggested fix.
fn workload_warnings(scenario: &Scenario) -> Vec<String> {
    let workloads = scenario.workloads().iter().enumerate();
    let sparse = workloads.filter_map(|(index, workload)| {
        let expected = workload.expected(&scenario.workload_context(index)).ok()?;
        (expected.flows > 0.0 && expected.flows < FEW).then(|| {
            format!(
                "[[workload]] {} ({}) is expected to make {:.1e} flows, and may make none; give a higher \
                 rate or load, or a longer duration",
                index,
                workload.kind(),
                expected.flows
            )
        })
    });
    sparse.collect()
}

/// Returns the warnings of workloads about effects of other settings on them.
fn own_warnings(scenario: &Scenario) -> Vec<String> {
    let workloads = scenario.workloads().iter().enumerate();
    let warnings = workloads.flat_map(|(index, workload)| {
        let own = workload.warnings(&scenario.workload_context(index));
        let named = move |warning| format!("[[workload]] {index} ({}): {warning}", workload.kind());
        own.into_iter().map(named)
    });
    warnings.collect()
}

/// Warns before a run begins about its load on links and its memory.
pub(crate) fn early_warnings(
    simulation: &Simulation,
    expected: &ExpectedUtilization,
    mut tell: impl FnMut(&str),
) {
    let memory = simulation.network_info().memory.warning();
    let warnings = expected.warning().into_iter().chain(memory);
    warnings.for_each(|warning| tell(&warning));
}

/// Returns the warnings about a run that has ended, each with a suggested fix.
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
        .chain(scenario_warnings(scenario))
        .chain(network_warnings(scenario, simulation.network_info()))
        .chain(waiting_applications(scenario, simulation))
        .chain(unobserved_queues(scenario, simulation))
        .collect()
}

/// Returns a warning about queue lengths that would have been observed after the end of the run.
fn unobserved_queues(scenario: &Scenario, simulation: &Simulation) -> Option<String> {
    let settings = scenario
        .observe()
        .filter(|observe| observe.queue_distribution)?;
    let groups = groups_of(scenario, simulation);
    if groups.iter().any(QueueGroup::was_observed) {
        return None;
    }
    Some(format!(
        "no queue length was observed: [observe] begins at {}, and the run has ended at {}; give an \
         earlier `from`",
        settings.from,
        simulation.ended()
    ))
}

/// Returns a warning about applications that still wait although no flow is left.
fn waiting_applications(scenario: &Scenario, simulation: &Simulation) -> Option<String> {
    let downloads = simulation.downloads().len() as u64;
    if simulation.flows_finished() + downloads < simulation.flows_started() {
        return None;
    }
    let waiting = simulation.waiting_applications();
    let (host, reason) = waiting.first()?;
    let others = match waiting.len() - 1 {
        0 => String::new(),
        1 => ", and one more waits".to_owned(),
        others => format!(", and {others} more wait"),
    };
    Some(format!(
        "all flows have finished, but the application at {} waits for {reason}{others}",
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
        + counters.trimmed
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
        "{} retransmission timeouts although no packet was lost, and {} bytes were retransmitted needlessly: \
         queues and pauses delayed packets by more than {}; give a higher value",
        hosts.timeouts,
        hosts.retransmitted.get(),
        keys.join(" or ")
    ))
}
