//! The eight queues of a port, each with its own discipline.

mod by_rule;
mod turns;

use fabricsim_base::checkpoint::{
    Checkpointed, LoadError, Reader, Stored, Writer, load_each, save_each,
};
use fabricsim_base::priority::{Priority, PrioritySet};
use fabricsim_base::units::{Bytes, Time};
use fabricsim_core::packet::{Header, Packet};
use fabricsim_core::plugin::{Mark, Qdisc, QueueReport};

use crate::Markers;
use crate::any_discipline::AnyDiscipline;
use crate::counters::DisciplineCounters;
use crate::discipline::Discipline;
use crate::shared_fifo::SharedFifo;
use turns::Turns;
pub use turns::Weights;

const QUEUES: usize = 8;

/// The egress queues of a port with different disciplines for different priorities. So traffic in
/// the switch's shared buffer and traffic that an AQM rule drops and marks can use the same port.
///
/// Queue 0 (control) is a plain queue and is served first, always or for a limited number of
/// packets ([`Self::with_control_turns`]). The other queues take turns packet by packet, or by
/// bytes if they have [`Weights`]. With plain queues only, the results are the same as for
/// [`PriorityQueues`](crate::PriorityQueues), which is faster.
///
/// A packet that was dropped to make room for another is reported in `dropped` when the next packet
/// leaves; until then [`Qdisc::is_ready`] returns `true`.
// The order of fields matters: the fields for every packet are in the second cache line of the
// port. Plain queues are inlined into the switch, and all other queues are called.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct ClassQueues<H> {
    /// The queue of the last returned head, and the size of that packet.
    shown: Priority,
    shown_wire: u16,
    /// Priorities of plain queues: a packet that bypasses such an empty queue is neither counted
    /// nor marked.
    passing: PrioritySet,
    total: u64,
    turns: Turns,
    /// Packets that were dropped to make room for other packets.
    given_up: Vec<Packet<H>>,
    /// Maximum bytes in the queue of control.
    control_limit: u64,
    queues: [AnyDiscipline<H>; QUEUES],
}

impl<H: Header> ClassQueues<H> {
    /// Returns empty plain queues with the marker of each priority; priority 0 is never marked.
    #[must_use]
    pub fn new(markers: Option<Box<Markers>>) -> Self {
        let mut markers = markers.map_or_else(Markers::default, |markers| *markers);
        markers[0] = None;
        let mut queues = Self {
            shown: Priority::CONTROL,
            passing: PrioritySet::EMPTY,
            shown_wire: 0,
            total: 0,
            turns: Turns::default(),
            given_up: Vec::new(),
            control_limit: u64::MAX,
            queues: markers.map(AnyDiscipline::shared),
        };
        queues.find_passing();
        queues
    }

    /// Returns these queues with `discipline` for `priority`.
    ///
    /// # Panics
    /// Panics if `priority` is control.
    #[must_use]
    pub fn with_discipline(mut self, priority: Priority, discipline: AnyDiscipline<H>) -> Self {
        assert!(!priority.is_control(), "control has a plain queue");
        self.queues[priority.index()] = discipline;
        self.find_passing();
        self
    }

    /// Returns these queues with turns by bytes.
    #[must_use]
    pub fn with_weights(mut self, weights: &Weights) -> Self {
        self.turns.weigh(weights);
        self
    }

    /// Returns these queues with a turn for other priorities after `most` packets of control in a
    /// row. Control may then include the headers of trimmed packets.
    #[must_use]
    pub const fn with_control_turns(mut self, most: u32) -> Self {
        self.turns.limit_control(most);
        self
    }

    /// Returns these queues with at most `most` bytes of control packets; additional control
    /// packets are rejected.
    #[must_use]
    pub const fn with_control_limit(mut self, most: Bytes) -> Self {
        self.control_limit = most.get();
        self
    }

    /// Returns the bytes in the queue of `priority`.
    #[must_use]
    pub fn queue_bytes(&self, priority: Priority) -> Bytes {
        self.discipline(priority).bytes()
    }

    /// Returns the counters of the queue of `priority`; `None` for a plain queue.
    #[must_use]
    pub fn counters(&self, priority: Priority) -> Option<DisciplineCounters> {
        self.discipline(priority).counters()
    }

    /// Returns the queue of `priority`.
    #[must_use]
    pub const fn discipline(&self, priority: Priority) -> &AnyDiscipline<H> {
        &self.queues[priority.index()]
    }

    /// Moves the packets that were dropped to make room to `dropped`. A queue may have lost all of
    /// its packets.
    #[cold]
    fn hand_over(&mut self, dropped: &mut Vec<Packet<H>>) {
        dropped.append(&mut self.given_up);
        self.find_passing();
        for (queue, priority) in self.queues.iter().zip(Priority::all()) {
            if queue.packets() == 0 {
                self.turns.empty(priority);
            }
        }
    }

    /// Returns the queue of `priority` if it is plain.
    #[inline]
    const fn plain(&self, priority: Priority) -> Option<&SharedFifo<H>> {
        self.queues[priority.index()].as_plain()
    }

