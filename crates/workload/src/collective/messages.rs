//! The number of messages of a collective.

use fabricsim_base::input::ConfigError;
use fabricsim_base::limits::MAX_LIVE_FLOWS;

use super::algorithm;
use super::nccl::Division;
use super::shape::{Detail, Shape};
use super::transfers::{Transfers, Use};
use super::{CollectiveAlgorithm, Rails};

/// Largest number of messages of an iteration, because their operations are kept in memory.
const MAX_MESSAGES: f64 = 5e7;

impl Shape {
    /// Checks that the messages of all `groups` fit into memory.
    pub(super) fn check_messages(&self, groups: u32) -> Result<(), ConfigError> {
        let messages = self.traffic().0 * f64::from(groups);
        if messages > MAX_MESSAGES {
            let key = match &self.division {
                Some(_) => "chunk_size",
                None if self.algorithm.is_in_network() => "segment",
                None if self.chunks > 1 => "chunks",
                None => "channels",
            };
            return Err(ConfigError::new(
                key,
                format!("an iteration has {messages:.0} messages; {MAX_MESSAGES:.0} are the most"),
                "choose larger or fewer chunks or segments, fewer channels or ranks",
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
        // Except for trees, members differ by single bytes only, so one of them represents all. Rings
        // also differ by the messages that they relay.
        let alike = !matches!(
            self.algorithm,
            CollectiveAlgorithm::DoubleBinaryTree
                | CollectiveAlgorithm::Binomial
                | CollectiveAlgorithm::Chain
        ) && !self.algorithm.is_in_network();
        let mut count = Count {
            block: self.block_bytes(),
            both: self.algorithm.is_in_network(),
            relays: !alike,
            messages: 0,
            bytes: 0.0,
            blocks: vec![
                0;
                self.division
                    .as_ref()
                    .map_or(0, |_| self.unit_blocks() as usize)
            ],
        };
        let members = if alike { 1 } else { self.ranks };
        for member in 0..members {
            algorithm::transfer(self, member, &mut count);
        }
        if let Some(division) = &self.division {
            return self.divided_traffic(division, alike, &count);
        }
        let scale = f64::from(self.ranks) / f64::from(members) * f64::from(self.units());
        (count.messages as f64 * scale, count.bytes * scale)
    }

    /// Returns the same of a division by NCCL. `count` is of one member if all are `alike`.
    fn divided_traffic(&self, division: &Division, alike: bool, count: &Count) -> (f64, f64) {
        let (mut messages, mut bytes) = (0.0, 0.0);
        let rails = Rails::of(self);
        let relays = |place| match rails.has_relays() {
            true => rails.crossings(self.operation, place),
            false => 0,
        };
        for unit in 0..self.units() {
            for (block, &own) in (0..).zip(&count.blocks) {
                if !division.has(unit, block) {
                    continue;
                }
                let times = if alike {
                    // On a ring, each block makes as many steps as a member sends blocks of a
                    // channel, and relays send it once more between nodes.
                    let place = block % division.row();
                    let row = (block - place) as usize..(block - place + division.row()) as usize;
                    let steps: u64 = count.blocks[row].iter().sum();
                    steps + u64::from(relays(place))
                } else {
                    own
                };
                messages += times as f64;
                bytes += times as f64 * division.message(unit, block).max(1) as f64;
            }
        }
        (messages, bytes)
    }
}

/// Counts messages and the bytes in them.
struct Count {
    /// Bytes of a block.
    block: f64,
    /// Counts received messages, too, because no other member sends them.
    both: bool,
    /// Counts forwarded messages.
    relays: bool,
    messages: u64,
    bytes: f64,
    /// The messages of each block, with a division by NCCL.
    blocks: Vec<u64>,
}

impl Transfers for Count {
    fn send(&mut self, _to: u32, blocks: std::ops::Range<u32>) {
        self.messages += 1;
        if let Some(count) = self.blocks.get_mut(blocks.start as usize) {
            *count += 1;
        }
        // No message is empty: see `Shape::message`.
        self.bytes += (self.block * f64::from(blocks.end - blocks.start)).max(1.0);
    }

    fn receive(&mut self, from: u32, blocks: std::ops::Range<u32>, _used: Use) {
        if self.both {
            self.send(from, blocks);
        }
    }

    fn forward(&mut self, (_, to): (u32, u32), blocks: std::ops::Range<u32>) {
        if self.relays {
            self.send(to, blocks);
        }
    }

    fn wait(&mut self) {}
}
