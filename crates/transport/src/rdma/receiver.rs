//! The receiving side: what has arrived in order, and what to answer.

use std::collections::VecDeque;
use std::collections::hash_map::Entry;

use fabricsim_core::id::FlowId;
use fabricsim_core::packet::{Flags, Header, Packet, PacketKind};
use fabricsim_core::units::{Duration, Time};
use rustc_hash::FxHashMap;

/// Whole flows that are remembered, so that late copies of their packets are recognised.
const REMEMBERED: usize = 64;

#[derive(Clone, Copy, Debug)]
struct Reception {
    /// All bytes below this one have arrived.
    expected: u64,
    /// The byte of the last NACK.
    nacked: u64,
    /// Until when another NACK for that byte is held back.
    nack_after: Time,
}

impl Default for Reception {
    fn default() -> Self {
        Self {
            expected: 0,
            nacked: u64::MAX,
            nack_after: Time::ZERO,
        }
    }
}

/// What a data packet leads to.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Answer {
    /// Tell the sender that all bytes below this one are here.
    Ack(u64),
    /// The sender is told that the flow is complete: it was, and has been forgotten since.
    Complete,
    /// Tell the sender that this byte is missing.
    Nack(u64),
    /// Say nothing.
    Silence,
}

impl Answer {
    pub(super) const fn kind(self) -> Option<PacketKind> {
        match self {
            Self::Ack(_) | Self::Complete => Some(PacketKind::Ack),
            Self::Nack(_) => Some(PacketKind::Nack),
            Self::Silence => None,
        }
    }
}

/// The flows that this host receives.
#[derive(Clone, Debug, Default)]
pub(super) struct Receivers {
    flows: FxHashMap<FlowId, Reception>,
    /// Complete flows that are still in `flows`, oldest first.
    complete: VecDeque<FlowId>,
}

impl Receivers {
    /// Takes a data packet in. Returns the answer and the bytes delivered in order.
    ///
    /// Differs from the paper: an old packet is acknowledged again, where the published simulator
    /// says nothing; without that a lost last acknowledgement would never be made up for.
    pub(super) fn on_data<H: Header>(
        &mut self,
        now: Time,
        packet: &Packet<H>,
        nack_interval: Duration,
    ) -> (Answer, u64) {
        let reception = match self.flows.entry(packet.flow) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(_) if packet.flags.has(Flags::CONTINUED) => return (Answer::Complete, 0),
            Entry::Vacant(entry) => entry.insert(Reception::default()),
        };
        let payload = u64::from(packet.payload);
        if packet.seq == reception.expected {
            reception.expected += payload;
            let answer = Answer::Ack(reception.expected);
            if packet.flags.has(Flags::LAST) {
                self.retire(packet.flow);
            }
            (answer, payload)
        } else if packet.seq < reception.expected {
            (Answer::Ack(reception.expected), 0)
        } else if now >= reception.nack_after || reception.nacked != reception.expected {
            reception.nacked = reception.expected;
            reception.nack_after = now.saturating_add(nack_interval);
            (Answer::Nack(reception.expected), 0)
        } else {
            (Answer::Silence, 0)
        }
    }

    fn retire(&mut self, flow: FlowId) {
        self.complete.push_back(flow);
        if self.complete.len() > REMEMBERED
            && let Some(oldest) = self.complete.pop_front()
        {
            self.flows.remove(&oldest);
        }
    }
}

#[cfg(test)]
mod tests {
    use fabricsim_core::id::NodeId;
    use fabricsim_core::plugin::FlowKey;

    use super::*;

    const INTERVAL: Duration = Duration::from_us(500);

    fn data(flow: u32, seq: u64, flags: Flags) -> Packet<()> {
        let key = FlowKey {
            src: NodeId(0),
            dst: NodeId(1),
            src_port: 1,
            dst_port: 2,
        };
        let mut packet = Packet::new(PacketKind::Data, 3, key, FlowId(flow));
        packet.seq = seq;
        packet.payload = 1_000;
        packet.flags = flags;
        packet
    }

    #[test]
    fn in_order_bytes_are_acknowledged_one_by_one() {
        let mut receivers = Receivers::default();
        let mut take = |seq| receivers.on_data(Time::ZERO, &data(0, seq, Flags::NONE), INTERVAL);
        assert_eq!(take(0), (Answer::Ack(1_000), 1_000));
        assert_eq!(take(1_000), (Answer::Ack(2_000), 1_000));
        assert_eq!(take(0), (Answer::Ack(2_000), 0));
    }

    #[test]
    fn a_gap_is_reported_once_an_interval() {
        let mut receivers = Receivers::default();
        let mut take = |us: u64, seq| {
            receivers
                .on_data(
                    Time::from_ns(us * 1_000),
                    &data(0, seq, Flags::NONE),
                    INTERVAL,
                )
                .0
        };
        assert_eq!(take(0, 1_000), Answer::Nack(0));
        assert_eq!(take(1, 2_000), Answer::Silence);
        assert_eq!(take(500, 3_000), Answer::Nack(0));
        assert_eq!(take(501, 0), Answer::Ack(1_000));
        assert_eq!(take(502, 5_000), Answer::Nack(1_000));
    }

    #[test]
    fn a_late_copy_of_a_complete_flow_is_recognised() {
        let mut receivers = Receivers::default();
        for flow in 0..200 {
            receivers.on_data(Time::ZERO, &data(flow, 0, Flags::LAST), INTERVAL);
        }
        assert_eq!(receivers.flows.len(), REMEMBERED);
        let late = data(199, 0, Flags::LAST);
        assert_eq!(
            receivers.on_data(Time::ZERO, &late, INTERVAL).0,
            Answer::Ack(1_000)
        );
        let forgotten = data(0, 7_000, Flags::CONTINUED);
        assert_eq!(
            receivers.on_data(Time::ZERO, &forgotten, INTERVAL).0,
            Answer::Complete
        );
    }
}
