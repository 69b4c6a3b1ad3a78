//! The tables of a scenario, for [`ScenarioBuilder`](crate::ScenarioBuilder).

pub use fabricsim_base::input::{NodeRange, NumberRange};
pub use fabricsim_pint::query::{
    Aggregation, FlowDefinition, Keep, Knowledge, QueryConfig, TraceScheme, Value,
};
pub use fabricsim_qdisc::{
    AqmConfig, CodelConfig, ControlledDelay, DisciplineConfig, DualPi2Config, DualScheduler,
    EcnConfig, EcnSelector, FqCodelConfig, Headroom, RedConfig, SharedBufferConfig, StepConfig,
    TailDropConfig,
};
pub use fabricsim_scenario::schema::capture::{CaptureDirection, CaptureSettings};
pub use fabricsim_scenario::schema::ecn::EcnRule;
pub use fabricsim_scenario::schema::event::{Event, EventKind, LinkName};
pub use fabricsim_scenario::schema::far_end::FarEnd;
pub use fabricsim_scenario::schema::host::HostSettings;
pub use fabricsim_scenario::schema::nics::{NicChoice, NicRule};
pub use fabricsim_scenario::schema::observe::{ObserveSettings, SeriesFormat};
pub use fabricsim_scenario::schema::port_group::PortGroup;
pub use fabricsim_scenario::schema::profile::Profile;
pub use fabricsim_scenario::schema::queries::{BudgetSettings, QuerySettings};
pub use fabricsim_scenario::schema::queue::{QueuePlace, QueueRule};
pub use fabricsim_scenario::schema::routing::{
    HashName, OrderName, PolicyRule, RoutingSettings, WeightsName,
};
pub use fabricsim_scenario::schema::run::{IdealRule, OutputSettings, RunSettings};
pub use fabricsim_scenario::schema::switch::SwitchSettings;
pub use fabricsim_topology::{
    ByPriority, ChainConfig, ClosConfig, ClosRack, ClosTier, DragonflyConfig, DragonflyPlusConfig,
    DumbbellConfig, Ecmp, FatTreeConfig, FileConfig, Flowlet, GraphmlConfig, GridEnds, IspConfig,
    LeafSpineConfig, LinkDelay, LowestNeighbor, MeshConfig, MeshShape, PowerOfTwo, Preset,
    RailConfig, RandomSpray, Reps, RoundRobin, ShortestQueue, StarConfig, TestbedConfig,
    TorusConfig,
};
pub use fabricsim_transport::rdma::{BaseRtt, RdmaConfig, Recovery};
pub use fabricsim_transport::tcp::{Detection, RtoFloor, Switch, TcpConfig, TcpProfile};
pub use fabricsim_workload::{
    Accelerator, AllToAllConfig, CollectiveAlgorithm, CollectiveConfig, CollectiveOperation,
    ComputeTimes, Connections, DownloadConfig, FetchConfig, GraphConfig, GraphTable, HostRange,
    IncastConfig, ListConfig, ListFormat, NamedList, NcclAlgorithm, Overlap, PermutationConfig,
    Placement, PoissonConfig, Precision, Protocol, RooflineKeys, RpcConfig, RpcMode, RpcReuse,
    RpcTargets, ServedModel, ServiceTimes, ServingConfig, ServingRequest, ServingRouting, SizeCdf,
    SizeSteps, Sizes, StepCollectives, StepTiming, TensorNetwork, TokenCounts, TunerRow,
};
