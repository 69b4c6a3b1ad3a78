//! The disciplines that a scenario can choose from, as one type.

use fabricsim_base::checkpoint::{Checkpointed, LoadError, Reader, Writer};
use fabricsim_base::units::{Bytes, Time};
use fabricsim_core::packet::{Header, Packet};
use fabricsim_core::plugin::Mark;

use crate::RedEcn;
use crate::aqm::{AqmQueue, DisciplineContext};
use crate::codel_queue::CodelQueue;
use crate::counters::DisciplineCounters;
use crate::discipline::Discipline;
use crate::discipline_config::DisciplineConfig;
use crate::dualpi2::DualPi2;
use crate::fq_codel::FqCodel;
use crate::red_queue::RedQueue;
use crate::shared_fifo::SharedFifo;
use crate::step_marking::StepMarking;
use crate::tail_drop::TailDrop;

/// A discipline of any kind. Larger ones are behind a pointer, so that a port with plain queues
/// stays small.
#[derive(Clone, Debug)]
pub enum AnyDiscipline<H> {
    /// `shared-buffer`
    Shared(SharedFifo<H>),
    /// `tail-drop`
    TailDrop(Box<TailDrop<H>>),
    /// `red`
    Red(Box<RedQueue<H>>),
    /// `step`
    Step(Box<StepMarking<H>>),
    /// `codel`
    Codel(Box<CodelQueue<H>>),
    /// `fq-codel`
    FqCodel(Box<FqCodel<H>>),
    /// `dualpi2`
    DualPi2(Box<DualPi2<H>>),
    /// A rule from outside.
    Aqm(Box<AqmQueue<H>>),
}

impl<H: Header> AnyDiscipline<H> {
    /// The name of its rule; none of a plain queue, which has no rule of its own.
    #[must_use]
    pub fn rule(&self) -> Option<&'static str> {
        Some(match self {
            Self::Shared(_) => return None,
            Self::TailDrop(_) => "tail-drop",
            Self::Red(_) => "red",
            Self::Step(_) => "step",
            Self::Codel(_) => "codel",
            Self::FqCodel(_) => "fq-codel",
            Self::DualPi2(_) => "dualpi2",
            Self::Aqm(queue) => queue.name(),
        })
    }

    /// An empty queue as `config` describes it, which has been validated; one of `shared-buffer`
    /// gets no marker (see [`SharedFifo::new`]).
    #[must_use]
    pub fn new(config: &DisciplineConfig, context: &DisciplineContext) -> Self {
        match config {
            DisciplineConfig::SharedBuffer(_) => Self::shared(None),
            DisciplineConfig::TailDrop(config) => Self::TailDrop(Box::new(TailDrop::new(config))),
            DisciplineConfig::Red(config) => Self::Red(Box::new(RedQueue::new(config, context))),
            DisciplineConfig::Step(config) => Self::Step(Box::new(StepMarking::new(config))),
            DisciplineConfig::Codel(config) => {
                Self::Codel(Box::new(CodelQueue::new(config, context)))
            }
            DisciplineConfig::FqCodel(config) => {
                Self::FqCodel(Box::new(FqCodel::new(config, context)))
            }
            DisciplineConfig::DualPi2(config) => {
                Self::DualPi2(Box::new(DualPi2::new(config, context)))
            }
            DisciplineConfig::Aqm(config) => Self::Aqm(Box::new(AqmQueue::new(config, context))),
        }
    }

    /// `packet` passes the empty queue on its way to a wire that is idle, or `waits` there for the end
    /// of the packet on it; `None` where the discipline insists on [`enqueue`](Discipline::enqueue),
    /// because it has a state that changes then, measures how long packets wait, or refuses the packet.
    #[inline]
    pub(crate) fn pass(&mut self, waits: bool, packet: &Packet<H>) -> Option<Mark> {
        match self {
            Self::Shared(queue) => Some(queue.pass()),
            _ if waits => None,
            Self::TailDrop(queue) => queue.pass(packet),
            Self::Step(queue) => queue.pass(packet),
            Self::Red(_) | Self::Codel(_) | Self::FqCodel(_) | Self::DualPi2(_) | Self::Aqm(_) => {
                None
            }
        }
    }

    /// The queue itself where it is a plain one.
    #[inline]
    pub(crate) const fn as_plain(&self) -> Option<&SharedFifo<H>> {
        match self {
            Self::Shared(queue) => Some(queue),
            _ => None,
        }
    }

    /// The queue itself where it is a plain one.
    #[inline]
    pub(crate) const fn as_plain_mut(&mut self) -> Option<&mut SharedFifo<H>> {
        match self {
            Self::Shared(queue) => Some(queue),
            _ => None,
        }
    }

    /// Returns whether every packet that is stored leaves for the wire, in the order of arrival:
    /// [`select`](Discipline::select) then chooses the first one and gives up none.
    #[inline]
    pub(crate) const fn keeps_all(&self) -> bool {
        matches!(self, Self::Shared(_) | Self::TailDrop(_) | Self::Step(_))
    }

    /// An empty queue that the switch's shared buffer bounds, with the marker that algorithms of
    /// RDMA want.
    #[must_use]
    pub fn shared(marker: Option<RedEcn>) -> Self {
        Self::Shared(SharedFifo::new(marker))
    }
}

