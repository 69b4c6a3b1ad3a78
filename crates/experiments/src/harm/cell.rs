//! One cell of the table: one round-trip time, the workload alone or against one competitor.

use std::sync::Arc;

use fabricsim::Simulation;
use fabricsim_base::flow::Completion;
use fabricsim_base::id::{ClassId, NodeId};
use fabricsim_base::limits::{MAX_DURATION, MAX_SIZE};
use fabricsim_base::units::{Bytes, Duration, Rate, Time};
use fabricsim_core::plugin::Feedback;
use fabricsim_scenario::cc::registry::AnyCcConfig;
use fabricsim_scenario::schema::queue::{QueuePlace, QueueRule};
use fabricsim_scenario::schema::run::RunSettings;
use fabricsim_scenario::schema::switch::SwitchSettings;
use fabricsim_scenario::{Error, Scenario};
use fabricsim_topology::StarConfig;
use fabricsim_workload::{DownloadConfig, FetchConfig, NamedList, WorkloadFlow};

use super::log::{BottleneckLog, BottleneckResult, CLIENT, ClientLog, Log};
use super::settings::HarmSettings;

/// The host that sends it.
const SERVER: NodeId = NodeId(1);
/// The class of the competitor, the first workload of the scenario.
const COMPETITOR: ClassId = ClassId(0);
/// The port of the server, as in the tool.
const PORT: u16 = 8188;
/// The rate of all links except the bottleneck, unless the bottleneck is nearly as fast.
const FAST: Rate = Rate::from_gbps(10);

/// Parameters of a cell.
#[derive(Clone, Debug)]
pub(super) struct CellPlan<'a> {
    pub(super) settings: &'a HarmSettings,
    pub(super) rtt: Duration,
    /// The algorithm of the competitor; `None` if the workload is alone.
    pub(super) competitor: Option<&'a str>,
    pub(super) flows: &'a Arc<[WorkloadFlow]>,
    /// Largest time from the start of the workload to the end.
    pub(super) limit: Duration,
    pub(super) seed: u64,
}

/// A flow of the workload in one cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FlowResult {
    /// Time from the start of the workload to the request.
    pub start: Duration,
    /// Bytes of the response.
    pub size: Bytes,
    /// Time from the request to its last byte; `None` if the flow did not finish in time.
    pub fct: Option<Duration>,
    /// Retransmitted bytes.
    pub retransmitted: Bytes,
    /// Connection that served the flow.
    pub connection: ConnectionUse,
}

/// The connection of a flow.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum ConnectionUse {
    /// The flow was the first on its connection.
    New,
    /// The connection had carried the response of another flow.
    Reused,
    /// The flow has not finished.
    Unknown,
}

/// Results of a cell.
#[derive(Clone, Debug, PartialEq)]
pub struct CellResult {
    /// The round-trip time without transmission.
    pub rtt: Duration,
    /// The algorithm of the competitor; `None` if the workload is alone.
    pub competitor: Option<String>,
    /// The flows in the order of their starts.
    pub flows: Vec<FlowResult>,
    /// Time for which the workload ran.
    pub duration: Duration,
    /// Goodput of the competitor during the workload, in bit/s.
    pub competitor_goodput: Option<f64>,
    /// The bottleneck of the data.
    pub bottleneck: BottleneckResult,
}

impl CellResult {
    /// Returns the completion times of finished flows in milliseconds, in the order of their
    /// starts.
    #[must_use]
    pub fn completion_times(&self) -> Vec<f64> {
        let ended = self.flows.iter().filter_map(|flow| flow.fct);
        ended.map(|fct| fct.as_secs_f64() * 1e3).collect()
    }

    /// Returns `true` if all flows have finished.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.flows.iter().all(|flow| flow.fct.is_some())
    }
}

