//! The switch side: how busy each port is, and the digest of each packet that carries one.

use std::sync::Arc;

use fabricsim_base::checkpoint::{Checkpointed, LoadError, Reader, Writer, load_each, save_each};
use fabricsim_base::id::{NodeId, PortId};
use fabricsim_base::rng::{Purpose, Stream};
use fabricsim_base::units::{Duration, Rate};
use fabricsim_core::packet::{Packet, PacketKind};
use fabricsim_core::plugin::quirks::MeasuredPackets;
use fabricsim_core::plugin::{CcContext, Hop, Leaving, PortOrder, SentPackets, Telemetry};

use crate::arithmetic::{Link, Tables};
use crate::config::PintConfig;
use crate::digest::HasDigest;
use crate::log_code::LogCode;
use crate::port::PortUtilization;
use crate::published_draws::{PortLink, PublishedDraws};
use crate::rises::Rises;

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
            measured: quirks.measured,
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
    /// Digests are raised when the epoch ends. Not where a measurement draws, too, or is not taken of
    /// all packets.
    puts_off: bool,
    rises: Rises,
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
            puts_off: matches!(source, Source::Own(_))
                && settings.tables.is_none()
                && settings.measured == MeasuredPackets::All,
            source,
            rises: Rises::default(),
        }
    }
}

impl Checkpointed for PintTelemetry {
    fn save(&self, out: &mut Writer) {
        let Self {
            settings: _,
            ports,
            source,
            puts_off: _,
            rises: _,
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
            puts_off: _,
            rises: _,
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
            && packet.telemetry.digest().is_some()
        {
            draws.ack_leaves(hop.now, hop.port, packet.size());
        }
    }

    /// A packet leaves a switch that puts nothing off.
    // With a copy, so that others need no hop in memory.
    #[inline(never)]
    fn write_at_once<H: HasDigest>(&mut self, packet: &mut Packet<H>, hop: Hop) {
        self.on_dequeue(packet, &hop);
    }

    /// A packet leaves a switch that draws what the published simulator draws.
    #[inline(never)]
    fn measure_as_published<H: HasDigest>(
        &mut self,
        packet: &mut Packet<H>,
        hop: &Hop,
        carries: bool,
    ) {
        let Source::Published(draws) = &mut self.source else {
            return;
        };
        let port = &mut self.ports[hop.port.index()];
        let stamps = packet.telemetry.stamps();
        let draws = draws.at(hop.now, stamps.before);
        let utilization = port.measure(hop.now, packet.size(), hop.queue, draws);
        if carries {
            // It draws for every packet, whether or not the code can rise.
            let code = self.settings.code.encode(utilization, draws);
            packet.telemetry.raise_digest(code);
        }
    }
}

impl<H: HasDigest> Telemetry<H> for PintTelemetry {
    // Left to itself the compiler makes it a call.
    #[inline(always)]
    fn on_dequeue(&mut self, packet: &mut Packet<H>, hop: &Hop) {
        let is_data = packet.is(PacketKind::Data);
        if !is_data && self.settings.measured == MeasuredPackets::Data {
            self.overlook(packet, hop);
            return;
        }
        let digest = packet.telemetry.digest().filter(|_| is_data);
        let Source::Own(stream) = &mut self.source else {
            self.measure_as_published(packet, hop, digest.is_some());
            return;
        };
        let port = &mut self.ports[hop.port.index()];
        let utilization = port.measure(hop.now, packet.size(), hop.queue, stream);
        if let Some(digest) = digest {
            let raised = self.settings.code.raise(digest, utilization, stream);
            packet.telemetry.raise_digest(raised);
        }
    }

    /// Measures now, and raises the digest when the epoch ends. So the ports of the switch, which
    /// share a stream of draws, may be served in any order; logarithms of several packets overlap in
    /// the processor; and whether a digest rises, which cannot be foreseen, is no branch.
    #[inline(always)]
    fn on_departure(&mut self, packet: &mut Packet<H>, hop: &Hop, leaving: Leaving) {
        if !self.puts_off {
            self.write_at_once(packet, *hop);
            return;
        }
        let port = &mut self.ports[hop.port.index()];
        let utilization = port.measure_exactly(hop.now, packet.size(), hop.queue);
        let utilization = utilization.expect("nothing is put off by tables");
        let digest = packet.telemetry.digest();
        let digest = digest.filter(|_| packet.is(PacketKind::Data));
        let (steps, rises) = self.settings.code.rise(digest, utilization);
        self.rises.note(rises, steps, hop, leaving);
    }

    // Apart from the code of each packet, which has more registers then.
    #[inline(never)]
    fn complete(&mut self, packets: &mut SentPackets<'_, H>) {
        let Source::Own(stream) = &mut self.source else {
            return;
        };
        for rise in self.rises.drain() {
            let code = self.settings.code.round(rise.steps, stream);
            if let Some(place) = rise.place {
                let packet = packets.at(rise.port, place);
                packet.telemetry.raise_digest(code);
            }
        }
    }

    /// Ports share the stream of draws.
    fn order(&self) -> PortOrder {
        if self.puts_off {
            PortOrder::Restored
        } else {
            PortOrder::Needed
        }
    }

    fn on_rate(&mut self, port: PortId, rate: Rate) {
        let tables = self.settings.tables.as_ref();
        let link = Link::new(rate, self.settings.base_rtt, tables);
        self.ports[port.index()].set_link(link);
    }

    fabricsim_base::saves_state!();
}

#[cfg(test)]
mod tests;
