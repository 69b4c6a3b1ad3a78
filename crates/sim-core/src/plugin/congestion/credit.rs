//! Credit: receivers say how much each sender may send (EQDS: Olteanu et al., NSDI 2022; the
//! receiver-credit congestion control of Ultra Ethernet).
//!
//! Senders ask by a number on each packet, and receivers grant by a number in packets of their own,
//! at a pace that the NIC port by which data comes can take. What is granted and how is the
//! transport's; what is asked for, and what is sent before the first grant, the controller's.

use fabricsim_base::units::{Bytes, Duration};

/// The number of credit at which every flow begins. It leaves room for numbers below it: a flow that
/// has more credit than it has bytes left asks for less than it was granted.
pub const CREDIT_BEGINS: u64 = 1 << 60;

/// Rules by which receivers grant credit, one set for all flows of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CreditRules {
    /// The most bytes of one grant. Flows take turns by grants.
    pub grant: Bytes,
    /// The share of the port's rate that grants make up.
    pub rate: f64,
    /// Flows that ask for nothing are granted more, while no other flow asks, until they have what
    /// the port sends in this time.
    pub spare: Duration,
}

/// What a sender of RDMA has to send, as its controller asks for credit.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct CreditDemand {
    /// Bytes on the wire that have never been sent.
    pub unsent: Bytes,
    /// Bytes on the wire that wait to be retransmitted.
    pub lost: Bytes,
    /// Bytes of a full packet on the wire.
    pub packet: Bytes,
    /// Flows that the NIC port could send of at this moment, this one among them.
    pub ready: u32,
}
