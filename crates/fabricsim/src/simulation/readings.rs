//! Functions that read the state of a simulation between two steps.

use fabricsim_base::id::{NodeId, PortId};
use fabricsim_base::units::{Bytes, Duration};
use fabricsim_core::network::{BlockedPort, Counters, PortSample, Skipped};
use fabricsim_core::plugin::{BufferUse, ClassActivity, EndpointCounters, LiveFlow, QueueReport};
use fabricsim_pint::query::{HopSeries, Queries, QueryResults};
use fabricsim_report::FctRecord;
use fabricsim_scenario::text::error::Error;

use super::Simulation;
use fabricsim_network::PauseEvent;
use fabricsim_network::series::{Series, View};
use fabricsim_network::{QueueArea, QueueBin};

impl Simulation {
    /// Skips periods in which the state of the network repeats, as `[run] fast_forward = "exact"`
    /// does, and looks for them no matter how many attempts have failed. For tests that results
    /// stay the same: many failed attempts take longer than the skipped parts.
    pub fn fast_forward_always(&mut self) {
        self.runner.fast_forward_always();
    }

    /// Returns the skipped parts of the run so far, if `[run] fast_forward` skips any.
    #[must_use]
    pub fn skipped(&self) -> Option<&Skipped> {
        self.runner.skipped()
    }

    /// Returns counts over all nodes.
    #[must_use]
    pub fn counters(&self) -> Counters {
        self.runner.counters()
    }

    /// Returns counts over the transports of all hosts.
    #[must_use]
    pub fn endpoint_counters(&self) -> EndpointCounters {
        self.runner.endpoint_counters()
    }

    /// Returns the activity of congestion control so far, by class.
    #[must_use]
    pub fn cc_activity(&self) -> ClassActivity {
        self.runner.cc_activity()
    }

    /// Returns the number of bytes in the queues of switches now.
    #[must_use]
    pub fn queued_bytes(&self) -> Bytes {
        self.runner.queued_bytes()
    }

    /// Returns the number of switch ports that a neighbor has paused now.
    #[must_use]
    pub fn paused_ports(&self) -> usize {
        self.runner.paused_ports()
    }

    /// Returns the switch ports of a PFC deadlock, each followed by the port that it waits for;
    /// empty if there is none.
    #[must_use]
    pub fn deadlock(&self) -> Vec<BlockedPort> {
        self.runner.deadlock()
    }

    /// Returns the pause and resume frames that have arrived so far, in the order of time, then of
    /// node; empty unless the scenario sets `output.pauses`.
    #[must_use]
    pub fn pause_events(&self) -> Vec<PauseEvent> {
        self.runner.pause_events()
    }

    /// Returns all ports of hosts and switches as they are now, in the order of nodes and ports:
    /// queues, and the bytes sent, marked, dropped and paused since the start.
    ///
    /// ```
    /// use fabricsim::prelude::*;
    ///
    /// let scenario = Scenario::from_toml(
    ///   "[topology]\nkind = \"star\"\nhosts = 5\n[cc]\nkind = \"hpcc\"\n\
    ///    [[workload]]\nkind = \"incast\"\nfan_in = 4\nsize = \"1MB\"\nat = \"0s\"",
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

    /// Returns one port as it is now, or `None` if the node has no port with that number.
    pub fn port(&mut self, node: NodeId, port: PortId) -> Option<PortSample> {
        let topology = self.routes().topology();
        if node.index() >= topology.len() || port.index() >= topology.ports(node).len() {
            return None;
        }
        self.synchronize();
        self.runner.ports(&[(node, port)]).pop()
    }

    /// Returns the flows that have started and not ended, in the order of their numbers: rate,
    /// window and acknowledged bytes.
    #[must_use]
    pub fn live_flows(&self) -> Vec<LiveFlow> {
        let mut flows = Vec::new();
        self.runner.for_each_live(&mut |live| flows.push(*live));
        flows.sort_unstable_by_key(|live| live.flow.id);
        flows
    }

    /// Returns the time that the queues of switch ports have spent at each length, in the order of
    /// nodes, ports and lengths; empty unless the scenario sets `observe.queue_distribution`.
    #[must_use]
    pub fn queue_distribution(&self) -> Vec<QueueBin> {
        self.runner.queue_distribution()
    }

    /// Returns the lengths of the queues of switch ports, integrated over the observed time, in the
    /// order of nodes and ports; empty unless the scenario sets `observe.queue_distribution`.
    #[must_use]
    pub fn queue_areas(&self) -> Vec<QueueArea> {
        self.runner.queue_areas()
    }

    /// Returns the queries of the scenario, if it has any.
    #[must_use]
    pub fn queries(&self) -> Option<&Queries> {
        self.queries.as_deref()
    }

    /// Returns the query results so far; empty if there are no queries.
    #[must_use]
    pub fn query_results(&self) -> QueryResults {
        self.runner.query_results()
    }

    /// Returns the true values of dynamic queries at switches, for hops of flows that at least
    /// `least` packets have passed: the first `least` values of each. Empty if `pint.truth` is
    /// false.
    #[must_use]
    pub fn hop_series(&self, least: usize) -> Vec<HopSeries> {
        self.runner.hop_series(least)
    }

    /// Returns the largest use of each switch's buffer so far, in the order of nodes.
    #[must_use]
    pub fn buffer_uses(&self) -> Vec<(NodeId, BufferUse)> {
        self.runner.buffer_uses()
    }

    /// Returns statistics of the switch-port queues with their own disciplines: marks, drops and
    /// waiting times so far, in the order of nodes, ports and priorities.
    #[must_use]
    pub fn queue_reports(&self) -> Vec<(NodeId, PortId, QueueReport)> {
        self.runner.queue_reports()
    }

    /// Advances all nodes to [`Self::now`], because some switches may be behind after all flows
    /// have ended. Then collects the observers and applications of all ranks at this rank.
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

    /// Lets `series` take the records of nodes.
    pub(crate) fn collect(&mut self, series: &mut dyn Series) {
        series.collect(&mut *self.runner);
    }

    /// Returns the view of the run for series of `[observe]` at the end of an `interval`, given the
    /// flows `ended`.
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
