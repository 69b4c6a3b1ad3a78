//! Packets that a receiver keeps beyond a gap.

use fabricsim_base::checkpoint::Stored;
use fabricsim_core::packet::{Flags, Header, Packet};

use super::packet_set::PacketSet;

/// The packets of a flow that have arrived beyond its first missing byte (Mittal et al., SIGCOMM
/// 2018, section 3.1). It exists only if there are some.
///
/// A packet's number is its first byte divided by the MTU, because senders fill each packet except
/// the last.
#[derive(Clone, Debug, Stored)]
#[checkpoint(absolute)]
pub(super) struct Reassembly {
    held: PacketSet,
    /// Number of held packets.
    count: u64,
    /// Byte at which the flow ends, if its last packet is held.
    end: Option<u64>,
    /// Short packets of a connection, with the number of bytes missing to the MTU.
    short: Vec<(u64, u64)>,
}

impl Reassembly {
    /// Returns an empty set for a flow with `expected` as its first missing byte.
    pub(super) const fn new(expected: u64, mtu: u64) -> Self {
        Self {
            held: PacketSet::new(expected / mtu),
            count: 0,
            end: None,
            short: Vec::new(),
        }
    }

    /// Keeps `packet`, which begins beyond `expected`, the first missing byte. Returns its distance
    /// in packets, or 0 if that is more than 2^32. For 0, the sender learns only of the gap.
    ///
    /// Differs from the paper: the report has the same size on the wire as other ACKs.
    pub(super) fn keep<H: Header>(&mut self, packet: &Packet<H>, expected: u64, mtu: u64) -> u32 {
        let new = self.held.insert(packet.seq / mtu);
        self.count += u64::from(new);
        let lacks = mtu - u64::from(packet.payload).min(mtu);
        if new && lacks > 0 && packet.flags.has(Flags::STREAM) {
            self.short.push((packet.seq, lacks));
        }
        if packet.flags.has(Flags::LAST) && !packet.flags.has(Flags::STREAM) {
            self.end = Some(packet.seq + u64::from(packet.payload));
        }
        u32::try_from((packet.seq - expected) / mtu).unwrap_or(0)
    }

    /// Removes the packets that follow `expected` without a gap; all bytes below have arrived.
    /// Returns the first byte that is still missing, and `true` if that is the end of the flow.
    #[cold]
    pub(super) fn fill(&mut self, expected: u64, mtu: u64) -> (u64, bool) {
        let packet = expected / mtu;
        let missing = self.held.first_absent(packet);
        if missing == packet {
            return (expected, false);
        }
        self.count -= missing - packet;
        self.held.forget_below(missing);
        let expected = missing * mtu;
        match self.end {
            Some(end) if end <= expected => (end, true),
            _ => (expected, false),
        }
    }

    /// Returns `true` if the packet that begins at `seq` is held.
    pub(super) fn holds(&self, seq: u64, mtu: u64) -> bool {
        self.held.contains(seq / mtu)
    }

    /// Removes the packets of a connection below `expected`. Returns their total number of bytes
    /// missing to the MTU.
    pub(super) fn padding_below(&mut self, expected: u64) -> u64 {
        let mut padding = 0;
        self.short.retain(|&(seq, lacks)| {
            let delivered = seq < expected;
            padding += if delivered { lacks } else { 0 };
            !delivered
        });
        padding
    }

    /// Returns `true` if no packet is held.
    pub(super) const fn is_empty(&self) -> bool {
        self.count == 0
    }
}

#[cfg(test)]
mod tests {
    use fabricsim_base::flow::FlowKey;
    use fabricsim_base::id::{FlowId, NodeId};
    use fabricsim_core::packet::PacketKind;

    use super::*;
    use fabricsim_base::priority::Priority;

    const MTU: u64 = 1_000;

    fn packet(seq: u64, payload: u16, flags: Flags) -> Packet<()> {
        let key = FlowKey {
            src: NodeId(0),
            dst: NodeId(1),
            src_port: 1,
            dst_port: 2,
        };
        let mut packet = Packet::new(PacketKind::Data, Priority::new(3), key, FlowId(0));
        (packet.seq, packet.payload, packet.flags) = (seq, payload, flags);
        packet
    }

    #[test]
    fn a_filled_gap_frees_what_follows_up_to_the_next_one() {
        let mut reassembly = Reassembly::new(5_000, MTU);
        let mut keep = |seq| reassembly.keep(&packet(seq, 1_000, Flags::NONE), 5_000, MTU);
        assert_eq!([6_000, 7_000, 9_000, 7_000].map(&mut keep), [1, 2, 4, 2]);
        assert_eq!(reassembly.fill(6_000, MTU), (8_000, false));
        assert!(!reassembly.is_empty());
        assert_eq!(reassembly.fill(9_000, MTU), (10_000, false));
        assert!(reassembly.is_empty());
    }

    #[test]
    fn a_flow_may_end_in_a_short_packet() {
        let mut reassembly = Reassembly::new(0, MTU);
        reassembly.keep(&packet(2_000, 1, Flags::LAST), 0, MTU);
        assert_eq!(reassembly.fill(1_000, MTU), (1_000, false));
        assert_eq!(reassembly.fill(2_000, MTU), (2_001, true));
        assert!(reassembly.is_empty());
    }

    #[test]
    fn short_packets_inside_a_connection_take_the_numbers_of_full_ones() {
        let mut reassembly = Reassembly::new(0, MTU);
        for (seq, payload) in [(1_000, 10), (1_000, 10), (2_000, 1_000), (4_000, 300)] {
            reassembly.keep(&packet(seq, payload, Flags::STREAM), 0, MTU);
        }
        assert_eq!(reassembly.fill(1_000, MTU), (3_000, false));
        assert_eq!(reassembly.padding_below(3_000), 990);
        assert_eq!(reassembly.padding_below(3_000), 0);
        assert_eq!(reassembly.fill(4_000, MTU), (5_000, false));
        assert_eq!(reassembly.padding_below(5_000), 700);
    }

    #[test]
    fn what_lies_far_beyond_is_kept_and_reported() {
        let mut reassembly = Reassembly::new(0, MTU);
        let mut keep =
            |number: u64| reassembly.keep(&packet(number * MTU, 1_000, Flags::NONE), 0, MTU);
        assert_eq!(
            [65_535, 65_536, 200_000].map(&mut keep),
            [65_535, 65_536, 200_000]
        );
        for number in 1..65_535 {
            keep(number);
        }
        assert_eq!(reassembly.fill(1_000, MTU), (65_537_000, false));
    }
}
