//! Routing policies: the choice of each packet among several equal next hops.

mod by_priority;
mod ecmp;
mod flowlet;
mod lowest_neighbor;
mod power_of_choices;
mod queue_lengths;
mod random;
mod reps;
mod round_robin;
mod shortest_queue;
#[cfg(test)]
mod testing;

use std::fmt;
use std::sync::Arc;

use fabricsim_base::checkpoint::{Checkpointed, LoadError, Reader, Writer};
use fabricsim_base::flow::FlowKey;
use fabricsim_base::id::{FlowId, NodeId, PortId};
use fabricsim_base::input::{ConfigError, Keys};
use fabricsim_base::priority::Priority;
use fabricsim_base::rng::Stream;
use fabricsim_base::units::{Bytes, Time};
use fabricsim_core::packet::PacketKind;
use fabricsim_core::plugin::{EntropyRecycling, PathStability, PortStates};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::ecmp::{EcmpHash, NodeHash};
pub use by_priority::ByPriority;
pub use ecmp::Ecmp;
pub use flowlet::Flowlet;
pub use lowest_neighbor::LowestNeighbor;
pub use power_of_choices::PowerOfTwo;
pub use random::RandomSpray;
pub use reps::Reps;
pub use round_robin::RoundRobin;
pub use shortest_queue::ShortestQueue;

/// Calls `visitor` with every built-in policy. The first one is the default of scenarios.
pub fn visit_policies(visitor: &mut impl PolicyVisitor) {
    visitor.visit_plain(Ecmp);
    visitor.visit_plain(RandomSpray);
    visitor.visit_plain(RoundRobin);
    visitor.visit::<Flowlet>();
    visitor.visit::<ShortestQueue>();
    visitor.visit::<PowerOfTwo>();
    visitor.visit::<Reps>();
    visitor.visit_plain(LowestNeighbor);
}

/// Visitor of policies, which receives each by its type.
pub trait PolicyVisitor {
    /// Visits a policy without keys.
    fn visit_plain(&mut self, policy: impl RoutingPolicy + 'static);

    /// Visits a policy with keys.
    fn visit<K: PolicyKind>(&mut self);
}

impl PolicyVisitor for Vec<Arc<dyn RoutingPolicy>> {
    fn visit_plain(&mut self, policy: impl RoutingPolicy + 'static) {
        self.push(Arc::new(policy));
    }

    fn visit<K: PolicyKind>(&mut self) {
        self.push(Arc::new(K::default()));
    }
}

/// Returns every built-in policy, with the defaults of its keys. The first one is the default of
/// scenarios.
#[must_use]
pub fn routing_policies() -> Vec<Arc<dyn RoutingPolicy>> {
    let mut policies = Vec::new();
    visit_policies(&mut policies);
    policies
}

/// A policy with keys: it can be read from a table, and implements [`RoutingPolicy`].
pub trait PolicyKind:
    fmt::Debug + Default + Serialize + DeserializeOwned + Send + Sync + 'static
{
    /// Name in scenarios.
    const NAME: &'static str;
    /// One-line description.
    const ABOUT: &'static str;
    /// Keys of its table.
    const KEYS: Keys;

    /// Checks the values of the keys.
    ///
    /// # Errors
    /// Fails if a value has no meaning; the error has the key, a message and help.
    fn validate(&self) -> Result<(), ConfigError>;

    /// Returns `PerFlow` if the packets of a flow stay on one path.
    fn path_stability(&self) -> PathStability;

    /// Returns how senders choose the entropy of their packets, if each packet has its own.
    fn entropy(&self) -> Option<EntropyRecycling> {
        None
    }

    /// Creates the chooser of one switch, with its own state.
    fn chooser(&self, at: &PolicyContext) -> Chooser;
}

impl<K: PolicyKind> RoutingPolicy for K {
    fn name(&self) -> &'static str {
        K::NAME
    }

    fn about(&self) -> &'static str {
        K::ABOUT
    }

    fn keys(&self) -> Keys {
        K::KEYS
    }

    fn value(&self) -> serde_json::Value {
        serde_json::to_value(self).expect("settings are plain tables")
    }

    fn validate(&self) -> Result<(), ConfigError> {
        PolicyKind::validate(self)
    }

    fn path_stability(&self) -> PathStability {
        PolicyKind::path_stability(self)
    }

    fn entropy(&self) -> Option<EntropyRecycling> {
        PolicyKind::entropy(self)
    }

    fn chooser(&self, at: &PolicyContext) -> Chooser {
        PolicyKind::chooser(self, at)
    }
}

