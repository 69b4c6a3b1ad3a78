//! Eight queues: 0 has strict priority, 1 to 7 take turns packet by packet.

use fabricsim_base::checkpoint::{
    Checkpointed, Kind, LoadError, Reader, Stored, Writer, load_optional, save_optional,
};
use fabricsim_base::fifo::Fifo;
use fabricsim_base::priority::{Priority, PrioritySet};
use fabricsim_base::units::{Bytes, Time};
use fabricsim_core::packet::{Header, Packet};
use fabricsim_core::plugin::{Mark, Qdisc};

use crate::RedEcn;

const QUEUES: usize = Priority::COUNT;

/// The egress queues of a port. Queue 0 (control) is always served first, the other queues round
/// robin by packet, and a packet may be ECN-marked when it leaves. The queues drop no packets,
/// because the shared buffer decides about room.
///
/// Source: the published HPCC simulator's egress queue; marking is per (port, priority), by the
/// bytes that remain after the packet has left.
// The order of fields matters: the fields for every packet are in the second cache line of the
// port.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct PriorityQueues<H> {
    total: u64,
    markers: Option<Box<Markers>>,
    /// Priorities with packets in their queue.
    occupied: PrioritySet,
    /// The last served queue among 1 to 7 (0 at first).
    last: Priority,
    /// The queue of the last returned head, and the size of that packet.
    shown: Priority,
    shown_wire: u16,
    queues: [Queue<H>; QUEUES],
}

#[derive(Clone, Debug, Stored)]
#[checkpoint(plain)]
struct Queue<H> {
    packets: Fifo<Packet<H>>,
    bytes: u64,
}

impl<H> Default for Queue<H> {
    fn default() -> Self {
        Self {
            packets: Fifo::default(),
            bytes: 0,
        }
    }
}

/// The marker of each priority that has one.
pub type Markers = [Option<RedEcn>; QUEUES];

impl<H: Header> PriorityQueues<H> {
    /// Returns empty queues with the marker of each priority; priority 0 is never marked.
    #[must_use]
    pub fn new(markers: Option<Box<Markers>>) -> Self {
        Self {
            queues: Default::default(),
            total: 0,
            occupied: PrioritySet::EMPTY,
            last: Priority::CONTROL,
            shown: Priority::CONTROL,
            shown_wire: 0,
            markers,
        }
    }

    /// Returns the bytes in the queue of `priority`.
    #[must_use]
    pub fn queue_bytes(&self, priority: Priority) -> Bytes {
        Bytes::new(self.queues[priority.index()].bytes)
    }

    /// Returns the queues that have packets and may send; control is never paused.
    #[inline]
    const fn unpaused(&self, paused: PrioritySet) -> PrioritySet {
        self.occupied
            .without(paused.intersection(PrioritySet::DATA))
    }

    /// Returns the queue to serve among `ready`: 0 first, otherwise the next one after `last` in
    /// cyclic order.
    #[inline]
    fn choose(&self, ready: PrioritySet) -> Option<Priority> {
        if ready.contains(Priority::CONTROL) {
            return Some(Priority::CONTROL);
        }
        ready.next_after(self.last)
    }

    /// Returns the mark of a packet that leaves `queue`, depending on the remaining bytes.
    #[inline]
    fn mark(&mut self, queue: Priority) -> Mark {
        let Some(markers) = &mut self.markers else {
            return Mark::None;
        };
        let left = Bytes::new(self.queues[queue.index()].bytes);
        let marked = match &mut markers[queue.index()] {
            Some(marker) => !queue.is_control() && marker.marks(left),
            None => false,
        };
        if marked { Mark::Congestion } else { Mark::None }
    }
}

/// Saves the draws of markers; there may be none.
fn save_markers(markers: Option<&Markers>, out: &mut Writer) {
    for index in 0..QUEUES {
        let marker = markers.and_then(|markers| markers[index].as_ref());
        save_optional(marker, out);
    }
}

/// Loads the draws that [`save_markers`] has saved.
fn load_markers(
    mut markers: Option<&mut Markers>,
    input: &mut Reader<'_>,
) -> Result<(), LoadError> {
    for index in 0..QUEUES {
        let marker = markers.as_mut().and_then(|markers| markers[index].as_mut());
        load_optional(marker, input)?;
    }
    Ok(())
}

impl<H: Stored> Checkpointed for PriorityQueues<H> {
    fn save(&self, out: &mut Writer) {
        let Self {
            total,
            markers,
            occupied,
            last,
            shown,
            shown_wire: _,
            queues,
        } = self;
        let kind = out.declare(Kind::Plain);
        (*total, *occupied, *last).store(out);
        out.declare(kind);
        shown.store(out);
        queues.store(out);
        save_markers(markers.as_deref(), out);
    }

    fn load(&mut self, input: &mut Reader<'_>) -> Result<(), LoadError> {
        let Self {
            total,
            markers,
            occupied,
            last,
            shown,
            shown_wire: _,
            queues,
        } = self;
        (*total, *occupied, *last) = Stored::fetch(input)?;
        shown.load(input)?;
        queues.load(input)?;
        load_markers(markers.as_deref_mut(), input)
    }
}

impl<H: Header> Qdisc<H> for PriorityQueues<H> {
    #[inline]
    fn enqueue(&mut self, _now: Time, packet: &Packet<H>) -> Option<&mut Packet<H>> {
        let priority = packet.priority();
        self.total += u64::from(packet.wire);
        self.occupied.insert(priority);
        let queue = &mut self.queues[priority.index()];
        queue.bytes += u64::from(packet.wire);
        Some(queue.packets.push(packet))
    }

