//! Decodes INT for controllers without access to the header.

use fabricsim_base::units::Time;
use fabricsim_core::plugin::{CcContext, TelemetryReader, TelemetryView};

use crate::scale::IntScale;
use crate::slot::HasInt;
use crate::stack::IntHeader as _;
use crate::view::IntView;

/// Decodes the INT of packets.
#[derive(Clone, Debug)]
pub struct IntDecoder {
    scale: IntScale,
}

impl IntDecoder {
    /// Returns the decoder for the headers of `network`.
    #[must_use]
    pub fn new(network: &CcContext) -> Self {
        Self {
            scale: IntScale::new(network),
        }
    }
}

impl<H: HasInt> TelemetryReader<H> for IntDecoder {
    fn read(&self, header: &H, now: Time, view: &mut TelemetryView) {
        let stack = header.int();
        // If there are more entries than the capacity, some are lost and the rest may be
        // overwritten.
        let hops = Some(stack.hops()).filter(|&hops| hops <= H::Int::CAPACITY);
        let hops = 0..hops.unwrap_or(0);
        let entries = hops.filter_map(|index| stack.hop(index, now, &self.scale));
        view.set(IntView {
            path: stack.path(),
            hops: entries.collect(),
        });
    }
}
