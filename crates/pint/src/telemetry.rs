//! The switch side: how busy each port is, and the digest of each packet that carries one.

use std::sync::Arc;

use fabricsim_core::checkpoint::{Checkpointed, LoadError, Reader, Writer, load_each, save_each};
use fabricsim_core::id::{NodeId, PortId};
use fabricsim_core::packet::{HasOrder, OrderSlot as _, Packet, PacketKind};
use fabricsim_core::plugin::quirks::MeasuredPackets;
use fabricsim_core::plugin::{CcContext, Hop, Telemetry};
use fabricsim_core::prefetch::prefetch;
use fabricsim_core::rng::{Purpose, Stream};
use fabricsim_core::units::{Duration, Rate};

use crate::arithmetic::{Link, Tables};
use crate::config::PintConfig;
use crate::digest::{DigestSlot as _, HasDigest};
use crate::log_code::LogCode;
use crate::port::PortUtilization;
use crate::published_draws::{PortLink, PublishedDraws};

/// Settings shared by all switches of a network. Cheap to clone.
#[derive(Clone, Debug)]
pub struct PintSettings {
    code: LogCode,
    /// `None` where switches compute exactly.
    tables: Option<Arc<Tables>>,
    /// T.
    base_rtt: Duration,
    measured: MeasuredPackets,
}

impl PintSettings {
    /// The settings of `config` in the network of `context`.
    #[must_use]
    pub fn new(config: &PintConfig, context: &CcContext) -> Self {
        let quirks = &context.quirks;
        let base_rtt = quirks.base_rtt.cut(context.base_rtt);
        Self {
            code: config.code(quirks),
            tables: config
                .table_shape(quirks)
                .map(|shape| Arc::new(Tables::new(&shape))),
            // Divided by; no link is shorter.
            base_rtt: base_rtt.max(Duration::from_ns(1)),
            measured: quirks.pint_measured,
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
    ports: Vec<PortUtilization>,
    source: Source,
}

/// Source of the random numbers that a switch uses for rounding.
#[derive(Clone, Debug)]
enum Source {
    /// The switch's own stream.
    Own(Stream),
    /// The published simulator's sequence.
    Published(PublishedDraws),
}

impl PintTelemetry {
    /// The telemetry of switch `node`, whose ports have `links`; it rounds with draws of its own
    /// from `seed`.
    #[must_use]
    pub fn new(settings: &PintSettings, links: &[PortLink], seed: u64, node: NodeId) -> Self {
        let stream = Stream::new(seed, u64::from(node.0), Purpose::Rounding);
        Self::with_source(settings, links, Source::Own(stream))
    }

    /// The telemetry of the only switch of a network, whose ports have `links` to hosts; it draws
    /// what the published simulator draws.
    ///
    /// There all switches and senders share the C library's `rand()`, which is never seeded: the
    /// rounding does not depend on the seed of the run. They share it in the order of the event
    /// list, which a parallel run of several switches cannot have; one switch sees all that draws.
    #[must_use]
    pub fn published(settings: &PintSettings, links: &[PortLink]) -> Self {
        Self::with_source(
            settings,
            links,
            Source::Published(PublishedDraws::new(links)),
        )
    }

    fn with_source(settings: &PintSettings, links: &[PortLink], source: Source) -> Self {
        let tables = settings.tables.as_ref();
        Self {
            settings: settings.clone(),
            ports: links
                .iter()
                .map(|link| PortUtilization::new(Link::new(link.rate, settings.base_rtt, tables)))
                .collect(),
            source,
        }
    }
}

impl Checkpointed for PintTelemetry {
    fn save(&self, out: &mut Writer) {
        let Self {
            settings: _,
            ports,
            source,
        } = self;
        save_each(ports.iter(), out);
        match source {
            Source::Own(stream) => stream.save(out),
            Source::Published(draws) => draws.save(out),
        }
    }

    fn load(&mut self, input: &mut Reader<'_>) -> Result<(), LoadError> {
        let Self {
            settings: _,
            ports,
            source,
        } = self;
        load_each(ports.iter_mut(), input)?;
        match source {
            Source::Own(stream) => stream.load(input),
            Source::Published(draws) => draws.load(input),
        }
    }
}

impl PintTelemetry {
    /// A packet leaves that is no data packet, where those alone are measured.
    // Apart from the code of the paper's switches, like the next one.
    #[inline(never)]
    fn overlook<H: HasDigest>(&mut self, packet: &Packet<H>, hop: &Hop) {
        self.ports[hop.port.index()].overlook(hop.now, packet.size());
        // Senders draw for ACKs to packets with a digest, which carry it back.
        if let Source::Published(draws) = &mut self.source
            && packet.telemetry.digest().code().is_some()
        {
            draws.ack_leaves(hop.now, hop.port, packet.size());
        }
    }

    /// A packet leaves a switch that draws what the published simulator draws.
    #[inline(never)]
    fn measure_as_published<H: HasDigest + HasOrder>(
        &mut self,
        packet: &mut Packet<H>,
        hop: &Hop,
        carries: bool,
    ) {
        let Source::Published(draws) = &mut self.source else {
            return;
        };
        let port = &mut self.ports[hop.port.index()];
        let stamps = packet.telemetry.order().stamps();
        let draws = draws.at(hop.now, stamps.before);
        let utilization = port.measure(hop.now, packet.size(), hop.queue, draws);
        if carries {
            // It draws for every packet, whether or not the code can rise.
            let code = self.settings.code.encode(utilization, draws);
            packet.telemetry.digest_mut().raise(code);
        }
    }
}

impl<H: HasDigest + HasOrder> Telemetry<H> for PintTelemetry {
    // Left to itself the compiler makes it a call.
    #[inline(always)]
    fn on_dequeue(&mut self, packet: &mut Packet<H>, hop: &Hop) {
        let is_data = packet.is(PacketKind::Data);
        if !is_data && self.settings.measured == MeasuredPackets::Data {
            self.overlook(packet, hop);
            return;
        }
        let digest = packet.telemetry.digest().code().filter(|_| is_data);
        let Source::Own(stream) = &mut self.source else {
            self.measure_as_published(packet, hop, digest.is_some());
            return;
        };
        let port = &mut self.ports[hop.port.index()];
        let utilization = port.measure(hop.now, packet.size(), hop.queue, stream);
        if let Some(digest) = digest {
            let raised = self.settings.code.raise(digest, utilization, stream);
            packet.telemetry.digest_mut().raise(raised);
        }
    }

    #[inline]
    fn prefetch(&self, port: PortId) {
        prefetch(&self.ports[port.index()]);
    }

    fn on_rate(&mut self, port: PortId, rate: Rate) {
        let tables = self.settings.tables.as_ref();
        let link = Link::new(rate, self.settings.base_rtt, tables);
        self.ports[port.index()].set_link(link);
    }

    fabricsim_core::saves_state!();
}

#[cfg(test)]
mod tests;
