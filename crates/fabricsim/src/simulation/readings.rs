//! Functions that read the state of a simulation between two steps.

use fabricsim_base::id::{NodeId, PortId};
use fabricsim_base::units::{Bytes, Duration};
use fabricsim_core::network::{BlockedPort, Counters, PortSample};
use fabricsim_core::plugin::{EndpointCounters, LiveFlow, QueueReport};
use fabricsim_pint::query::{HopSeries, Queries, QueryResults};
use fabricsim_report::FctRecord;
use fabricsim_scenario::text::error::Error;

use super::Simulation;
use fabricsim_network::PauseEvent;
use fabricsim_network::series::View;
use fabricsim_network::{QueueArea, QueueBin};

impl Simulation {
    /// Counts over all nodes.
    #[must_use]
    pub fn counters(&self) -> Counters {
        self.runner.counters()
    }

    /// Counts over the transports of all hosts.
    #[must_use]
    pub fn endpoint_counters(&self) -> EndpointCounters {
        self.runner.endpoint_counters()
    }

    /// Bytes in the queues of switches now.
    #[must_use]
    pub fn queued_bytes(&self) -> Bytes {
        self.runner.queued_bytes()
    }

    /// Switch ports that a neighbor has paused now.
    #[must_use]
    pub fn paused_ports(&self) -> usize {
        self.runner.paused_ports()
    }

    /// The switch ports of a PFC deadlock, each with the one that it waits for behind it; empty
    /// when there is none.
    #[must_use]
    pub fn deadlock(&self) -> Vec<BlockedPort> {
        self.runner.deadlock()
    }

    /// The pause and resume frames that have arrived so far, in the order of time, then of node;
    /// none unless the scenario asks for them (`output.pauses`).
    #[must_use]
    pub fn pause_events(&self) -> Vec<PauseEvent> {
        self.runner.pause_events()
    }

    /// All ports of hosts and switches as they are now, in the order of nodes and ports: queues,
    /// and what has been sent, marked, dropped and paused since the start.
    ///
    /// ```
    /// use fabricsim::prelude::*;
    ///
    /// let scenario = Scenario::from_toml(
    ///     "[topology]\nkind = \"star\"\nhosts = 5\n[cc]\nkind = \"hpcc\"\n\
    ///      [[workload]]\nkind = \"incast\"\nfan_in = 4\nsize = \"1MB\"\nat = \"0s\"",
    /// )?;
    /// let mut simulation = Simulation::new(&scenario, 1)?;
    /// let before = simulation.ports();
    /// simulation.run_until(Time::from_ns(20_000));
    /// let after = simulation.ports();
    /// let span = Duration::from_us(20);
    /// // Four senders, one receiver: its port of the switch is the busiest, and packets wait there.
    /// let busy = |i: &usize| after[*i].utilization_since(&before[*i], span);
    /// let busiest = (5..after.len()).max_by(|a, b| busy(a).total_cmp(&busy(b))).unwrap();
    /// assert!(busy(&busiest) > 0.5 && after[busiest].queue.get() > 0);
    ///
    /// let flows = simulation.live_flows();
    /// assert_eq!(flows.len(), 4);
    /// assert!(flows.iter().all(|live| live.acknowledged < live.flow.request.size));
    /// # Ok::<(), fabricsim::Error>(())
    /// ```
    pub fn ports(&mut self) -> Vec<PortSample> {
        self.synchronize();
        let topology = self.routes().topology();
        let nodes = (0..topology.len()).map(NodeId::from_index);
        let ports = nodes.flat_map(|node| {
            let count = topology.ports(node).len();
            (0..count).map(move |port| (node, PortId::from_index(port)))
        });
        let ports: Vec<(NodeId, PortId)> = ports.collect();
        self.runner.ports(&ports)
    }

    /// One port as it is now, or `None` when there is none of that number.
    pub fn port(&mut self, node: NodeId, port: PortId) -> Option<PortSample> {
        let topology = self.routes().topology();
        if node.index() >= topology.len() || port.index() >= topology.ports(node).len() {
            return None;
        }
        self.synchronize();
        self.runner.ports(&[(node, port)]).pop()
    }

    /// The flows that have started and not ended, in the order of their numbers: rate, window and
    /// what has been acknowledged.
    #[must_use]
    pub fn live_flows(&self) -> Vec<LiveFlow> {
        let mut flows = Vec::new();
        self.runner.for_each_live(&mut |live| flows.push(*live));
        flows.sort_unstable_by_key(|live| live.flow.id);
        flows
    }

    /// For how long the queues of switch ports have had each length, in the order of nodes, ports
    /// and lengths; nothing unless the scenario asks for it (`observe.queue_distribution`).
    #[must_use]
    pub fn queue_distribution(&self) -> Vec<QueueBin> {
        self.runner.queue_distribution()
    }

    /// The lengths of the queues of switch ports, summed over the time for which they have been
    /// observed, in the order of nodes and ports; nothing unless the scenario asks for
    /// `observe.queue_distribution`.
    #[must_use]
    pub fn queue_areas(&self) -> Vec<QueueArea> {
        self.runner.queue_areas()
    }

    /// The queries of the scenario, if it has some.
    #[must_use]
    pub fn queries(&self) -> Option<&Queries> {
        self.queries.as_deref()
    }

    /// Returns the query results so far; empty if there are no queries.
    #[must_use]
    pub fn query_results(&self) -> QueryResults {
        self.runner.query_results()
    }

    /// The values of dynamic queries as the switches saw them, for hops of flows that at least
    /// `least` packets have passed: the first `least` of each. Nothing where `pint.truth` is false.
    #[must_use]
    pub fn hop_series(&self, least: usize) -> Vec<HopSeries> {
        self.runner.hop_series(least)
    }

    /// Returns statistics of the switch-port queues that have disciplines of their own: marks,
    /// drops and waiting times so far, in the order of nodes, ports and priorities.
    #[must_use]
    pub fn queue_reports(&self) -> Vec<(NodeId, PortId, QueueReport)> {
        self.runner.queue_reports()
    }

    /// Brings all nodes to [`Self::now`]; when all flows have ended, some switches may be behind.
    /// Lets this rank see what observers and applications of all ranks have seen.
    pub(crate) fn gather(&mut self) -> Result<(), Error> {
        self.runner.gather().map_err(|refused| Error::Unsupported {
            scenario: "the run over ranks".to_owned(),
            message: refused.to_string(),
            help: "run it in one process".to_owned(),
        })
    }

    pub(crate) fn synchronize(&mut self) {
        self.runner.synchronize();
    }

    /// Returns the run as series of `[observe]` see it at the end of an `interval`, when the flows
    /// `ended` have ended.
    pub(crate) fn view<'a>(
        &'a self,
        interval: Option<Duration>,
        ended: &'a [FctRecord],
    ) -> View<'a> {
        View {
            now: self.now(),
            interval,
            topology: self.routes().topology(),
            network: &*self.runner,
            ended,
        }
    }
}
