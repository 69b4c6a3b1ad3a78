//! RDMA over converged Ethernet as the HPCC paper runs it (SIGCOMM 2019, section 4 and the
//! published simulator).
//!
//! * A flow starts at line rate with its first packet; there is no handshake.
//! * A packet leaves when bytes are left, fewer than a window are in flight and its pacing time has
//!   come; among the flows of a NIC port the ready ones take turns. ACKs go first.
//! * Every data packet is acknowledged with the next expected byte, its telemetry and its ECN mark.
//! * A gap causes a NACK, at most one for each interval and byte; the sender goes back.
//!   With [`Recovery::Selective`] the receiver keeps what arrives beyond a gap and reports each
//!   packet of it, and the sender sends again what is lost.
//! * A retransmission timeout recovers what no ACK reports.
//! * Where its algorithm uses credit, a packet leaves when the receiver has granted some, too: see
//!   `rdma/credit.rs`.
//! * A flow ends when the acknowledgement of its last byte reaches the sender.

mod ack_queue;
mod base_rtt;
mod circle;
mod config;
mod credit;
mod endpoint;
mod entropy;
pub(crate) mod nic;
mod packet_set;
mod reassembly;
mod receiver;
mod reply_nics;
mod selective;
mod sender;
mod slots;

pub use base_rtt::{BaseReference, BaseRtt};
pub use config::{RdmaConfig, RdmaSettings, Recovery};
pub use endpoint::Rdma;
pub use reply_nics::ReplyNics;
