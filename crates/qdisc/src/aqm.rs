//! Queue disciplines from outside: a rule of active queue management over one queue.

use std::any::Any;
use std::fmt::Debug;
use std::sync::Arc;

use fabricsim_base::checkpoint::{Checkpointed, LoadError, Reader, Stored, Writer};
use fabricsim_base::flow::FlowKey;
use fabricsim_base::input::{ConfigError, Keys};
use fabricsim_base::units::{Bytes, Rate, Time};
use fabricsim_core::packet::{Ecn, Header, Packet};
use fabricsim_core::plugin::Mark;
use fabricsim_engine::Message;
use serde::de::DeserializeOwned;
use serde::{Serialize, Serializer};

use crate::arrival_marks::ArrivalMarks;
use crate::counters::{DisciplineCounters, DropCause};
use crate::discipline::{Discipline, holds_one_line, is_capable, mark_if};
use crate::line::Line;

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

/// A rule of active queue management for one first-in-first-out queue, with its state.
pub trait Aqm: Debug + Send {
    /// Decides about a packet that comes. A mark is set when the packet leaves; until then the rule
    /// sees the packet as marked.
    fn on_arrival(&mut self, now: Time, packet: &AqmPacket<'_>) -> Verdict;

    /// Decides about the packet that is next to leave.
    fn on_departure(&mut self, now: Time, packet: &AqmPacket<'_>) -> Verdict;

    /// Returns a copy of the rule with its state.
    fn boxed_clone(&self) -> Box<dyn Aqm>;

    fabricsim_base::plugin_state!("the queue rule");
}

/// The settings of a rule: the table of a `[[queue]]` discipline.
pub trait AqmKind:
    Debug + Clone + PartialEq + Serialize + DeserializeOwned + Send + Sync + 'static
{
    /// The name of the kind in scenarios.
    const NAME: &'static str;
    /// One line about it.
    const ABOUT: &'static str;
    /// Its keys, each with meaning, unit and default.
    const KEYS: Keys;

    /// Refuses values that mean nothing.
    ///
    /// # Errors
    /// Names the key, what is wrong and what would be right.
    fn validate(&self) -> Result<(), ConfigError>;

    /// Makes the rule of one queue.
    fn rule(&self, context: &DisciplineContext) -> Box<dyn Aqm>;
}

/// [`AqmKind`] without its type.
trait AnyAqm: Debug + Send + Sync {
    fn name(&self) -> &'static str;
    fn value(&self) -> serde_json::Value;
    fn validate(&self) -> Result<(), ConfigError>;
    fn rule(&self, context: &DisciplineContext) -> Box<dyn Aqm>;
    fn as_any(&self) -> &dyn Any;
    fn is_same(&self, other: &dyn AnyAqm) -> bool;
}

impl<K: AqmKind> AnyAqm for K {
    fn name(&self) -> &'static str {
        K::NAME
    }

    fn value(&self) -> serde_json::Value {
        serde_json::to_value(self).expect("settings are plain tables")
    }

    fn validate(&self) -> Result<(), ConfigError> {
        K::validate(self)
    }

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
    /// The settings `config`.
    pub fn new(config: impl AqmKind) -> Self {
        Self(Arc::new(config))
    }

    /// The name of the kind.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.0.name()
    }

    /// # Errors
    /// Settings that the rule cannot work with, by key.
    pub fn validate(&self) -> Result<(), ConfigError> {
        self.0.validate()
    }
}

impl PartialEq for AqmConfig {
    fn eq(&self, other: &Self) -> bool {
        self.0.is_same(&*other.0)
    }
}

impl Serialize for AqmConfig {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut table = serde_json::Map::new();
        table.insert("kind".to_owned(), self.name().into());
        if let serde_json::Value::Object(keys) = self.0.value() {
            table.extend(keys);
        }
        table.serialize(serializer)
    }
}

