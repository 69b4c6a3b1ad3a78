//! Items needed to write plugins other than congestion controls, which have [`cc`](crate::cc).
//!
//! A [`Registry`](crate::Registry) accepts kinds of topologies, workloads and queue disciplines,
//! and routing policies, by the names that scenarios use. A [`Simulation`](crate::Simulation)
//! accepts applications and observers. A type with state for checkpoints derives
//! [`Checkpointed`](crate::checkpoint::Checkpointed).

pub use fabricsim_base::rng::Stream;
pub use fabricsim_core::packet::{Ecn, Packet, PacketKind, PauseChange};
pub use fabricsim_core::plugin::{
    AppContext, AppFlow, Application, DropReason, EntropyRecycling, Hop, Interest, Observer,
    PathStability, PortFactor, PortStates, Reuse, StartError,
};
pub use fabricsim_qdisc::{
    Aqm, AqmKind, AqmPacket, DisciplineContext, ShortForm, ShortOption, Verdict,
};
pub use fabricsim_topology::{
    Arrival, Chooser, Link, NextHopChoice, NodeKind, PolicyContext, PolicyKind, RoutingPolicy,
    Topology, TopologyKind, TopologySource,
};
pub use fabricsim_workload::{
    CostOf, Expected, FileContent, FileState, FlowCost, FlowTimes, Host, HostApplications,
    NamedFile, Offered, Reducer, Reducers, Workload, WorkloadContext, WorkloadKind,
};
