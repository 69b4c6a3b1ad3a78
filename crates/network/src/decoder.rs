//! Decoding of telemetry for controllers that are called dynamically.

use fabricsim_base::units::Time;
use fabricsim_core::plugin::{CcContext, Tag, TelemetryId, TelemetryReader, TelemetryView};
use fabricsim_hpcc::{HasInt, INT, IntDecoder};
use fabricsim_pint::{DIGEST, DigestDecoder, HasDigest, PintConfig};

/// Decodes one kind of telemetry.
#[derive(Clone, Debug)]
pub(crate) enum Decoder {
    Int(IntDecoder),
    Digest(DigestDecoder),
    Tag(&'static dyn Tag),
}

impl Decoder {
    /// Returns the decoder of `kind` in `network`.
    pub(crate) fn new(kind: TelemetryId, network: &CcContext) -> Self {
        if let Some(tag) = kind.tag() {
            return Self::Tag(tag);
        }
        if kind == INT {
            return Self::Int(IntDecoder::new(network));
        }
        assert_eq!(kind, DIGEST, "no other kind has a slot of its own");
        let code = PintConfig::default().log_code(&network.quirks);
        Self::Digest(DigestDecoder::new(code))
    }
}

impl<H: HasInt + HasDigest> TelemetryReader<H> for Decoder {
    fn read(&self, header: &H, now: Time, view: &mut TelemetryView) {
        match self {
            Self::Int(decoder) => decoder.read(header, now, view),
            Self::Digest(decoder) => decoder.read(header, now, view),
            Self::Tag(tag) => tag.read(header.tag(), view),
        }
    }
}

/// Decodes every kind of telemetry that the algorithms of a run read.
#[derive(Debug)]
pub(crate) struct Decoders(pub(crate) Vec<Decoder>);

impl<H: HasInt + HasDigest> TelemetryReader<H> for Decoders {
    fn read(&self, header: &H, now: Time, view: &mut TelemetryView) {
        for decoder in &self.0 {
            decoder.read(header, now, view);
        }
    }
}
