//! Fields of a TCP segment in addition to the fields of every packet.
//!
//! `Packet::seq` is the first payload byte of a segment (on acknowledgements it belongs to the
//! reported blocks). `Packet::flow` is the connection (the flow that opened it). `Packet::sent_at`
//! is a timestamp: of the segment itself, and on an acknowledgement, of the segment that caused it
//! (RFC 7323, section 4.3). The other timestamp of each is in [`timestamps`](super::timestamps).

use fabricsim_base::checkpoint::Stored;
use fabricsim_base::units::Bytes;
use fabricsim_core::packet::Header;

use fabricsim_core::plugin::Feedback;

/// The bits of a header. A packet without [`Bits::TCP`] belongs to another transport.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, Stored)]
#[checkpoint(absolute)]
pub struct Bits(u8);

impl Bits {
    /// The packet is a TCP segment.
    pub const TCP: Self = Self(1);
    /// Opens a connection (RFC 9293, section 3.5). On a segment with payload, it opens a connection
    /// without handshake.
    pub const SYN: Self = Self(2);
    /// `TcpHeader::ack` is valid.
    pub const ACK: Self = Self(4);
    /// The last segment of its direction. It takes one number after the payload.
    pub const FIN: Self = Self(8);
    /// Echoes congestion (RFC 3168, section 6.1.3; RFC 8257, section 3.2).
    pub const ECE: Self = Self(16);
    /// The echo was received (RFC 3168, section 6.1.2).
    pub const CWR: Self = Self(32);
    /// The segment is a request; [`TcpHeader::aside`] is the size of the response.
    pub const REQUEST: Self = Self(64);
    /// On a segment that opens a connection: both sides send messages on it, and it stays open.
    pub const STREAM: Self = Self(128);

    /// Returns `true` if all bits of `other` are set.
    #[inline]
    #[must_use]
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Returns the union of `self` and `other`.
    #[inline]
    #[must_use]
    pub const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Returns `self`, with `other` added if `condition` is `true`.
    #[inline]
    #[must_use]
    pub const fn and_if(self, condition: bool, other: Self) -> Self {
        if condition { self.with(other) } else { self }
    }
}

/// The header of a segment: 24 bytes.
///
/// Acknowledgements store blocks in the fields that only segments with payload and opening segments
/// use otherwise: [`sack_blocks`](super::sack_blocks).
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, Stored)]
#[checkpoint(absolute)]
pub struct TcpHeader {
    /// The cumulative acknowledgement in the lower 48 bits, and a part of a block in the upper 16.
    /// On RDMA packets, which leave the TCP header empty otherwise, the credit number.
    ack: u64,
    /// The number of [`Self::aside`], or a block.
    aside: u64,
    /// On opening segments, the class in the upper half and the feedback of marks in the lower
    /// half. Otherwise a timestamp, or a part of a block.
    opening: u32,
    ce_count: [u8; 3],
    /// Bits that tell the type of the segment.
    pub bits: Bits,
}

/// Bits of a byte number, for connections of up to 256 TiB.
const ACK_BITS: u32 = 48;

/// Counts of packets with a CE mark are modulo this number.
pub(super) const CE_COUNTS: u32 = 1 << 24;

impl TcpHeader {
    /// Returns the next byte that the sender of this segment expects from the other side.
    #[inline]
    #[must_use]
    pub const fn ack(&self) -> u64 {
        self.ack & ((1 << ACK_BITS) - 1)
    }

    /// Returns the number of packets that arrived with a CE mark, modulo 2^24 (RFC 9768, section
    /// 3.2).
    ///
    /// Differs from the paper: the RFC's field is narrower and wraps at 8. This count needs no
    /// heuristics after losses.
    #[inline]
    #[must_use]
    pub const fn ce_count(&self) -> u32 {
        let [low, middle, high] = self.ce_count;
        u32::from_le_bytes([low, middle, high, 0])
    }

    /// Acknowledges all bytes below `ack`, with `ce_count` marked packets.
    #[inline]
    pub const fn acknowledge(&mut self, ack: u64, ce_count: u32) {
        debug_assert!(ack >> ACK_BITS == 0, "a connection has fewer bytes");
        self.ack = ack;
        let [low, middle, high, _] = ce_count.to_le_bytes();
        self.ce_count = [low, middle, high];
    }

