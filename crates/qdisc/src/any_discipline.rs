//! All disciplines that a scenario can choose, as one type.

use fabricsim_base::checkpoint::{Checkpointed, LoadError, Reader, Writer};
use fabricsim_base::units::{Bytes, Time};
use fabricsim_core::packet::{Header, Packet};
use fabricsim_core::plugin::Mark;

use crate::RedEcn;
use crate::aqm::DisciplineContext;
use crate::aqm::queue::AqmQueue;
use crate::counters::DisciplineCounters;
use crate::discipline::Discipline;
use crate::discipline_config::{DisciplineConfig, DisciplineKind};
use crate::dualpi2::{DualPi2, DualPi2Config};
use crate::fq_codel::{FqCodel, FqCodelConfig};
use crate::shared_fifo::SharedFifo;

/// A discipline of any kind. Larger ones are behind a pointer, so that a port with plain queues
/// stays small.
#[derive(Clone, Debug)]
pub enum AnyDiscipline<H> {
    /// A plain queue that is limited by the switch's buffer.
    Shared(SharedFifo<H>),
    /// One queue with an AQM rule.
    Aqm(Box<AqmQueue<H>>),
    /// Many queues with CoDel.
    FqCodel(Box<FqCodel<H>>),
    /// Two queues with one controller.
    DualPi2(Box<DualPi2<H>>),
}

impl<H: Header> AnyDiscipline<H> {
    /// Returns the name of its rule; `None` for a plain queue.
    #[must_use]
    pub fn rule(&self) -> Option<&'static str> {
        match self {
            Self::Shared(_) => None,
            Self::Aqm(queue) => Some(queue.name()),
            Self::FqCodel(_) => Some(FqCodelConfig::NAME),
            Self::DualPi2(_) => Some(DualPi2Config::NAME),
        }
    }

    /// Returns an empty queue with the settings `config`, which must be validated. A queue of kind
    /// `shared-buffer` gets no marker (see [`SharedFifo::new`]).
    #[must_use]
    pub fn new(config: &DisciplineConfig, context: &DisciplineContext) -> Self {
        match config {
            DisciplineConfig::SharedBuffer(_) => Self::shared(None),
            DisciplineConfig::Aqm(config) => Self::Aqm(Box::new(AqmQueue::new(config, context))),
            DisciplineConfig::FqCodel(config) => {
                Self::FqCodel(Box::new(FqCodel::new(config, context)))
            }
            DisciplineConfig::DualPi2(config) => {
                Self::DualPi2(Box::new(DualPi2::new(config, context)))
            }
        }
    }

    /// Lets `packet` bypass the empty queue, on the way to an idle wire or, if it `waits`, to the
    /// end of the current transmission. Returns `None` if the discipline needs
    /// [`enqueue`](Discipline::enqueue), because it changes state, measures queueing times, or
    /// rejects the packet.
    #[inline]
    pub(crate) fn pass(&mut self, waits: bool, packet: &Packet<H>) -> Option<Mark> {
        match self {
            // It leaves an empty queue behind, which is below every marker's threshold.
            Self::Shared(_) => Some(Mark::None),
            Self::Aqm(queue) if !waits => queue.pass(packet),
            Self::Aqm(_) | Self::FqCodel(_) | Self::DualPi2(_) => None,
        }
    }

    /// Returns the queue if it is plain.
    #[inline]
    pub(crate) const fn as_plain(&self) -> Option<&SharedFifo<H>> {
        match self {
            Self::Shared(queue) => Some(queue),
            _ => None,
        }
    }

    /// Returns the queue if it is plain.
    #[inline]
    pub(crate) const fn as_plain_mut(&mut self) -> Option<&mut SharedFifo<H>> {
        match self {
            Self::Shared(queue) => Some(queue),
            _ => None,
        }
    }

    /// Returns an empty queue that is limited by the switch's shared buffer, with a marker for RDMA
    /// algorithms.
    #[must_use]
    pub fn shared(marker: Option<RedEcn>) -> Self {
        Self::Shared(SharedFifo::new(marker))
    }
}

/// Makes the same call on a discipline of any kind.
macro_rules! each {
    ($any:expr, $discipline:ident => $call:expr) => {
        match $any {
            AnyDiscipline::Shared($discipline) => $call,
            AnyDiscipline::Aqm($discipline) => $call,
            AnyDiscipline::FqCodel($discipline) => $call,
            AnyDiscipline::DualPi2($discipline) => $call,
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
