//! Limits on the size of a topology.

/// The most nodes that a topology can have.
pub const MAX_NODES: u32 = 1 << 24;

/// The most links that a topology can have.
pub const MAX_LINKS: u32 = 1 << 22;

/// The most links that one node can have.
pub const MAX_PORTS: u32 = 65_535;
