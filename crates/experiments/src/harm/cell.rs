//! One cell of the table: one round-trip time, the workload alone or against one competitor.

use std::collections::VecDeque;
use std::sync::Arc;

use fabricsim_core::engine::Threads;
use fabricsim_core::flow::{Completion, FlowRequest, FlowSource, PathInfo};
use fabricsim_core::id::{ClassId, NodeId, PortId};
use fabricsim_core::network::{
    HostConfig, LineTiming, LinkConfig, Network, NodeConfig, Stop, SwitchConfig,
};
use fabricsim_core::packet::Priority;
use fabricsim_core::plugin::{CcContext, NoTelemetry};
use fabricsim_core::units::{Bytes, Duration, Rate, Time};
use fabricsim_qdisc::{AnyDiscipline, ClassQueues, DisciplineContext};
use fabricsim_transport::tcp::{ClassConfig, Feedback, Opening, Pattern, Reuse, Tcp, TcpSettings};

use super::log::{BottleneckLog, ClientLog, Log};
use super::model::{ByDestination, Dumbbell, OnePath, Unlimited};
use super::settings::HarmSettings;
use super::wiring::{CLIENT, SERVER, SWITCH, TO_CLIENT, TO_SERVER};
use super::workload::WorkloadFlow;

/// Classes of flows.
const WORKLOAD: ClassId = ClassId(0);
const COMPETITOR: ClassId = ClassId(1);
/// The queue of all packets.
const PRIORITY: Priority = Priority::new(1);
/// More than a competitor can download: 32 TiB.
const ENDLESS: Bytes = Bytes::new(1 << 45);
/// Interval at which a cell checks whether its flows have ended.
const STEP: Duration = Duration::from_ms(100);
/// The rate of what is no bottleneck, unless the bottleneck is nearly as fast.
const FAST: Rate = Rate::from_gbps(10);

/// Parameters of a cell.
#[derive(Clone, Debug)]
pub(super) struct CellPlan<'a> {
    pub(super) settings: &'a HarmSettings,
    pub(super) rtt: Duration,
    /// The algorithm of the competitor; `None` of the workload alone.
    pub(super) competitor: Option<&'a str>,
    pub(super) flows: &'a [WorkloadFlow],
    /// From the start of the workload to the end at the latest.
    pub(super) limit: Duration,
    pub(super) seed: u64,
}

/// A flow of the workload in one cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FlowResult {
    /// From the start of the workload to the request.
    pub start: Duration,
    /// Bytes of the response.
    pub size: Bytes,
    /// From the request to its last byte; `None` when the time was over before.
    pub fct: Option<Duration>,
    /// Bytes that were sent more than once.
    pub retransmitted: Bytes,
    /// Connection that served the flow.
    pub connection: ConnectionUse,
}

/// The connection of a flow.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum ConnectionUse {
    /// Nothing had been sent over it before.
    New,
    /// It had carried the response of another flow.
    Reused,
    /// The flow has not ended.
    Unknown,
}

/// Packets and waiting times at the discipline in front of the client while the workload ran.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BottleneckResult {
    /// Packets that have left it.
    pub packets: u64,
    /// Those of them that it marked.
    pub marked: u64,
    /// Packets that it dropped.
    pub dropped: u64,
    /// The mean time that packets waited.
    pub sojourn_mean: Duration,
    /// The time that half of them waited at most, to an eighth.
    pub sojourn_p50: Duration,
    /// The time that 95% of them waited at most, to an eighth.
    pub sojourn_p95: Duration,
}

/// Results of a cell.
#[derive(Clone, Debug, PartialEq)]
pub struct CellResult {
    /// The round-trip time without transmission.
    pub rtt: Duration,
    /// The algorithm of the competitor; `None` of the workload alone.
    pub competitor: Option<String>,
    /// The flows in the order of their starts.
    pub flows: Vec<FlowResult>,
    /// Time for which the workload ran, to a tenth of a second.
    pub duration: Duration,
    /// Payload bits per second that the competitor received meanwhile.
    pub competitor_goodput: Option<f64>,
    /// The bottleneck of the data.
    pub bottleneck: BottleneckResult,
}

