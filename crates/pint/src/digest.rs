//! The slot of a packet for the digest of a congestion control.

use fabricsim_base::checkpoint::Stored;
use fabricsim_base::units::Time;
use fabricsim_core::packet::Header;
use fabricsim_core::plugin::{CcConfig as _, TelemetryId, TelemetryReader, TelemetryView};

use crate::config::PintConfig;
use crate::log_code::LogCode;

/// PINT's digest, in the default code of `hpcc-pint`. Controllers without access to the header read
/// it as a [`BusiestLink`].
pub const DIGEST: TelemetryId = TelemetryId::own_slot("digest", |network| {
    PintConfig::default().telemetry_bytes(network)
});

/// A header that may have room for the digest of a congestion control.
pub trait HasDigest: Header {
    /// Returns the code of the digest if the packet carries one.
    #[inline]
    fn digest(&self) -> Option<u16> {
        None
    }

    /// Makes the packet carry a digest with code 0.
    #[inline]
    fn carry_digest(&mut self) {}

    /// Raises the digest to `code` if that is larger (PINT, section 4.3, example 3: the bottleneck
    /// is the maximum). Has no effect on a packet without a digest.
    #[inline]
    fn raise_digest(&mut self, _code: u16) {}
}

impl HasDigest for () {}

/// Room for the digest of a congestion control. A packet may carry none.
#[derive(Clone, Copy, Debug, Default, Stored)]
#[checkpoint(absolute)]
pub struct Digest(Option<u16>);

impl Header for Digest {}

impl HasDigest for Digest {
    #[inline]
    fn digest(&self) -> Option<u16> {
        self.0
    }

    #[inline]
    fn carry_digest(&mut self) {
        self.0 = Some(0);
    }

    #[inline]
    fn raise_digest(&mut self, code: u16) {
        if let Some(digest) = &mut self.0 {
            *digest = code.max(*digest);
        }
    }
}

/// The digest of a packet, for controllers without access to the header.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BusiestLink {
    /// Utilization of the busiest link of the path.
    pub utilization: f64,
}

/// Decodes the digests of packets.
#[derive(Clone, Debug)]
pub struct DigestDecoder {
    code: LogCode,
}

impl DigestDecoder {
    /// Returns a decoder for digests in `code`.
    #[must_use]
    pub const fn new(code: LogCode) -> Self {
        Self { code }
    }
}

impl<H: HasDigest> TelemetryReader<H> for DigestDecoder {
    fn read(&self, header: &H, _now: Time, view: &mut TelemetryView) {
        match header.digest() {
            Some(digest) => view.set(BusiestLink {
                utilization: self.code.decode(digest),
            }),
            None => view.clear::<BusiestLink>(),
        }
    }
}

#[cfg(test)]
mod tests {
    use fabricsim_core::packet::Packet;

    use super::*;

    #[test]
    fn a_digest_costs_a_packet_eight_bytes() {
        assert_eq!(size_of::<Digest>(), 4);
        assert_eq!(size_of::<Packet<Digest>>(), 56);
    }

    #[test]
    fn a_digest_keeps_the_largest_code() {
        let mut digest = Digest::default();
        digest.raise_digest(7);
        assert_eq!(digest.digest(), None, "the packet carries none");
        digest.carry_digest();
        assert_eq!(digest.digest(), Some(0));
        for (code, largest) in [(3, 3), (9, 9), (5, 9)] {
            digest.raise_digest(code);
            assert_eq!(digest.digest(), Some(largest));
        }
    }
}
