//! NCCL's choice of algorithm, protocol and channels.
//!
//! Source: NCCL 2.30.7, `ncclTopoTuneModel` and `ncclTopoGetAlgoTime` in `src/graph/tuning.cc`, with
//! the constants for Hopper GPUs and Intel CPUs; `topoGetAlgoInfo` in `src/enqueue.cc` for the
//! channels. Rows that override the choice have the fields of NCCL's example of a tuner plugin
//! (`plugins/tuner/example/nccl_tuner.conf`).
//!
//! Differs from NCCL: the bandwidth of a node is the sum of the rates of its hosts, because NCCL
//! finds it by a search of the node's PCI and `NVLink` topology. `NVLS`, `CollNet` and `PAT` are
//! no choices, because they need switches inside of nodes that compute, or are not implemented.

use fabricsim_base::input::ConfigError;
use fabricsim_base::units::{Bytes, Rate};
use fabricsim_base::{choices, settings};

use super::super::{
    CollectiveAlgorithm as Algorithm, CollectiveConfig, CollectiveOperation as Operation,
};
use super::Protocol;

choices! {
    /// An algorithm of NCCL.
    pub enum NcclAlgorithm {
        /// A ring, or a chain along it for a broadcast.
        Ring = "ring",
        /// Two trees, for an all-reduce.
        Tree = "tree",
    }
}

settings! {
    /// A choice of algorithm, protocol and channels.
    pub struct TunerRow {
        /// Least size of a collective that the row is for.
        pub min_bytes: Bytes = "0B",
        /// Greatest size.
        #[note("(default: any)")]
        pub max_bytes: Option<Bytes> = null,
        /// Number of nodes.
        #[note("(default: any)")]
        pub nodes: Option<u32> = null,
        /// Number of ranks of a group.
        #[note("(default: any)")]
        pub ranks: Option<u32> = null,
        /// Algorithm.
        pub algorithm: NcclAlgorithm = required,
        /// Protocol.
        pub protocol: Protocol = required,
        /// Number of channels.
        #[range(from 1, to 1024)]
        #[refused("{value} channels are outside the range 1 to 1024", "write for example 2")]
        #[note("(default: by NCCL's rule)")]
        pub channels: Option<u32> = null,
    }
}

/// The nodes of a group.
#[derive(Clone, Copy, Debug)]
pub(in crate::collective) struct Nodes {
    pub(in crate::collective) ranks: u32,
    pub(in crate::collective) local_size: u32,
    /// Rate of the network interfaces of a host.
    pub(in crate::collective) rate: Rate,
    /// All channels of the communicator.
    pub(in crate::collective) channels: u32,
}

/// The choice for one collective.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(in crate::collective) struct Choice {
    pub(in crate::collective) algorithm: Algorithm,
    pub(in crate::collective) protocol: Protocol,
    /// The most channels that are used.
    pub(in crate::collective) channels: u32,
}

/// Microseconds by protocol, in the order LL, LL128, Simple.
type Times = [f64; 3];

const PROTOCOLS: [Protocol; 3] = [Protocol::Ll, Protocol::Ll128, Protocol::Simple];

/// Times by tree and ring: of a start, of a step inside a node (`NVLink`), and of a step between
/// nodes.
const BASE: [Times; 2] = [[6.8, 14.0, 8.4], [6.6, 14.0, 8.4]];
const INSIDE: [Times; 2] = [[0.6, 1.25, 4.0], [0.6, 1.9, 3.4]];
const OUTSIDE: [Times; 2] = [[5.0, 8.5, 14.0], [2.7, 4.0, 14.0]];
/// Time to post a message to the network.
const OVERHEAD: f64 = 1.0;
/// GB/s by the number of nodes: 1, 2, more. Of LL at all, and of a channel.
const LL: [f64; 3] = [141.0, 39.0, 20.4];
const RING_LL128: [f64; 3] = [36.7, 36.7, 36.7];
const TREE_LL128: [f64; 3] = [36.7, 36.7, 29.0];
const TREE: [f64; 3] = [38.7, 41.4, 36.0];
/// Bandwidth up to which a ring has half of its threads.
const SLOW: f64 = 12.0;

