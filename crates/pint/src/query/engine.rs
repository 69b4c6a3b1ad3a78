//! Data about the queries of a run, shared by all switches and sinks.

use fabricsim_base::id::{FlowId, NodeId};
use fabricsim_base::input::ConfigError;
use fabricsim_base::rng::{Purpose, Stream};
use fabricsim_base::units::{Duration, Time};
use fabricsim_core::packet::Packet;
use fabricsim_core::plugin::Hop;

use super::config::QueryConfig;
use super::encoder::Encoder;
use super::network::QueryNetwork;
use super::plan::{Demand, Plan, PlannedSet};
use super::probe::Probe;
use super::value::{Aggregation, Value};
use crate::hash::GlobalHash;
use crate::log_code::LogCode;
use crate::numeric::{Multiplicative, StepRounding};
use crate::tracing::TraceDigest;

/// Maximum number of switches on a path: a hop number has eight bits, like the TTL that it is
/// derived from.
pub const MOST_HOPS: u16 = 255;

/// The queries of a run: their plan, and the actions of switches and sinks (PINT, section 3).
#[derive(Clone, Debug)]
pub struct Queries {
    configs: Vec<QueryConfig>,
    names: Vec<String>,
    plan: Plan,
    packets: GlobalHash,
    pub(super) encoders: Vec<Encoder>,
    /// Index of the query that the congestion control reads.
    cc: Option<usize>,
    base_rtt: Duration,
    /// Code for storing true values.
    pub(super) exact: Multiplicative,
    /// Seed of the sinks' draws.
    seed: u64,
}

/// Relative error of stored true values, in 16 bits: 0.05%.
const EXACT: f64 = 0.0005;

impl Queries {
    /// Returns the queries of `configs`, for packets of `budget` bits in `network`. `seed`
    /// determines all hashes. If HPCC-PINT runs, `cc` is its code, and it reads the first query for
    /// the maximum utilization over a packet's path.
    ///
    /// # Errors
    /// Returns the index of the faulty query, or `None` if the plan for all of them is at fault,
    /// and the error.
    pub fn new(
        configs: &[QueryConfig],
        budget: u32,
        seed: u64,
        cc: Option<&LogCode>,
        network: &QueryNetwork,
    ) -> Result<Self, (Option<usize>, ConfigError)> {
        let seeds = GlobalHash::new(seed);
        let demands: Vec<Demand> = configs.iter().map(QueryConfig::demand).collect();
        // Check each query individually first, so that an error names a single query.
        for (index, config) in configs.iter().enumerate() {
            config.validate().map_err(|error| (Some(index), error))?;
        }
        if network.longest_path > MOST_HOPS {
            let error = ConfigError::new(
                "value",
                format!(
                    "a path passes {} switches, and packets count up to {MOST_HOPS}",
                    network.longest_path
                ),
                "use a network with shorter paths",
            );
            return Err((Some(0), error));
        }
        // The plan and each hash function get separate seeds, derived from `seed`.
        let plan = Plan::new(&demands, budget, seeds.value(0, 0)).map_err(|error| (None, error))?;
        // The congestion control's own telemetry writes the digest of the query that it reads.
        let controller_query = cc.and_then(|_| configs.iter().position(is_of_controller));
        let encoders = configs.iter().enumerate().map(|(index, config)| {
            let number = index as u64 + 1;
            let hash = |function| seeds.value(number, function);
            match cc.filter(|_| controller_query == Some(index)) {
                Some(code) => Encoder::of_controller(config, code),
                None => Encoder::new(config, hash, network),
            }
            .map_err(|error| (Some(index), error))
        });
        Ok(Self {
            names: (1..)
                .zip(configs)
                .map(|(number, config)| {
                    let usual = || format!("query{number}");
                    config.name.clone().unwrap_or_else(usual)
                })
                .collect(),
            encoders: encoders.collect::<Result<_, _>>()?,
            configs: configs.to_vec(),
            plan,
            packets: GlobalHash::new(seeds.value(0, 1)),
            cc: controller_query,
            base_rtt: network.base_rtt,
            exact: Multiplicative::new(EXACT, 16, StepRounding::Nearest)
                .expect("0.05% in 16 bits is a code"),
            seed,
        })
    }

