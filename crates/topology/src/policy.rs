//! Routing policies: which of several equal next hops a packet takes.

mod by_priority;
mod ecmp;
mod flowlet;
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
pub use power_of_choices::PowerOfTwo;
pub use random::RandomSpray;
pub use reps::Reps;
pub use round_robin::RoundRobin;
pub use shortest_queue::ShortestQueue;

/// Shows every built-in policy to `visitor`, one line each; scenarios that name none have the
/// first.
pub fn visit_policies(visitor: &mut impl PolicyVisitor) {
    visitor.visit_plain(Ecmp);
    visitor.visit_plain(RandomSpray);
    visitor.visit_plain(RoundRobin);
    visitor.visit::<Flowlet>();
    visitor.visit::<ShortestQueue>();
    visitor.visit::<PowerOfTwo>();
    visitor.visit::<Reps>();
}

/// Takes each policy by its type.
pub trait PolicyVisitor {
    /// Takes a policy without keys.
    fn visit_plain(&mut self, policy: impl RoutingPolicy + 'static);

    /// Takes a policy with keys.
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

/// Returns every built-in policy, with the defaults of its keys. Scenarios that name none have the
/// first.
#[must_use]
pub fn routing_policies() -> Vec<Arc<dyn RoutingPolicy>> {
    let mut policies = Vec::new();
    visit_policies(&mut policies);
    policies
}

/// A policy with keys: it is read from a table, and is a [`RoutingPolicy`].
pub trait PolicyKind:
    fmt::Debug + Default + Serialize + DeserializeOwned + Send + Sync + 'static
{
    /// Its name in scenarios.
    const NAME: &'static str;
    /// One line about it.
    const ABOUT: &'static str;
    /// Its keys.
    const KEYS: Keys;

    /// Refuses values without a meaning.
    ///
    /// # Errors
    /// Names the key, what is wrong and what would be right.
    fn validate(&self) -> Result<(), ConfigError>;

    /// Returns whether the packets of a flow stay on one path.
    fn path_stability(&self) -> PathStability;

    /// Returns how senders choose the entropy of their packets, if each packet has its own.
    fn entropy(&self) -> Option<EntropyRecycling> {
        None
    }

    /// Makes the chooser of one switch, with its own state.
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

/// A way to choose among equal next hops: `[routing] policy` of a scenario.
pub trait RoutingPolicy: fmt::Debug + Send + Sync {
    /// Its name in scenarios.
    fn name(&self) -> &'static str;

    /// Returns a description of the policy in one line.
    fn about(&self) -> &'static str;

    /// Returns the keys of the policy, in the table `policy = { kind = "...", ... }`.
    fn keys(&self) -> Keys {
        &[]
    }

    /// Returns its keys with their values, as a table.
    fn value(&self) -> serde_json::Value {
        serde_json::Value::Null
    }

    /// Refuses values without a meaning.
    ///
    /// # Errors
    /// Names the key, what is wrong and what would be right.
    fn validate(&self) -> Result<(), ConfigError> {
        Ok(())
    }

    /// Returns whether the packets of a flow stay on one path.
    fn path_stability(&self) -> PathStability;

    /// Returns how senders choose the entropy of their packets, if each packet has its own.
    fn entropy(&self) -> Option<EntropyRecycling> {
        None
    }

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
    /// Its first payload byte; 0 for acknowledgements of TCP.
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

    fabricsim_base::plugin_state!("the routing policy");
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

/// A position that is drawn among `count`.
fn position_below(draws: &mut Stream, count: usize) -> usize {
    usize::try_from(draws.below(count as u64)).expect("a position is below a usize")
}
