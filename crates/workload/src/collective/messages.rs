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
            let key = if self.chunks > 1 {
                "chunks"
            } else {
                "channels"
            };
            return Err(ConfigError::new(
                key,
                format!("an iteration has {messages:.0} messages; {MAX_MESSAGES:.0} are the most"),
                "choose fewer channels, chunks or ranks",
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

    /// Returns the number of messages of one group, and their total bytes.
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
            block: self.size.as_f64() / self.blocks() as f64,
            messages: 0,
            bytes: 0.0,
        };
        // Except for trees, members differ by single bytes only, so one of them represents all.
        let alike = !matches!(
            self.algorithm,
            CollectiveAlgorithm::DoubleBinaryTree
                | CollectiveAlgorithm::Binomial
                | CollectiveAlgorithm::Chain
        );
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
    messages: u64,
    bytes: f64,
}

impl Transfers for Count {
    fn send(&mut self, _to: u32, blocks: std::ops::Range<u32>) {
        self.messages += 1;
        // No message is empty: see `Shape::message`.
        self.bytes += (self.block * f64::from(blocks.end - blocks.start)).max(1.0);
    }

    fn receive(&mut self, _from: u32, _blocks: std::ops::Range<u32>, _used: Use) {}

    fn wait(&mut self) {}
}
