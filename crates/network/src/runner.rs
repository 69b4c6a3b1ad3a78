//! A network of any model. One dynamic call starts a whole run, so that the packet loop itself
//! stays generic.

use std::any::Any;

use fabricsim_base::checkpoint::{LoadError, Reader, SaveError, Writer};
use fabricsim_base::flow::{Completion, FlowRequest, FlowSource};
use fabricsim_base::id::{NodeId, PortId};
use fabricsim_base::rng::Stream;
use fabricsim_base::units::{Bytes, Time};
use fabricsim_core::network::{
    BlockedPort, Change, Counters, Desk, EpochPlan, Hearing, Network, NetworkControl, PortSample,
    Room, RunCallback, Skipped, Stop,
};
use fabricsim_core::packet::Packet;
use fabricsim_core::plugin::{
    Application, BufferUse, ClassActivity, EndpointCounters, LiveFlow, Model, QueueReport,
    Unfinished,
};
use fabricsim_engine::Probe;
use fabricsim_pint::query::{HopSeries, QueryResults};
use fabricsim_topology::SwitchRoutes;

use crate::capture::Tap;
use crate::node_log::{AttachedObserver, NodeLog};
use crate::pause_log::PauseEvent;
use crate::series::queue_times::QueueTimes;
use crate::series::{QueueArea, QueueBin};

