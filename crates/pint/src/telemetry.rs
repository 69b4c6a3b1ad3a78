//! The switch side: measures the utilization of each port and updates the digests of packets.

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
    /// `None` if switches compute exactly.
    tables: Option<Arc<Tables>>,
    /// Base round-trip time (T), over which utilization is averaged.
    base_rtt: Duration,
    measured: MeasuredPackets,
}

impl PintSettings {
    /// Returns the settings of `config` in the network of `context`.
    #[must_use]
    pub fn new(config: &PintConfig, context: &CcContext) -> Self {
        let quirks = &context.quirks;
        let base_rtt = quirks.base_rtt.cut(context.base_rtt);
        Self {
            code: config.code(quirks),
            tables: config
                .table_shape(quirks)
                .map(|shape| Arc::new(Tables::new(&shape))),
            // The algorithm divides by this; no link is shorter.
            base_rtt: base_rtt.max(Duration::from_ns(1)),
            measured: quirks.measured,
        }
    }
}

/// PINT at one switch: measures the utilization of each port, and raises the digest of each data
/// packet to the code of its egress port (PINT, section 4.3, example 3).
///
/// Every packet that leaves is measured, like in the paper. The published simulator only notes the
/// time and size of acknowledgements and pauses, so a data packet directly before one of them is
/// not counted.
#[derive(Clone, Debug)]
pub struct PintTelemetry {
    settings: PintSettings,
    ports: Vec<PortUtilization>,
    source: Source,
    /// `true` if digests are raised at the end of the epoch. Not possible if a measurement draws,
    /// too, or if only some packets are measured.
    puts_off: bool,
    rises: Rises,
}

/// Source of the random numbers for rounding.
#[derive(Clone, Debug)]
enum Source {
    /// The switch's own stream.
    Own(Stream),
    /// The published simulator's sequence.
    Published(PublishedDraws),
}

impl PintTelemetry {
    /// Returns the telemetry of switch `node` with `links` at its ports. It rounds with its own
    /// draws from `seed`.
    #[must_use]
    pub fn new(settings: &PintSettings, links: &[PortLink], seed: u64, node: NodeId) -> Self {
        let stream = Stream::new(seed, u64::from(node.0), Purpose::Rounding);
        Self::with_source(settings, links, Source::Own(stream))
    }

    /// Returns the telemetry of the only switch of a network, with `links` to hosts at its ports.
    /// It reproduces the draws of the published simulator.
    ///
    /// There, all switches and senders share the C library's `rand()`, which is never seeded, so
    /// the rounding does not depend on the seed of the run. They share it in the order of the event
    /// list. A parallel run of several switches cannot reproduce this order, but a single switch
    /// sees all events that draw.
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
    /// Records the departure of a packet other than data, if only data packets are measured.
    // Kept out of line, apart from the code of the paper's switches. The same holds for the next
    // method.
    #[inline(never)]
    fn overlook<H: HasDigest>(&mut self, packet: &Packet<H>, hop: &Hop) {
        self.ports[hop.port.index()].overlook(hop.now, packet.size());
        // Senders draw for ACKs to packets with a digest; these ACKs carry it back.
        if let Source::Published(draws) = &mut self.source
            && packet.telemetry.digest().is_some()
        {
            draws.ack_leaves(hop.now, hop.port, packet.size());
        }
    }

    /// Handles a departure from a switch that defers nothing.
    // Takes a copy, so that the fast path does not need `hop` in memory.
    #[inline(never)]
    fn write_at_once<H: HasDigest>(&mut self, packet: &mut Packet<H>, hop: Hop) {
        self.on_dequeue(packet, &hop);
    }

    /// Handles a departure from a switch with the draws of the published simulator.
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
            // Draws for every packet, even if the code cannot rise.
            let code = self.settings.code.encode(utilization, draws);
            packet.telemetry.raise_digest(code);
        }
    }
}

impl<H: HasDigest> Telemetry<H> for PintTelemetry {
    // Without this attribute, the compiler does not inline it.
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

    /// Measures now, and raises the digest at the end of the epoch. This has three advantages: the
    /// switch may serve its ports in any order although they share a stream of draws, the processor
    /// can overlap the logarithms of several packets, and there is no unpredictable branch for
    /// digests that rise.
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

    // Kept out of line, so that the code of each packet has more registers.
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

    /// The ports share the stream of draws, so their order matters.
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
