//! The switch side: how busy each port is, and the digest of each packet that carries one.

use std::sync::Arc;

use fabricsim_core::id::NodeId;
use fabricsim_core::packet::{Packet, PacketKind};
use fabricsim_core::plugin::{Fidelity, Hop, LawContext, Telemetry};
use fabricsim_core::rng::{Purpose, Stream};
use fabricsim_core::units::{Duration, Rate};
use fabricsim_hpcc::{IntHeader, IntTelemetry};

use crate::arithmetic::{Link, Tables};
use crate::config::PintConfig;
use crate::digest::{PintHeader, WithDigest};
use crate::log_code::LogCode;
use crate::port::Port;

/// What all switches of a network have in common. Cheap to clone.
#[derive(Clone, Debug)]
pub struct PintSettings {
    code: LogCode,
    /// `None` where switches compute exactly.
    tables: Option<Arc<Tables>>,
    /// T.
    base_rtt: Duration,
    fidelity: Fidelity,
}

impl PintSettings {
    /// The settings of `config` in the network of `context`.
    #[must_use]
    pub fn new(config: &PintConfig, context: &LawContext<'_>) -> Self {
        let base_rtt = match context.fidelity {
            Fidelity::Exact => context.base_rtt,
            Fidelity::Published => Duration::from_ns(context.base_rtt.as_ns()),
        };
        Self {
            code: config.code(context.fidelity),
            tables: config
                .table_shape(context.fidelity)
                .map(|shape| Arc::new(Tables::new(&shape))),
            // Divided by; no link is shorter.
            base_rtt: base_rtt.max(Duration::from_ns(1)),
            fidelity: context.fidelity,
        }
    }
}

/// PINT at one switch: it measures how busy each of its ports is, and raises the digest of each
/// data packet to the code of the port through which that leaves (PINT, section 4.3, example 3).
///
/// Every packet that leaves is measured, as the paper says. The published simulator only notes the
/// time and size of acknowledgements and pauses, so that a data packet before one of them counts
/// for nothing.
#[derive(Clone, Debug)]
pub struct PintTelemetry {
    settings: PintSettings,
    ports: Vec<Port>,
    stream: Stream,
}

impl PintTelemetry {
    /// The telemetry of switch `node`, whose ports have `rates`; it rounds with draws of its own from
    /// `seed`.
    #[must_use]
    pub fn new(settings: &PintSettings, rates: &[Rate], seed: u64, node: NodeId) -> Self {
        let ports = rates
            .iter()
            .map(|&rate| {
                let tables = settings.tables.as_ref();
                Port::new(Link::new(rate, settings.base_rtt, tables))
            })
            .collect();
        Self {
            settings: settings.clone(),
            ports,
            stream: Stream::new(seed, u64::from(node.0), Purpose::Rounding),
        }
    }
}

impl<H: PintHeader> Telemetry<H> for PintTelemetry {
    #[inline]
    fn on_dequeue(&mut self, packet: &mut Packet<H>, hop: &Hop) {
        let port = &mut self.ports[hop.port.index()];
        let is_data = packet.kind() == PacketKind::Data;
        if !is_data && self.settings.fidelity == Fidelity::Published {
            port.overlook(hop.now, packet.size());
            return;
        }
        let utilisation = port.measure(hop.now, packet.size(), hop.queue, &mut self.stream);
        if is_data && let Some(code) = packet.telemetry.digest() {
            let raised = self
                .settings
                .code
                .raise(code, utilisation, &mut self.stream);
            packet.telemetry.raise(raised);
        }
    }
}

/// INT and PINT at one switch, for networks in which laws of both kinds run.
#[derive(Clone, Debug)]
pub struct IntAndPint<S> {
    int: IntTelemetry<WithDigest<S>>,
    pint: PintTelemetry,
}

impl<S: IntHeader> IntAndPint<S> {
    /// Both for the same switch.
    #[must_use]
    pub const fn new(int: IntTelemetry<WithDigest<S>>, pint: PintTelemetry) -> Self {
        Self { int, pint }
    }
}

impl<S: IntHeader> Telemetry<WithDigest<S>> for IntAndPint<S> {
    #[inline]
    fn on_dequeue(&mut self, packet: &mut Packet<WithDigest<S>>, hop: &Hop) {
        self.int.on_dequeue(packet, hop);
        self.pint.on_dequeue(packet, hop);
    }
}

#[cfg(test)]
mod tests;
