//! Credit: receivers tell each sender how much it may send (EQDS: Olteanu et al., NSDI 2022; the
//! receiver-credit congestion control of Ultra Ethernet).
//!
//! Each data packet carries a number up to which the sender requests credit. Receivers grant credit
//! by a number in separate packets, at a pace that the receiving NIC port can handle. The transport
//! decides about grants; the controller decides about requests, and about the bytes sent before the
//! first grant.

use fabricsim_base::units::{Bytes, Duration};

/// The initial credit number of every flow. It leaves room for smaller numbers, because a flow with
/// more credit than remaining bytes requests less than it was granted.
pub const CREDIT_BEGINS: u64 = 1 << 60;

/// Rules by which receivers grant credit, the same for all flows of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CreditRules {
    /// Maximum bytes of one grant. Flows take turns grant by grant.
    pub grant: Bytes,
    /// Total rate of grants, as a share of the port's rate.
    pub rate: f64,
    /// Limit of spare credit, as a time at the port's rate: if no flow requests credit, the
    /// receiver grants each flow up to this much beyond its request.
    pub spare: Duration,
}

/// The demand of an RDMA sender, on which its controller bases a request for credit.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct CreditDemand {
    /// Bytes on the wire that were never sent.
    pub unsent: Bytes,
    /// Bytes on the wire that wait for retransmission.
    pub lost: Bytes,
    /// Bytes of a full packet on the wire.
    pub packet: Bytes,
    /// Number of flows of the NIC port that could send now, including this one.
    pub ready: u32,
}
