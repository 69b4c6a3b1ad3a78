//! Congestion-control algorithms that need nothing beyond the transport: one file each.

mod dcqcn;
mod dctcp;
#[cfg(test)]
mod harness;
mod line_rate;
mod paced_rate;
mod timely;

pub use dcqcn::{Dcqcn, DcqcnConfig, DcqcnFactory, PaperDcqcn, ParameterSet, VendorDcqcn};
pub use dctcp::{Dctcp, DctcpConfig, DctcpFactory};
pub use line_rate::{LineRate, LineRateConfig};
pub use timely::{HyperCounts, Timely, TimelyConfig, TimelyFactory};
