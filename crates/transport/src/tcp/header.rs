//! Fields that a TCP segment carries beyond those of every packet.
//!
//! `Packet::seq` is the first payload byte of a segment, `Packet::flow` the connection (the flow
//! for which it was opened), `Packet::sent_at` the timestamp: of the segment itself, and on an
//! acknowledgement of the segment that caused it (RFC 7323, section 4.3).

use fabricsim_core::checkpoint::Stored;
use fabricsim_core::packet::{Header, Slots};
use fabricsim_core::prefetch::prefetch;
use fabricsim_core::units::Bytes;

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

/// Bytes that have arrived out of order: a block of a SACK option (RFC 2018, section 3). Empty when
/// `len` is zero.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, Stored)]
pub struct SackBlock {
    /// The first byte, from the cumulative acknowledgement. It is negative where a second copy of
    /// old bytes is reported (RFC 2883, section 4).
    pub offset: i32,
    /// Number of bytes.
    pub len: u32,
}

/// The header of a segment: 40 bytes.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, Stored)]
pub struct TcpHeader {
    /// The next byte that the sender of this segment expects from the other side. On packets of
    /// RDMA, whose header of TCP is empty otherwise, the number of credit.
    pub ack: u64,
    /// On segments without payload: what has arrived beyond `ack`, the latest first.
    pub sack: [SackBlock; 3],
    /// Packets that have arrived with a CE mark (RFC 9768, section 3.2, whose fields are narrower).
    ///
    /// Differs from the paper: the count does not wrap at 8, so it needs no heuristics after
    /// losses.
    pub ce_count: u32,
    /// The class of the connection's first flow: which settings it runs with.
    pub class: u16,
    /// Bits that tell the type of the segment.
    pub bits: Bits,
    /// On segments with [`Bits::SYN`]: the feedback of marks that is asked for or agreed to.
    pub feedback: Feedback,
}

impl TcpHeader {
    /// On a request: payload bytes of the response. On its response: payload bytes of the
    /// connection that have been retransmitted so far. It lies where segments without payload have
    /// their blocks.
    #[inline]
    #[must_use]
    pub fn aside(&self) -> Bytes {
        let [low, high] = [self.sack[0].len, self.sack[1].len].map(u64::from);
        Bytes::new(high << 32 | low)
    }

    /// Sets [`Self::aside`].
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "cut in two halves")]
    pub fn set_aside(&mut self, bytes: Bytes) {
        self.sack[0].len = bytes.get() as u32;
        self.sack[1].len = (bytes.get() >> 32) as u32;
    }
}

impl Header for TcpHeader {
    #[inline]
    fn prefetch(&self) {
        prefetch(&self.ack);
    }

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

impl<O, I, D, Q> HasTcp for Slots<O, I, D, Q, TcpHeader>
where
    Self: Header,
{
    #[inline]
    fn tcp(&self) -> &TcpHeader {
        &self.tcp
    }

    #[inline]
    fn tcp_mut(&mut self) -> &mut TcpHeader {
        &mut self.tcp
    }
}

/// The slot of a header for TCP: [`TcpHeader`], or nothing.
pub trait TcpSlot: Header {
    /// Returns the header of TCP, on packets of TCP.
    fn segment(&self) -> Option<&TcpHeader>;
}

impl TcpSlot for () {
    fn segment(&self) -> Option<&TcpHeader> {
        None
    }
}

impl TcpSlot for TcpHeader {
    fn segment(&self) -> Option<&TcpHeader> {
        self.bits.has(Bits::TCP).then_some(self)
    }
}

/// A header with a slot for TCP, which may be empty.
pub trait HasTcpSlot: Header {
    /// Returns the header of TCP, on packets of TCP.
    fn segment(&self) -> Option<&TcpHeader>;
}

impl<O, I, D, Q, T> HasTcpSlot for Slots<O, I, D, Q, T>
where
    Self: Header,
    T: TcpSlot,
{
    fn segment(&self) -> Option<&TcpHeader> {
        self.tcp.segment()
    }
}

/// The header of networks of TCP without telemetry.
pub type TcpOnly = Slots<(), (), (), (), TcpHeader>;

#[cfg(test)]
mod tests {
    use super::*;
    use fabricsim_core::packet::Packet;

    #[test]
    fn a_segment_is_eighty_eight_bytes_and_other_packets_are_none() {
        assert_eq!(size_of::<TcpHeader>(), 40);
        assert_eq!(size_of::<Packet<TcpOnly>>(), 88);
        assert!(!TcpHeader::default().bits.has(Bits::TCP));
    }

    #[test]
    fn a_response_may_be_longer_than_four_gigabytes() {
        let mut header = TcpHeader::default();
        header.set_aside(Bytes::new(0x0123_4567_89ab_cdef));
        assert_eq!(header.aside(), Bytes::new(0x0123_4567_89ab_cdef));
    }
}
