//! The switch side of queries.

use std::sync::Arc;

use fabricsim_base::checkpoint::{Checkpointed, LoadError, Reader, Writer};
use fabricsim_base::id::{NodeId, PortId};
use fabricsim_base::units::Rate;
use fabricsim_core::packet::{Packet, PacketKind};
use fabricsim_core::plugin::{Hop, Telemetry};

use super::engine::Queries;
use super::meter::LinkMeters;
use super::probe::HasProbe;
use crate::digest::HasDigest;

/// Telemetry that a switch writes for queries, wrapped around the telemetry for congestion control
/// (PINT, section 3.4: the encoding module). It keeps no state per flow.
#[derive(Checkpointed, Clone, Debug)]
#[checkpoint(absolute)]
#[checkpoint(bound())]
pub struct QueryTelemetry<T> {
    #[checkpoint(rebuilt)]
    queries: Arc<Queries>,
    #[checkpoint(rebuilt)]
    switch: NodeId,
    meters: LinkMeters,
    #[checkpoint(elsewhere)]
    inner: T,
}

impl<T> QueryTelemetry<T> {
    /// Returns the telemetry of `switch` around `inner`. `rates` are the rates of its links.
    #[must_use]
    pub fn new(queries: Arc<Queries>, switch: NodeId, rates: &[Rate], inner: T) -> Self {
        Self {
            meters: LinkMeters::for_queries(&queries, rates),
            queries,
            switch,
            inner,
        }
    }
}

impl<H: HasDigest + HasProbe, T: Telemetry<H>> Telemetry<H> for QueryTelemetry<T> {
    #[inline]
    fn on_dequeue(&mut self, packet: &mut Packet<H>, hop: &Hop) {
        let utilization = self.meters.measure(packet.size(), hop);
        if packet.kind() == PacketKind::Data
            && let Some(probe) = packet.telemetry.probe()
        {
            let mut probe = *probe;
            let queries = &*self.queries;
            let id = queries.packet_id(packet.flow, packet.sent_at);
            let set = queries.plan().set_of(id);
            if probe.hops == 0 && queries.cc().is_some_and(|cc| set.queries.has(cc)) {
                packet.telemetry.carry_digest();
            }
            probe.hops = probe.hops.saturating_add(1);
            probe.path = probe.path.then(self.switch);
            queries.encode(
                &mut probe,
                (id, set),
                self.switch,
                packet,
                (hop, utilization),
            );
            if let Some(carried) = packet.telemetry.probe_mut() {
                *carried = probe;
            }
        }
        self.inner.on_dequeue(packet, hop);
    }

    fn on_rate(&mut self, port: PortId, rate: Rate) {
        self.inner.on_rate(port, rate);
    }

    fn save_state(&self, out: &mut Writer) {
        self.save(out);
        self.inner.save_state(out);
    }

    fn load_state(&mut self, input: &mut Reader<'_>) -> Result<(), LoadError> {
        self.load(input)?;
        self.inner.load_state(input)
    }
}

#[cfg(test)]
mod tests;
