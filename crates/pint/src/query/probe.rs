//! Data that queries add to the header of a packet.

use fabricsim_base::checkpoint::Stored;
use fabricsim_base::id::NodeId;
use fabricsim_base::rng::mix;
use fabricsim_core::packet::Header;

/// Data that a packet carries for queries. Only the digest is on the wire. The hop number is known
/// from the TTL, and the path is for comparison with the inferred one.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, Stored)]
#[checkpoint(absolute)]
pub struct Probe {
    /// The digests of the queries that the packet serves, concatenated from the lowest bit.
    pub digest: u64,
    /// Hash of the switches that the packet has passed, in order.
    pub path: PathHash,
    /// Number of switches that the packet has passed.
    pub hops: u8,
}

/// A hash that identifies a path.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, Stored)]
#[checkpoint(absolute)]
pub struct PathHash(u64);

impl PathHash {
    /// Returns the hash of the path extended by `switch`.
    #[inline]
    #[must_use]
    pub const fn then(self, switch: NodeId) -> Self {
        Self(mix(self.0.wrapping_add(switch.0 as u64 + 1)))
    }

    /// Returns the hash of the path through `switches`.
    #[must_use]
    pub fn of(switches: impl IntoIterator<Item = NodeId>) -> Self {
        switches.into_iter().fold(Self::default(), Self::then)
    }
}

impl Header for Probe {}

/// A header that may have room for a [`Probe`].
pub trait HasProbe: Header {
    /// `true` if there is room.
    const PROBED: bool = false;

    /// Returns the probe if there is room for one.
    #[inline]
    fn probe(&self) -> Option<&Probe> {
        None
    }

    /// Returns the probe for writing if there is room for one.
    #[inline]
    fn probe_mut(&mut self) -> Option<&mut Probe> {
        None
    }
}

impl HasProbe for () {}

impl HasProbe for Probe {
    const PROBED: bool = true;

    #[inline]
    fn probe(&self) -> Option<&Probe> {
        Some(self)
    }

    #[inline]
    fn probe_mut(&mut self) -> Option<&mut Probe> {
        Some(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_differ_by_their_switches_and_order() {
        let path = |switches: &[u32]| PathHash::of(switches.iter().copied().map(NodeId));
        assert_eq!(path(&[3, 5]), path(&[3]).then(NodeId(5)));
        assert_ne!(path(&[3, 5]), path(&[5, 3]));
        assert_ne!(path(&[3]), path(&[3, 3]));
        assert_ne!(path(&[]), path(&[0]));
    }
}
