//! Queries.

mod answer;
mod collect;
mod config;
mod engine;
mod flow;
mod meter;
mod plan;
mod probe;
mod replay;
mod route;
mod sink;
mod telemetry;
mod truth;
mod value;

pub use answer::{HopAnswer, PacketAnswer, PathAnswer, Statistic};
pub use collect::HopSeries;
pub use config::{Keep, Knowledge, QueryConfig, TraceScheme};
pub use engine::{Queries, QueryNetwork};
pub use flow::FlowKey;
pub use plan::{
    Demand, MOST_BITS, MOST_QUERIES, Plan, PlanSummary, PlannedSet, PlannedShare, QuerySet,
};
pub use probe::{PathHash, Probe, ProbeRoom};
pub use replay::{ReplayConfig, ReplayError, replay};
pub use route::RoutePart;
pub use sink::{Answers, Sink};
pub use telemetry::QueryTelemetry;
pub use truth::Truth;
pub use value::{Aggregation, FlowDefinition, Value};
