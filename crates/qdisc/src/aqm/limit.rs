//! The limit of a queue.

use fabricsim_base::units::Bytes;

use super::{AqmPacket, Verdict};

/// The error message for a limit in packets.
pub(super) const NO_PACKETS: &str = "a queue of 0 packets drops everything";
/// The suggestion for a limit in packets.
pub(super) const PACKETS: &str = "give a number of packets above 0, such as 1000";
/// The error message for a limit in bytes.
pub(super) const NO_BYTES: &str = "a queue of 0 bytes drops everything";
/// The suggestion for a limit in bytes.
pub(super) const BYTES: &str = "give a size above 0, such as \"256KB\"";

/// Limit of a queue: in packets, in bytes, or both.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Limit {
    packets: Option<u32>,
    bytes: Option<Bytes>,
}

impl Limit {
    /// The length of a Linux interface's transmit queue, which `pfifo` uses.
    const USUAL: u32 = 1_000;

    /// Returns the given limits, or the usual one if there are none.
    pub(super) fn new(packets: Option<u32>, bytes: Option<Bytes>) -> Self {
        let usual = bytes.is_none().then_some(Self::USUAL);
        Self {
            packets: packets.or(usual),
            bytes,
        }
    }

    /// Returns the size of the longest packet that fits into the empty queue.
    pub(super) fn longest(self) -> Bytes {
        self.bytes.unwrap_or(Bytes::new(u64::MAX))
    }

    /// Returns the verdict on the arriving `packet` from the limit alone.
    #[inline]
    pub(super) fn verdict(self, packet: &AqmPacket<'_>) -> Verdict {
        let mut fits = self
            .packets
            .is_none_or(|limit| packet.others < limit as usize);
        fits &= (self.bytes).is_none_or(|limit| packet.other_bytes + packet.size <= limit);
        if fits {
            Verdict::Pass
        } else {
            Verdict::DropTail
        }
    }
}
