//! The receiving side of queries: stores digests and infers results from them.

use std::sync::Arc;

use fabricsim_base::checkpoint::{Checkpointed, LoadError, Reader, Stored, Writer};
use fabricsim_base::units::Time;
use fabricsim_core::packet::{Packet, PacketKind};
use rustc_hash::FxHashMap;

use super::config::{Keep, QueryConfig};
use super::encoder::Encoder;
use super::engine::Queries;
use super::flow::FlowKey;
use super::probe::{HasProbe, Probe};
use super::result::{Estimate, HopResult, PacketResult, PathResult, Reach, Statistic};
use super::route::RouteRecord;
use crate::digest::HasDigest;
use crate::dynamic::HopValues;
use crate::tracing::TraceDigest;

/// Data stored for one flow and one query.
#[derive(Clone, Debug)]
enum Record {
    /// The path so far.
    Route(Box<RouteRecord>),
    /// The digests of each hop, from the first.
    Hops(Vec<HopValues>),
    /// One digest of each packet.
    Packets(HopValues),
}

/// The sink of one host: it extracts the digests of arriving packets (PINT, section 3.4: the
/// recording and inference modules).
///
/// Differs from the paper: in the paper, the last switch may extract the digests, so that the last
/// link does not carry them.
#[derive(Clone, Debug)]
pub struct Sink {
    queries: Arc<Queries>,
    records: FxHashMap<(u8, FlowKey), Record>,
}

/// Query results from the sinks of all hosts. Each list is ordered by query, then by flow.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct QueryResults {
    /// Results of static queries.
    pub paths: Vec<PathResult>,
    /// Results of dynamic queries.
    pub hops: Vec<HopResult>,
    /// Results of queries per packet.
    pub packets: Vec<PacketResult>,
}

impl Sink {
    /// Returns the sink of a host in a run with `queries`.
    #[must_use]
    pub fn new(queries: &Arc<Queries>) -> Self {
        Self {
            queries: Arc::clone(queries),
            records: FxHashMap::default(),
        }
    }

    /// Records the digests of `packet`, which has arrived.
    pub fn on_arrival<H: HasDigest + HasProbe>(&mut self, now: Time, packet: &Packet<H>) {
        let Some(probe) = packet.telemetry.probe() else {
            return;
        };
        if packet.kind() != PacketKind::Data || probe.hops == 0 {
            return;
        }
        let queries = Arc::clone(&self.queries);
        let id = queries.packet_id(packet.flow, packet.sent_at);
        let set = queries.plan().set_of(id);
        for index in set.queries.iter() {
            let config = &queries.configs()[index];
            if !config.wants(packet.flow) {
                continue;
            }
            let bits = queries.plan().demands()[index].bits;
            let digest = probe.digest >> set.offset(index) & (u64::MAX >> (64 - bits));
            let encoder = &queries.encoders[index];
            let digest = match (encoder, packet.telemetry.digest()) {
                // The congestion control's digest has its own slot.
                (Encoder::Controller { .. }, None) => continue,
                (Encoder::Controller { .. }, Some(code)) => u64::from(code),
                _ => digest,
            };
            let query = u8::try_from(index).expect("a plan has few queries");
            let key = (query, FlowKey::of(config.flow, packet));
            let record = self.records.entry(key);
            let store = |hop: u64| {
                let draws = queries.draws(index, key.1.number().wrapping_add(hop));
                HopValues::new(config.storage(), draws)
            };
            let record = record.or_insert_with(|| Record::new(encoder, probe, &store));
            record.take_in(now, encoder, (id, digest), probe, &store);
        }
    }

    /// Adds the results to `results`, in no particular order.
    pub(super) fn add_to(&self, results: &mut QueryResults) {
        // The iteration order of a hash table does not matter, because `collect` sorts the results.
        for (&(query, flow), record) in &self.records {
            let index = usize::from(query);
            let config = &self.queries.configs()[index];
            let encoder = &self.queries.encoders[index];
            match record {
                Record::Route(route) => {
                    let parts = route.parts();
                    results.paths.extend(parts.map(|part| PathResult {
                        query: index,
                        flow,
                        part: part.clone(),
                    }));
                }
                Record::Hops(hops) => {
                    for (hop, values) in (1..=u8::MAX).zip(hops) {
                        for (statistic, estimate) in statistics(config, encoder, values) {
                            results.hops.push(HopResult {
                                query: index,
                                flow,
                                hop,
                                digests: values.count(),
                                statistic,
                                estimate,
                                truth: None,
                                passed: None,
                            });
                        }
                    }
                }
                Record::Packets(values) => {
                    for (statistic, estimate) in statistics(config, encoder, values) {
                        results.packets.push(PacketResult {
                            query: index,
                            flow,
                            digests: values.count(),
                            statistic,
                            estimate,
                        });
                    }
                }
            }
        }
    }
}

