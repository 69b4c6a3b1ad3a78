//! Limits on the size of a topology.

/// Maximum number of nodes of a topology.
pub const MAX_NODES: u32 = 1 << 24;

/// Maximum number of links of a topology.
pub const MAX_LINKS: u32 = 1 << 22;

/// Maximum number of links of one node.
pub const MAX_PORTS: u32 = 65_535;
