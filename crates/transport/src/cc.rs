//! Congestion-control algorithms that need nothing beyond the transport: one file each.

mod dcqcn;
mod dctcp;
#[cfg(test)]
mod harness;
mod none;
mod paced_rate;
mod timely;

pub use dcqcn::{Dcqcn, DcqcnConfig, DcqcnFactory, PaperDcqcn, ParameterSet, VendorDcqcn};
pub use dctcp::{Dctcp, DctcpConfig, DctcpFactory};
pub use none::{NoControl, NoneConfig};
pub use timely::{HyperCounts, Timely, TimelyConfig, TimelyFactory};
