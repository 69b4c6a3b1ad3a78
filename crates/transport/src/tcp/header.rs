//! Fields that a TCP segment carries beyond those of every packet.
//!
//! `Packet::seq` is the first payload byte of a segment (on acknowledgements it belongs to the blocks that
//! they report), `Packet::flow` the connection (the flow for which it was opened), `Packet::sent_at` the
//! timestamp: of the segment itself, and on an acknowledgement of the segment that caused it (RFC 7323,
//! section 4.3). The other timestamp of each is in [`timestamps`](super::timestamps).

use fabricsim_base::checkpoint::Stored;
use fabricsim_base::units::Bytes;
use fabricsim_core::packet::Header;

use fabricsim_core::plugin::Feedback;

/// The bits of a header. Without [`Bits::TCP`] a packet is of another transport.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, Stored)]
pub struct Bits(u8);

impl Bits {
    /// The packet is a TCP segment.
    pub const TCP: Self = Self(1);
    /// Opens a connection (RFC 9293, section 3.5); on a segment with payload, one without
    /// handshake.
    pub const SYN: Self = Self(2);
    /// `TcpHeader::ack` counts.
    pub const ACK: Self = Self(4);
    /// The last of its direction; takes one number after the payload.
    pub const FIN: Self = Self(8);
    /// Congestion is echoed (RFC 3168, section 6.1.3; RFC 8257, section 3.2).
    pub const ECE: Self = Self(16);
    /// The echo was heard (RFC 3168, section 6.1.2).
    pub const CWR: Self = Self(32);
    /// The segment is a request; [`TcpHeader::aside`] is the size of the response.
    pub const REQUEST: Self = Self(64);
    /// On segments that open a connection: both sides send messages on it, and it stays open.
    pub const STREAM: Self = Self(128);

    /// Returns whether all of `other` is set.
    #[inline]
    #[must_use]
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// `self` and `other`.
    #[inline]
    #[must_use]
    pub const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// `self` and, when `condition` holds, `other`.
    #[inline]
    #[must_use]
    pub const fn and_if(self, condition: bool, other: Self) -> Self {
        if condition { self.with(other) } else { self }
    }
}

/// The header of a segment: 24 bytes.
///
/// Where segments with payload and those that open a connection have fields of their own,
/// acknowledgements have blocks: [`sack_blocks`](super::sack_blocks).
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, Stored)]
pub struct TcpHeader {
    /// The cumulative acknowledgement in the lower 48 bits, and a part of a block in the upper 16. On
    /// packets of RDMA, whose header of TCP is empty otherwise, the number of credit.
    ack: u64,
    /// The number of [`Self::aside`], or a block.
    aside: u64,
    /// On segments that open a connection the class in the upper half and the feedback of marks in the
    /// lower; else a timestamp, or a part of a block.
    opening: u32,
    ce_count: [u8; 3],
    /// Bits that tell the type of the segment.
    pub bits: Bits,
}

/// Bits of a byte number: connections of up to 256 TiB.
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

    /// Returns how many packets have arrived with a CE mark, modulo 2^24 (RFC 9768, section 3.2, whose
    /// fields are narrower).
    ///
    /// Differs from the paper: the count does not wrap at 8, so it needs no heuristics after
    /// losses.
    #[inline]
    #[must_use]
    pub const fn ce_count(&self) -> u32 {
        let [low, middle, high] = self.ce_count;
        u32::from_le_bytes([low, middle, high, 0])
    }

    /// Acknowledges all below the byte `ack`, with `ce_count` packets marked.
    #[inline]
    pub const fn acknowledge(&mut self, ack: u64, ce_count: u32) {
        debug_assert!(ack >> ACK_BITS == 0, "a connection has fewer bytes");
        self.ack = ack;
        let [low, middle, high, _] = ce_count.to_le_bytes();
        self.ce_count = [low, middle, high];
    }

    /// Returns the class of the connection's first flow, which is the settings that it runs with, and
    /// the feedback of marks that is asked for or agreed to. On segments with [`Bits::SYN`].
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

    /// On a request: payload bytes of the response. On other segments with payload: payload bytes of
    /// the connection that have been retransmitted so far.
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

    /// Returns what acknowledgements have for a third block: the 16 bits above the byte that is
    /// acknowledged and the 32 of `opening`, which are a timestamp if the others are zero.
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

    /// Returns the timestamp that is in no field of every packet: on acknowledgements their own, on
    /// segments with payload the one that they echo.
    #[inline]
    pub(super) const fn timestamp(&self) -> u32 {
        self.opening
    }

    /// Sets [`Self::timestamp`]. Not on segments that open a connection.
    #[inline]
    pub(super) const fn set_timestamp(&mut self, timestamp: u32) {
        self.opening = timestamp;
    }
}

impl Header for TcpHeader {
    /// Packets of RDMA in the same network have no bits of TCP.
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

    /// Returns the TCP header, to be written.
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
    /// Returns the header of TCP, on packets of TCP.
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
