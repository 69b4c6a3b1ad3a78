//! The slots of a packet for PINT: the digest of an algorithm, and the digests of queries.

use fabricsim_base::checkpoint::Stored;
use fabricsim_core::packet::{Header, Slots};

use crate::query::{Probe, ProbeRoom};

/// The content of the slot of [`HasDigest`]: a [`Digest`], or nothing.
pub trait DigestSlot: Header {
    /// Returns the code of the digest, if the packet carries one.
    #[inline]
    fn code(&self) -> Option<u16> {
        None
    }

    /// Makes the packet carry a digest, of code 0.
    #[inline]
    fn carry(&mut self) {}

    /// Raises the digest to `code` where that is larger (PINT, section 4.3, example 3: the
    /// bottleneck is the maximum). A packet that carries none stays without.
    #[inline]
    fn raise(&mut self, _code: u16) {}
}

impl DigestSlot for () {}

/// Room for the digest of an algorithm; a packet need not carry one.
#[derive(Clone, Copy, Debug, Default, Stored)]
pub struct Digest(Option<u16>);

impl Header for Digest {}

impl DigestSlot for Digest {
    #[inline]
    fn code(&self) -> Option<u16> {
        self.0
    }

    #[inline]
    fn carry(&mut self) {
        self.0 = Some(0);
    }

    #[inline]
    fn raise(&mut self, code: u16) {
        if let Some(digest) = &mut self.0 {
            *digest = code.max(*digest);
        }
    }
}

/// A header with a slot for the digest of an algorithm.
pub trait HasDigest: Header {
    /// The content of the slot; `()` where there is none.
    type Digest: DigestSlot;

    /// Returns the slot.
    fn digest(&self) -> &Self::Digest;

    /// Returns the slot, to be written.
    fn digest_mut(&mut self) -> &mut Self::Digest;
}

/// A header with a slot for the digests of queries.
pub trait HasQuery: Header {
    /// The content of the slot; `()` where packets serve no queries.
    type Query: ProbeRoom;

    /// Returns the slot.
    fn query(&self) -> &Self::Query;

    /// Returns the slot, to be written.
    fn query_mut(&mut self) -> &mut Self::Query;
}

impl<O, I, D, Q, T> HasDigest for Slots<O, I, D, Q, T>
where
    Self: Header,
    D: DigestSlot,
{
    type Digest = D;

    #[inline]
    fn digest(&self) -> &D {
        &self.digest
    }

    #[inline]
    fn digest_mut(&mut self) -> &mut D {
        &mut self.digest
    }
}

impl<O, I, D, Q, T> HasQuery for Slots<O, I, D, Q, T>
where
    Self: Header,
    Q: ProbeRoom,
{
    type Query = Q;

    #[inline]
    fn query(&self) -> &Q {
        &self.query
    }

    #[inline]
    fn query_mut(&mut self) -> &mut Q {
        &mut self.query
    }
}

impl HasDigest for () {
    type Digest = Self;

    #[inline]
    fn digest(&self) -> &Self {
        self
    }

    #[inline]
    fn digest_mut(&mut self) -> &mut Self {
        self
    }
}

/// A header of a digest and nothing else.
pub type PintDigest = Slots<(), (), Digest>;

/// A header of the digest of an algorithm beside those of queries.
pub type QueryDigest = Slots<(), (), Digest, Probe>;

#[cfg(test)]
mod tests {
    use fabricsim_core::packet::Packet;

    use super::*;

    #[test]
    fn a_digest_costs_a_packet_eight_bytes() {
        assert_eq!(size_of::<PintDigest>(), 4);
        assert_eq!(size_of::<Packet<QueryDigest>>(), 80);
        assert_eq!(size_of::<Packet<PintDigest>>(), 56);
    }

    #[test]
    fn a_digest_keeps_the_largest_code() {
        let mut digest = Digest::default();
        digest.raise(7);
        assert_eq!(digest.code(), None, "the packet carries none");
        digest.carry();
        assert_eq!(digest.code(), Some(0));
        for (code, largest) in [(3, 3), (9, 9), (5, 9)] {
            digest.raise(code);
            assert_eq!(digest.code(), Some(largest));
        }
    }

    #[test]
    fn an_empty_slot_takes_no_digest() {
        let mut header = Slots::<()>::default();
        header.digest_mut().carry();
        header.digest_mut().raise(7);
        assert_eq!(header.digest().code(), None);
    }
}