    /// Returns the class of the connection's first flow, which selects its settings, and the
    /// requested or negotiated feedback of marks. Valid on segments with [`Bits::SYN`].
    #[inline]
    #[must_use]
    pub const fn opening(&self) -> (u16, Feedback) {
        let class = (self.opening >> 16) as u16;
        let feedback = match self.opening & 3 {
            0 => Feedback::None,
            1 => Feedback::Classic,
            2 => Feedback::Dctcp,
            _ => Feedback::Accurate,
        };
        (class, feedback)
    }

    /// Sets [`Self::opening`].
    #[inline]
    pub const fn set_opening(&mut self, class: u16, feedback: Feedback) {
        let feedback = match feedback {
            Feedback::None => 0,
            Feedback::Classic => 1,
            Feedback::Dctcp => 2,
            Feedback::Accurate => 3,
        };
        self.opening = (class as u32) << 16 | feedback;
    }

    /// Returns the payload bytes of the response if this is a request. On other segments with
    /// payload, returns the payload bytes of the connection that have been retransmitted so far.
    #[inline]
    #[must_use]
    pub const fn aside(&self) -> Bytes {
        Bytes::new(self.aside)
    }

    /// Sets [`Self::aside`].
    #[inline]
    pub const fn set_aside(&mut self, bytes: Bytes) {
        self.aside = bytes.get();
    }

    /// Returns the second block of an acknowledgement: the 64 bits of `aside`.
    #[inline]
    pub(super) const fn second_block(&self) -> u64 {
        self.aside
    }

    /// Returns the bits for a third block of an acknowledgement: the 16 bits above the acknowledged
    /// byte and the 32 bits of `opening`. If the 16 bits and the payload length are zero, the 32
    /// bits are a timestamp.
    #[inline]
    pub(super) const fn third_block(&self) -> (u16, u32) {
        ((self.ack >> ACK_BITS) as u16, self.opening)
    }

    /// Sets [`Self::second_block`].
    #[inline]
    pub(super) const fn set_second_block(&mut self, bits: u64) {
        self.aside = bits;
    }

    /// Sets [`Self::third_block`].
    #[inline]
    pub(super) const fn set_third_block(&mut self, (high, low): (u16, u32)) {
        self.ack = self.ack() | (high as u64) << ACK_BITS;
        self.opening = low;
    }

    /// Returns the timestamp that is not in `Packet::sent_at`: TSval of an acknowledgement, or
    /// TSecr of a segment with payload.
    #[inline]
    pub(super) const fn timestamp(&self) -> u32 {
        self.opening
    }

    /// Sets [`Self::timestamp`]. Do not use it on segments that open a connection.
    #[inline]
    pub(super) const fn set_timestamp(&mut self, timestamp: u32) {
        self.opening = timestamp;
    }
}

impl Header for TcpHeader {
    /// RDMA packets in the same network have no TCP bits.
    #[inline]
    fn is_probed(&self) -> bool {
        self.bits.has(Bits::TCP)
    }

    const CREDIT: bool = true;

    #[inline]
    fn credit(&self) -> u64 {
        self.ack
    }

    #[inline]
    fn set_credit(&mut self, number: u64) {
        self.ack = number;
    }
}

/// A packet header with a slot for TCP.
pub trait HasTcp: Header {
    /// Returns the TCP header.
    fn tcp(&self) -> &TcpHeader;

    /// Returns the TCP header for writing.
    fn tcp_mut(&mut self) -> &mut TcpHeader;
}

impl HasTcp for TcpHeader {
    #[inline]
    fn tcp(&self) -> &TcpHeader {
        self
    }

    #[inline]
    fn tcp_mut(&mut self) -> &mut TcpHeader {
        self
    }
}

/// A header that may have a slot for TCP.
pub trait HasSegment: Header {
    /// Returns the TCP header if the packet belongs to TCP.
    fn segment(&self) -> Option<&TcpHeader> {
        None
    }
}

impl HasSegment for () {}

impl HasSegment for TcpHeader {
    fn segment(&self) -> Option<&TcpHeader> {
        self.bits.has(Bits::TCP).then_some(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fabricsim_core::packet::Packet;

    #[test]
    fn a_segment_is_seventy_two_bytes_and_other_packets_are_none() {
        assert_eq!(size_of::<TcpHeader>(), 24);
        assert_eq!(size_of::<Packet<TcpHeader>>(), 72);
        assert!(!TcpHeader::default().bits.has(Bits::TCP));
    }

    #[test]
    fn a_response_may_be_longer_than_four_gigabytes() {
        let mut header = TcpHeader::default();
        header.set_aside(Bytes::new(0x0123_4567_89ab_cdef));
        assert_eq!(header.aside(), Bytes::new(0x0123_4567_89ab_cdef));
    }
}