    #[inline]
    fn head(
        &mut self,
        _now: Time,
        paused: PrioritySet,
        _dropped: &mut Vec<Packet<H>>,
    ) -> Option<&Packet<H>> {
        self.shown = self.choose(self.unpaused(paused))?;
        let first = self.queues[self.shown.index()].packets.front()?;
        self.shown_wire = first.wire;
        Some(first)
    }

    // Otherwise the compiler makes it a call, for which each queued packet pays.
    #[inline(always)]
    fn pop(&mut self, _now: Time) -> Mark {
        let shown = self.shown;
        if !shown.is_control() {
            self.last = shown;
        }
        let queue = &mut self.queues[shown.index()];
        queue.packets.pop();
        let wire = u64::from(self.shown_wire);
        queue.bytes -= wire;
        self.total -= wire;
        if queue.bytes == 0 {
            self.occupied.remove(shown);
        }
        self.mark(shown)
    }

    #[inline]
    fn bytes(&self) -> Bytes {
        Bytes::new(self.total)
    }

    fn for_each(&self, visit: impl FnMut(&Packet<H>)) {
        let queues = self.queues.iter();
        queues
            .flat_map(|queue| queue.packets.iter())
            .for_each(visit);
    }

    #[inline]
    fn is_ready(&self, paused: PrioritySet) -> bool {
        !self.unpaused(paused).is_empty()
    }

    #[inline]
    fn bypass(&mut self, _waits: bool, packet: &Packet<H>) -> Option<Mark> {
        let queue = packet.priority();
        if !queue.is_control() {
            self.last = queue;
        }
        // It leaves an empty queue behind, which is below every marker's threshold.
        Some(Mark::None)
    }

    fabricsim_base::saves_state!();
}

#[cfg(test)]
mod tests {
    use fabricsim_base::flow::FlowKey;
    use fabricsim_base::id::{FlowId, NodeId};
    use fabricsim_core::packet::PacketKind;

    use super::*;

    fn packet(priority: u8, wire: u16) -> Packet<()> {
        let key = FlowKey {
            src: NodeId(0),
            dst: NodeId(1),
            src_port: 1,
            dst_port: 2,
        };
        let mut packet = Packet::new(PacketKind::Data, Priority::new(priority), key, FlowId(0));
        packet.wire = wire;
        packet
    }

    fn served(queues: &mut PriorityQueues<()>, paused: PrioritySet) -> Vec<u8> {
        let mut order = Vec::new();
        while let Some(packet) = queues.head(Time::ZERO, paused, &mut Vec::new()) {
            order.push(packet.priority().get());
            queues.pop(Time::ZERO);
        }
        order
    }

    #[test]
    fn control_first_then_turns() {
        let mut queues = PriorityQueues::new(None);
        for priority in [3, 3, 5, 5, 0, 3] {
            assert!(queues.enqueue(Time::ZERO, &packet(priority, 100)).is_some());
        }
        assert_eq!(queues.bytes().get(), 600);
        assert_eq!(
            served(&mut queues, PrioritySet::default()),
            [0, 3, 5, 3, 5, 3]
        );
        assert_eq!(queues.bytes().get(), 0);
    }

    #[test]
    fn a_paused_priority_waits_and_control_never_does() {
        let mut queues = PriorityQueues::new(None);
        let mut paused = PrioritySet::default();
        paused.insert(Priority::new(3));
        paused.insert(Priority::new(0));
        for priority in [3, 5, 0] {
            assert!(queues.enqueue(Time::ZERO, &packet(priority, 100)).is_some());
        }
        assert_eq!(served(&mut queues, paused), [0, 5]);
        assert!(!queues.is_ready(paused));
        assert!(queues.is_ready(PrioritySet::default()));
    }

    #[test]
    fn the_queue_left_behind_decides_about_a_mark() {
        let step = crate::EcnConfig {
            kmin: Bytes::new(150),
            kmax: Bytes::new(150),
            pmax: 1.0,
        };
        let mut markers = Markers::default();
        markers[3] = Some(RedEcn::new(&step, 1, 0));
        let mut queues = PriorityQueues::new(Some(Box::new(markers)));
        for _ in 0..3 {
            assert!(queues.enqueue(Time::ZERO, &packet(3, 100)).is_some());
        }
        let marks: Vec<Mark> = std::iter::from_fn(|| {
            queues.head(Time::ZERO, PrioritySet::default(), &mut Vec::new())?;
            Some(queues.pop(Time::ZERO))
        })
        .collect();
        assert_eq!(marks, [Mark::Congestion, Mark::None, Mark::None]);
    }

    proptest::proptest! {
        #[test]
        fn bytes_are_conserved(arrivals in proptest::collection::vec((0u8..8, 46u16..1500), 0..100)) {
            let mut queues = PriorityQueues::new(None);
            let mut sum = 0u64;
            for (priority, wire) in &arrivals {
                queues.enqueue(Time::ZERO, &packet(*priority, *wire));
                sum += u64::from(*wire);
                proptest::prop_assert_eq!(queues.bytes().get(), sum);
            }
            let per_queue: u64 = Priority::all().map(|q| queues.queue_bytes(q).get()).sum();
            proptest::prop_assert_eq!(per_queue, sum);
            proptest::prop_assert_eq!(served(&mut queues, PrioritySet::default()).len(), arrivals.len());
            proptest::prop_assert_eq!(queues.bytes().get(), 0);
        }
    }
}
