//! A network of any model behind one dynamic call for a whole run.

use fabricsim_core::engine::Probe;
use fabricsim_core::flow::{Completion, FlowRequest, FlowSource};
use fabricsim_core::network::{BlockedPort, Counters, Directory, Network, Stop, Watch};
use fabricsim_core::plugin::{EndpointCounters, Model, Unfinished};
use fabricsim_core::units::{Bytes, Time};
use fabricsim_topology::SwitchRoutes;

use crate::pause_log::{PauseEvent, PauseLog};

/// A network of any model.
pub(crate) trait Runner: Send {
    fn run_until(
        &mut self,
        until: Time,
        source: &mut dyn FlowSource,
        directory: &mut dyn Directory<SwitchRoutes>,
        watch: &mut dyn Watch,
    ) -> Stop;
    fn run_probed(
        &mut self,
        until: Time,
        source: &mut dyn FlowSource,
        directory: &mut dyn Directory<SwitchRoutes>,
        watch: &mut dyn Watch,
        probe: &mut dyn Probe,
    ) -> Stop;
    fn now(&self) -> Time;
    fn windows(&self) -> u64;
    fn flows(&self) -> (u64, u64);
    fn take_completions(&mut self) -> Vec<Completion>;
    fn unreachable(&self) -> &[FlowRequest];
    fn unfinished(&self) -> Vec<Unfinished>;
    fn counters(&self) -> Counters;
    fn endpoint_counters(&self) -> EndpointCounters;
    fn queued_bytes(&self) -> Bytes;
    fn paused_ports(&self) -> usize;
    fn deadlock(&self) -> Vec<BlockedPort>;
    fn pause_events(&self) -> Vec<PauseEvent>;
}

impl<M: Model<Observer = PauseLog, Routing = SwitchRoutes>> Runner for Network<M> {
    fn run_until(
        &mut self,
        until: Time,
        source: &mut dyn FlowSource,
        directory: &mut dyn Directory<SwitchRoutes>,
        watch: &mut dyn Watch,
    ) -> Stop {
        self.run_until(until, source, directory, watch)
    }
    fn run_probed(
        &mut self,
        until: Time,
        source: &mut dyn FlowSource,
        directory: &mut dyn Directory<SwitchRoutes>,
        watch: &mut dyn Watch,
        probe: &mut dyn Probe,
    ) -> Stop {
        self.run_probed(until, source, directory, watch, probe)
    }
    fn now(&self) -> Time {
        self.now()
    }
    fn windows(&self) -> u64 {
        self.windows()
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
    fn queued_bytes(&self) -> Bytes {
        self.queued_bytes()
    }
    fn paused_ports(&self) -> usize {
        self.paused_ports()
    }
    fn deadlock(&self) -> Vec<BlockedPort> {
        self.deadlock()
    }
    fn pause_events(&self) -> Vec<PauseEvent> {
        let mut events: Vec<PauseEvent> = self
            .observers()
            .flat_map(|log| log.events().iter().copied())
            .collect();
        events.sort_by_key(|event| event.at);
        events
    }
}
