//! The headers of all networks: which slots the packets of each have.

use fabricsim_core::packet::{Slots, Stamps};
use fabricsim_hpcc::{HasInt, PublishedStack};
use fabricsim_pint::query::Probe;
use fabricsim_pint::{Digest, HasDigest, HasQuery};
use fabricsim_transport::tcp::{HasTcpSlot, TcpHeader};

/// What observers of nodes read of packets.
pub(crate) trait Observed: HasInt + HasDigest + HasQuery + HasTcpSlot {}

impl<H: HasInt + HasDigest + HasQuery + HasTcpSlot> Observed for H {}

/// Nothing: algorithms read no telemetry.
pub(crate) type Plain = Slots;

/// The INT header `I`.
pub(crate) type WithInt<I> = Slots<(), I>;

/// The published INT header beside a digest in the order of insertion.
pub(crate) type Inserted = Slots<Stamps, PublishedStack, Digest>;

/// The header of TCP beside the INT header `I` and a digest.
pub(crate) type Mixed<I> = Slots<(), I, Digest, (), TcpHeader>;

/// Everything: the INT header `I`, the digest of the algorithm, the digests of queries, and the header
/// of TCP.
pub(crate) type Full<I> = Slots<(), I, Digest, Probe, TcpHeader>;

#[cfg(test)]
mod tests {
    use fabricsim_core::packet::Packet;
    use fabricsim_hpcc::ExactStack;
    use fabricsim_pint::PintDigest;
    use fabricsim_transport::tcp::TcpOnly;

    use super::*;

    /// Bytes of a packet with the header `H`.
    const fn bytes<H>() -> usize {
        size_of::<Packet<H>>()
    }

    #[test]
    fn packets_are_as_small_as_their_slots_allow() {
        assert_eq!(bytes::<Plain>(), 48);
        assert_eq!(bytes::<PintDigest>(), 56);
        assert_eq!(bytes::<WithInt<ExactStack<5>>>(), 112);
        assert_eq!(bytes::<Inserted>(), 104);
        assert_eq!(bytes::<TcpOnly>(), 72);
        assert_eq!(bytes::<Mixed<ExactStack<5>>>(), 144);
        assert_eq!(bytes::<Full<ExactStack<10>>>(), 224);
        assert_eq!(bytes::<Full<ExactStack<128>>>(), 1_640);
    }
}