/// Factors of a tree's bandwidth for sizes from 64 bytes on, each twice as large.
const CORRECTION: [[f64; 23]; 3] = [
    [
        1.0, 1.0, 1.0, 1.0, 0.9, 0.8, 0.7, 0.7, 0.7, 0.7, 0.6, 0.5, 0.4, 0.4, 0.5, 0.6, 0.7, 0.8,
        0.9, 1.0, 1.0, 1.0, 1.0,
    ],
    [
        1.0, 1.0, 1.0, 1.0, 1.0, 0.9, 0.8, 0.8, 0.8, 0.7, 0.6, 0.6, 0.6, 0.6, 0.6, 0.6, 0.8, 0.9,
        0.9, 0.9, 0.9, 1.0, 1.0,
    ],
    [
        0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.8, 0.7, 0.6, 0.6, 0.5, 0.5, 0.5, 0.5, 0.6, 0.7, 0.8,
        0.7, 0.7, 0.8, 0.9, 0.9,
    ],
];

impl Nodes {
    /// Returns the algorithm and the protocol of `config`, and the channels. For "nccl" it is the
    /// first row of `tuner` for the size, or NCCL's own choice.
    ///
    /// # Errors
    /// Fails if the tree of a row cannot do the operation, or if its number of channels is invalid.
    pub(in crate::collective) fn choice(
        &self,
        config: &CollectiveConfig,
    ) -> Result<Choice, ConfigError> {
        let (operation, size) = (config.operation, config.size);
        if let (Some(protocol), Some(algorithm)) = (config.protocol, config.algorithm_by_name()) {
            return Ok(Choice {
                algorithm,
                protocol,
                channels: self.channels,
            });
        }
        let is_for = |row: &&TunerRow| {
            row.min_bytes <= size
                && row.max_bytes.is_none_or(|most| size <= most)
                && row.nodes.is_none_or(|nodes| nodes == self.count())
                && row.ranks.is_none_or(|ranks| ranks == self.ranks)
                && config
                    .protocol
                    .is_none_or(|protocol| protocol == row.protocol)
        };
        let mut row = None;
        for own in config.tuner.iter().flatten() {
            own.validate_ranges()?;
            if own.algorithm == NcclAlgorithm::Tree && operation != Operation::AllReduce {
                return Err(ConfigError::new(
                    "tuner",
                    format!("{} has no algorithm \"tree\"", operation.name()),
                    "write \"ring\"",
                ));
            }
            row = row.or_else(|| Some(own).filter(is_for));
        }
        let (algorithm, protocol) = match row {
            Some(row) => (row.algorithm, row.protocol),
            None => self.fastest(operation, size, config.protocol),
        };
        let channels = row.and_then(|row| row.channels);
        Ok(Choice {
            algorithm: match (algorithm, operation) {
                (NcclAlgorithm::Tree, _) => Algorithm::DoubleBinaryTree,
                (NcclAlgorithm::Ring, Operation::Broadcast) => Algorithm::Chain,
                (NcclAlgorithm::Ring, _) => Algorithm::Ring,
            },
            protocol,
            channels: channels.unwrap_or_else(|| self.used(algorithm, protocol, size)),
        })
    }

    const fn count(&self) -> u32 {
        self.ranks / self.local_size
    }

    /// Returns GB/s of a node.
    fn bandwidth(&self) -> f64 {
        let hosts = if self.count() > 1 { self.local_size } else { 1 };
        f64::from(hosts) * self.rate.as_bps() as f64 / 8e9
    }

    /// Returns the algorithm and the protocol with the least expected time.
    fn fastest(
        &self,
        operation: Operation,
        size: Bytes,
        protocol: Option<Protocol>,
    ) -> (NcclAlgorithm, Protocol) {
        let algorithms: &[NcclAlgorithm] = match operation {
            Operation::AllReduce => &[NcclAlgorithm::Tree, NcclAlgorithm::Ring],
            _ => &[NcclAlgorithm::Ring],
        };
        let mut best = (f64::INFINITY, NcclAlgorithm::Ring, Protocol::Simple);
        for &algorithm in algorithms {
            for (at, &own) in PROTOCOLS.iter().enumerate() {
                let time = match algorithm {
                    NcclAlgorithm::Tree => self.tree(size, at),
                    NcclAlgorithm::Ring => self.ring(operation, size, at),
                };
                if protocol.is_none_or(|protocol| protocol == own) && time < best.0 {
                    best = (time, algorithm, own);
                }
            }
        }
        (best.1, best.2)
    }

