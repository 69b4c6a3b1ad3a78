//! How bytes get from host to host: transports and the congestion control laws that belong to no
//! other crate.
//!
//! [`rdma`] is RoCE as the HPCC paper runs it: flows start at line rate, packets are paced and
//! limited by a window, every packet is acknowledged, losses are repaired by going back.

pub mod cc;
pub mod rdma;
