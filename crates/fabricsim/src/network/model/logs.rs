//! What nodes remember for results.

use std::sync::Arc;

use fabricsim_core::id::{NodeId, PortId};
use fabricsim_core::units::Rate;
use fabricsim_pint::query::{Queries, Sink, Truth};
use fabricsim_scenario::scenario::Scenario;

use crate::network::node_log::NodeLog;
use crate::network::pause_log::PauseLog;
use crate::network::queue_times::QueueTimes;

/// What `node` remembers for results; `watched` are the ports whose queues are.
pub(super) fn node_log(
    scenario: &Scenario,
    queries: Option<&Arc<Queries>>,
    watched: &[(NodeId, PortId)],
    node: NodeId,
) -> NodeLog {
    let queues = queue_times(scenario, watched, node);
    NodeLog {
        pauses: if scenario.output().pauses {
            PauseLog::On(Vec::new())
        } else {
            PauseLog::Off
        },
        watches_queues: queues.is_some(),
        queues,
        sink: queries
            .filter(|_| scenario.topology().is_host(node))
            .map(|queries| Box::new(Sink::new(queries))),
        truth: truth(scenario, queries, node),
        watches_packets: false,
        tap: None,
        attached: None,
    }
}

fn queue_times(
    scenario: &Scenario,
    watched: &[(NodeId, PortId)],
    node: NodeId,
) -> Option<Box<QueueTimes>> {
    let settings = scenario.observe()?;
    let first = watched.partition_point(|(other, _)| *other < node);
    let own = watched[first..]
        .iter()
        .take_while(|(other, _)| *other == node);
    let mut own = own.map(|(_, port)| *port).peekable();
    let wanted = settings.queue_distribution && own.peek().is_some();
    let count = scenario.topology().ports(node).len();
    wanted.then(|| Box::new(QueueTimes::new(settings, count, own)))
}

/// Returns the recorder of the true values behind the queries at switch `node`, if they are to be
/// recorded.
fn truth(scenario: &Scenario, queries: Option<&Arc<Queries>>, node: NodeId) -> Option<Box<Truth>> {
    let wanted = scenario.queries()?.pint.truth && !scenario.topology().is_host(node);
    let ports = scenario.topology().ports(node).iter();
    let rates: Vec<Rate> = ports.map(|port| port.rate).collect();
    let truth = queries
        .filter(|_| wanted)
        .and_then(|queries| Truth::new(queries, &rates));
    truth.map(Box::new)
}