    /// Finds the priorities with plain queues. Their markers never mark a packet that leaves an
    /// empty queue behind. The set is empty while dropped packets wait to be reported.
    fn find_passing(&mut self) {
        self.passing = PrioritySet::EMPTY;
        if !self.given_up.is_empty() {
            return;
        }
        for priority in Priority::all() {
            if self.plain(priority).is_some() {
                self.passing.insert(priority);
            }
        }
    }

    /// Updates the turns and bytes after the departure of the packet at the head, which had `sent`
    /// bytes; its queue now has `left` bytes.
    #[inline]
    fn on_sent(&mut self, sent: Bytes, left: Bytes) {
        self.turns.on_sent(self.shown, sent);
        self.total -= sent.get();
        if left == Bytes::ZERO {
            self.turns.empty(self.shown);
        }
    }
}

impl<H: Header> Checkpointed for ClassQueues<H> {
    fn save(&self, out: &mut Writer) {
        let Self {
            shown,
            passing: _,
            shown_wire: _,
            total,
            turns,
            given_up,
            control_limit: _,
            queues,
        } = self;
        total.store(out);
        turns.store(out);
        shown.store(out);
        given_up.store(out);
        save_each(queues.iter(), out);
    }

    fn load(&mut self, input: &mut Reader<'_>) -> Result<(), LoadError> {
        let Self {
            shown,
            passing: _,
            shown_wire: _,
            total,
            turns,
            given_up,
            control_limit: _,
            queues,
        } = self;
        total.load(input)?;
        turns.load(input)?;
        shown.load(input)?;
        given_up.load(input)?;
        load_each(queues.iter_mut(), input)?;
        self.find_passing();
        Ok(())
    }
}

impl<H: Header> Qdisc<H> for ClassQueues<H> {
    fn for_each_report(&self, visit: &mut dyn FnMut(&QueueReport)) {
        for (queue, priority) in self.queues.iter().zip(Priority::all()) {
            let (Some(discipline), Some(counted)) = (queue.rule(), queue.counters()) else {
                continue;
            };
            let quantile = |share| counted.sojourn.quantile(share);
            visit(&QueueReport {
                priority,
                discipline: discipline.into(),
                enqueued: counted.enqueued.packets,
                dequeued: counted.dequeued.packets,
                marked: counted.marked,
                tail_drops: counted.tail_drops.packets,
                aqm_drops: counted.aqm_drops.packets,
                overload_drops: counted.overload_drops.packets,
                sojourn: match (quantile(0.5), quantile(0.95), quantile(0.99)) {
                    (Some(p50), Some(p95), Some(p99)) => Some([p50, p95, p99]),
                    _ => None,
                },
            });
        }
    }

    #[inline(always)]
    fn enqueue(&mut self, now: Time, packet: &Packet<H>) -> Option<&mut Packet<H>> {
        let priority = packet.priority();
        if self.plain(priority).is_none() {
            return self.enqueue_by_rule(now, packet);
        }
        let queue = self.queues[priority.index()].as_plain_mut()?;
        let wire = u64::from(packet.wire);
        if priority.is_control() && queue.bytes().get() + wire > self.control_limit {
            return None;
        }
        self.total += wire;
        self.turns.fill(priority);
        Some(queue.push(now, packet))
    }

    #[inline(always)]
    fn head(
        &mut self,
        now: Time,
        paused: PrioritySet,
        dropped: &mut Vec<Packet<H>>,
    ) -> Option<&Packet<H>> {
        if !self.given_up.is_empty() {
            self.hand_over(dropped);
        }
        self.shown = self.turns.choose(paused)?;
        if self.plain(self.shown).is_none() {
            return self.head_by_rule(now, paused, dropped);
        }
        let first = self.plain(self.shown)?.front()?;
        self.shown_wire = first.wire;
        // Looked up again, because the borrow ends at the line before.
        self.plain(self.shown)?.front()
    }

    #[inline(always)]
    fn pop(&mut self, now: Time) -> Mark {
        let shown = self.shown;
        let Some(queue) = self.queues[shown.index()].as_plain_mut() else {
            return self.pop_by_rule(now);
        };
        let mark = queue.pop_wire(self.shown_wire);
        let left = queue.bytes();
        let sent = Bytes::new(u64::from(self.shown_wire));
        self.on_sent(sent, left);
        mark
    }

    #[inline]
    fn bytes(&self) -> Bytes {
        Bytes::new(self.total)
    }

    fn for_each(&self, mut visit: impl FnMut(&Packet<H>)) {
        for queue in &self.queues {
            queue.for_each(&mut visit);
        }
    }

    #[inline]
    fn is_ready(&self, paused: PrioritySet) -> bool {
        self.turns.is_ready(paused) || !self.given_up.is_empty()
    }

    #[inline]
    fn bypass(&mut self, waits: bool, packet: &Packet<H>) -> Option<Mark> {
        // A packet that waits counts as a turn, and the space for control is limited. Not `&&`: the
        // processor cannot predict if a packet waits, but can usually predict if both hold.
        let matters = self.turns.counts() | (u64::from(packet.wire) > self.control_limit);
        if waits & matters {
            return None;
        }
        let priority = packet.priority();
        if !self.passing.contains(priority) {
            return self.bypass_by_rule(waits, packet);
        }
        self.turns.on_passed(priority);
        Some(Mark::None)
    }

    fabricsim_base::saves_state!();
}

#[cfg(test)]
mod tests;