/// A network of any model.
pub trait Runner: Send {
    /// Executes all events before `until`. Stops early if no event is left or if no progress is
    /// made. Flows arrive from `source`, routes and failures from `control_plane`, and `callback`
    /// is called between epochs.
    fn run_until(
        &mut self,
        until: Time,
        source: &mut dyn FlowSource,
        control_plane: &mut dyn NetworkControl<SwitchRoutes>,
        callback: &mut dyn RunCallback,
    ) -> Stop;
    /// Like [`run_until`](Self::run_until), but `probe` measures the work of each partition.
    fn run_probed(
        &mut self,
        until: Time,
        source: &mut dyn FlowSource,
        control_plane: &mut dyn NetworkControl<SwitchRoutes>,
        callback: &mut dyn RunCallback,
        probe: &mut dyn Probe,
    ) -> Stop;
    /// Lets a program steer the run. Every host gets the application that `make` returns for its
    /// number.
    fn steer(&mut self, make: &mut dyn FnMut(NodeId) -> (Box<dyn Application>, Stream));
    /// Like [`run_until`](Self::run_until), with commands from `desk`; `None` if the desk
    /// interrupts the run.
    fn run_steered(
        &mut self,
        until: Time,
        source: &mut dyn FlowSource,
        control_plane: &mut dyn NetworkControl<SwitchRoutes>,
        callback: &mut dyn RunCallback,
        desk: &mut dyn Desk,
    ) -> Option<Stop>;
    /// Sets the events that the steering program needs at their exact times.
    fn set_hearing(&mut self, hearing: Hearing);
    /// Returns the earliest time at which flows and applications can be added.
    fn frontier(&self) -> Time;
    /// Skips periods in which the state of the network repeats; results stay the same.
    fn set_fast_forward(&mut self);
    /// Looks for such periods no matter how many attempts have failed.
    fn fast_forward_always(&mut self);
    /// Returns the skipped parts of the run, if it skips any.
    fn skipped(&self) -> Option<&Skipped>;
    /// Sets the limits of memory at which a run ends.
    fn set_room(&mut self, room: Room);
    /// Adds an application to `host`. It draws random numbers from `stream`.
    fn add_application(&mut self, host: NodeId, application: Box<dyn Application>, stream: Stream);
    /// Returns all applications with their hosts.
    fn applications(&self) -> Vec<(NodeId, &dyn Application)>;
    /// Calls `visit` with the applications on this rank, in the order of their hosts.
    fn for_each_application(&mut self, visit: &mut dyn FnMut(NodeId, &mut dyn Application));
    /// Describes the event for which each unfinished application waits, with its host.
    fn applications_wait_for(&self) -> Vec<(NodeId, String)>;
    /// Attaches an observer to each node. `make` creates the observer from the number of the node.
    fn observe(&mut self, make: &mut dyn FnMut(NodeId) -> Box<dyn AttachedObserver>);
    /// Starts to capture the frames of each node for which `make` returns a tap.
    fn tap(&mut self, make: &mut dyn FnMut(NodeId) -> Option<Box<Tap>>);
    /// Removes and returns the taps of all nodes.
    fn take_taps(&mut self) -> Vec<Tap>;
    /// Calls `visit` with the log of each node on this rank, in the order of their numbers.
    fn for_each_log(&mut self, visit: &mut dyn FnMut(NodeId, &mut NodeLog));
    /// Returns the logs of all nodes, in the order of their numbers.
    fn logs(&self) -> Vec<&NodeLog>;
    /// Returns the current time.
    fn now(&self) -> Time;
    /// Returns the time at which the run ended: its end time if that was reached, otherwise the
    /// time of the last event.
    fn ended(&self) -> Time;
    /// Returns the slowest order in which a switch handles the packets of an epoch, and the reason.
    fn epoch_plan(&self) -> EpochPlan;
    /// Returns the size of a packet in memory, in bytes.
    fn packet_bytes(&self) -> usize;
    /// Returns the number of epochs so far.
    fn epochs(&self) -> u64;
    /// Returns the number of flows that have started, and of flows that have finished.
    fn flows(&self) -> (u64, u64);
    /// Returns and removes the flows that have finished since the last call.
    fn take_completions(&mut self) -> Vec<Completion>;
    /// Returns the flows without a path to their destination.
    fn unreachable(&self) -> &[FlowRequest];
    /// Returns the flows that have started but not finished.
    fn unfinished(&self) -> Vec<Unfinished>;
    /// Returns the sum of the counters of all nodes.
    fn counters(&self) -> Counters;
    /// Returns the sum of the counters of all hosts' transports.
    fn endpoint_counters(&self) -> EndpointCounters;
    /// Returns the activity of congestion control at all hosts so far, by class.
    fn cc_activity(&self) -> ClassActivity;
    /// Returns the bytes in the queues of all switches.
    fn queued_bytes(&self) -> Bytes;
    /// Returns the number of switch ports that a neighbor has paused.
    fn paused_ports(&self) -> usize;
    /// Returns the switch ports of a PFC deadlock, or an empty vector.
    fn deadlock(&self) -> Vec<BlockedPort>;
    /// Advances nodes that are behind to the current time.
    fn synchronize(&mut self);
    /// Returns the state and the counters of `ports`.
    fn ports(&self, ports: &[(NodeId, PortId)]) -> Vec<PortSample>;
    /// Calls `visit` with each flow in progress.
    fn for_each_live(&self, visit: &mut dyn FnMut(&LiveFlow));
    /// Returns the largest use of each switch's buffer so far.
    fn buffer_uses(&self) -> Vec<(NodeId, BufferUse)>;
    /// Returns the statistics of all switch queues with a discipline.
    fn queue_reports(&self) -> Vec<(NodeId, PortId, QueueReport)>;
    /// Collects the state that results need at the first rank. Does nothing without ranks.
    ///
    /// # Errors
    /// Fails if some state cannot be sent to another rank.
    fn gather(&mut self) -> Result<(), SaveError>;
    /// Returns a name that differs between networks with different types of packets or events. A
    /// checkpoint only loads into a network of the same name.
    fn kind(&self) -> &'static str;
    /// Stores the state in `out`.
    fn save(&mut self, out: &mut Writer);
    /// Restores the state from `input`, after `changes` to links and routes.
    ///
    /// # Errors
    /// Fails if `input` contains the state of another kind of network.
    fn load(
        &mut self,
        input: &mut Reader<'_>,
        changes: Vec<Change<SwitchRoutes>>,
    ) -> Result<(), LoadError>;
}

