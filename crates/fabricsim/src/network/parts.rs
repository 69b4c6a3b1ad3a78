//! Builds the nodes and ports of a network as its scenario describes them.

use std::sync::Arc;

use fabricsim_base::id::NodeId;
use fabricsim_base::priority::PrioritySet;
use fabricsim_base::units::Rate;
use fabricsim_network::series::{Scope, SeriesKind};
use fabricsim_network::{AttachedObserver, NodeLog, Parts, QueuePlan};
use fabricsim_pint::query::{Queries, Sink, Truth};
use fabricsim_qdisc::{BufferConfig, Markers, PortBuffer};
use fabricsim_scenario::scenario::Scenario;
use fabricsim_scenario::scenario::tcp_queues::TcpQueues;
use fabricsim_scenario::schema::far_end::FarEnd;
use fabricsim_topology::Port;

use crate::network::marking::Marking;

/// The nodes and ports of a scenario's network.
pub(crate) struct ScenarioParts<'a> {
    scenario: &'a Scenario,
    queries: Option<&'a Arc<Queries>>,
    marking: Marking<'a>,
    buffer: BufferConfig,
    tcp_queues: TcpQueues<'a>,
    /// The series of `[observe]`, if there are any, and the part of the run that they observe.
    observed: Option<(Vec<SeriesKind>, Scope<'a>)>,
}

impl<'a> ScenarioParts<'a> {
    /// Returns the parts of `scenario`. Its packets carry `queries`.
    pub(crate) fn new(scenario: &'a Scenario, queries: Option<&'a Arc<Queries>>) -> Self {
        let unmarked = if scenario.is_mixed() {
            scenario.tcp_priorities()
        } else {
            PrioritySet::EMPTY
        };
        let observe = scenario.observe();
        Self {
            scenario,
            queries,
            marking: Marking::new(scenario, unmarked),
            buffer: scenario.buffer_config(),
            tcp_queues: scenario.tcp_queues(),
            observed: observe.map(|observe| {
                (
                    observe.series().collect(),
                    observe.scope(scenario.topology()),
                )
            }),
        }
    }

    /// Returns the recorders of the series of `[observe]` at `node`.
    fn recorders(&self, node: NodeId) -> Vec<Box<dyn AttachedObserver>> {
        let observed = self.observed.iter();
        observed
            .flat_map(|(series, scope)| {
                series
                    .iter()
                    .filter_map(|kind| (kind.recorder)(scope, node))
            })
            .collect()
    }

    /// Returns the recorder of the true values of the queries at switch `node`, if the scenario
    /// records them.
    fn truth(&self, node: NodeId) -> Option<Truth> {
        let topology = self.scenario.topology();
        let wanted = self.scenario.queries()?.pint.truth && topology.forwards(node);
        let ports = topology.ports(node).iter();
        let rates: Vec<Rate> = ports.map(|port| port.rate).collect();
        self.queries
            .filter(|_| wanted)
            .and_then(|queries| Truth::new(queries, &rates))
    }
}

impl Parts for ScenarioParts<'_> {
    fn log(&self, node: NodeId) -> NodeLog {
        let scenario = self.scenario;
        let sink = self.queries.filter(|_| scenario.topology().is_host(node));
        NodeLog::new(
            scenario.output().pauses,
            self.recorders(node),
            sink.map(Sink::new),
            self.truth(node),
        )
    }

    fn markers(&self, port: &Port, number: u64) -> Option<Box<Markers>> {
        self.marking.at(port, number)
    }

    fn buffer(&self, ports: &[PortBuffer]) -> BufferConfig {
        let scenario = self.scenario;
        (scenario.switch()).buffer_of(&self.buffer, ports, scenario.quirks())
    }

    fn tcp_queues(&self, port: &Port, number: u64) -> Vec<QueuePlan> {
        let towards = if self.scenario.topology().is_host(port.peer) {
            FarEnd::Hosts
        } else {
            FarEnd::Switches
        };
        self.tcp_queues.at(port.rate, towards, number * 8)
    }
}
