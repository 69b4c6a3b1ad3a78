//! The completion time of a query on the idle network.

use fabricsim_core::flow::FlowKey;
use fabricsim_core::id::{ClassId, NodeId};
use fabricsim_core::plugin::quirks::TimeUnit;
use fabricsim_core::units::{Bytes, Duration, Rate};
use fabricsim_scenario::scenario::Scenario;
use fabricsim_topology::Routes;
use fabricsim_workload::RpcQuery;
use rustc_hash::FxHashMap;

use crate::simulation::NetworkInfo;

/// Headers of a data packet of RDMA without telemetry, and the bytes of its ACK.
const DATA_HEADER: u64 = 48;
const ACK_HEADER: u64 = 46;
const LEAST_ACK: u64 = 60;

/// Full packets that are followed one by one; those beyond keep the distance of the slowest link.
const FOLLOWED: u64 = 4_096;

/// A link on a path.
#[derive(Clone, Copy, Debug)]
struct Hop {
    rate: Rate,
    delay: Duration,
    /// Time at which its wire is free, in picoseconds after the query was sent.
    free: u64,
}

/// The wire format of the messages of a class.
#[derive(Clone, Copy, Debug)]
struct Format {
    /// Payload of a full packet.
    payload: u64,
    /// Bytes that a packet adds.
    headers: u64,
    /// The ACK of each packet, where it leaves before what is sent at the same time.
    ack: Option<u64>,
}

/// Completion times of queries on the idle network, by the routes that the run began with.
///
/// Packets leave back to back and are stored and forwarded at each hop; the response follows the
/// ACKs of the query. What a window, pacing or a handshake adds is not in it.
pub(crate) struct IdealQct<'a> {
    scenario: &'a Scenario,
    routes: Routes,
    telemetry: u64,
    known: FxHashMap<(FlowKey, ClassId, Bytes, Bytes, Duration), Duration>,
}

impl<'a> IdealQct<'a> {
    pub(crate) fn new(scenario: &'a Scenario, routes: Routes, info: &NetworkInfo) -> Self {
        Self {
            scenario,
            routes,
            telemetry: u64::from(info.telemetry_bytes),
            known: FxHashMap::default(),
        }
    }

    /// The ideal completion time of `query`.
    pub(crate) fn of(&mut self, query: &RpcQuery) -> Duration {
        let key = (
            query.key,
            query.class,
            query.size,
            query.response,
            // A response that waits for its ACKs takes them into account.
            query.service,
        );
        if let Some(&known) = self.known.get(&key) {
            return known;
        }
        let ideal = self.compute(query);
        // Random service times never come again.
        if self.known.len() < 100_000 {
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
            ack: Some((ACK_HEADER + self.telemetry).max(LEAST_ACK)),
        }
    }

    fn compute(&self, query: &RpcQuery) -> Duration {
        let format = self.format(query.class);
        let mut forth = self.hops(&query.key);
        let mut back = self.hops(&query.key.reversed());
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

    /// The links that packets with `key` cross.
    fn hops(&self, key: &FlowKey) -> Vec<Hop> {
        let topology = self.routes.topology();
        let nodes = self.routes.trace(key);
        let hop = |pair: &[NodeId]| {
            let ports = topology.ports(pair[0]);
            let port = ports.iter().find(|port| port.peer == pair[1])?;
            Some(Hop {
                rate: port.rate,
                delay: port.delay,
                free: 0,
            })
        };
        nodes.windows(2).filter_map(hop).collect()
    }

    /// Returns when a packet of `wire` bytes has arrived that may leave at `at`.
    fn packet(&self, hops: &mut [Hop], wire: u64, at: u64) -> u64 {
        let mut at = at;
        for hop in hops {
            let size = Bytes::new(wire);
            let time = match self.scenario.quirks().transmission {
                TimeUnit::Picosecond => hop.rate.transmission(size),
                TimeUnit::Nanosecond => hop.rate.transmission_truncated_ns(size),
            };
            hop.free = at.max(hop.free) + time.as_ps();
            at = hop.free + hop.delay.as_ps();
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
                .map(|hop| hop.rate.transmission(Bytes::new(wire)));
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
