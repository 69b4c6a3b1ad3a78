//! Queries: measurements that packets collect on their way through the network (PINT, Ben Basat et
//! al., SIGCOMM 2020, section 3).
//!
//! A query names a [`Value`] of switches, its [`Aggregation`], the bits of its digest, and the
//! share of packets that carry it. The [`Plan`] corresponds to the paper's query engine: a
//! distribution over sets of queries that fit in the bits of a packet. All switches and sinks share
//! the [`Queries`]. By a hash of a packet's identifier each node knows the queries that the packet
//! serves, so only digests are on the wire. [`QueryTelemetry`] encodes at switches, and a [`Sink`]
//! at a receiving host records and infers. The results are [`QueryResults`]. [`Truth`] is not
//! available in a real network: it stores all values, for comparison.
//!
//! ```
//! use fabricsim_pint::query::{Demand, Plan};
//!
//! // Path tracing on every packet, latency on most, congestion control on 1 in 16: two bytes.
//! let demand = |frequency| Demand { bits: 8, frequency };
//! let plan = Plan::new(&[demand(1.0), demand(15.0 / 16.0), demand(1.0 / 16.0)], 16, 1)?;
//! assert_eq!((plan.sets().len(), plan.wire_bytes()), (2, 2));
//! let set = plan.set_of(12_345);
//! assert!(set.queries.has(0) && set.queries.has(1) != set.queries.has(2));
//!
//! let refused = Plan::new(&[demand(1.0); 3], 16, 1).expect_err("three bytes do not fit two");
//! assert!(refused.message.starts_with("the queries need 24.00 bits"));
//! # Ok::<(), fabricsim_base::input::ConfigError>(())
//! ```

mod collect;
mod config;
mod encoder;
mod engine;
mod flow;
mod meter;
mod network;
mod plan;
mod probe;
mod replay;
mod result;
mod route;
mod sink;
mod telemetry;
mod truth;
mod value;

pub use collect::HopSeries;
pub use config::{Keep, Knowledge, QueryConfig, TraceScheme};
pub use engine::{MOST_HOPS, Queries};
pub use flow::FlowKey;
pub use network::QueryNetwork;
pub use plan::{
    Demand, LEAST_FREQUENCY, MOST_BITS, MOST_QUERIES, Plan, PlanSummary, PlannedSet, PlannedShare,
    QuerySet,
};
pub use probe::{HasProbe, PathHash, Probe};
pub use replay::{ReplayConfig, ReplayError, replay};
pub use result::{Estimate, HopResult, PacketResult, PathResult, Reach, Statistic};
pub use route::RoutePart;
pub use sink::{QueryResults, Sink};
pub use telemetry::QueryTelemetry;
pub use truth::Truth;
pub use value::{Aggregation, FlowDefinition, Value};
