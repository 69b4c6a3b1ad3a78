//! Estimate of a run over several ranks, from one run on one thread.
//!
//! Nodes are divided among ranks as in such a run. In each epoch, every rank runs its nodes, packs
//! messages for the other ranks, unpacks their messages, and waits for all of them. An epoch
//! therefore takes as long as the rank with the most work, plus the messages.

use fabricsim::ranks::owners;
use fabricsim_base::id::NodeId;
use fabricsim_topology::Topology;
use serde::{Deserialize, Serialize};

use super::nanos;
use std::time::Instant;

/// Numbers of ranks in the estimate.
pub const RANKS: [usize; 6] = [2, 4, 8, 16, 32, 64];

/// One in this many batches from a node to a neighbor is measured.
const SAMPLED: u64 = 16;

/// Costs of messages between ranks, as measured by `fabricsim mpi-probe`. The model is LogGP (A.
/// Alexandrov et al., SPAA 1995).
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Serialize)]
pub struct MessageCosts {
    /// Time of an empty message from one rank to another, in microseconds.
    pub latency_us: f64,
    /// Time that a rank works to send or to receive a message, in microseconds.
    pub overhead_us: f64,
    /// Time of each further byte, in nanoseconds.
    pub ns_per_byte: f64,
}

/// Typical costs for processes on one machine, or on machines with an HPC network.
impl Default for MessageCosts {
    fn default() -> Self {
        Self {
            latency_us: 2.0,
            overhead_us: 0.5,
            ns_per_byte: 0.1,
        }
    }
}

/// Estimate for one number of ranks.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct RankRow {
    /// Number of ranks, of one thread each.
    pub ranks: usize,
    /// The time of the run, in nanoseconds.
    pub time_ns: f64,
    /// Time on one thread over `time_ns`.
    pub speedup: f64,
    /// `speedup` over `ranks`.
    pub efficiency: f64,
    /// Work of the busiest rank of each epoch including packing, summed over epochs, in
    /// nanoseconds.
    pub work_ns: f64,
    /// Time of the work that every rank repeats: the search for due nodes, and decisions about
    /// epochs.
    pub serial_ns: f64,
    /// Time in exchanges: latency, overheads and bytes.
    pub exchange_ns: f64,
    /// Work of the busiest rank over the mean, 1 if all have the same.
    pub imbalance: f64,
    /// Messages (packets) between ranks per epoch.
    pub messages_per_epoch: f64,
    /// Bytes between ranks per epoch.
    pub bytes_per_epoch: f64,
    /// Share of all messages that are between ranks.
    pub crossing: f64,
}

/// Estimated loads of ranks.
#[derive(Debug, Default)]
pub(super) struct RankLoads {
    /// The node at the far end, by node and port.
    peers: Vec<Vec<u32>>,
    divisions: Vec<Division>,
    /// All messages, then the number, the bytes, and the packing and unpacking time of the measured
    /// ones.
    messages: u64,
    calls: u64,
    sample: Sample,
}

#[derive(Clone, Copy, Debug, Default)]
struct Sample {
    messages: u64,
    bytes: u64,
    ns: u64,
}

/// Estimated loads for one number of ranks.
#[derive(Debug)]
struct Division {
    owners: Vec<u16>,
    /// Loads of this epoch by rank: work in nanoseconds, sent messages, received messages.
    epoch: Vec<(u64, u64, u64)>,
    /// Messages between ranks.
    crossed: u64,
    /// Sum of all work.
    work_ns: u64,
    /// Sums over epochs of the work and the messages of the slowest rank: the one for which both
    /// together take longest, with the message cost measured so far.
    slowest_ns: u64,
    slowest_messages: u64,
    /// Sum over epochs of the largest number of messages that one rank sends or receives.
    widest_messages: u64,
}

impl RankLoads {
    pub(super) fn new(topology: &Topology) -> Self {
        let nodes = (0..topology.len()).map(NodeId::from_index);
        let division = |count| Division {
            owners: owners(topology, count),
            epoch: vec![(0, 0, 0); count],
            crossed: 0,
            work_ns: 0,
            slowest_ns: 0,
            slowest_messages: 0,
            widest_messages: 0,
        };
        Self {
            peers: nodes
                .map(|node| {
                    topology
                        .ports(node)
                        .iter()
                        .map(|port| port.peer.0)
                        .collect()
                })
                .collect(),
            divisions: RANKS.map(division).into(),
            ..Self::default()
        }
    }

    pub(super) fn is_on(&self) -> bool {
        !self.divisions.is_empty()
    }

    /// Adds `ns` of work of node `index` to this epoch.
    pub(super) fn add_work(&mut self, index: u32, ns: u64) {
        for division in &mut self.divisions {
            let rank = usize::from(division.owners[index as usize]);
            division.epoch[rank].0 += ns;
        }
    }

