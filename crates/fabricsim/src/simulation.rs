//! A simulation under the control of a program: built from a scenario, run in steps, with added
//! flows.

mod attached;
mod capturing;
pub(crate) mod construction;
pub(crate) mod inputs;
mod readings;
mod steering;

use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use fabricsim_base::flow::{Completion, FlowRequest};
use fabricsim_base::id::NodeId;
use fabricsim_base::units::{Duration, Rate, Time};
use fabricsim_core::network::EpochPlan;
pub use fabricsim_core::network::{
    BlockedPort, Counters, Overload, PortSample, Progress, Room, RunCallback, Stop,
};
pub use fabricsim_core::plugin::{EndpointCounters, LiveFlow, LivePart, QueueReport, Unfinished};
pub use fabricsim_engine::Interrupt;
use fabricsim_engine::Probe;
use fabricsim_hpcc::IntScale;
use fabricsim_pint::query::Queries;
use fabricsim_report::{Checksum, FctRecord};
use fabricsim_scenario::Scenario;
use fabricsim_topology::{PathStats, Routes};

use crate::capture::{Capture, Tap, TraceRoom};
use crate::driver::Cell;
use crate::network::control_plane::RouteControl;
pub use crate::network::ideal::IdealFct;
use crate::network::sources::Sources;
use crate::size::MemoryNeed;
pub use fabricsim_core::packet::PauseChange;
pub use fabricsim_network::PauseEvent;
use fabricsim_network::Runner;
use inputs::FlowRules;

/// Properties of the idle network of a scenario.
#[derive(Clone, Copy, Debug)]
pub struct NetworkInfo {
    /// Number of hosts.
    pub hosts: usize,
    /// Number of switches.
    pub switches: usize,
    /// Number of links.
    pub links: usize,
    /// The rate of NICs ([`Scenario::nic_rate`]).
    pub nic_rate: Rate,
    /// The largest base round-trip time, the largest bandwidth-delay product and the most switches
    /// on a path.
    pub path_stats: PathStats,
    /// Time without any acknowledged byte after which a run counts as stalled.
    pub stall_after: Duration,
    /// Bytes of telemetry that a data packet carries on the wire.
    pub telemetry_bytes: u16,
    /// Memory that the simulation needs.
    pub memory: MemoryNeed,
}

/// A simulation. It has no clock and no files, and advances only on request.
pub struct Simulation {
    runner: Box<dyn Runner>,
    sources: Sources,
    control_plane: RouteControl,
    info: NetworkInfo,
    ideal: IdealFct,
    rules: FlowRules,
    /// The state that a driving program shares with its applications at the hosts.
    steered: Option<Arc<Mutex<Cell>>>,
    expected: Expectation,
    telemetry: Option<TelemetryRoom>,
    queries: Option<Arc<Queries>>,
    seed: u64,
    /// Number of applications added so far.
    applications: u32,
    /// The capture in progress for a program, and its file.
    capture: Option<(Capture, PathBuf)>,
    scenario: Arc<Scenario>,
}

/// The parts of a simulation that change while it runs.
pub(crate) struct ChangingParts<'a> {
    pub(crate) runner: &'a mut dyn Runner,
    pub(crate) sources: &'a mut Sources,
    pub(crate) control_plane: &'a mut RouteControl,
    pub(crate) applications: &'a mut u32,
}

/// Limits of the telemetry of a running simulation.
struct TelemetryRoom {
    /// Units of the INT header's entries.
    scale: IntScale,
    switches: u16,
    rates: Vec<Rate>,
}

/// Traffic that the workloads are expected to produce.
#[derive(Clone, Copy, Debug, Default)]
pub struct Expectation {
    /// Expected number of flows.
    pub flows: f64,
    /// Expected payload bytes of all flows.
    pub bytes: f64,
}

impl fmt::Debug for Simulation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Simulation")
            .field("now", &self.now())
            .field("info", &self.info)
            .finish_non_exhaustive()
    }
}

impl Simulation {
    /// Returns the scenario from which the simulation was built.
    #[must_use]
    pub fn scenario(&self) -> &Scenario {
        &self.scenario
    }

    pub(crate) fn shared_scenario(&self) -> Arc<Scenario> {
        Arc::clone(&self.scenario)
    }

    /// Returns the room that traces of INT need, if packets carry it.
    pub(crate) fn trace_room(&self) -> Option<TraceRoom> {
        let telemetry = self.telemetry.as_ref()?;
        let switches = self.info.path_stats.switches;
        Some(TraceRoom::new(telemetry.scale.clone(), switches))
    }

    /// Attaches the taps that `make` returns; they capture the frames that nodes send from now on.
    pub(crate) fn tap(&mut self, make: &mut dyn FnMut(NodeId) -> Option<Box<Tap>>) {
        self.runner.tap(make);
    }

    /// Removes and returns the taps.
    pub(crate) fn take_taps(&mut self) -> Vec<Tap> {
        self.runner.take_taps()
    }

    /// Returns `true` if a program drives the simulation event by event.
    pub(crate) const fn is_driven(&self) -> bool {
        self.steered.is_some()
    }