    /// Returns the expected microseconds of an all-reduce by trees with protocol number `at`.
    pub(in crate::collective) fn tree(&self, size: Bytes, at: usize) -> f64 {
        let (nodes, channels) = (self.count(), f64::from(self.channels));
        let class = nodes.clamp(1, 3) as usize - 1;
        let bus = (self.bandwidth() * 0.92).min(channels * TREE[class]);
        let bus = match PROTOCOLS[at] {
            Protocol::Ll => (bus / 3.8).min(LL[class]),
            Protocol::Ll128 => {
                let share = if nodes == 1 { 7.0 / 9.0 } else { 120.0 / 128.0 };
                (bus * share).min(channels * TREE_LL128[class])
            }
            Protocol::Simple => bus,
        };
        let steps = (self.local_size - 1, nodes.ilog2());
        let steps = f64::from(steps.0) * INSIDE[0][at] + f64::from(steps.1) * OUTSIDE[0][at];
        let doublings = (size.get() >> 6).checked_ilog2().map(|log| log as usize);
        let correction = doublings.and_then(|log| CORRECTION[at].get(log));
        let bandwidth = bus * 0.5 * correction.unwrap_or(&1.0);
        BASE[0][at] + 2.0 * steps + size.as_f64() / (1e3 * bandwidth)
    }

    /// Returns the expected microseconds on a ring with protocol number `at`.
    fn ring(&self, operation: Operation, size: Bytes, at: usize) -> f64 {
        let (nodes, ranks, protocol) = (self.count(), f64::from(self.ranks), PROTOCOLS[at]);
        let class = nodes.clamp(1, 3) as usize - 1;
        let channels = f64::from(self.channels);
        let bus = match protocol {
            Protocol::Ll => (self.bandwidth() * 0.5).min(LL[class]),
            Protocol::Ll128 => (self.bandwidth() * 0.92).min(channels * RING_LL128[class]),
            Protocol::Simple => self.bandwidth(),
        };
        let twice = if operation == Operation::AllReduce {
            2.0
        } else {
            1.0
        };
        let steps = match operation {
            Operation::Broadcast => ranks,
            _ => twice * (ranks - 1.0),
        };
        let bandwidth = bus * ranks / steps;
        let tree_outside = usize::from(self.local_size > 1);
        let (mut inside, outside) = (INSIDE[1][at], OUTSIDE[tree_outside][at]);
        let mut latency = BASE[1][at];
        if operation == Operation::Broadcast {
            // All channels of nodes with one host take the same way. Other channels take a step
            // for each rank, of a tree with Simple.
            let way = usize::from(protocol != Protocol::Simple || self.local_size == 1);
            let step = if nodes == 1 {
                INSIDE[way][at]
            } else {
                OUTSIDE[way][at]
            };
            latency += if self.local_size == 1 {
                step
            } else {
                steps * step
            };
        } else {
            if nodes > 1 {
                let times = if protocol == Protocol::Simple {
                    3.0
                } else {
                    1.0
                };
                inside = inside.max(OVERHEAD * times);
            }
            let across = twice * f64::from(nodes - 1);
            latency += (steps - across) * inside + across * outside;
        }
        let share = size.get() / (u64::from(self.channels) * u64::from(self.ranks));
        let is_level = protocol == Protocol::Simple && nodes > 1 && share >= 64;
        if is_level && operation == Operation::AllReduce {
            latency *= 1.4;
        }
        latency + size.as_f64() / (1e3 * bandwidth)
    }

    /// Returns the most channels that NCCL uses for `size`: fewer if their threads would have
    /// little to do.
    fn used(&self, algorithm: NcclAlgorithm, protocol: Protocol, size: Bytes) -> u32 {
        let is_ring = algorithm == NcclAlgorithm::Ring;
        let threads = match protocol {
            Protocol::Ll128 => 640,
            Protocol::Simple if is_ring && self.bandwidth() <= SLOW => 256,
            Protocol::Simple | Protocol::Ll => 512,
        };
        let bytes = match protocol {
            Protocol::Simple => 64,
            Protocol::Ll if is_ring => 8 * u64::from(self.ranks),
            Protocol::Ll | Protocol::Ll128 => 8,
        };
        let filled = size.get() / (threads * bytes);
        u32::try_from(filled).map_or(self.channels, |filled| filled.clamp(1, self.channels))
    }
}