/// Summaries of the logs of all nodes. They are compiled once for all models.
impl dyn Runner + '_ {
    /// Returns the observers that a program has attached, with their nodes.
    #[must_use]
    pub fn attached_observers(&self) -> Vec<(NodeId, &dyn AttachedObserver)> {
        let logs = self.logs().into_iter().enumerate();
        logs.filter_map(|(index, log)| Some((NodeId::from_index(index), log.attached.as_deref()?)))
            .collect()
    }

    /// Returns the pauses and resumes of all nodes, in time order.
    #[must_use]
    pub fn pause_events(&self) -> Vec<PauseEvent> {
        let logs = self.logs().into_iter();
        let mut events: Vec<PauseEvent> = logs
            .flat_map(|log| log.pauses.events().iter().copied())
            .collect();
        events.sort_by_key(|event| event.at);
        events
    }

    /// Returns the results of the queries of all hosts.
    #[must_use]
    pub fn query_results(&self) -> QueryResults {
        let logs = self.logs();
        QueryResults::collect(
            logs.iter().filter_map(|log| log.sink.as_deref()),
            logs.iter().filter_map(|log| log.truth.as_deref()),
        )
    }

    /// Returns the true values of each hop that has at least `least` values.
    #[must_use]
    pub fn hop_series(&self, least: usize) -> Vec<HopSeries> {
        let logs = self.logs().into_iter();
        HopSeries::collect(logs.filter_map(|log| log.truth.as_deref()), least)
    }

    /// Returns the recorders of type `R` with their nodes.
    pub(crate) fn recorders<R: Any>(&self) -> Vec<(NodeId, &R)> {
        let logs = self.logs().into_iter().enumerate();
        logs.flat_map(|(index, log)| {
            let recorders = log.recorders.iter();
            recorders.filter_map(move |recorder| {
                let recorder: &dyn Any = &**recorder;
                Some((NodeId::from_index(index), recorder.downcast_ref()?))
            })
        })
        .collect()
    }

    /// Returns the time that each observed queue has spent at each length.
    #[must_use]
    pub fn queue_distribution(&self) -> Vec<QueueBin> {
        let recorders = self.recorders::<QueueTimes>().into_iter();
        recorders
            .flat_map(|(node, times)| times.bins(self.ended(), node))
            .collect()
    }

    /// Returns the integral of the length of each observed queue over time.
    #[must_use]
    pub fn queue_areas(&self) -> Vec<QueueArea> {
        let recorders = self.recorders::<QueueTimes>().into_iter();
        recorders
            .flat_map(|(node, times)| times.areas(self.ended(), node))
            .collect()
    }
}

