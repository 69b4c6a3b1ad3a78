//! Forwarding: the choice of the next hop of a packet at a switch.

use crate::packet::{Header, Packet};
use fabricsim_base::id::PortId;
use fabricsim_base::priority::Priority;
use fabricsim_base::units::{Bytes, Duration, Time};

/// Stability of a flow's path while routes do not change.
///
/// Code that compares or orders the packets of a flow depends on it: receivers that treat a gap as
/// a loss, controllers that compare counters, and queries that reconstruct a path.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum PathStability {
    /// All packets of a flow take the same path, so they arrive in the order they left.
    #[default]
    PerFlow,
    /// Each packet may take a different path, so packets can overtake one another.
    PerPacket,
}

/// Entropy that RDMA senders put into their packets: a value instead of the source port, which
/// switches hash with the other fields. Senders reuse the values that return unmarked in
/// acknowledgements.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct EntropyRecycling {
    /// Number of possible values, 1 to 65,536.
    pub values: u32,
    /// Number of values that a flow stores for reuse, at least 1.
    pub buffer: u16,
    /// Time after a timeout during which a flow uses only its stored values.
    pub freeze: Duration,
}

/// The ports of a switch as its routing sees them.
pub trait PortStates {
    /// Returns the bytes that wait at `port`.
    fn queued(&self, port: PortId) -> Bytes;

    /// Returns `true` if the neighbor at `port` has paused `priority`.
    fn is_paused(&self, port: PortId, priority: Priority) -> bool;

    /// Returns `true` if the link of `port` is up.
    fn is_up(&self, port: PortId) -> bool;
}

/// The forwarding decision of one switch.
pub trait Routing<H: Header>: Send + Sync {
    /// Returns the egress port for `packet`, or `None` if its destination is unreachable.
    ///
    /// Called once for each arriving packet; `ports` are the ports of the switch.
    fn pick(&mut self, now: Time, packet: &Packet<H>, ports: impl PortStates) -> Option<PortId>;

    /// Returns the port that [`Self::pick`] would pick, if that depends only on the addresses of
    /// `packet`. Otherwise returns `None`, and the switch calls `pick` when the packet arrives.
    /// Called for all packets of an epoch when it begins.
    #[inline]
    fn fixed(&self, _packet: &Packet<H>) -> Option<PortId> {
        None
    }

    /// Returns `true` if [`Self::pick`] reads the ports, which must then be up to date. A switch
    /// runs faster if it does not.
    #[inline]
    fn reads_ports(&self) -> bool {
        true
    }

    /// Replaces the routes with the routes of `update`, because the network has changed. State that
    /// does not depend on routes may stay.
    fn update(&mut self, update: Self)
    where
        Self: Sized,
    {
        *self = update;
    }

    fabricsim_base::plugin_state!("the routing");
}
