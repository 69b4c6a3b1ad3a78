//! The number of messages of a collective.

use fabricsim_base::input::ConfigError;
use fabricsim_base::limits::MAX_LIVE_FLOWS;

use super::CollectiveAlgorithm;
use super::algorithm;
use super::shape::{Detail, Shape};
use super::transfers::{Transfers, Use};

/// Largest number of messages of an iteration, because their operations are kept in memory.
const MAX_MESSAGES: f64 = 5e7;

impl Shape {
    /// Checks that the messages of all `groups` fit into memory.
    pub(super) fn check_messages(&self, groups: u32) -> Result<(), ConfigError> {
        let messages = self.traffic().0 * f64::from(groups);
        if messages > MAX_MESSAGES {
            let key = if self.algorithm.is_in_network() {
                "segment"
            } else if self.chunks > 1 {
                "chunks"
            } else {
                "channels"
            };
            return Err(ConfigError::new(
                key,
                format!("an iteration has {messages:.0} messages; {MAX_MESSAGES:.0} are the most"),
                "choose fewer channels, chunks or ranks, or a larger `segment`",
            ));
        }
        if self.algorithm == CollectiveAlgorithm::Direct && messages > MAX_LIVE_FLOWS as f64 {
            return Err(ConfigError::new(
                "algorithm",
                format!(
                    "`direct` has {messages:.0} messages under way at once, and a run can have up to \
                     {MAX_LIVE_FLOWS}"
                ),
                "choose `pairwise`, which has one of each rank, or fewer ranks",
            ));
        }
        Ok(())
    }

    /// Returns the mean bytes of a block.
    pub(super) fn block_bytes(&self) -> f64 {
        self.size.as_f64() / f64::from(self.units()) / f64::from(self.data_blocks())
    }

    /// Returns the number of messages that members of one group send, and their total bytes; if
    /// switches reduce, also of the messages that members get.
    pub(crate) fn traffic(&self) -> (f64, f64) {
        match &self.detail {
            Detail::Parts(parts) => return parts.traffic(self.units()),
            // Each micro-batch crosses each gap between stages forward and back.
            Detail::Stages(_) => {
                let (ways, chunks) = (2.0 * f64::from(self.ranks - 1), f64::from(self.chunks));
                return (ways * chunks, ways * self.size.as_f64().max(chunks));
            }
            Detail::None => {}
        }
        let mut count = Count {
            block: self.block_bytes(),
            both: self.algorithm.is_in_network(),
            messages: 0,
            bytes: 0.0,
        };
        // Except for trees, members differ by single bytes only, so one of them represents all.
        let alike = !matches!(
            self.algorithm,
            CollectiveAlgorithm::DoubleBinaryTree
                | CollectiveAlgorithm::Binomial
                | CollectiveAlgorithm::Chain
        ) && !self.algorithm.is_in_network();
        let members = if alike { 1 } else { self.ranks };
        for member in 0..members {
            algorithm::transfer(self, member, &mut count);
        }
        let scale = f64::from(self.ranks) / f64::from(members) * f64::from(self.units());
        (count.messages as f64 * scale, count.bytes * scale)
    }
}

/// Counts messages and the bytes in them.
struct Count {
    /// Bytes of a block.
    block: f64,
    /// Counts received messages, too, because no other member sends them.
    both: bool,
    messages: u64,
    bytes: f64,
}

impl Transfers for Count {
    fn send(&mut self, _to: u32, blocks: std::ops::Range<u32>) {
        self.messages += 1;
        // No message is empty: see `Shape::message`.
        self.bytes += (self.block * f64::from(blocks.end - blocks.start)).max(1.0);
    }

    fn receive(&mut self, from: u32, blocks: std::ops::Range<u32>, _used: Use) {
        if self.both {
            self.send(from, blocks);
        }
    }

    fn wait(&mut self) {}
}
