//! Forwarding: the choice of the next hop of a packet at a switch.

use crate::packet::{Header, Packet};
use fabricsim_base::id::PortId;
use fabricsim_base::priority::Priority;
use fabricsim_base::units::{Bytes, Duration, Time};

/// Whether the packets of a flow stay on one path while routes do not change.
///
/// What compares or orders the packets of a flow depends on it: receivers that take a gap for a
/// loss, controllers that compare the counters of two packets, queries that put a path together
/// from many packets.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum PathStability {
    /// All packets of a flow take the same path, so they arrive in the order in which they left.
    #[default]
    PerFlow,
    /// Each packet may take another path, so packets overtake one another.
    PerPacket,
}

/// Entropy that senders of RDMA put into their packets: a value in place of the source port, which
/// the hashes of switches take with the other fields. Values that have come back in acknowledgements
/// without a mark are taken again.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct EntropyRecycling {
    /// Values that packets can have, 1 to 65,536.
    pub values: u32,
    /// Values that a flow keeps, at least 1.
    pub buffer: u16,
    /// Time for which a flow that has had a timeout takes no other values than those it keeps.
    pub freeze: Duration,
}

/// The ports of a switch as its routing sees them.
pub trait PortStates {
    /// Bytes that wait at `port`.
    fn queued(&self, port: PortId) -> Bytes;

    /// Returns whether the neighbor at `port` has paused `priority`.
    fn is_paused(&self, port: PortId, priority: Priority) -> bool;

    /// Returns whether the link of `port` carries packets.
    fn is_up(&self, port: PortId) -> bool;
}

/// The forwarding decision of one switch.
pub trait Routing<H: Header>: Send + Sync {
    /// The egress port for `packet`, or `None` when its destination cannot be reached.
    ///
    /// Called once for each packet that arrives; `ports` are those of the switch.
    fn pick(&mut self, now: Time, packet: &Packet<H>, ports: impl PortStates) -> Option<PortId>;

    /// Returns the port that [`Self::pick`] would pick if that depends on nothing but the addresses of
    /// `packet`; else `None`, and `pick` is called when the packet arrives. Called for all packets of an
    /// epoch when it begins.
    #[inline]
    fn fixed(&self, _packet: &Packet<H>) -> Option<PortId> {
        None
    }

    /// Returns `true` if [`Self::pick`] reads the ports, which then have to be up to date. A switch runs
    /// faster if it does not.
    #[inline]
    fn reads_ports(&self) -> bool {
        true
    }

    /// Takes over the routes of `update`, because the network has changed. State that does not
    /// depend on routes may stay.
    fn update(&mut self, update: Self)
    where
        Self: Sized,
    {
        *self = update;
    }

    fabricsim_base::plugin_state!("the routing");
}
