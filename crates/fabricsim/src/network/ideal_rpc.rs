//! The completion time of a query on the idle network.

use std::rc::Rc;
use std::sync::Arc;

use fabricsim_base::flow::FlowKey;
use fabricsim_base::id::ClassId;
use fabricsim_base::units::{Bytes, Duration};
use fabricsim_core::plugin::quirks::TimeUnit;
use fabricsim_scenario::scenario::Scenario;
use fabricsim_topology::Routes;
use fabricsim_workload::RpcQuery;
use rustc_hash::FxHashMap;

use super::idle_paths::{IdlePaths, Link, Ways};
use crate::simulation::NetworkInfo;

/// Bytes of the headers of an RDMA data packet without telemetry, and of its ACK.
const DATA_HEADER: u64 = 48;
const ACK_HEADER: u64 = 46;
pub(super) const LEAST_ACK: Bytes = Bytes::new(60);

/// Largest number of ideal times, and of paths, that are kept.
const KEPT: usize = 100_000;

/// Number of full packets that are simulated one by one; later ones have the spacing of the slowest
/// link.
const FOLLOWED: u64 = 4_096;

/// A link on a path.
#[derive(Clone, Copy, Debug)]
struct Hop {
    link: Link,
    /// Time at which its wire is free, in picoseconds after the query was sent.
    free: u64,
}

/// The wire format of the messages of a class.
#[derive(Clone, Copy, Debug)]
struct Format {
    /// Payload of a full packet.
    payload: u64,
    /// Header bytes of a packet.
    headers: u64,
    /// The size of the ACK of each packet, if ACKs leave before data sent at the same time.
    ack: Option<u64>,
}

/// Completion times of queries on the idle network, by the routes at the beginning of the run: the
/// minimum over all shortest paths of the query and of its response, as for flows
/// ([`IdealFct`](super::ideal::IdealFct)). A connection that is bound to NICs uses only these.
///
/// Packets leave back to back and are stored and forwarded at each hop; the response follows the
/// ACKs of the query. Delays by a window, pacing or a handshake are not included.
pub(crate) struct IdealQct<'a> {
    scenario: &'a Scenario,
    paths: IdlePaths,
    telemetry: u64,
    /// The paths of connections in both directions.
    ways: FxHashMap<FlowKey, Rc<(Ways, Ways)>>,
    known: FxHashMap<(FlowKey, ClassId, Bytes, Bytes, Duration), Duration>,
}

impl<'a> IdealQct<'a> {
    pub(crate) fn new(scenario: &'a Scenario, routes: Routes, info: &NetworkInfo) -> Self {
        Self {
            scenario,
            paths: IdlePaths::new(Arc::new(routes), scenario.quirks().ideal_path),
            ways: FxHashMap::default(),
            telemetry: u64::from(info.telemetry_bytes),
            known: FxHashMap::default(),
        }
    }

    /// Returns the ideal completion time of `query`.
    pub(crate) fn of(&mut self, query: &RpcQuery) -> Duration {
        let key = (
            query.key,
            query.class,
            query.size,
            query.response,
            // The service time counts, because it decides if the response waits for the ACKs.
            query.service,
        );
        if let Some(&known) = self.known.get(&key) {
            return known;
        }
        let ideal = self.compute(query);
        // The limit is for random service times, which never repeat.
        if self.known.len() < KEPT {
            self.known.insert(key, ideal);
        }
        ideal
    }

    fn format(&self, class: ClassId) -> Format {
        if let Some(tcp) = self.scenario.tcp_facts()
            && tcp.class(class).is_some()
        {
            return Format {
                payload: tcp.mss.get(),
                headers: tcp.headers.get(),
                ack: None,
            };
        }
        Format {
            payload: self.scenario.transport().mtu.get(),
            headers: DATA_HEADER + self.telemetry,
            ack: Some((ACK_HEADER + self.telemetry).max(LEAST_ACK.get())),
        }
    }

    fn compute(&mut self, query: &RpcQuery) -> Duration {
        let ways = self.ways(&query.key);
        let (forth, back) = &*ways;
        let pairs = forth
            .iter()
            .flat_map(|forth| back.iter().map(move |back| (forth, back)));
        let times = pairs.map(|(forth, back)| self.along(query, forth, back));
        times.min().unwrap_or(query.service)
    }

    fn ways(&mut self, key: &FlowKey) -> Rc<(Ways, Ways)> {
        if let Some(known) = self.ways.get(key) {
            return Rc::clone(known);
        }
        let [forth, back] = [*key, key.reversed()].map(|key| self.paths.of(&key));
        let found = Rc::new((forth, back));
        if self.ways.len() < KEPT {
            self.ways.insert(*key, Rc::clone(&found));
        }
        found
    }

    /// Returns the completion time of a query along `forth` with a response along `back`.
    fn along(&self, query: &RpcQuery, forth: &[Link], back: &[Link]) -> Duration {
        let format = self.format(query.class);
        let hops = |links: &[Link]| -> Vec<Hop> {
            let links = links.iter();
            links.map(|&link| Hop { link, free: 0 }).collect()
        };
        let (mut forth, mut back) = (hops(forth), hops(back));
        let mut arrived = 0;
        self.train(&mut forth, &format, query.size, 0, |at| {
            arrived = at;
            if let Some(ack) = format.ack {
                self.packet(&mut back, ack, at);
            }
        });
        let mut end = 0;
        let responds = arrived + query.service.as_ps();
        self.train(&mut back, &format, query.response, responds, |at| end = at);
        Duration::from_ps(end)
    }

    /// Returns the arrival time of a packet of `wire` bytes that may leave at `at`.
    fn packet(&self, hops: &mut [Hop], wire: u64, at: u64) -> u64 {
        let mut at = at;
        for hop in hops {
            let size = Bytes::new(wire);
            let time = match self.scenario.quirks().transmission {
                TimeUnit::Picosecond => hop.link.rate.transmission(size),
                TimeUnit::Nanosecond => hop.link.rate.transmission_truncated_ns(size),
            };
            hop.free = at.max(hop.free) + time.as_ps();
            at = hop.free + hop.link.delay.as_ps();
        }
        at
    }

    /// Sends a message of `size` bytes, which may leave at `at`; calls `arrive` for each packet.
    fn train(
        &self,
        hops: &mut [Hop],
        format: &Format,
        size: Bytes,
        at: u64,
        mut arrive: impl FnMut(u64),
    ) {
        let (full, rest) = (size.get() / format.payload, size.get() % format.payload);
        let wire = format.payload + format.headers;
        for _ in 0..full.min(FOLLOWED) {
            let at = self.packet(hops, wire, at);
            arrive(at);
        }
        if let Some(more) = full.checked_sub(FOLLOWED)
            && more > 0
        {
            let slowest = hops
                .iter()
                .map(|hop| hop.link.rate.transmission(Bytes::new(wire)));
            let skipped = (more - 1) * slowest.max().unwrap_or_default().as_ps();
            for hop in hops.iter_mut() {
                hop.free += skipped;
            }
            let at = self.packet(hops, wire, at);
            arrive(at);
        }
        if rest > 0 {
            let at = self.packet(hops, rest + format.headers, at);
            arrive(at);
        }
    }
}
