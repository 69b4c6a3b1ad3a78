//! Builders: a few settings in, a topology out. Hosts come first, then switches.

mod chain;
mod dumbbell;
mod fat_tree;
mod leaf_spine;
mod plan;
mod star;

pub use chain::ChainConfig;
pub use dumbbell::DumbbellConfig;
pub use fat_tree::{FatTreeConfig, Preset};
pub use leaf_spine::LeafSpineConfig;
pub use star::StarConfig;
