//! The queue of a priority that a switch's shared buffer bounds.

use fabricsim_core::checkpoint::{
    Checkpointed, LoadError, Reader, Stored, Writer, load_optional, save_optional,
};
use fabricsim_core::packet::{Header, Packet};
use fabricsim_core::plugin::Mark;
use fabricsim_core::units::{Bytes, Time};

use crate::RedEcn;
use crate::counters::DisciplineCounters;
use crate::discipline::{Discipline, holds_one_line, mark_if};
use crate::line::Line;

/// First in, first out, without a limit of its own; its marker decides by what a packet leaves
/// behind and asks nobody whether the sender understands marks, which is what RDMA expects. It is
/// one queue of [`PriorityQueues`](crate::PriorityQueues).
#[derive(Clone, Debug)]
pub struct SharedFifo<H> {
    line: Line<H>,
    marker: Option<Box<RedEcn>>,
    counters: DisciplineCounters,
}

impl<H: Header> SharedFifo<H> {
    /// An empty queue.
    #[must_use]
    pub fn new(marker: Option<RedEcn>) -> Self {
        Self {
            line: Line::default(),
            marker: marker.map(Box::new),
            counters: DisciplineCounters::default(),
        }
    }

    /// `packet` passes the empty queue on its way to an idle wire.
    #[inline]
    pub(crate) fn pass(&mut self, packet: &Packet<H>) -> Mark {
        let mark = mark_if(self.marks(Bytes::ZERO));
        self.counters.on_pass(packet.size(), mark);
        mark
    }

    #[inline]
    fn marks(&mut self, left: Bytes) -> bool {
        match &mut self.marker {
            Some(marker) => marker.marks(left),
            None => false,
        }
    }
}

impl<H: Stored> Checkpointed for SharedFifo<H> {
    fn save(&self, out: &mut Writer) {
        let Self {
            line,
            marker,
            counters,
        } = self;
        line.store(out);
        counters.store(out);
        save_optional(marker.as_deref(), out);
    }

    fn load(&mut self, input: &mut Reader<'_>) -> Result<(), LoadError> {
        let Self {
            line,
            marker,
            counters,
        } = self;
        line.load(input)?;
        counters.load(input)?;
        load_optional(marker.as_deref_mut(), input)
    }
}

impl<H: Header> Discipline<H> for SharedFifo<H> {
    #[inline]
    fn enqueue(
        &mut self,
        now: Time,
        packet: &Packet<H>,
        _dropped: &mut Vec<Packet<H>>,
    ) -> Option<&mut Packet<H>> {
        Some(self.line.push(now, packet, &mut self.counters))
    }

    #[inline]
    fn select(&mut self, _now: Time, _dropped: &mut Vec<Packet<H>>) -> bool {
        !self.line.is_empty()
    }

    #[inline]
    fn front(&self) -> Option<&Packet<H>> {
        self.line.front()
    }

    #[inline]
    fn pop(&mut self, now: Time) -> Mark {
        let left = Bytes::new(self.line.bytes_behind());
        let mark = mark_if(self.marks(left));
        self.line.leave(now, mark, &mut self.counters)
    }

    holds_one_line!(H);
}
