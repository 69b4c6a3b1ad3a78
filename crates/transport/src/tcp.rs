//! TCP: byte streams over connections, with a common loss recovery and a congestion control for
//! each class of flows. TCP and RDMA can run in one network; a packet belongs to TCP if its header
//! has [`Bits::TCP`].
//!
//! * A connection is opened by SYN and SYN-ACK. These pass the queues as small packets that are not
//!   ECN-capable, and are repeated if lost. They negotiate the feedback of marks.
//! * A [`Pattern::Plain`] flow sends its bytes over its own connection and ends when the last
//!   byte is acknowledged. A [`Pattern::Fetch`] requests the bytes from a server, over a connection
//!   of its own or one that is bound late ([`Reuse::LateBinding`]), and ends when the last byte has
//!   been read.
//! * Losses are detected by selective acknowledgements and transmission times (RFC 8985) or by
//!   three duplicate acknowledgements (RFC 6582), and by timeouts (RFC 6298). During recovery, the
//!   window shrinks in proportion to the delivered data (RFC 6937).
//! * Receivers delay acknowledgements (RFC 5681, section 4.2) and report marks as negotiated (RFC
//!   3168, RFC 8257, RFC 9768).
//!
//! The application reads immediately, so there is no receive window.

mod config;
mod connection;
mod ecn;
mod endpoint;
mod handshake;
mod header;
mod pool;
mod probing;
mod rack;
mod ranges;
mod receiver;
mod recovery;
mod rtt;
mod sack;
mod scoreboard;
mod segment;
mod sender;
mod settings;
mod sizes;
mod timers;
mod timestamps;

pub use crate::switch::Switch;
pub use config::{Detection, RtoFloor, TcpConfig, TcpParameters, TcpProfile};
pub use endpoint::Tcp;
pub use fabricsim_core::plugin::Feedback;
pub use header::{Bits, HasSegment, HasTcp, TcpHeader};
pub use sack::{SackBlock, blocks as sack_blocks, first_byte};
pub use settings::{ClassConfig, Opening, Pattern, Reuse, TcpSettings};
pub use timestamps::timestamps;
