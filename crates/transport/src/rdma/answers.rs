//! Acknowledgements that wait for their port.

use fabricsim_core::fifo::Fifo;
use fabricsim_core::packet::{Header, Packet};

/// The answers of one NIC port: a queue for each priority, served in turns, so that a paused
/// priority does not hold back the others.
#[derive(Clone, Debug)]
pub(crate) struct Answers<H> {
    queues: [Fifo<Packet<H>>; 8],
    /// Bit `i` is set when queue `i` holds answers.
    occupied: u8,
    /// The queue that was served last.
    last: u8,
}

impl<H> Default for Answers<H> {
    fn default() -> Self {
        Self {
            queues: Default::default(),
            occupied: 0,
            last: 0,
        }
    }
}

impl<H: Header> Answers<H> {
    /// Takes a copy of `packet` into the queue of `priority` and returns it.
    #[inline]
    pub(crate) fn push(&mut self, priority: u8, packet: &Packet<H>) -> &mut Packet<H> {
        self.occupied |= 1 << priority;
        self.queues[usize::from(priority)].push(packet)
    }

    /// Whether a priority in `allowed` (a mask) has answers.
    #[inline]
    pub(crate) const fn any(&self, allowed: u8) -> bool {
        self.occupied & allowed != 0
    }

    /// How many wait.
    pub(crate) fn len(&self) -> usize {
        self.queues.iter().map(Fifo::len).sum()
    }

    /// Shows the next answer of the priorities in `allowed` to `send` and removes it; whether there
    /// was one.
    #[inline]
    pub(crate) fn serve(&mut self, allowed: u8, send: impl FnOnce(&Packet<H>)) -> bool {
        let ready = self.occupied & allowed;
        if ready == 0 {
            return false;
        }
        let after = ready & !((2u8 << self.last).wrapping_sub(1));
        let from = if after == 0 { ready } else { after };
        let queue = from.trailing_zeros() as usize;
        self.last = from.trailing_zeros().to_le_bytes()[0];
        let waiting = &mut self.queues[queue];
        send(waiting.front().expect("an occupied queue holds answers"));
        waiting.pop();
        if waiting.is_empty() {
            self.occupied &= !(1 << queue);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use fabricsim_core::id::{FlowId, NodeId};
    use fabricsim_core::packet::PacketKind;
    use fabricsim_core::plugin::FlowKey;

    use super::*;

    #[test]
    fn a_paused_priority_holds_back_only_itself() {
        let key = FlowKey {
            src: NodeId(0),
            dst: NodeId(1),
            src_port: 1,
            dst_port: 2,
        };
        let mut answers = Answers::<()>::default();
        for priority in [3, 3, 5, 7, 5] {
            answers.push(
                priority,
                &Packet::new(PacketKind::Ack, priority, key, FlowId(0)),
            );
        }
        assert_eq!(answers.len(), 5);
        let mut order = Vec::new();
        while answers.serve(!(1 << 3), |packet| order.push(packet.priority())) {}
        assert_eq!(order, [5, 7, 5]);
        assert!(!answers.any(!(1 << 3)) && answers.any(u8::MAX));
        assert_eq!(answers.len(), 2);
        while answers.serve(u8::MAX, |packet| order.push(packet.priority())) {}
        assert_eq!(order, [5, 7, 5, 3, 3]);
    }
}
