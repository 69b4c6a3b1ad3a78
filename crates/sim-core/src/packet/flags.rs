//! The one-bit fields of a packet, and its ECN field.

use fabricsim_base::checkpoint::Stored;

/// The one-bit fields of a packet.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, Stored)]
pub struct Flags(u8);

impl Flags {
    /// Congestion experienced (RFC 3168): set by a switch on data.
    pub const CONGESTION: Self = Self(1);
    /// On an ACK: the data packet that caused it was marked.
    pub const ECHO: Self = Self(32);
    /// On RDMA data: a switch has cut off the payload. On a NACK: the reported packet was trimmed.
    /// The bit is shared with [`Self::PROBE`], which only TCP uses, and with [`Self::STOP`].
    pub const TRIMMED: Self = Self(16);
    /// The packet contains the last byte of its flow, or of a message of an RDMA connection.
    pub const LAST: Self = Self(2);
    /// On data: the receiver has acknowledged some of this flow before.
    pub const CONTINUED: Self = Self(4);
    /// On an acknowledgement: the receiver has the whole flow, regardless of `seq`.
    pub const COMPLETE: Self = Self(8);
    /// On RDMA data: the packet belongs to the stream of a connection, which has no last byte.
    pub const STREAM: Self = Self(8);
    /// On a pause frame: stop sending. Otherwise the frame means resume.
    pub const STOP: Self = Self(16);
    /// On data: TCP requests telemetry from the switches on the path. On an ACK: telemetry returns.
    /// The bit is shared with [`Self::STOP`], which only pause frames use.
    pub const PROBE: Self = Self(16);
    /// The sender understands marks and reacts as to a loss (ECT(0), RFC 3168).
    pub const ECT0: Self = Self(64);
    /// The sender understands marks and reacts to their share (ECT(1), RFC 8311 and RFC 9331).
    pub const ECT1: Self = Self(128);

    /// No flag.
    pub const NONE: Self = Self(0);

    /// Returns all flags in a byte.
    pub(super) const fn bits(self) -> u8 {
        self.0
    }

    /// Returns the flags of a byte from [`Self::bits`].
    pub(super) const fn from_bits(bits: u8) -> Self {
        Self(bits)
    }

    /// Returns `true` if all flags of `other` are set.
    #[inline]
    #[must_use]
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Returns `true` if some flag of `other` is set.
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

    /// Returns `self` with the flags of `other` added if `condition` holds.
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
    /// Not-ECT: the sender does not support marks, so queueing disciplines drop instead of marking.
    /// All RDMA packets have this value, but switches still mark their data.
    NotCapable,
    /// ECT(0).
    Ect0,
    /// ECT(1), the identifier of L4S.
    Ect1,
    /// CE: the packet was marked.
    Congestion,
}
