//! A first-in, first-out queue with an AQM rule.

use fabricsim_base::checkpoint::{Checkpointed, LoadError, Reader, Stored, Writer};
use fabricsim_base::units::{Bytes, Time};
use fabricsim_core::packet::{Ecn, Header, Packet};
use fabricsim_core::plugin::Mark;
use fabricsim_engine::Message;

use super::arrival_marks::ArrivalMarks;
use super::{Aqm, AqmConfig, AqmPacket, DisciplineContext, Verdict};
use crate::counters::{DisciplineCounters, DropCause};
use crate::discipline::{Discipline, is_capable, mark_if};
use crate::line::Line;

/// A first-in, first-out queue with an AQM rule.
#[derive(Debug)]
pub struct AqmQueue<H> {
    name: &'static str,
    line: Line<H>,
    rule: Box<dyn Aqm>,
    /// Cached result of [`Aqm::passes_up_to`].
    passes_up_to: Bytes,
    /// Marks from [`Aqm::on_arrival`].
    marks: ArrivalMarks,
    /// The mark with which the packet at the front leaves.
    mark: Mark,
    counters: DisciplineCounters,
}

impl<H: Clone> Clone for AqmQueue<H> {
    fn clone(&self) -> Self {
        Self {
            name: self.name,
            line: self.line.clone(),
            rule: self.rule.boxed_clone(),
            passes_up_to: self.passes_up_to,
            marks: self.marks.clone(),
            mark: self.mark,
            counters: self.counters.clone(),
        }
    }
}

impl<H: Header> AqmQueue<H> {
    /// Returns an empty queue.
    #[must_use]
    pub fn new(config: &AqmConfig, context: &DisciplineContext) -> Self {
        let rule = config.rule(context);
        Self {
            name: config.name(),
            line: Line::default(),
            passes_up_to: rule.passes_up_to(),
            rule,
            marks: ArrivalMarks::default(),
            mark: Mark::None,
            counters: DisciplineCounters::default(),
        }
    }

    /// Returns the name of the rule.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Lets `packet` bypass the empty queue on the way to an idle wire, if the rule need not see
    /// it.
    #[inline]
    pub(crate) fn pass(&mut self, packet: &Packet<H>) -> Option<Mark> {
        let size = packet.size();
        (size <= self.passes_up_to).then(|| {
            self.counters.on_pass(size, Mark::None);
            Mark::None
        })
    }
}

impl<H: Stored> Checkpointed for AqmQueue<H> {
    fn save(&self, out: &mut Writer) {
        let Self {
            name: _,
            line,
            rule,
            passes_up_to: _,
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
            passes_up_to: _,
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

    #[inline]
    fn front(&self) -> Option<&Packet<H>> {
        self.line.front()
    }

    fn pop(&mut self, now: Time) -> Mark {
        self.marks.pop();
        self.line.leave(now, self.mark, &mut self.counters)
    }

    #[inline]
    fn bytes(&self) -> Bytes {
        self.line.bytes()
    }

    #[inline]
    fn packets(&self) -> usize {
        self.line.len()
    }

    fn for_each(&self, visit: impl FnMut(&Packet<H>)) {
        self.line.iter().for_each(visit);
    }

    fn counters(&self) -> Option<DisciplineCounters> {
        Some(self.counters.settled())
    }
}
