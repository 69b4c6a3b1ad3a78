//! Rules of active queue management over one queue. Each is a file: the settings with [`AqmKind`], the
//! rule with [`Aqm`]; the list of kinds or a program's registry names it.

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

/// Properties of its run and its port that a discipline needs to know.
#[derive(Clone, Copy, Debug)]
pub struct DisciplineContext {
    /// The seed of the run.
    pub seed: u64,
    /// The number of this queue in the simulation, which no other queue has: it draws from a random
    /// stream of its own.
    pub entity: u64,
    /// The rate of the port's link.
    pub rate: Rate,
    /// Bytes on the wire of a full packet: rules that leave a single waiting packet alone compare
    /// with it.
    pub packet: Bytes,
}

/// A packet as a rule sees it, and the queue without it.
#[derive(Clone, Copy, Debug)]
pub struct AqmPacket<'a> {
    /// Addresses and ports.
    pub key: &'a FlowKey,
    /// ECN field of the packet.
    pub ecn: Ecn,
    /// Its size on the wire.
    pub size: Bytes,
    /// Time at which the packet arrived at the queue.
    pub arrival: Time,
    /// Other packets in the queue.
    pub others: usize,
    /// Their bytes.
    pub other_bytes: Bytes,
}

/// Decision of a rule about a packet.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Verdict {
    /// It stays as it is.
    Pass,
    /// It leaves with a mark (CE) if its sender understands marks, else as it came: a rule that
    /// drops such packets instead (RFC 3168, section 5) returns [`Verdict::DropEarly`] for
    /// [`Ecn::NotCapable`].
    Mark,
    /// It is dropped because the queue is full.
    DropTail,
    /// It is dropped by the rule.
    DropEarly,
}

impl Verdict {
    /// Returns `true` if the packet is dropped.
    #[must_use]
    pub const fn drops(self) -> bool {
        matches!(self, Self::DropTail | Self::DropEarly)
    }
}

/// A rule of active queue management for one first-in-first-out queue, with its state.
pub trait Aqm: Debug + Send {
    /// Decides about a packet that comes. A mark is set when the packet leaves; until then the rule
    /// sees the packet as marked.
    fn on_arrival(&mut self, now: Time, packet: &AqmPacket<'_>) -> Verdict;

    /// Decides about the packet that is next to leave, and after a drop about the one behind it. By
    /// default it stays as it is.
    fn on_departure(&mut self, now: Time, packet: &AqmPacket<'_>) -> Verdict {
        let _ = (now, packet);
        Verdict::Pass
    }

    /// Returns the size up to which packets that find the queue empty and leave at once pass without
    /// the other methods: the rule would neither mark nor drop them, and keeps nothing of them. Called
    /// once. By default none pass so.
    fn passes_up_to(&self) -> Bytes {
        Bytes::ZERO
    }

    /// Returns a copy of the rule with its state.
    fn boxed_clone(&self) -> Box<dyn Aqm>;

    fabricsim_base::plugin_state!("the queue rule");
}

/// The settings of a rule: the table of a `[[queue]]` discipline. The rule of a queue holds its state.
pub trait AqmKind:
    Debug + Clone + PartialEq + Serialize + DeserializeOwned + Send + Sync + 'static
{
    /// The name of the kind in scenarios.
    const NAME: &'static str;
    /// One line about it.
    const ABOUT: &'static str;
    /// Its keys, each with meaning, unit and default.
    const KEYS: Keys;
    /// Its forms in one line, in the manner of Linux's `tc`.
    const SHORT_FORMS: &'static [ShortForm] = &[];

    /// Refuses values that mean nothing.
    ///
    /// # Errors
    /// Names the key, what is wrong and what would be right.
    fn validate(&self) -> Result<(), ConfigError>;

    /// Makes the rule of one queue.
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

/// [`AqmKind`] without its type.
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
