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

/// Origin of values that a switch has seen: a query and one hop of a flow.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd, Stored)]
pub(super) struct HopKey {
    pub(super) query: u8,
    pub(super) flow: FlowKey,
    pub(super) hop: u8,
}

/// Values of all packets that one switch has seen, whether or not they carried the digest. No real
/// switch keeps them.
#[derive(Checkpointed, Clone, Debug)]
pub struct Truth {
    #[checkpoint(rebuilt)]
    queries: Arc<Queries>,
    meters: LinkMeters,
    seen: FxHashMap<HopKey, Vec<u16>>,
}

impl Truth {
    /// The values of the dynamic queries of `queries` at a switch whose links have `rates`; `None`
    /// where there are none.
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

    /// Returns the values seen at each place, in no particular order.
    pub(super) fn seen(&self) -> impl Iterator<Item = (&HopKey, &[u16])> {
        self.seen.iter().map(|(place, codes)| (place, &codes[..]))
    }

    /// Returns the code of the recorded values.
    pub(super) fn code(&self) -> &Multiplicative {
        &self.queries.exact
    }

    /// `packet` leaves the switch by `hop`, and its probe has been written.
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
