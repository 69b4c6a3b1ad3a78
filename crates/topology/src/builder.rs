//! Builders: each turns a few settings into a topology. Hosts have the lowest numbers, switches
//! follow.

mod backbone;
mod chain;
mod clos;
mod dragonfly;
mod dragonfly_plus;
mod dumbbell;
mod fat_tree;
mod global_links;
mod grid;
mod isp;
mod leaf_spine;
mod link_delay;
mod mesh;
mod mesh_shape;
mod plan;
mod rail;
mod star;
mod testbed;
mod torus;

pub(crate) use backbone::{Backbone, Hosts};
pub use chain::ChainConfig;
pub use clos::{ClosConfig, ClosRack, ClosTier};
pub use dragonfly::DragonflyConfig;
pub use dragonfly_plus::DragonflyPlusConfig;
pub use dumbbell::DumbbellConfig;
pub use fat_tree::{FatTreeConfig, Preset};
pub use grid::GridEnds;
pub use isp::IspConfig;
pub use leaf_spine::LeafSpineConfig;
pub(crate) use link_delay::Coordinates;
pub use link_delay::LinkDelay;
pub use mesh::MeshConfig;
pub use mesh_shape::MeshShape;
pub(crate) use plan::some_delay;
pub use rail::RailConfig;
pub use star::StarConfig;
pub use testbed::TestbedConfig;
pub use torus::TorusConfig;
