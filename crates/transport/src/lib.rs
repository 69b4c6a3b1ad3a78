//! Transport of bytes from host to host: the transport protocols, and the congestion controls that
//! need no other crate.
//!
//! [`rdma`] is RoCE as in the HPCC paper: flows start at line rate, packets are paced and limited
//! by a window, every packet is acknowledged, and losses are recovered by go-back-N or selectively.
//! [`tcp`] has connections, byte streams, requests, and the congestion controls of internet hosts.
//! [`DualStackHost`] runs both.
//!
//! ```
//! use std::sync::Arc;
//!
//! use fabricsim_base::flow::{Flow, FlowRequest, PathInfo};
//! use fabricsim_base::id::{ClassId, FlowId, NodeId, PortId};
//! use fabricsim_base::priority::{Priority, PrioritySet};
//! use fabricsim_core::plugin::{CcContext, Endpoint};
//! use fabricsim_base::units::{Bytes, Duration, Rate, Time};
//! use fabricsim_transport::cc::NoneConfig;
//! use fabricsim_transport::rdma::{BaseReference, Rdma, RdmaConfig, RdmaSettings};
//!
//! let rate = Rate::from_gbps(100);
//! let settings = RdmaSettings::new(
//!     RdmaConfig::default(),
//!     NoneConfig::default(),
//!     CcContext::of_nics(rate),
//!     BaseReference::Pair,
//! );
//! let mut host: Rdma<(), _> = Rdma::new(Arc::new(settings), vec![rate]);
//! let request = FlowRequest {
//!     src: NodeId(0),
//!     dst: NodeId(1),
//!     size: Bytes::new(2_500),
//!     start: Time::ZERO,
//!     class: ClassId(0),
//!     priority: Priority::new(3),
//!     src_port: Some(10_000),
//!     dst_port: 100,
//! };
//! let path = PathInfo { base_rtt: Duration::from_us(4), bottleneck: rate, switches: 1 };
//! host.start(Time::ZERO, &Flow::new(FlowId(0), request, path), PortId(0));
//!
//! // The first packet leaves immediately, the next one after its transmission time.
//! let mut sent = Vec::new();
//! let nothing_paused = PrioritySet::default();
//! let free = Time::ZERO + rate.transmission(Bytes::new(1_048));
//! assert!(host.poll(Time::ZERO, PortId(0), nothing_paused, |packet| {
//!     sent.push(*packet);
//!     free
//! }));
//! assert_eq!(sent[0].wire, 1_048);
//! assert_eq!(host.next_send(free, PortId(0), nothing_paused), free);
//! ```

pub mod cc;
mod controller_state;
mod dual_stack_host;
pub mod rdma;
mod switch;
pub mod tcp;

pub use dual_stack_host::{ClassTransports, DualStackHost, HostSettings};
pub use fabricsim_core::plugin::Transport;