    /// Returns the settings of the queries, in order.
    #[must_use]
    pub fn configs(&self) -> &[QueryConfig] {
        &self.configs
    }

    /// Returns the names of the queries, in the same order.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Returns the plan, which assigns packets to queries.
    #[must_use]
    pub const fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Returns the index of the query that the congestion control reads.
    #[must_use]
    pub const fn cc(&self) -> Option<usize> {
        self.cc
    }

    /// Returns T, the averaging time of utilizations.
    #[must_use]
    pub const fn base_rtt(&self) -> Duration {
        self.base_rtt
    }

    /// Returns `true` if any query other than the congestion control's needs the utilization of
    /// links.
    #[must_use]
    pub fn measure_links(&self) -> bool {
        let mut others = self.configs.iter().enumerate();
        others.any(|(index, config)| {
            config.value == Value::EgressUtilization && self.cc != Some(index)
        })
    }

    /// Returns the random stream for an empty store of digests of query `index`. `entity`
    /// distinguishes stores.
    pub(super) fn draws(&self, index: usize, entity: u64) -> Stream {
        let entity = GlobalHash::new(self.seed).value(index as u64, entity);
        Stream::new(self.seed, entity, Purpose::Sampling)
    }

    /// Returns the identifier of a packet of `flow` that left its host at `sent_at`. It is the same
    /// at all hops, and changes if the packet is retransmitted.
    ///
    /// Differs from the paper: the paper leaves open how packets are identified; its
    /// implementations use the 16-bit identification field of IP.
    #[inline]
    #[must_use]
    pub fn packet_id(&self, flow: FlowId, sent_at: Time) -> u64 {
        self.packets.value(u64::from(flow.0), sent_at.as_ps())
    }

    /// Updates `probe` of `packet`, which leaves `switch` at `hop`. `utilization` is the port's, in
    /// thousandths. The probe's hop count already includes this switch.
    #[inline]
    pub(super) fn encode<H>(
        &self,
        probe: &mut Probe,
        (id, set): (u64, &PlannedSet),
        switch: NodeId,
        packet: &Packet<H>,
        (hop, utilization): (&Hop, f64),
    ) {
        let number = probe.hops;
        // Each query of the set has its own bits in the digest: extract them, update them, put them
        // back.
        for index in set.queries.iter() {
            let encoder = &self.encoders[index];
            let mask = u64::MAX >> (64 - self.plan.demands()[index].bits);
            let offset = set.offset(index);
            let before = probe.digest >> offset & mask;
            let after = match encoder {
                Encoder::Controller { .. } => continue,
                Encoder::Static { value, scheme, .. } => {
                    let name = match value {
                        Value::IngressPort => u64::from(hop.ingress.0),
                        Value::EgressPort => u64::from(hop.port.0),
                        _ => u64::from(switch.0),
                    };
                    scheme.encode(TraceDigest(before), id, number, name).0
                }
                Encoder::Dynamic { value, sampler } => {
                    let before = u16::try_from(before).expect("a code has at most 16 bits");
                    let value = value.measure(packet, hop, utilization);
                    u64::from(sampler.encode(before, id, number, value))
                }
                Encoder::Extreme {
                    value,
                    code,
                    rounding,
                    fold,
                } => {
                    let value = value.measure(packet, hop, utilization);
                    let own = code.encode(value, rounding.uniform(id, u64::from(number)));
                    let own = u64::from(own);
                    match fold {
                        _ if number == 1 => own,
                        Aggregation::Min => own.min(before),
                        _ => own.max(before),
                    }
                }
                Encoder::Sum {
                    value,
                    counter,
                    rounding,
                } => {
                    let weight = value.measure(packet, hop, utilization);
                    let uniform = rounding.uniform(id, u64::from(number));
                    let before = u16::try_from(before).expect("a counter has at most 16 bits");
                    u64::from(counter.add(before, weight, uniform))
                }
            };
            probe.digest = probe.digest & !(mask << offset) | after << offset;
        }
    }
}

/// Returns `true` if `config` is for the value that HPCC-PINT reads.
fn is_of_controller(config: &QueryConfig) -> bool {
    config.value == Value::EgressUtilization && config.aggregation() == Aggregation::Max
}