/// A rule for choosing among equal next hops: `[routing] policy` of a scenario.
pub trait RoutingPolicy: fmt::Debug + Send + Sync {
    /// Returns the name in scenarios.
    fn name(&self) -> &'static str;

    /// Returns a one-line description.
    fn about(&self) -> &'static str;

    /// Returns the keys of the policy, in the table `policy = { kind = "...", ... }`.
    fn keys(&self) -> Keys {
        &[]
    }

    /// Returns the keys with their values, as a table.
    fn value(&self) -> serde_json::Value {
        serde_json::Value::Null
    }

    /// Checks the values of the keys.
    ///
    /// # Errors
    /// Fails if a value has no meaning; the error has the key, a message and help.
    fn validate(&self) -> Result<(), ConfigError> {
        Ok(())
    }

    /// Returns `PerFlow` if the packets of a flow stay on one path.
    fn path_stability(&self) -> PathStability;

    /// Returns how senders choose the entropy of their packets, if each packet has its own.
    fn entropy(&self) -> Option<EntropyRecycling> {
        None
    }

    /// Returns `true` if hosts with several equal ports use the first one. Otherwise, the hash of
    /// `[routing]` chooses.
    fn takes_first_nic(&self) -> bool {
        false
    }

    /// Creates the chooser of one switch, with its own state.
    fn chooser(&self, at: &PolicyContext) -> Chooser;
}

/// Input for creating a chooser.
#[derive(Clone, Copy, Debug)]
pub struct PolicyContext {
    /// The switch.
    pub switch: NodeId,
    /// The seed of the scenario, from which a chooser derives its stream of random draws.
    pub seed: u64,
    /// The hash from `[routing]`.
    pub hash: EcmpHash,
}

/// A packet to route.
#[derive(Clone, Copy, Debug)]
pub struct Arrival<'a> {
    /// The current time.
    pub now: Time,
    /// Addresses and ports.
    pub key: &'a FlowKey,
    /// The flow.
    pub flow: FlowId,
    /// Data, ACK or NACK.
    pub kind: PacketKind,
    /// The packet's priority.
    pub priority: Priority,
    /// The packet's size on the wire.
    pub size: Bytes,
    /// The packet's first payload byte; 0 for TCP acknowledgements.
    pub seq: u64,
}

/// The state with which one switch chooses among equal next hops.
pub trait NextHopChoice: fmt::Debug + Send + Sync {
    /// Returns the index in `hops` of the next hop for `packet`. `hops` are the ports of at least
    /// two equal next hops, in the order of [`NextHopOrder`](crate::NextHopOrder).
    ///
    /// The switch calls this once for each packet with several next hops. An index out of range
    /// selects the last one.
    fn choose(&mut self, packet: &Arrival<'_>, hops: &[PortId], ports: &dyn PortStates) -> usize;

    fabricsim_base::plugin_state!("the routing policy");
}

/// The rule with which one switch chooses among equal next hops.
#[derive(Debug)]
pub struct Chooser(pub(crate) Choice);

/// The hash has its own variant because nearly every packet of nearly every run uses it.
#[derive(Debug)]
pub(crate) enum Choice {
    Hash(NodeHash),
    Own(Box<dyn NextHopChoice>),
}

impl Checkpointed for Choice {
    fn save(&self, out: &mut Writer) {
        match self {
            Self::Hash(_) => {}
            Self::Own(choice) => choice.save_state(out),
        }
    }

    fn load(&mut self, input: &mut Reader<'_>) -> Result<(), LoadError> {
        match self {
            Self::Hash(_) => Ok(()),
            Self::Own(choice) => choice.load_state(input),
        }
    }
}

impl Chooser {
    /// Creates a chooser by the hash of `at`, so that a flow keeps its path.
    #[must_use]
    pub fn by_hash(at: &PolicyContext) -> Self {
        Self(Choice::Hash(at.hash.at(at.switch)))
    }

    /// Creates a chooser by `choice`.
    #[must_use]
    pub fn new(choice: impl NextHopChoice + 'static) -> Self {
        Self(Choice::Own(Box::new(choice)))
    }
}

/// Draws an index below `count`.
fn position_below(draws: &mut Stream, count: usize) -> usize {
    usize::try_from(draws.below(count as u64)).expect("a position is below a usize")
}