impl<M: Model<Observer = NodeLog, Routing = SwitchRoutes>> Runner for Network<M> {
    fn run_until(
        &mut self,
        until: Time,
        source: &mut dyn FlowSource,
        control_plane: &mut dyn NetworkControl<SwitchRoutes>,
        callback: &mut dyn RunCallback,
    ) -> Stop {
        self.run_until(until, source, control_plane, callback)
    }
    fn run_probed(
        &mut self,
        until: Time,
        source: &mut dyn FlowSource,
        control_plane: &mut dyn NetworkControl<SwitchRoutes>,
        callback: &mut dyn RunCallback,
        probe: &mut dyn Probe,
    ) -> Stop {
        self.run_probed(until, source, control_plane, callback, probe)
    }
    fn steer(&mut self, make: &mut dyn FnMut(NodeId) -> (Box<dyn Application>, Stream)) {
        self.steer(make);
    }
    fn run_steered(
        &mut self,
        until: Time,
        source: &mut dyn FlowSource,
        control_plane: &mut dyn NetworkControl<SwitchRoutes>,
        callback: &mut dyn RunCallback,
        desk: &mut dyn Desk,
    ) -> Option<Stop> {
        self.run_steered(until, source, control_plane, callback, desk)
    }
    fn set_hearing(&mut self, hearing: Hearing) {
        self.set_hearing(hearing);
    }
    fn frontier(&self) -> Time {
        self.frontier()
    }
    fn set_fast_forward(&mut self) {
        self.set_fast_forward();
    }
    fn fast_forward_always(&mut self) {
        self.fast_forward_always();
    }
    fn skipped(&self) -> Option<&Skipped> {
        self.skipped()
    }
    fn set_room(&mut self, room: Room) {
        self.set_room(room);
    }
    fn add_application(&mut self, host: NodeId, application: Box<dyn Application>, stream: Stream) {
        self.add_application(host, application, stream);
    }
    fn applications(&self) -> Vec<(NodeId, &dyn Application)> {
        self.applications().collect()
    }
    fn for_each_application(&mut self, visit: &mut dyn FnMut(NodeId, &mut dyn Application)) {
        self.for_each_application(visit);
    }
    fn applications_wait_for(&self) -> Vec<(NodeId, String)> {
        self.applications_wait_for()
    }
    fn observe(&mut self, make: &mut dyn FnMut(NodeId) -> Box<dyn AttachedObserver>) {
        self.for_each_observer(|node, log| log.attach(make(node)));
    }
    fn logs(&self) -> Vec<&NodeLog> {
        self.observers().collect()
    }
    fn tap(&mut self, make: &mut dyn FnMut(NodeId) -> Option<Box<Tap>>) {
        self.for_each_observer(|node, log| {
            if let Some(tap) = make(node) {
                log.capture(tap);
            }
        });
    }
    fn take_taps(&mut self) -> Vec<Tap> {
        let mut taps = Vec::new();
        self.for_each_observer(|_, log| taps.extend(log.tap.take().map(|tap| *tap)));
        taps
    }
    fn for_each_log(&mut self, visit: &mut dyn FnMut(NodeId, &mut NodeLog)) {
        self.for_each_observer(visit);
    }
    fn now(&self) -> Time {
        self.now()
    }
    fn ended(&self) -> Time {
        self.ended()
    }
    fn epoch_plan(&self) -> EpochPlan {
        self.epoch_plan()
    }
    fn packet_bytes(&self) -> usize {
        size_of::<Packet<M::Header>>()
    }
    fn epochs(&self) -> u64 {
        self.epochs()
    }
    fn flows(&self) -> (u64, u64) {
        (self.flows_started(), self.flows_finished())
    }
    fn take_completions(&mut self) -> Vec<Completion> {
        self.take_completions()
    }
    fn unreachable(&self) -> &[FlowRequest] {
        self.unreachable()
    }
    fn unfinished(&self) -> Vec<Unfinished> {
        self.unfinished()
    }
    fn counters(&self) -> Counters {
        self.counters()
    }
    fn endpoint_counters(&self) -> EndpointCounters {
        self.endpoint_counters()
    }
    fn cc_activity(&self) -> ClassActivity {
        self.cc_activity()
    }
    fn queued_bytes(&self) -> Bytes {
        self.queued_bytes()
    }
    fn paused_ports(&self) -> usize {
        self.paused_ports()
    }
    fn deadlock(&self) -> Vec<BlockedPort> {
        self.deadlock()
    }
    fn synchronize(&mut self) {
        self.synchronize();
    }
    fn ports(&self, ports: &[(NodeId, PortId)]) -> Vec<PortSample> {
        self.ports(ports)
    }
    fn for_each_live(&self, visit: &mut dyn FnMut(&LiveFlow)) {
        self.for_each_live(visit);
    }
    fn buffer_uses(&self) -> Vec<(NodeId, BufferUse)> {
        self.buffer_uses()
    }
    fn queue_reports(&self) -> Vec<(NodeId, PortId, QueueReport)> {
        self.queue_reports()
    }
    fn gather(&mut self) -> Result<(), SaveError> {
        self.gather()
    }
    fn kind(&self) -> &'static str {
        std::any::type_name::<(M::Header, M::Order)>()
    }
    fn save(&mut self, out: &mut Writer) {
        self.save(out);
    }
    fn load(
        &mut self,
        input: &mut Reader<'_>,
        changes: Vec<Change<SwitchRoutes>>,
    ) -> Result<(), LoadError> {
        self.load(input, changes)
    }
}
