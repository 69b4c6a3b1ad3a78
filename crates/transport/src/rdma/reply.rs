//! The response of a receiver.

use fabricsim_core::packet::PacketKind;

/// Response to a data packet.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Reply {
    /// All bytes below this one have arrived.
    Ack(u64),
    /// The flow is complete, and its state was removed.
    Complete,
    /// A byte is missing.
    Nack {
        /// The missing byte.
        expected: u64,
        /// Distance, in packets, from the missing byte to the kept packet that has arrived, or 0 if
        /// it is not reported.
        beyond: u32,
    },
    /// A packet was trimmed.
    Trimmed {
        /// The first missing byte.
        expected: u64,
        /// Distance, in packets, from the missing byte to the trimmed packet.
        beyond: u32,
    },
    /// No response.
    Silence,
}

impl Reply {
    pub(super) const fn kind(self) -> Option<PacketKind> {
        match self {
            Self::Ack(_) | Self::Complete => Some(PacketKind::Ack),
            Self::Nack { .. } | Self::Trimmed { .. } => Some(PacketKind::Nack),
            Self::Silence => None,
        }
    }
}
