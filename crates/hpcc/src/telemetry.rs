//! The switch side: an entry for each data packet that leaves.

use std::marker::PhantomData;

use fabricsim_core::id::PortId;
use fabricsim_core::packet::{Packet, PacketKind};
use fabricsim_core::plugin::{Hop, Telemetry};
use fabricsim_core::units::Rate;

use crate::stack::{IntHeader, IntScale};

/// In-band network telemetry at one switch: every data packet gets an entry when it leaves its
/// queue (HPCC paper, section 3.2).
#[derive(Clone, Debug)]
pub struct IntTelemetry<S> {
    scale: IntScale,
    /// The rate code of each port.
    codes: Vec<u8>,
    stack: PhantomData<fn() -> S>,
}

impl<S: IntHeader> IntTelemetry<S> {
    /// The telemetry of a switch whose ports have `rates`, or the first rate that `scale` does not
    /// know.
    ///
    /// # Errors
    /// When a rate has no code in `scale`.
    pub fn new(scale: &IntScale, rates: &[Rate]) -> Result<Self, Rate> {
        let codes = rates
            .iter()
            .map(|&rate| scale.code(rate).ok_or(rate))
            .collect::<Result<_, _>>()?;
        Ok(Self {
            scale: scale.clone(),
            codes,
            stack: PhantomData,
        })
    }
}

impl<S: IntHeader> Telemetry<S> for IntTelemetry<S> {
    #[inline]
    fn on_dequeue(&mut self, packet: &mut Packet<S>, hop: &Hop) {
        if packet.kind() == PacketKind::Data {
            packet
                .telemetry
                .push(hop, self.codes[hop.port.index()], &self.scale);
        }
    }

    fn on_rate(&mut self, port: PortId, rate: Rate) {
        self.codes[port.index()] = self
            .scale
            .code(rate)
            .expect("rates that links can take are in the table");
    }
}