impl CellPlan<'_> {
    /// Returns the start of the workload.
    fn begin(&self) -> Time {
        match self.competitor {
            Some(_) => Time::ZERO + self.settings.slow_start_delay,
            None => Time::ZERO,
        }
    }

    /// Runs the cell to its end, on this thread.
    ///
    /// # Errors
    /// If its scenario is refused.
    pub(super) fn run(&self) -> Result<CellResult, Error> {
        let mut simulation = Simulation::new(&self.scenario()?, 1)?;
        let begin = self.begin();
        simulation.observe(|node| match node {
            CLIENT => Log::Client(Box::new(ClientLog::new(self.class()))),
            BottleneckLog::NODE => Log::Bottleneck(Box::new(BottleneckLog::new(begin))),
            _ => Log::Off,
        });
        simulation.run_until(begin);
        let before = downloaded(&simulation);
        simulation.run_until(begin + self.limit);
        let completions = simulation.take_completions();
        let duration = simulation.ended().since(begin);
        let bytes = (downloaded(&simulation) - before).as_f64();
        let logs = || simulation.observers::<Log>().map(|(_, log)| log);
        Ok(CellResult {
            rtt: self.rtt,
            competitor: self.competitor.map(str::to_owned),
            flows: self.flow_results(logs().find_map(Log::client), &completions),
            duration,
            competitor_goodput: self
                .competitor
                .map(|_| bytes * 8.0 / duration.as_secs_f64().max(f64::MIN_POSITIVE)),
            bottleneck: (logs().find_map(Log::bottleneck)).map_or_else(
                || unreachable!("the switch keeps these notes"),
                BottleneckLog::result,
            ),
        })
    }

    /// Returns the cell as a scenario: a switch between the client and the server, whose two ports
    /// are the bottlenecks.
    fn scenario(&self) -> Result<Scenario, Error> {
        let settings = self.settings;
        let topology = StarConfig {
            hosts: 2,
            rate: FAST.max(Rate::from_bps_f64(settings.bandwidth.as_bps_f64() * 10.0)),
            downlink_rate: Some(settings.bandwidth),
            delay: Duration::from_ps((self.rtt.as_ps() / 4).max(1)),
        };
        let workload = FetchConfig {
            requests: NamedList::with_list(&*settings.workload, Arc::clone(self.flows)),
            start: self.begin(),
            reuse: settings.reuse,
            dst_port: PORT,
            ..FetchConfig::new(CLIENT, SERVER)
        };
        let mut scenario = Scenario::builder()
            .name("harm")
            // Seeds of scenarios have 63 bits. Only disciplines draw here.
            .seed(self.seed & i64::MAX.unsigned_abs())
            .topology(topology)
            .switch(SwitchSettings {
                buffer: Some(MAX_SIZE),
                ..SwitchSettings::default()
            })
            .queue(QueueRule {
                discipline: settings.qdisc.config().clone(),
                place: QueuePlace::default(),
            })
            .tcp(settings.tcp.clone())
            .cc(self.algorithm(&settings.baseline, settings.workload_ecn))
            .run(RunSettings {
                stall_after: Some(MAX_DURATION),
                ..RunSettings::default()
            });
        // Among flows that start together, flows of the first workload precede the rest.
        if let Some(competitor) = self.competitor {
            let download = DownloadConfig {
                flows: settings.competitors,
                dst_port: PORT,
                ..DownloadConfig::new(CLIENT, SERVER)
            };
            let cc = self.algorithm(competitor, settings.competitor_ecn);
            scenario = scenario.workload(download).class_cc(COMPETITOR, cc);
        }
        scenario.workload(workload).build()
    }

    /// Returns the class of the workload: its index among the workloads of the scenario.
    fn class(&self) -> ClassId {
        ClassId(u16::from(self.competitor.is_some()))
    }

    fn algorithm(&self, name: &str, feedback: Feedback) -> AnyCcConfig {
        let cc = self.settings.algorithm_named(name);
        let cc = cc.expect("names of algorithms are validated");
        cc.with_feedback(feedback)
    }

    fn flow_results(
        &self,
        client: Option<&ClientLog>,
        completions: &[Completion],
    ) -> Vec<FlowResult> {
        let mut results: Vec<FlowResult> = self
            .flows
            .iter()
            .map(|flow| FlowResult {
                start: flow.start,
                size: flow.size,
                fct: None,
                retransmitted: Bytes::ZERO,
                connection: ConnectionUse::Unknown,
            })
            .collect();
        let Some(client) = client else {
            unreachable!("the client keeps these notes");
        };
        // The flows of the workload have ascending numbers.
        let place = |id| {
            let place = client.started.binary_search(&id);
            place.expect("a flow has started before it ends")
        };
        for completion in completions {
            let result = &mut results[place(completion.flow.id)];
            result.fct = Some(completion.fct());
            result.retransmitted = completion.retransmitted;
        }
        for served in &client.served {
            results[place(served.flow)].connection = if served.warm {
                ConnectionUse::Reused
            } else {
                ConnectionUse::New
            };
        }
        results
    }
}

/// Returns the bytes that the competitor's flows have received.
fn downloaded(simulation: &Simulation) -> Bytes {
    let flows = simulation.downloads().into_iter();
    flows.fold(Bytes::ZERO, |sum, flow| sum + flow.acknowledged)
}
