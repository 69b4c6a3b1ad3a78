//! Blocks of selective acknowledgements (RFC 2018). They use fields that pure acknowledgements do
//! not need otherwise, so packets have no extra space for them.

use std::ops::Range;

use fabricsim_core::packet::{Header, Packet, PacketKind};

use super::header::{Bits, HasTcp, TcpHeader};

/// Bytes that have arrived out of order: a block of a SACK option (RFC 2018, section 3). Empty if
/// `len` is zero.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct SackBlock {
    /// The first byte, relative to the cumulative acknowledgement. It is negative if the block
    /// reports a second copy of old bytes (RFC 2883, section 4).
    pub offset: i32,
    /// Number of bytes.
    pub len: u32,
}

impl SackBlock {
    /// Returns the block of `range` for an acknowledgement of all bytes below `ack`. A window is
    /// smaller than 2 GiB, so differences fit in 32 bits.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "differences within a window"
    )]
    pub(super) const fn between(range: &Range<u64>, ack: u64) -> Self {
        Self {
            offset: range.start.wrapping_sub(ack) as i32,
            len: (range.end - range.start) as u32,
        }
    }

    /// Returns the block in 64 bits; 0 for an empty block.
    #[expect(clippy::cast_sign_loss, reason = "the bits of the offset")]
    const fn to_bits(self) -> u64 {
        (self.len as u64) << 32 | self.offset as u32 as u64
    }

    #[expect(
        clippy::cast_possible_truncation,
        reason = "the halves of what to_bits returns"
    )]
    const fn from_bits(bits: u64) -> Self {
        Self {
            offset: bits as i32,
            len: (bits >> 32) as u32,
        }
    }
}

/// Writes `blocks`, which have arrived beyond the cumulative acknowledgement, into `packet`. It
/// must be a pure acknowledgement, and `blocks` must be ordered: the latest first, empty ones last.
#[inline]
pub(super) fn report<H: HasTcp>(packet: &mut Packet<H>, blocks: &[SackBlock; 3]) {
    debug_assert!(packet.is(PacketKind::Ack), "others have fields there");
    debug_assert!(
        blocks.is_sorted_by_key(|block| block.len == 0),
        "empty blocks are last"
    );
    if blocks[0].len > 0 {
        write(packet, blocks);
    }
}

#[cold]
fn write<H: HasTcp>(packet: &mut Packet<H>, &[first, second, third]: &[SackBlock; 3]) {
    packet.seq = first.to_bits();
    let header = packet.telemetry.tcp_mut();
    header.set_second_block(second.to_bits());
    if third.len > 0 {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "cut in two parts, and the bits of the offset"
        )]
        {
            header.set_third_block(((third.len >> 16) as u16, third.offset as u32));
            packet.payload = third.len as u16;
        }
    }
}

/// Returns the third block of `packet`. `header` is the packet's TCP header.
#[inline]
pub(super) fn third_block<H: Header>(packet: &Packet<H>, header: &TcpHeader) -> SackBlock {
    let (high, low) = header.third_block();
    let len = u32::from(high) << 16 | u32::from(packet.payload);
    let offset = if len > 0 { low.cast_signed() } else { 0 };
    SackBlock { offset, len }
}

/// Returns `true` if `packet` may report blocks: it is a pure acknowledgement and not the reply to
/// a probe. `header` is the packet's TCP header.
#[inline]
pub(super) fn may_report<H: Header>(packet: &Packet<H>, header: &TcpHeader) -> bool {
    packet.is(PacketKind::Ack) && header.bits.has(Bits::ACK)
}

/// Returns the first payload byte of `packet`, or 0 for acknowledgements. `header` is the packet's
/// TCP header.
#[must_use]
pub fn first_byte<H: Header>(packet: &Packet<H>, header: &TcpHeader) -> u64 {
    if may_report(packet, header) {
        0
    } else {
        packet.seq
    }
}

/// Returns the blocks that `packet` reports; empty ones are last. `header` is the packet's TCP
/// header.
#[inline]
#[must_use]
pub fn blocks<H: Header>(packet: &Packet<H>, header: &TcpHeader) -> [SackBlock; 3] {
    if packet.seq == 0 || !may_report(packet, header) {
        return Default::default();
    }
    let [first, second] = [packet.seq, header.second_block()].map(SackBlock::from_bits);
    [first, second, third_block(packet, header)]
}

#[cfg(test)]
mod tests {
    use fabricsim_base::flow::FlowKey;
    use fabricsim_base::id::{FlowId, NodeId};
    use fabricsim_base::priority::Priority;
    use fabricsim_core::plugin::Feedback;
    use proptest::prelude::*;

    use super::super::header::TcpHeader;
    use super::super::timestamps::timestamps;
    use super::*;

    fn packet(kind: PacketKind) -> Packet<TcpHeader> {
        let key = FlowKey {
            src: NodeId(0),
            dst: NodeId(1),
            src_port: 2,
            dst_port: 3,
        };
        Packet::new(kind, Priority::new(3), key, FlowId(4))
    }

    proptest! {
        #[test]
        fn blocks_arrive_as_they_were_sent(
            ack in 0u64..1 << 48,
            marked in 0u32..1 << 24,
            time in any::<u32>(),
            blocks in prop::collection::vec((any::<i32>(), 1..=u32::MAX), 0..=3),
        ) {
            let mut sent = [SackBlock::default(); 3];
            for (block, (offset, len)) in sent.iter_mut().zip(blocks) {
                *block = SackBlock { offset, len };
            }
            let mut packet = packet(PacketKind::Ack);
            packet.telemetry.bits = Bits::TCP.with(Bits::ACK);
            packet.telemetry.acknowledge(ack, marked);
            packet.telemetry.set_timestamp(time);
            report(&mut packet, &sent);
            let header = &packet.telemetry;
            prop_assert_eq!(blocks_of(&packet), sent);
            prop_assert_eq!((header.ack(), header.ce_count()), (ack, marked));
            prop_assert_eq!(first_byte(&packet, header), 0);
            let known = (sent[2].len == 0).then_some((time, 0));
            prop_assert_eq!(timestamps(&packet, header), known);
        }
    }

    fn blocks_of(packet: &Packet<TcpHeader>) -> [SackBlock; 3] {
        blocks(packet, &packet.telemetry)
    }

    #[test]
    fn a_probe_that_comes_back_reports_no_blocks() {
        let mut packet = packet(PacketKind::Ack);
        packet.seq = 5_000;
        packet.telemetry.bits = Bits::TCP;
        packet.telemetry.set_opening(3, Feedback::Accurate);
        assert_eq!(blocks_of(&packet), [SackBlock::default(); 3]);
        assert_eq!(first_byte(&packet, &packet.telemetry), 5_000);
    }

    #[test]
    fn segments_with_payload_report_no_blocks() {
        let mut packet = packet(PacketKind::Data);
        (packet.seq, packet.payload) = (5_000, 1_448);
        assert_eq!(blocks_of(&packet), [SackBlock::default(); 3]);
    }
}
