//! The one-bit fields of a packet, and its ECN field.

use fabricsim_base::checkpoint::Stored;

/// One-bit facts about a packet.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, Stored)]
pub struct Flags(u8);

impl Flags {
    /// Congestion experienced (RFC 3168): set by a switch on data.
    pub const CONGESTION: Self = Self(1);
    /// On an ACK: the data packet that caused it had met congestion.
    pub const ECHO: Self = Self(32);
    /// On data of RDMA: a switch has cut the payload off. On a NACK: it names a packet of which that
    /// is so. The bit is that of [`Self::PROBE`], which only TCP has, and [`Self::STOP`].
    pub const TRIMMED: Self = Self(16);
    /// The packet holds the last byte of its flow.
    pub const LAST: Self = Self(2);
    /// On data: the receiver has acknowledged some of this flow before.
    pub const CONTINUED: Self = Self(4);
    /// On an acknowledgement: the receiver holds the whole flow, whatever `seq` says.
    pub const COMPLETE: Self = Self(8);
    /// On data of RDMA: the packet belongs to the stream of a connection, which has no last byte.
    pub const STREAM: Self = Self(8);
    /// On a pause frame: stop sending. Without it the frame means resume.
    pub const STOP: Self = Self(16);
    /// On data: TCP asks the switches of the path for telemetry. On an ACK: it comes back. The bit
    /// is that of [`Self::STOP`], which only pause frames have.
    pub const PROBE: Self = Self(16);
    /// The sender understands marks and reacts as to a loss (ECT(0), RFC 3168).
    pub const ECT0: Self = Self(64);
    /// The sender understands marks and reacts to their share (ECT(1), RFC 8311 and RFC 9331).
    pub const ECT1: Self = Self(128);

    /// No facts.
    pub const NONE: Self = Self(0);

    /// All of them in a byte.
    pub(super) const fn bits(self) -> u8 {
        self.0
    }

    /// Those of a byte that [`Self::bits`] has returned.
    pub(super) const fn from_bits(bits: u8) -> Self {
        Self(bits)
    }

    /// Returns whether all of `other` is set.
    #[inline]
    #[must_use]
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Returns whether some of `other` is set.
    #[inline]
    #[must_use]
    pub const fn has_any(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Sets `other`.
    #[inline]
    pub const fn set(&mut self, other: Self) {
        self.0 |= other.0;
    }

    /// `self` and, when `condition` holds, `other`.
    #[inline]
    #[must_use]
    pub const fn and_if(self, condition: bool, other: Self) -> Self {
        if condition {
            Self(self.0 | other.0)
        } else {
            self
        }
    }
}

/// Value of the ECN field of a packet (RFC 3168 section 5, RFC 9331).
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Ecn {
    /// Not-ECT: the sender asks for no marks. Queue disciplines drop where they would mark. Packets
    /// of RDMA are all of this kind, and switches mark its data nevertheless.
    NotCapable,
    /// ECT(0).
    Ect0,
    /// ECT(1), the identifier of L4S.
    Ect1,
    /// CE: the packet has met congestion.
    Congestion,
}