    /// Returns the parts that change while the simulation runs; all other parts follow from its
    /// scenario.
    pub(crate) fn parts_to_save(&mut self) -> ChangingParts<'_> {
        let Self {
            runner,
            sources,
            control_plane,
            info: _,
            ideal: _,
            rules: _,
            steered: _,
            expected: _,
            telemetry: _,
            queries: _,
            seed: _,
            applications,
            capture: _,
            scenario: _,
        } = self;
        ChangingParts {
            runner: &mut **runner,
            sources,
            control_plane,
            applications,
        }
    }

    fn is_host(&self, node: NodeId) -> bool {
        self.rules.is_host(node)
    }

    /// Runs all events before `until`. Returns earlier if all flows have ended or no packet moves.
    pub fn run_until(&mut self, until: Time) -> Stop {
        self.run_with_callback(until, &mut ())
    }

    /// Like [`run_until`](Self::run_until), with a callback that watches the run.
    pub fn run_with_callback(&mut self, until: Time, callback: &mut dyn RunCallback) -> Stop {
        if self.steered.is_some() {
            return self.run_steered(until, callback);
        }
        self.runner
            .run_until(until, &mut self.sources, &mut self.control_plane, callback)
    }

    /// Like [`run_with_callback`](Self::run_with_callback), on the calling thread only. Notifies
    /// `probe` of each epoch and of each node in it, by its index. The results are the same. In a
    /// run that a program drives, `probe` is not called.
    pub fn run_probed(
        &mut self,
        until: Time,
        callback: &mut dyn RunCallback,
        probe: &mut dyn Probe,
    ) -> Stop {
        if self.steered.is_some() {
            return self.run_steered(until, callback);
        }
        self.runner.run_probed(
            until,
            &mut self.sources,
            &mut self.control_plane,
            callback,
            probe,
        )
    }

    /// Sets the limits for flows and acknowledgements after which a run ends.
    pub fn set_room(&mut self, room: Room) {
        self.runner.set_room(room);
    }

    /// Returns the flows that have ended since the last call, in the order of (finish, flow).
    pub fn take_completions(&mut self) -> Vec<Completion> {
        self.runner.take_completions()
    }

    /// Returns the result row of a completion.
    #[must_use]
    pub fn record(&self, completion: &Completion) -> FctRecord {
        FctRecord::new(completion, self.ideal.of(completion))
    }

    /// Returns the completion times of flows on the idle network.
    #[must_use]
    pub fn ideal(&self) -> IdealFct {
        self.ideal.clone()
    }

    /// Returns the current time: all events before this instant have happened.
    #[must_use]
    pub fn now(&self) -> Time {
        self.runner.now()
    }

    /// Returns the end of the run: the requested time, or the time of the last event if all flows
    /// have ended or no packet moves.
    #[must_use]
    pub fn ended(&self) -> Time {
        self.runner.ended()
    }

    /// Returns the number of epochs so far, into which the engine has divided the time.
    #[must_use]
    pub fn epochs(&self) -> u64 {
        self.runner.epochs()
    }

    /// Returns the number of flows started so far. Flows without a route do not count.
    #[must_use]
    pub fn flows_started(&self) -> u64 {
        self.runner.flows().0
    }

    /// Returns the number of flows ended so far.
    #[must_use]
    pub fn flows_finished(&self) -> u64 {
        self.runner.flows().1
    }

    /// Returns the flows that never end, with their delivered bytes, in the order of their numbers.
    #[must_use]
    pub fn downloads(&self) -> Vec<Unfinished> {
        let mut flows = self.runner.unfinished();
        flows.retain(|unfinished| unfinished.request.is_endless());
        flows
    }

    /// Adds the delivered bytes of flows that never end to `checksum`, because they are in no row
    /// of a file.
    #[must_use]
    pub fn with_downloads(&self, mut checksum: Checksum) -> Checksum {
        for download in self.downloads() {
            let row = format!("{},{}\n", download.id.0, download.acknowledged.get());
            checksum.update(row.as_bytes());
        }
        checksum
    }

    /// Returns the flows that have started and not ended, with the reason why each waits, in the
    /// order of their numbers. Flows that never end are omitted.
    #[must_use]
    pub fn unfinished(&self) -> Vec<Unfinished> {
        let mut flows = self.runner.unfinished();
        flows.retain(|unfinished| !unfinished.request.is_endless());
        for unfinished in &mut flows {
            let request = &unfinished.request;
            let (src, dst) = (request.src, request.dst);
            if self.routes().next_hops(src, dst).is_empty() {
                let why = self.control_plane.control.why_apart(src, dst);
                unfinished.reason = format!("{why}; {}", unfinished.reason);
            }
        }
        flows
    }

    /// Returns the flows that had no route to their destination when they were due to start.
    #[must_use]
    pub fn unreachable(&self) -> &[FlowRequest] {
        self.runner.unreachable()
    }

    /// Returns the reason why flow `index` of [`Self::unreachable`] had no route.
    #[must_use]
    pub fn unreachable_reason(&self, index: usize) -> &str {
        let known = self.control_plane.refusals.get(index);
        known.map_or("no route led to its destination", String::as_str)
    }

    /// Returns the properties of the idle network.
    #[must_use]
    pub const fn network_info(&self) -> &NetworkInfo {
        &self.info
    }

    /// Returns the plan of the slowest switch, and the obstacle to a faster one.
    #[must_use]
    pub fn epoch_plan(&self) -> EpochPlan {
        self.runner.epoch_plan()
    }

    /// Returns the traffic that the workloads are expected to produce.
    #[must_use]
    pub const fn expected(&self) -> Expectation {
        self.expected
    }

    /// Returns the current routes, for following a path.
    #[must_use]
    pub fn routes(&self) -> &Routes {
        &self.control_plane.routes
    }
}
