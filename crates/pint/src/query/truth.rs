//! True values at hops, for comparison with query results.

use std::sync::Arc;

use fabricsim_base::checkpoint::{Checkpointed, Stored};
use fabricsim_base::units::Rate;
use fabricsim_core::packet::{Packet, PacketKind};
use fabricsim_core::plugin::Hop;
use rustc_hash::FxHashMap;

use super::config::QueryConfig;
use super::engine::Queries;
use super::flow::FlowKey;
use super::meter::LinkMeters;
use super::probe::HasProbe;
use crate::numeric::Multiplicative;

/// Origin of values at a switch: a query and one hop of a flow.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd, Stored)]
#[checkpoint(absolute)]
pub(super) struct HopKey {
    pub(super) query: u8,
    pub(super) flow: FlowKey,
    pub(super) hop: u8,
}

/// Values of all packets at one switch, with or without a digest. A real switch does not store
/// them.
#[derive(Checkpointed, Clone, Debug)]
#[checkpoint(absolute)]
pub struct Truth {
    #[checkpoint(rebuilt)]
    queries: Arc<Queries>,
    meters: LinkMeters,
    seen: FxHashMap<HopKey, Vec<u16>>,
}

impl Truth {
    /// Returns an empty record for the dynamic queries of `queries`, at a switch with links of
    /// `rates`, or `None` if there are no dynamic queries.
    #[must_use]
    pub fn new(queries: &Arc<Queries>, rates: &[Rate]) -> Option<Self> {
        let mut configs = queries.configs().iter();
        let wanted = configs.any(QueryConfig::is_judged);
        wanted.then(|| Self {
            meters: LinkMeters::for_queries(queries, rates),
            queries: Arc::clone(queries),
            seen: FxHashMap::default(),
        })
    }

    /// Returns the recorded values of each hop, in no particular order.
    pub(super) fn seen(&self) -> impl Iterator<Item = (&HopKey, &[u16])> {
        self.seen.iter().map(|(place, codes)| (place, &codes[..]))
    }

    /// Returns the code of the recorded values.
    pub(super) fn code(&self) -> &Multiplicative {
        &self.queries.exact
    }

    /// Records the values of `packet`, which leaves the switch at `hop` with its probe already
    /// updated.
    pub fn on_dequeue<H: HasProbe>(&mut self, hop: &Hop, packet: &Packet<H>) {
        let utilization = self.meters.measure(packet.size(), hop);
        let Some(probe) = packet.telemetry.probe() else {
            return;
        };
        if packet.kind() != PacketKind::Data {
            return;
        }
        for (query, config) in (0u8..).zip(self.queries.configs()) {
            if !config.is_judged() || !config.wants(packet.flow) {
                continue;
            }
            let place = HopKey {
                query,
                flow: FlowKey::of(config.flow, packet),
                hop: probe.hops,
            };
            let value = config.value.measure(packet, hop, utilization);
            let code = self.queries.exact.encode(value, 0.0);
            self.seen.entry(place).or_default().push(code);
        }
    }
}