/// Stores the records in the order of queries and flows.
impl Checkpointed for Sink {
    fn save(&self, out: &mut Writer) {
        let Self {
            queries: _,
            records,
        } = self;
        let mut records: Vec<_> = records.iter().collect();
        records.sort_unstable_by_key(|(key, _)| **key);
        out.number(records.len());
        for (key, record) in records {
            key.store(out);
            match record {
                Record::Route(route) => route.save(out),
                Record::Hops(hops) => hops.store(out),
                Record::Packets(values) => values.store(out),
            }
        }
    }

    fn load(&mut self, input: &mut Reader<'_>) -> Result<(), LoadError> {
        for _ in 0..input.length()? {
            let key = <(u8, FlowKey)>::fetch(input)?;
            let Some(encoder) = self.queries.encoders.get(usize::from(key.0)) else {
                return Err(LoadError::new(format!("there is no query {}", key.0)));
            };
            let record = match encoder {
                Encoder::Static {
                    value,
                    scheme,
                    universe,
                } => {
                    let mut route = RouteRecord::new(*value, scheme, universe, 0);
                    route.load(input)?;
                    Record::Route(Box::new(route))
                }
                Encoder::Dynamic { .. } => Record::Hops(Stored::fetch(input)?),
                Encoder::Extreme { .. } | Encoder::Sum { .. } | Encoder::Controller { .. } => {
                    Record::Packets(Stored::fetch(input)?)
                }
            };
            self.records.insert(key, record);
        }
        Ok(())
    }
}

impl Record {
    fn new(encoder: &Encoder, probe: &Probe, store: &impl Fn(u64) -> HopValues) -> Self {
        match encoder {
            Encoder::Static {
                value,
                scheme,
                universe,
            } => Self::Route(Box::new(RouteRecord::new(
                *value, scheme, universe, probe.hops,
            ))),
            Encoder::Dynamic { .. } => Self::Hops(Vec::new()),
            Encoder::Extreme { .. } | Encoder::Sum { .. } | Encoder::Controller { .. } => {
                Self::Packets(store(0))
            }
        }
    }

    fn take_in(
        &mut self,
        now: Time,
        encoder: &Encoder,
        (id, digest): (u64, u64),
        probe: &Probe,
        store: &impl Fn(u64) -> HopValues,
    ) {
        let code = u16::try_from(digest).unwrap_or(u16::MAX);
        match (self, encoder) {
            (Self::Route(route), _) => route.record(now, id, TraceDigest(digest), probe),
            (Self::Hops(hops), Encoder::Dynamic { sampler, .. }) => {
                let hop = sampler.hop(id, probe.hops);
                let hop = usize::from(hop.expect("a packet that has passed a switch has a hop"));
                hops.extend((hops.len()..usize::from(probe.hops)).map(|hop| store(hop as u64)));
                hops[hop - 1].record(code);
            }
            (Self::Packets(values), _) => values.record(code),
            (Self::Hops(_), _) => unreachable!("hops are kept for dynamic queries only"),
        }
    }
}

/// Minimum share of a frequent value in the result.
const LEAST_SHARE: f64 = 0.05;

/// Returns the statistics of `values`: the quantiles in order, or the frequent values if the query
/// stores these.
fn statistics(
    config: &QueryConfig,
    encoder: &Encoder,
    values: &HopValues,
) -> Vec<(Statistic, Option<Estimate>)> {
    let decode = |code: u16| {
        let (value, largest) = match encoder {
            Encoder::Dynamic { sampler, .. } => {
                let codes = sampler.code();
                (codes.decode(code), codes.largest())
            }
            Encoder::Extreme { code: codes, .. } => (codes.decode(code), codes.largest()),
            Encoder::Sum { counter, .. } => (counter.estimate(code), counter.largest()),
            Encoder::Controller { code: codes } => {
                (codes.decode(code) * 1e3, codes.largest() * 1e3)
            }
            Encoder::Static { .. } => (f64::from(code), f64::INFINITY),
        };
        let reach = if value < largest {
            Reach::Within
        } else {
            Reach::Largest
        };
        Estimate { value, reach }
    };
    let quantiles = config.quantiles().iter().map(|&share| {
        let estimate = values.quantile(share).map(decode);
        (Statistic::Quantile(share), estimate)
    });
    let mut statistics: Vec<_> = quantiles.collect();
    if config.keep == Some(Keep::Frequent) {
        statistics.clear();
        for frequent in values.frequent(LEAST_SHARE).into_iter().flatten() {
            let share = frequent.count as f64 / values.count().max(1) as f64;
            statistics.push((Statistic::Frequent(share), Some(decode(frequent.value))));
        }
    }
    statistics
}
