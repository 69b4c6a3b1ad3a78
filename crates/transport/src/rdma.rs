//! RDMA over converged Ethernet as in the HPCC paper (SIGCOMM 2019, section 4 and the published
//! simulator).
//!
//! * A flow starts at line rate with its first packet; there is no handshake.
//! * A packet leaves if bytes are left, less than a window is in flight, and its pacing time has
//!   passed. The ready flows of a NIC port take turns. ACKs have priority.
//! * Every data packet is acknowledged with the next expected byte, its telemetry and its ECN mark.
//! * A gap causes a NACK, at most one per interval and byte, and the sender goes back. With
//!   [`Recovery::Selective`], the receiver keeps the packets beyond a gap and reports each of them,
//!   and the sender retransmits only lost packets.
//! * A retransmission timeout recovers losses that no ACK reports.
//! * If the congestion control uses credit, a packet also needs credit from the receiver to leave:
//!   see `rdma/credit.rs`.
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
mod reply;
mod reply_nics;
mod selective;
mod sender;
mod slots;

pub use base_rtt::{BaseReference, BaseRtt};
pub use config::{RdmaConfig, RdmaSettings, Recovery};
pub use endpoint::Rdma;
pub use reply_nics::ReplyNics;
