//! AQM rules: active queue management of one queue. Each rule is a file with its settings
//! ([`AqmKind`]) and its algorithm ([`Aqm`]). The list of kinds, or the registry of a program,
//! contains its name.

pub(crate) mod codel;
pub(crate) mod queue;
pub(crate) mod red;
pub(crate) mod step;
pub(crate) mod tail_drop;

mod arrival_marks;
mod limit;

use std::any::Any;
use std::fmt::Debug;
use std::sync::Arc;

use fabricsim_base::flow::FlowKey;
use fabricsim_base::input::{ConfigError, Keys};
use fabricsim_base::units::{Bytes, Rate, Time};
use fabricsim_core::packet::Ecn;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::discipline_config::{AnyKind, DisciplineConfig, DisciplineKind};
use crate::short_form::ShortForm;

/// Properties of the run and the port for a discipline.
#[derive(Clone, Copy, Debug)]
pub struct DisciplineContext {
    /// The seed of the run.
    pub seed: u64,
    /// The unique number of this queue in the simulation, which selects its random stream.
    pub entity: u64,
    /// The rate of the port's link.
    pub rate: Rate,
    /// Bytes of a full packet on the wire, for rules that never act on a single waiting packet.
    pub packet: Bytes,
}

/// A packet in the form that a rule receives, and the queue without it.
#[derive(Clone, Copy, Debug)]
pub struct AqmPacket<'a> {
    /// Addresses and ports.
    pub key: &'a FlowKey,
    /// ECN field of the packet.
    pub ecn: Ecn,
    /// Size of the packet on the wire.
    pub size: Bytes,
    /// Time at which the packet arrived at the queue.
    pub arrival: Time,
    /// Number of other packets in the queue.
    pub others: usize,
    /// Bytes of the other packets in the queue.
    pub other_bytes: Bytes,
}

/// Decision of a rule about a packet.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Verdict {
    /// The packet stays unchanged.
    Pass,
    /// The packet gets a mark (CE) if its sender understands marks; otherwise it stays unchanged. A
    /// rule that drops such packets instead (RFC 3168, section 5) returns [`Verdict::DropEarly`]
    /// for [`Ecn::NotCapable`].
    Mark,
    /// The packet is dropped because the queue is full.
    DropTail,
    /// The packet is dropped by the rule.
    DropEarly,
}

impl Verdict {
    /// Returns `true` if the packet is dropped.
    #[must_use]
    pub const fn drops(self) -> bool {
        matches!(self, Self::DropTail | Self::DropEarly)
    }
}

/// An AQM rule with its state, for one first-in, first-out queue.
pub trait Aqm: Debug + Send {
    /// Decides about an arriving packet. A mark is set only when the packet leaves, but until then
    /// the rule sees the packet as marked.
    fn on_arrival(&mut self, now: Time, packet: &AqmPacket<'_>) -> Verdict;

    /// Decides about the packet at the head, and after a drop about the next one. By default, the
    /// packet stays unchanged.
    fn on_departure(&mut self, now: Time, packet: &AqmPacket<'_>) -> Verdict {
        let _ = (now, packet);
        Verdict::Pass
    }

    /// Returns the largest size of packets that bypass the rule if they find the queue empty and
    /// leave immediately: the rule would neither mark nor drop them, and stores nothing about them.
    /// Called once. By default, no packet bypasses the rule.
    fn passes_up_to(&self) -> Bytes {
        Bytes::ZERO
    }

    /// Returns a copy of the rule with its state.
    fn boxed_clone(&self) -> Box<dyn Aqm>;

    fabricsim_base::plugin_state!("the queue rule");
}

/// The settings of an AQM rule, which are the table of a `[[queue]]` discipline. The rule itself
/// holds the state of a queue.
pub trait AqmKind:
    Debug + Clone + PartialEq + Serialize + DeserializeOwned + Send + Sync + 'static
{
    /// The name of the kind in scenarios.
    const NAME: &'static str;
    /// A one-line description.
    const ABOUT: &'static str;
    /// Keys of the table, with meaning, unit and default.
    const KEYS: Keys;
    /// One-line forms of the table, similar to Linux's `tc`.
    const SHORT_FORMS: &'static [ShortForm] = &[];

    /// Checks that every value is meaningful.
    ///
    /// # Errors
    /// The error names the key, the problem and a suggestion.
    fn validate(&self) -> Result<(), ConfigError>;

    /// Returns the rule for one queue.
    fn rule(&self, context: &DisciplineContext) -> Box<dyn Aqm>;
}

impl<K: AqmKind> DisciplineKind for K {
    const NAME: &'static str = <Self as AqmKind>::NAME;
    const ABOUT: &'static str = <Self as AqmKind>::ABOUT;
    const KEYS: Keys = <Self as AqmKind>::KEYS;
    const SHORT_FORMS: &'static [ShortForm] = <Self as AqmKind>::SHORT_FORMS;

    fn validate(&self) -> Result<(), ConfigError> {
        AqmKind::validate(self)
    }

    fn into_config(self) -> DisciplineConfig {
        DisciplineConfig::Aqm(AqmConfig(Arc::new(self)))
    }
}

/// [`AqmKind`] with its type erased.
trait AnyAqm: AnyKind + Debug + Send + Sync {
    fn rule(&self, context: &DisciplineContext) -> Box<dyn Aqm>;
    fn as_any(&self) -> &dyn Any;
    fn is_same(&self, other: &dyn AnyAqm) -> bool;
}

impl<K: AqmKind> AnyAqm for K {
    fn rule(&self, context: &DisciplineContext) -> Box<dyn Aqm> {
        K::rule(self, context)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn is_same(&self, other: &dyn AnyAqm) -> bool {
        other.as_any().downcast_ref() == Some(self)
    }
}

/// The settings of a rule of any kind.
#[derive(Clone, Debug)]
pub struct AqmConfig(Arc<dyn AnyAqm>);

impl AqmConfig {
    pub(crate) fn as_kind(&self) -> &dyn AnyKind {
        &*self.0
    }

    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn rule(&self, context: &DisciplineContext) -> Box<dyn Aqm> {
        self.0.rule(context)
    }
}

impl PartialEq for AqmConfig {
    fn eq(&self, other: &Self) -> bool {
        self.0.is_same(&*other.0)
    }
}

#[cfg(test)]
mod tests;