/// The same call on whatever discipline it is.
macro_rules! each {
    ($any:expr, $discipline:ident => $call:expr) => {
        match $any {
            AnyDiscipline::Shared($discipline) => $call,
            AnyDiscipline::TailDrop($discipline) => $call,
            AnyDiscipline::Red($discipline) => $call,
            AnyDiscipline::Step($discipline) => $call,
            AnyDiscipline::Codel($discipline) => $call,
            AnyDiscipline::FqCodel($discipline) => $call,
            AnyDiscipline::DualPi2($discipline) => $call,
            AnyDiscipline::Aqm($discipline) => $call,
        }
    };
}

impl<H: Header> Checkpointed for AnyDiscipline<H> {
    fn save(&self, out: &mut Writer) {
        out.section(|out| each!(self, discipline => discipline.save(out)));
    }

    fn load(&mut self, input: &mut Reader<'_>) -> Result<(), LoadError> {
        let name = self.rule().unwrap_or("shared-buffer");
        input.section(
            name,
            |input| each!(self, discipline => discipline.load(input)),
        )
    }
}

impl<H: Header> Discipline<H> for AnyDiscipline<H> {
    #[inline]
    fn enqueue(
        &mut self,
        now: Time,
        packet: &Packet<H>,
        dropped: &mut Vec<Packet<H>>,
    ) -> Option<&mut Packet<H>> {
        each!(self, discipline => discipline.enqueue(now, packet, dropped))
    }

    #[inline]
    fn select(&mut self, now: Time, dropped: &mut Vec<Packet<H>>) -> bool {
        each!(self, discipline => discipline.select(now, dropped))
    }

    #[inline]
    fn front(&self) -> Option<&Packet<H>> {
        each!(self, discipline => discipline.front())
    }

    #[inline]
    fn pop(&mut self, now: Time) -> Mark {
        each!(self, discipline => discipline.pop(now))
    }

    #[inline]
    fn bytes(&self) -> Bytes {
        each!(self, discipline => discipline.bytes())
    }

    #[inline]
    fn packets(&self) -> usize {
        each!(self, discipline => discipline.packets())
    }

    fn for_each(&self, visit: impl FnMut(&Packet<H>)) {
        each!(self, discipline => discipline.for_each(visit));
    }

    fn counters(&self) -> Option<DisciplineCounters> {
        each!(self, discipline => discipline.counters())
    }
}

#[cfg(test)]
mod tests;
