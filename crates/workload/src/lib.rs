//! Traffic for fabricsim: the sources, destinations, sizes and start times of flows.
//!
//! A workload is a small configuration struct that [builds](Workload::build) a
//! [`FlowSource`](fabricsim_base::flow::FlowSource): flows in the order of their start times, made
//! when they are due. A source's memory grows with the number of hosts, never with the number of
//! flows (a list of flows is the exception, because it holds its file).
//!
//! | kind | configuration | traffic |
//! |---|---|---|
//! | `poisson` | [`PoissonConfig`] | every host sends at random times to random hosts, sizes from a [`SizeCdf`] |
//! | `incast` | [`IncastConfig`] | many hosts send to one host at the same moment |
//! | `permutation` | [`PermutationConfig`] | every host sends to one other host, every host receives from one |
//! | `all-to-all` | [`AllToAllConfig`] | every host sends to every other host |
//! | `rpc` | [`RpcConfig`] | clients send queries on connections to servers, which respond |
//! | `collective` | [`CollectiveConfig`] | all-reduce and similar operations: groups of ranks with messages that wait for one another |
//! | `graph` | [`GraphConfig`] | operations of ranks that wait for one another, from a CSV, GOAL, or a workload of SimAI |
//! | `serving` | [`ServingConfig`] | requests of users to instances of a language model: collectives of each step, transfers of KV caches |
//! | `list` | [`ListConfig`] | flows from a CSV file or an HPCC simulator's `flow.txt` |
//! | `fetch` | [`FetchConfig`] | requests of a host over TCP, which another host serves |
//! | `download` | [`DownloadConfig`] | downloads over TCP that never end |
//!
//! This crate reads no files: a configuration names its file ([`Workload::file`]), and the caller
//! passes the text ([`Workload::load`]). Of the network, it knows only the hosts and their rates.
//!
//! Randomness is drawn from one stream for each (seed, workload, host, purpose), so a host's
//! arrivals do not change if other hosts or workloads are added.
//!
//! ```
//! use fabricsim_base::id::{ClassId, NodeId};
//! use fabricsim_base::units::{Duration, Rate};
//! use fabricsim_workload::{Host, Names, PoissonConfig, Workload, WorkloadContext};
//!
//! let hosts = (0..16).map(|n| Host { id: NodeId(n), rate: Rate::from_gbps(100) }).collect();
//! let context = WorkloadContext { hosts, seed: 1, index: 0, names: Names::default(), reducers: None };
//! let config = PoissonConfig::new("websearch", 0.5, Duration::from_ms(10));
//! let mut source = config.build(&context, ClassId(0))?;
//!
//! let flows: Vec<_> = std::iter::from_fn(|| source.next_flow()).collect();
//! assert!(flows.is_sorted_by_key(|flow| flow.start));
//! assert!(flows.len() > 400, "about 16 x 37 flows at half load in 10 ms");
//! # Ok::<(), fabricsim_base::input::ConfigError>(())
//! ```

mod all_to_all;
mod application;
mod arrivals;
mod cdf;
mod check;
mod collective;
mod compute;
mod config;
mod context;
mod download;
mod fetch;
mod graph;
mod host_range;
mod incast;
mod list;
mod merge;
mod named_list;
mod offered;
mod permutation;
mod placement;
mod poisson;
mod reducers;
mod rpc;
mod serving;
mod sizes;
mod text;
mod trace;
mod workload;

pub use all_to_all::AllToAllConfig;
pub use application::HostApplications;
pub use cdf::SizeCdf;
pub use collective::{
    CollectiveAlgorithm, CollectiveConfig, CollectiveOperation, NcclAlgorithm, Protocol, TunerRow,
};
pub use compute::{Accelerator, Precision, RooflineKeys};
pub use config::{KINDS, KindDoc, WorkloadVisitor, visit_kinds};
pub use context::{Expected, Host, Names, NodeNames, WorkloadContext};
pub use download::DownloadConfig;
pub use fetch::{FetchConfig, FlowDistribution, WorkloadFlow, ccafct_flows, read_workload};
pub use graph::{
    Connections, GraphInfo, Instance, IterationRecord, OperationKind, OperationRecord, Overlap,
    RankApplication, SendEnd, SlowRanks, SpanRecord,
};
pub use host_range::HostRange;
pub use incast::IncastConfig;
pub use list::{
    FlowList, FlowTimes, ListConfig, ListFormat, ListTable, detect, parse_connection_matrix,
    parse_csv, parse_hpcc_flows,
};
pub use merge::Merge;
pub use named_list::{Listed, NamedList};
pub use offered::{CostOf, FlowCost, Offered, Traffic};
pub use permutation::PermutationConfig;
pub use placement::Placement;
pub use poisson::PoissonConfig;
pub use reducers::{Reducer, Reducers};
pub use rpc::{
    RpcClient, RpcConfig, RpcMode, RpcQuery, RpcReuse, RpcTargets, ServiceTimes, SizeSteps,
};
pub use serving::{
    ServedFirst, ServedLast, ServedModel, ServingConfig, ServingFrontEnd, ServingRank,
    ServingRequest, ServingRouting, StepCollectives, StepTiming, TensorNetwork, TokenCounts,
};
pub use sizes::Sizes;
pub use trace::{
    ChakraError, ComputeTimes, Dimensions, GraphConfig, GraphTable, ImportedTrace, ProcessGroups,
    RankTrace, TraceFile, TraceForm, TraceImport, chakra_to_csv, goal_binary_to_text,
    is_goal_binary, is_simai_workload, simai_passed_over,
};
pub use workload::{
    AnyWorkload, BoxedWorkload, FileContent, FileState, NamedFile, Workload, WorkloadKind, boxed,
};