    /// Adds `messages` that node `index` sent through `port`; `pack` packs and unpacks them.
    pub(super) fn add_messages(
        &mut self,
        index: usize,
        port: usize,
        messages: u64,
        pack: &mut dyn FnMut() -> usize,
    ) {
        self.messages += messages;
        self.calls += 1;
        if self.calls % SAMPLED == 1 {
            let begun = Instant::now();
            self.sample.bytes += pack() as u64;
            self.sample.ns += nanos(begun.elapsed());
            self.sample.messages += messages;
        }
        let peer = self.peers[index][port] as usize;
        for division in &mut self.divisions {
            let (from, to) = (division.owners[index], division.owners[peer]);
            if from != to {
                division.epoch[usize::from(from)].1 += messages;
                division.epoch[usize::from(to)].2 += messages;
                division.crossed += messages;
            }
        }
    }

    /// Closes the epoch.
    pub(super) fn close_epoch(&mut self) {
        let Sample { messages, ns, .. } = self.sample;
        // Half of the time is packing, which is the sender's.
        let half = ns / (2 * messages.max(1));
        for division in &mut self.divisions {
            let loads = division.epoch.iter();
            division.work_ns += loads.clone().map(|load| load.0).sum::<u64>();
            let slowest = loads
                .clone()
                .max_by_key(|load| load.0 + (load.1 + load.2) * half);
            if let Some(&(work, out, into)) = slowest {
                division.slowest_ns += work;
                division.slowest_messages += out + into;
            }
            let widest = loads.map(|load| load.1.max(load.2)).max();
            division.widest_messages += widest.unwrap_or(0);
            division.epoch.fill((0, 0, 0));
        }
    }

    /// Returns the estimates for a run of `epochs` epochs that took `alone` nanoseconds on one
    /// thread, `serial` of them outside of nodes.
    pub(super) fn rows(
        &self,
        alone: f64,
        serial: f64,
        epochs: u64,
        costs: &MessageCosts,
    ) -> Vec<RankRow> {
        let epochs = epochs as f64;
        let sampled = self.sample.messages.max(1) as f64;
        let bytes_each = self.sample.bytes as f64 / sampled;
        let half_ns = self.sample.ns as f64 / sampled / 2.0;
        let row = |division: &Division| {
            let ranks = division.epoch.len();
            let mean = division.work_ns as f64 / ranks as f64;
            let work_ns = division.slowest_ns as f64 + division.slowest_messages as f64 * half_ns;
            // Each rank sends to all others, and receives from all.
            let calls = 2.0 * (ranks - 1) as f64 * costs.overhead_us;
            let wait_ns = epochs * 1e3 * (costs.latency_us + calls);
            let widest = division.widest_messages as f64 * bytes_each;
            let exchange_ns = wait_ns + widest * costs.ns_per_byte;
            let time_ns = work_ns + serial + exchange_ns;
            let speedup = ratio(alone, time_ns);
            RankRow {
                ranks,
                time_ns,
                speedup,
                efficiency: speedup / ranks as f64,
                work_ns,
                serial_ns: serial,
                exchange_ns,
                imbalance: ratio(division.slowest_ns as f64, mean),
                messages_per_epoch: ratio(division.crossed as f64, epochs),
                bytes_per_epoch: ratio(division.crossed as f64 * bytes_each, epochs),
                crossing: ratio(division.crossed as f64, self.messages as f64),
            }
        };
        self.divisions.iter().map(row).collect()
    }
}

fn ratio(of: f64, to: f64) -> f64 {
    if to > 0.0 { of / to } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use fabricsim_topology::StarConfig;

    use super::*;

    #[test]
    fn an_epoch_takes_as_long_as_its_slowest_rank() {
        let star = StarConfig {
            hosts: 2,
            ..StarConfig::default()
        };
        let mut loads = RankLoads::new(&star.build().expect("a star"));
        let two = &mut loads.divisions[0];
        (two.owners, two.epoch) = (vec![0, 1, 1], vec![(0, 0, 0); 2]);
        loads.divisions.truncate(1);
        for (work, messages) in [([500, 100, 100], 3u32), ([100, 300, 300], 0)] {
            for (node, ns) in (0..).zip(work) {
                loads.add_work(node, ns);
            }
            // Host 0 to the switch crosses, host 1 to the switch does not.
            loads.add_messages(0, 0, messages.into(), &mut || 300);
            loads.add_messages(1, 0, 7, &mut || 700);
            loads.close_epoch();
        }
        let costs = MessageCosts {
            latency_us: 1.0,
            overhead_us: 0.25,
            ns_per_byte: 0.5,
        };
        loads.sample = Sample {
            messages: 10,
            bytes: 1_000,
            ns: 200,
        };
        let [row] = loads.rows(3_000.0, 40.0, 2, &costs)[..] else {
            panic!("one number of ranks");
        };
        // 500 and 600 of work, three messages packed at 10 ns; two exchanges of 1.5 us, 300 bytes.
        let near = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-6, "{row:?}");
        near(row.work_ns, 1_130.0);
        near(row.exchange_ns, 3_150.0);
        near(row.time_ns, 1_130.0 + 40.0 + 3_150.0);
        near(row.messages_per_epoch, 1.5);
        near(row.bytes_per_epoch, 150.0);
        near(row.imbalance, 1_100.0 / 700.0);
        near(row.crossing, 3.0 / 17.0);
    }
}
