//! The switch side: an entry for each data packet that leaves.

use fabricsim_core::id::{NodeId, PortId};
use fabricsim_core::packet::{Flags, Packet, PacketKind};
use fabricsim_core::plugin::{Hop, Telemetry};
use fabricsim_core::units::Rate;

use crate::path::PortLabel;
use crate::slot::HasInt;
use crate::stack::{IntHeader as _, IntScale};

/// In-band network telemetry at one switch: every data packet gets an entry when it leaves its
/// queue (HPCC paper, section 3.2), of TCP only probes.
#[derive(Clone, Debug)]
pub struct IntTelemetry {
    scale: IntScale,
    /// Data common to the entries of each port.
    labels: Vec<PortLabel>,
}

impl IntTelemetry {
    /// The telemetry of switch `node`, whose ports have `rates`, or the first rate that `scale`
    /// does not know.
    ///
    /// # Errors
    /// When a rate has no code in `scale`.
    pub fn new(scale: &IntScale, node: NodeId, rates: &[Rate]) -> Result<Self, Rate> {
        let label = |(index, &rate): (usize, &Rate)| {
            let code = scale.code(rate).ok_or(rate)?;
            Ok(PortLabel::new(node, PortId::from_index(index), code))
        };
        let labels = rates.iter().enumerate().map(label);
        let labels = labels.collect::<Result<_, _>>()?;
        Ok(Self {
            scale: scale.clone(),
            labels,
        })
    }
}

impl<H: HasInt> Telemetry<H> for IntTelemetry {
    #[inline]
    fn on_dequeue(&mut self, packet: &mut Packet<H>, hop: &Hop) {
        let wanted = !packet.telemetry.is_probed() || packet.flags.has(Flags::PROBE);
        if packet.kind() == PacketKind::Data && wanted {
            let stack = packet.telemetry.int_mut();
            stack.push(hop, self.labels[hop.port.index()], &self.scale);
        }
    }

    fn on_rate(&mut self, port: PortId, rate: Rate) {
        let code = self.scale.code(rate);
        let code = code.expect("rates that links can take are in the table");
        self.labels[port.index()].set_rate_code(code);
    }
}
