//! Topologies and routes: the nodes of a network, its links, and the paths of packets.
//!
//! * [`Topology`] is the graph: hosts, switches and full-duplex links with rate, delay and loss.
//! * The builders ([`FatTreeConfig`], [`LeafSpineConfig`], [`ClosConfig`], [`DumbbellConfig`],
//!   [`StarConfig`], [`ChainConfig`], [`RailConfig`], [`DragonflyConfig`], [`DragonflyPlusConfig`],
//!   [`TorusConfig`], [`IspConfig`]) create one from a few settings; [`parse_hpcc`] reads one from
//!   a link list, [`GraphmlConfig`] one from a map of the Internet Topology Zoo.
//! * [`Routes`] holds every shortest path by hop count; [`SwitchRoutes`] is one switch's part of
//!   it. A [`RoutingPolicy`] chooses among equal paths, by default [`Ecmp`] with [`EcmpHash`].
//!
//! Nothing here reads files or clocks: a parser receives the text, and its errors point at bytes of
//! it.
//!
//! ```
//! use fabricsim_base::id::NodeId;
//! use fabricsim_base::flow::FlowKey;
//! use fabricsim_base::units::{Bytes, Duration};
//! use fabricsim_topology::{EcmpHash, FatTreeConfig, NextHopOrder, Preset, Routes};
//!
//! let config = FatTreeConfig { preset: Some(Preset::HpccFat320), ..FatTreeConfig::default() };
//! let fabric = config.build()?;
//! assert_eq!((fabric.hosts().len(), fabric.len(), fabric.links().len()), (320, 376, 480));
//!
//! let routes = Routes::compute(&fabric, NextHopOrder::AscendingNode, EcmpHash::Seeded(1));
//! let key = FlowKey { src: NodeId(0), dst: NodeId(319), src_port: 10_000, dst_port: 100 };
//! assert_eq!(routes.trace(&key).len(), 7); // two hosts, five switches
//! assert_eq!(routes.path_stats(Bytes::new(1_000)).base_rtt, Duration::from_ns(12_240));
//! # Ok::<(), fabricsim_base::input::ConfigError>(())
//! ```

mod aggregators;
mod builder;
mod config;
mod connectivity;
mod down_links;
mod ecmp;
mod error;
mod forwarding;
mod graph;
mod graphml;
mod hpcc_file;
mod limits;
mod names;
mod node_finder;
mod node_kind;
mod policy;
mod routes;
mod source;
mod spread;
mod switch_paths;
mod tiers;

pub use builder::{
    ChainConfig, ClosConfig, ClosRack, ClosTier, DragonflyConfig, DragonflyPlusConfig,
    DumbbellConfig, FatTreeConfig, GridEnds, IspConfig, LeafSpineConfig, LinkDelay, MeshConfig,
    MeshShape, Preset, RailConfig, StarConfig, TestbedConfig, TorusConfig,
};
pub use config::{FileConfig, KINDS, KindDoc, TopologyVisitor, visit_kinds};
pub use down_links::DownLinks;
pub use ecmp::{EcmpHash, murmur3_32};
pub use error::TopologyError;
pub use graph::{Link, Port, Topology};
pub use graphml::GraphmlConfig;
pub use hpcc_file::{parse_hpcc, parse_hpcc_links};
pub use limits::{MAX_LINKS, MAX_NODES, MAX_PORTS};
pub use node_finder::{NodeFinder, is_name};
pub use node_kind::NodeKind;
pub use policy::{
    Arrival, ByPriority, Chooser, Ecmp, Flowlet, LowestNeighbor, NextHopChoice, PolicyContext,
    PolicyKind, PolicyVisitor, PowerOfTwo, RandomSpray, Reps, RoundRobin, RoutingPolicy,
    ShortestQueue, routing_policies, visit_policies,
};
pub use routes::{NextHopOrder, PathStats, Routes, RoutesSize, SwitchRoutes, Weights};
pub use source::{AnyTopology, BoxedTopology, TopologyKind, TopologySource};
pub use spread::{Demand, LinkLoads, NoSpread, Term, spread};
pub use tiers::{Tiers, levels, tier_names, tiers_of};
