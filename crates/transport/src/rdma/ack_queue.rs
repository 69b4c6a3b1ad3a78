//! Acknowledgements that wait for their port.

use fabricsim_base::checkpoint::Stored;
use fabricsim_base::fifo::Fifo;
use fabricsim_base::priority::{Priority, PrioritySet};
use fabricsim_core::packet::{Header, Packet};

/// The ACKs of one NIC port: a queue for each priority, served in turn, so that a paused priority
/// does not hold back any other.
#[derive(Clone, Debug, Stored)]
pub(crate) struct AckQueue<H> {
    queues: [Fifo<Packet<H>>; Priority::COUNT],
    /// Priorities with ACKs in their queue.
    occupied: PrioritySet,
    /// The queue that was served last.
    last: Priority,
}

impl<H> Default for AckQueue<H> {
    fn default() -> Self {
        Self {
            queues: Default::default(),
            occupied: PrioritySet::EMPTY,
            last: Priority::CONTROL,
        }
    }
}

impl<H: Header> AckQueue<H> {
    /// Adds a copy of `packet` to the queue of `priority` and returns it.
    #[inline]
    pub(crate) fn push(&mut self, priority: Priority, packet: &Packet<H>) -> &mut Packet<H> {
        self.occupied.insert(priority);
        self.queues[priority.index()].push(packet)
    }

    /// Returns `true` if a priority in `allowed` has ACKs.
    #[inline]
    pub(crate) const fn any(&self, allowed: PrioritySet) -> bool {
        !self.occupied.intersection(allowed).is_empty()
    }

    /// Returns `true` if no ACK waits.
    #[inline]
    pub(crate) const fn is_empty(&self) -> bool {
        self.occupied.is_empty()
    }

    /// Records the turn of an ACK of `priority` that bypassed the queues, which are empty.
    #[inline]
    pub(crate) const fn pass(&mut self, priority: Priority) {
        self.last = priority;
    }

    /// Returns the number of waiting ACKs.
    pub(crate) fn len(&self) -> usize {
        self.queues.iter().map(Fifo::len).sum()
    }

    /// Returns the priority of the next ACK among the priorities in `allowed`, if there is one.
    #[inline]
    pub(crate) const fn turn(&self, allowed: PrioritySet) -> Option<Priority> {
        self.occupied.intersection(allowed).next_after(self.last)
    }

    /// Returns the first ACK of `priority`, which has the turn.
    #[inline]
    pub(crate) fn first(&self, priority: Priority) -> &Packet<H> {
        let first = self.queues[priority.index()].front();
        first.expect("an occupied queue holds acks")
    }

    /// Removes the first ACK of `priority`, which has had its turn.
    #[inline]
    pub(crate) fn pop(&mut self, priority: Priority) {
        self.last = priority;
        let waiting = &mut self.queues[priority.index()];
        waiting.pop();
        if waiting.is_empty() {
            self.occupied.remove(priority);
        }
    }

    /// Passes the next ACK of the priorities in `allowed` to `send` and removes it. Returns the
    /// result of `send`, or `None` if there is no such ACK.
    #[inline]
    pub(crate) fn serve<R>(
        &mut self,
        allowed: PrioritySet,
        send: impl FnOnce(&Packet<H>) -> R,
    ) -> Option<R> {
        let priority = self.turn(allowed)?;
        let sent = send(self.first(priority));
        self.pop(priority);
        Some(sent)
    }
}

#[cfg(test)]
mod tests {
    use fabricsim_base::flow::FlowKey;
    use fabricsim_base::id::{FlowId, NodeId};
    use fabricsim_core::packet::PacketKind;

    use super::*;

    #[test]
    fn a_paused_priority_holds_back_only_itself() {
        let key = FlowKey {
            src: NodeId(0),
            dst: NodeId(1),
            src_port: 1,
            dst_port: 2,
        };
        let mut acks = AckQueue::<()>::default();
        for priority in [3, 3, 5, 7, 5].map(Priority::new) {
            acks.push(
                priority,
                &Packet::new(PacketKind::Ack, priority, key, FlowId(0)),
            );
        }
        assert_eq!(acks.len(), 5);
        let mut order = Vec::new();
        let allowed = PrioritySet::ALL.without(PrioritySet::from_iter([Priority::new(3)]));
        let note = |order: &mut Vec<u8>, ack: &Packet<()>| order.push(ack.priority().get());
        while acks.serve(allowed, |ack| note(&mut order, ack)).is_some() {}
        assert_eq!(order, [5, 7, 5]);
        assert!(!acks.any(allowed) && acks.any(PrioritySet::ALL));
        assert_eq!(acks.len(), 2);
        let all = PrioritySet::ALL;
        while acks.serve(all, |ack| note(&mut order, ack)).is_some() {}
        assert_eq!(order, [5, 7, 5, 3, 3]);
    }
}
