//! Routing policies: which of several equal next hops a packet takes.

mod ecmp;

use std::fmt;
use std::sync::Arc;

use fabricsim_core::id::{FlowId, NodeId, PortId};
use fabricsim_core::packet::{PacketKind, Priority};
use fabricsim_core::plugin::{FlowKey, PathStability, PortStates};
use fabricsim_core::units::{Bytes, Time};

use crate::ecmp::{EcmpHash, NodeHash};
pub use ecmp::Ecmp;

/// Every built-in policy, one line each; scenarios that name none have the first.
const POLICIES: &[fn() -> Arc<dyn RoutingPolicy>] = &[
    || Arc::new(Ecmp), //
];

/// Returns every built-in policy. Scenarios that name none have the first.
pub fn routing_policies() -> impl Iterator<Item = Arc<dyn RoutingPolicy>> {
    POLICIES.iter().map(|policy| policy())
}

/// A way to choose among equal next hops: `[routing] policy` of a scenario.
pub trait RoutingPolicy: fmt::Debug + Send + Sync {
    /// Its name in scenarios.
    fn name(&self) -> &'static str;

    /// Returns a description of the policy in one line.
    fn about(&self) -> &'static str;

    /// Returns whether the packets of a flow stay on one path.
    fn path_stability(&self) -> PathStability;

    /// Makes the chooser of one switch, with its own state.
    fn chooser(&self, at: &PolicyContext) -> Chooser;
}

/// Information from which a chooser is made.
#[derive(Clone, Copy, Debug)]
pub struct PolicyContext {
    /// The switch.
    pub switch: NodeId,
    /// The seed of the scenario, from which a chooser that draws has its stream.
    pub seed: u64,
    /// The hash that `[routing]` sets.
    pub hash: EcmpHash,
}

/// A packet that is to be routed.
#[derive(Clone, Copy, Debug)]
pub struct Arrival<'a> {
    /// Now.
    pub now: Time,
    /// Addresses and ports.
    pub key: &'a FlowKey,
    /// The flow.
    pub flow: FlowId,
    /// Data, ACK or NACK.
    pub kind: PacketKind,
    /// Its priority.
    pub priority: Priority,
    /// Its size on the wire.
    pub size: Bytes,
    /// Its first payload byte.
    pub seq: u64,
}

/// The choice of one switch among equal next hops.
pub trait NextHopChoice: fmt::Debug + Send + Sync {
    /// The position of the next hop for `packet` in `hops`, the ports of at least two equal next
    /// hops in the order of [`NextHopOrder`](crate::NextHopOrder).
    ///
    /// Called once for each packet that has several next hops. A position out of range is taken for
    /// that of the last one.
    fn choose(&mut self, packet: &Arrival<'_>, hops: &[PortId], ports: &dyn PortStates) -> usize;
}

/// Method by which a switch chooses among equal next hops.
#[derive(Debug)]
pub struct Chooser(pub(crate) Choice);

/// The hash is apart from other choices, as it is made for nearly every packet of nearly every run.
#[derive(Debug)]
pub(crate) enum Choice {
    Hash(NodeHash),
    Own(Box<dyn NextHopChoice>),
}

impl Chooser {
    /// Chooses by the hash of `at`, so that a flow keeps its path.
    #[must_use]
    pub fn by_hash(at: &PolicyContext) -> Self {
        Self(Choice::Hash(at.hash.at(at.switch)))
    }

    /// Chooses by `choice`.
    #[must_use]
    pub fn new(choice: impl NextHopChoice + 'static) -> Self {
        Self(Choice::Own(Box::new(choice)))
    }
}
