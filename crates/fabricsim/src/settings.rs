//! The tables of a scenario, for [`ScenarioBuilder`](crate::ScenarioBuilder).

pub use fabricsim_qdisc::{
    CodelConfig, DisciplineConfig, DualPi2Config, EcnConfig, FqCodelConfig, Headroom, RedConfig,
    StepConfig, TailDropConfig,
};
pub use fabricsim_scenario::schema::capture::CaptureSettings;
pub use fabricsim_scenario::schema::event::{Event, EventKind, LinkName};
pub use fabricsim_scenario::schema::host::HostSettings;
pub use fabricsim_scenario::schema::observe::{ObserveSettings, SeriesFormat};
pub use fabricsim_scenario::schema::profile::Profile;
pub use fabricsim_scenario::schema::queries::QuerySettings;
pub use fabricsim_scenario::schema::queue::QueueRule;
pub use fabricsim_scenario::schema::routing::{
    HashName, OrderName, PolicyRule, RoutingSettings, WeightsName,
};
pub use fabricsim_scenario::schema::run::{IdealRule, OutputSettings, RunSettings};
pub use fabricsim_scenario::schema::switch::SwitchSettings;
pub use fabricsim_topology::{
    ByPriority, ChainConfig, ClosConfig, ClosRack, ClosTier, DragonflyConfig, DragonflyPlusConfig,
    DumbbellConfig, Ecmp, FatTreeConfig, FileConfig, Flowlet, GraphmlConfig, GridEnds, IspConfig,
    LeafSpineConfig, LinkDelay, PowerOfTwo, Preset, RailConfig, RandomSpray, Reps, RoundRobin,
    ShortestQueue, StarConfig, TestbedConfig, TorusConfig,
};
pub use fabricsim_transport::rdma::RdmaConfig;
pub use fabricsim_transport::tcp::{TcpConfig, TcpProfile};
pub use fabricsim_workload::{
    AllToAllConfig, CollectiveAlgorithm, CollectiveConfig, CollectiveOperation, DownloadConfig,
    FetchConfig, GraphConfig, HostRange, IncastConfig, ListConfig, ListFormat, PermutationConfig,
    Placement, PoissonConfig, RpcConfig, RpcMode, SizeCdf, Sizes,
};
