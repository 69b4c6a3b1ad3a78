//! The congestion controls of RDMA and TCP that depend only on the transports. Each file has one of
//! them, with its configuration.

mod bbr;
mod classic_queue;
mod csig;
mod cubic;
mod dcqcn;
mod dctcp;
#[cfg(test)]
mod harness;
mod hystart;
mod newreno;
mod none;
mod nscc;
mod paced_rate;
mod prague;
mod rccc;
mod reno_window;
mod swift;
mod tcp_dctcp;
#[cfg(test)]
mod tcp_harness;
mod timely;

pub use bbr::{Bbr, BbrConfig};
pub use csig::{Csig, CsigConfig, CsigFlow, CsigSwitch, CsigTag};
pub use cubic::{Cubic, CubicConfig};
pub use dcqcn::{Dcqcn, DcqcnConfig, PaperDcqcn, ParameterSet, VendorDcqcn};
pub use dctcp::{Dctcp, DctcpConfig};
pub use newreno::{NewReno, NewRenoConfig};
pub use none::{NoControl, NoneConfig};
pub use nscc::{Nscc, NsccConfig};
pub use prague::{Prague, PragueConfig};
pub use rccc::{Rccc, RcccConfig};
pub use swift::{Swift, SwiftConfig};
pub use tcp_dctcp::{TcpDctcp, TcpDctcpConfig};
pub use timely::{HyperCounts, Timely, TimelyConfig};