/// First in, first out, under a rule from outside.
#[derive(Debug)]
pub struct AqmQueue<H> {
    name: &'static str,
    line: Line<H>,
    rule: Box<dyn Aqm>,
    /// Marks by [`Aqm::on_arrival`].
    marks: ArrivalMarks,
    /// Mark with which the packet at the front leaves.
    mark: Mark,
    counters: DisciplineCounters,
}

impl<H: Clone> Clone for AqmQueue<H> {
    fn clone(&self) -> Self {
        Self {
            name: self.name,
            line: self.line.clone(),
            rule: self.rule.boxed_clone(),
            marks: self.marks.clone(),
            mark: self.mark,
            counters: self.counters.clone(),
        }
    }
}

impl<H: Header> AqmQueue<H> {
    /// An empty queue.
    #[must_use]
    pub fn new(config: &AqmConfig, context: &DisciplineContext) -> Self {
        Self {
            name: config.name(),
            line: Line::default(),
            rule: config.0.rule(context),
            marks: ArrivalMarks::default(),
            mark: Mark::None,
            counters: DisciplineCounters::default(),
        }
    }

    /// The name of the rule.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }
}

impl<H: Stored> Checkpointed for AqmQueue<H> {
    fn save(&self, out: &mut Writer) {
        let Self {
            name: _,
            line,
            rule,
            marks,
            mark,
            counters,
        } = self;
        line.store(out);
        marks.store(out);
        mark.store(out);
        counters.store(out);
        rule.save_state(out);
    }

    fn load(&mut self, input: &mut Reader<'_>) -> Result<(), LoadError> {
        let Self {
            name: _,
            line,
            rule,
            marks,
            mark,
            counters,
        } = self;
        line.load(input)?;
        marks.load(input)?;
        mark.load(input)?;
        counters.load(input)?;
        rule.load_state(input)
    }
}

impl<H: Header> Discipline<H> for AqmQueue<H> {
    fn enqueue(
        &mut self,
        now: Time,
        packet: &Packet<H>,
        _dropped: &mut Vec<Packet<H>>,
    ) -> Option<&mut Packet<H>> {
        let seen = AqmPacket {
            key: &packet.key,
            ecn: packet.ecn(),
            size: packet.size(),
            arrival: now,
            others: self.line.len(),
            other_bytes: self.line.bytes(),
        };
        let mark = match self.rule.on_arrival(now, &seen) {
            Verdict::Pass => Ok(Mark::None),
            Verdict::Mark => Ok(mark_if(is_capable(seen.ecn))),
            Verdict::DropTail => Err(DropCause::Tail),
            Verdict::DropEarly => Err(DropCause::Aqm),
        };
        match mark {
            Ok(mark) => {
                self.marks.push(mark);
                Some(self.line.push(now, packet, &mut self.counters))
            }
            Err(cause) => {
                self.counters.on_refusal(packet.size(), cause);
                None
            }
        }
    }

    fn select(&mut self, now: Time, dropped: &mut Vec<Packet<H>>) -> bool {
        while let Some(packet) = self.line.front() {
            let seen = AqmPacket {
                key: &packet.key,
                ecn: match self.marks.front() {
                    Mark::Congestion => Ecn::Congestion,
                    Mark::None => packet.ecn(),
                },
                size: packet.size(),
                arrival: packet.arrival(),
                others: self.line.len() - 1,
                other_bytes: self.line.bytes() - packet.size(),
            };
            let cause = match self.rule.on_departure(now, &seen) {
                Verdict::Pass => {
                    self.mark = self.marks.front();
                    return true;
                }
                Verdict::Mark => {
                    self.mark = mark_if(is_capable(seen.ecn));
                    return true;
                }
                Verdict::DropTail => DropCause::Tail,
                Verdict::DropEarly => DropCause::Aqm,
            };
            self.marks.pop();
            self.line.give_up(cause, &mut self.counters, dropped);
        }
        false
    }

    fn front(&self) -> Option<&Packet<H>> {
        self.line.front()
    }

    fn pop(&mut self, now: Time) -> Mark {
        self.marks.pop();
        self.line.leave(now, self.mark, &mut self.counters)
    }

    holds_one_line!(H);
}

#[cfg(test)]
mod tests;