impl CellResult {
    /// Completion times in milliseconds of the flows that have ended, in the order of their starts.
    #[must_use]
    pub fn completion_times(&self) -> Vec<f64> {
        let ended = self.flows.iter().filter_map(|flow| flow.fct);
        ended.map(|fct| fct.as_secs_f64() * 1e3).collect()
    }

    /// Returns whether all flows have ended.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.flows.iter().all(|flow| flow.fct.is_some())
    }
}

/// Requests in the order of their starts.
#[derive(Debug)]
struct Requests(VecDeque<FlowRequest>);

impl FlowSource for Requests {
    fn next_start(&self) -> Option<Time> {
        self.0.front().map(|request| request.start)
    }

    fn next_flow(&mut self) -> Option<FlowRequest> {
        self.0.pop_front()
    }
}

/// A request of the client.
const fn request(start: Time, size: Bytes, class: ClassId) -> FlowRequest {
    FlowRequest {
        src: CLIENT,
        dst: SERVER,
        size,
        start,
        class,
        priority: PRIORITY,
        src_port: None,
        dst_port: 8188,
    }
}

impl CellPlan<'_> {
    /// The start of the workload.
    fn begin(&self) -> Time {
        match self.competitor {
            Some(_) => Time::ZERO + self.settings.slow_start_delay,
            None => Time::ZERO,
        }
    }

    fn rivals(&self) -> usize {
        self.competitor
            .map_or(0, |_| usize::from(self.settings.competitors))
    }

    /// Runs the cell to its end, on this thread.
    pub(super) fn run(&self) -> CellResult {
        let mut network = self.build();
        let begin = self.begin();
        let rivals = std::iter::repeat_n(request(Time::ZERO, ENDLESS, COMPETITOR), self.rivals());
        let flows = self
            .flows
            .iter()
            .map(|flow| request(begin + flow.start, flow.size, WORKLOAD));
        let mut source = Requests(rivals.chain(flows).collect());
        let mut control_plane = OnePath(PathInfo {
            base_rtt: self.rtt,
            bottleneck: self.settings.bandwidth,
            switches: 1,
        });
        network.run_until(begin, &mut source, &mut control_plane, &mut ());
        let before = downloaded(&network);
        let end = begin + self.limit;
        let mut completions = Vec::with_capacity(self.flows.len());
        loop {
            let until = (network.now() + STEP).min(end);
            let stop = network.run_until(until, &mut source, &mut control_plane, &mut ());
            completions.append(&mut network.take_completions());
            if completions.len() == self.flows.len() || until == end || stop != Stop::TimeReached {
                break;
            }
        }
        network.synchronize();
        let duration = network.now().since(begin);
        let bytes = (downloaded(&network) - before).as_f64();
        CellResult {
            rtt: self.rtt,
            competitor: self.competitor.map(str::to_owned),
            flows: self.flow_results(&network, &completions),
            duration,
            competitor_goodput: self
                .competitor
                .map(|_| bytes * 8.0 / duration.as_secs_f64().max(f64::MIN_POSITIVE)),
            bottleneck: bottleneck(&network),
        }
    }

    fn class(&self, cc: &str, feedback: Feedback, reuse: Reuse) -> ClassConfig {
        let cc = self.settings.algorithm_named(cc);
        let factory = cc.and_then(|cc| cc.dyn_factory());
        ClassConfig {
            cc: factory.expect("names of algorithms are validated"),
            network: Arc::new(CcContext {
                base_rtt: self.rtt,
                seed: self.seed,
                ..CcContext::of_nics(self.settings.bandwidth)
            }),
            feedback,
            accepts: feedback,
            pattern: Pattern::Fetch,
            reuse,
            opening: Opening::Handshake,
        }
    }

    fn build(&self) -> Network<Dumbbell> {
        let settings = self.settings;
        let fast = FAST.max(Rate::from_bps_f64(settings.bandwidth.as_bps_f64() * 10.0));
        // Behind a bottleneck the delay is short, but not so short that the engine has to look
        // there all the time; before it is the rest of half the round trip.
        let behind = Duration::from_ps((self.rtt.as_ps() / 20).max(1));
        let before =
            Duration::from_ps((self.rtt.as_ps() / 2).saturating_sub(behind.as_ps()).max(1));
        let link = |rate: Rate, delay| LinkConfig {
            rate,
            timing: LineTiming::new(rate),
            delay,
            loss: None,
        };
        let workload = self.class(&settings.baseline, settings.workload_ecn, settings.reuse);
        let rival = self.competitor.map(|cc| {
            let class = self.class(cc, settings.competitor_ecn, Reuse::None);
            (COMPETITOR, class)
        });
        let tcp = Arc::new(TcpSettings::new(&settings.tcp, workload, rival));
        let host = |observer| {
            NodeConfig::Host(HostConfig {
                ports: vec![link(fast, before)],
                endpoint: Tcp::new(Arc::clone(&tcp), vec![fast]),
                observer,
            })
        };
        let queues = |port: PortId| {
            let context = DisciplineContext {
                seed: self.seed,
                entity: u64::from(port.0),
                rate: settings.bandwidth,
                packet: settings.tcp.parameters().full_packet(),
            };
            let discipline = AnyDiscipline::new(settings.qdisc.config(), &context);
            ClassQueues::new(None).with_discipline(PRIORITY, discipline)
        };
        let switch = SwitchConfig {
            ports: [TO_CLIENT, TO_SERVER]
                .map(|port| (link(settings.bandwidth, behind), queues(port)))
                .into(),
            buffer: Unlimited::default(),
            routing: ByDestination,
            telemetry: NoTelemetry,
            observer: Log::Bottleneck(Box::new(BottleneckLog::new(self.begin()))),
        };
        let nodes = vec![
            host(Log::Client(Box::<ClientLog>::default())),
            host(Log::Off),
            NodeConfig::Switch(switch),
        ];
        let wiring = [
            vec![(SWITCH, TO_CLIENT)],
            vec![(SWITCH, TO_SERVER)],
            vec![(CLIENT, PortId(0)), (SERVER, PortId(0))],
        ];
        Network::new(nodes, &wiring, &Threads::calling(), Duration::MAX)
    }

    fn flow_results(
        &self,
        network: &Network<Dumbbell>,
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
        // Flows are numbered in the order of their starts, the competitor's first.
        let rivals = self.rivals();
        for completion in completions {
            let result = &mut results[completion.flow.id.index() - rivals];
            result.fct = Some(completion.fct());
            result.retransmitted = completion.retransmitted;
        }
        if let Some(Log::Client(log)) = log_of(network, CLIENT) {
            for served in &log.served {
                results[served.flow.index() - rivals].connection = if served.warm {
                    ConnectionUse::Reused
                } else {
                    ConnectionUse::New
                };
            }
        }
        results
    }
}

fn log_of(network: &Network<Dumbbell>, node: NodeId) -> Option<&Log> {
    network.observers().nth(node.index())
}

/// Bytes that the competitor's flows have received.
fn downloaded(network: &Network<Dumbbell>) -> Bytes {
    let mut bytes = Bytes::ZERO;
    network.for_each_live(|live| {
        if live.flow.request.class == COMPETITOR {
            bytes += live.acknowledged;
        }
    });
    bytes
}

fn bottleneck(network: &Network<Dumbbell>) -> BottleneckResult {
    let Some(Log::Bottleneck(log)) = log_of(network, SWITCH) else {
        unreachable!("the switch keeps these notes");
    };
    BottleneckResult {
        packets: log.sojourn.count(),
        marked: log.marked,
        dropped: log.dropped,
        sojourn_mean: log.sojourn.mean().unwrap_or_default(),
        sojourn_p50: log.sojourn.quantile(0.5).unwrap_or_default(),
        sojourn_p95: log.sojourn.quantile(0.95).unwrap_or_default(),
    }
}
