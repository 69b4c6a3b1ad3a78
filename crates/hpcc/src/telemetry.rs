//! The switch side: adds an entry to each data packet that leaves.

use fabricsim_base::checkpoint::Checkpointed;
use fabricsim_base::id::{NodeId, PortId};
use fabricsim_base::units::Rate;
use fabricsim_core::packet::Packet;
use fabricsim_core::plugin::{Hop, PortOrder, Telemetry};

use crate::path::PortLabel;
use crate::scale::IntScale;
use crate::slot::HasInt;
use crate::stack::IntHeader as _;

/// In-band network telemetry at one switch: every data packet gets an entry when it leaves its
/// queue (HPCC paper, section 3.2). For TCP, only probes do.
#[derive(Checkpointed, Clone, Debug)]
#[checkpoint(absolute)]
pub struct IntTelemetry {
    #[checkpoint(rebuilt)]
    scale: IntScale,
    /// Label of each port, common to all its entries.
    #[checkpoint(rebuilt)]
    labels: Vec<PortLabel>,
}

impl IntTelemetry {
    /// Returns the telemetry of switch `node`; `rates` are the rates of its ports.
    ///
    /// # Errors
    /// Returns the first rate without a code in `scale`.
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
        if packet.takes_telemetry() {
            let stack = packet.telemetry.int_mut();
            stack.push(hop, self.labels[hop.port.index()], &self.scale);
        }
    }

    #[inline]
    fn order(&self) -> PortOrder {
        PortOrder::Free
    }

    fn on_rate(&mut self, port: PortId, rate: Rate) {
        let code = self.scale.code(rate);
        let code = code.expect("rates that links can take are in the table");
        self.labels[port.index()].set_rate_code(code);
    }

    fabricsim_base::saves_state!();
}

#[cfg(test)]
mod tests {
    use fabricsim_base::checkpoint::Stored;
    use fabricsim_base::flow::FlowKey;
    use fabricsim_base::id::FlowId;
    use fabricsim_base::priority::Priority;
    use fabricsim_base::units::{Bytes, Time};
    use fabricsim_core::packet::{Flags, Header, PacketKind};

    use super::*;
    use crate::stack::ExactStack;

    /// INT next to a transport that either sends probes for telemetry or adds it to every packet.
    #[derive(Clone, Copy, Debug, Default, Stored)]
    #[checkpoint(absolute)]
    struct Carried {
        int: ExactStack<5>,
        is_probed: bool,
    }

    impl Header for Carried {
        fn is_probed(&self) -> bool {
            self.is_probed
        }
    }

    impl HasInt for Carried {
        type Int = ExactStack<5>;

        fn int(&self) -> &ExactStack<5> {
            &self.int
        }

        fn int_mut(&mut self) -> &mut ExactStack<5> {
            &mut self.int
        }
    }

    /// Returns the entries in a packet of `kind` with `flags` after one switch.
    fn entries(is_probed: bool, kind: PacketKind, flags: Flags) -> usize {
        let rate = Rate::from_gbps(100);
        let scale = IntScale::exact(vec![rate]);
        let mut telemetry = IntTelemetry::new(&scale, NodeId(4), &[rate]).expect("a known rate");
        let key = FlowKey {
            src: NodeId(0),
            dst: NodeId(1),
            src_port: 1,
            dst_port: 2,
        };
        let mut packet = Packet::<Carried>::new(kind, Priority::new(1), key, FlowId(0));
        packet.telemetry.is_probed = is_probed;
        packet.flags = flags;
        let hop = Hop {
            now: Time::ZERO,
            arrived: Time::ZERO,
            ingress: PortId(0),
            port: PortId(0),
            rate,
            queue: Bytes::ZERO,
            sent: Bytes::ZERO,
        };
        telemetry.on_dequeue(&mut packet, &hop);
        packet.telemetry.int().hops()
    }

    #[test]
    fn where_telemetry_is_asked_for_only_probes_have_it() {
        assert_eq!(entries(false, PacketKind::Data, Flags::NONE), 1);
        assert_eq!(entries(true, PacketKind::Data, Flags::NONE), 0);
        assert_eq!(entries(true, PacketKind::Data, Flags::PROBE), 1);
        for kind in [PacketKind::Ack, PacketKind::Pause] {
            assert_eq!(entries(true, kind, Flags::PROBE), 0);
            assert_eq!(entries(false, kind, Flags::NONE), 0);
        }
    }
}
