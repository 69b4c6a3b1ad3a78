//! The header of laws without telemetry under the profile.
use fabricsim_core::packet::{Causes, Header};
use fabricsim_core::plugin::Hop;
use fabricsim_core::units::Bytes;
use fabricsim_hpcc::{IntHeader, IntScale};
/// Order of events, and no telemetry.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PublishedPlain(Causes);
impl Header for PublishedPlain {
    const CAUSAL: bool = true;
    fn causes(&self) -> Causes {
        self.0
    }
    fn set_causes(&mut self, causes: Causes) {
        self.0 = causes;
    }
}
impl IntHeader for PublishedPlain {
    const CAPACITY: usize = 0;
    fn push(&mut self, _hop: &Hop, _rate_code: u8, _scale: &IntScale) {}
    fn hops(&self) -> usize {
        0
    }
    fn interval_ns(&self, _index: usize, _earlier: &Self) -> f64 {
        0.0
    }
    fn sent_since(&self, _index: usize, _earlier: &Self, _scale: &IntScale) -> u64 {
        0
    }
    fn queue(&self, _index: usize, _scale: &IntScale) -> Bytes {
        Bytes::ZERO
    }
    fn rate_code(&self, _index: usize) -> u8 {
        0
    }
    fn copy_hops(&mut self, _other: &Self, _wanted: impl Fn(usize) -> bool) {}
}
