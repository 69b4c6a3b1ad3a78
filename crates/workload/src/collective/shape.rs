//! One collective of one group: operation, algorithm, size and partition.

use std::ops::Range;

use fabricsim_base::input::ConfigError;
use fabricsim_base::limits::MAX_SIZE;
use fabricsim_base::units::Bytes;

use super::nccl::Division;
use super::parts::Parts;
use super::stages::Stages;
use super::{CollectiveAlgorithm, CollectiveOperation};

/// Settings that only one operation has.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum Detail {
    /// The operation has no settings.
    None,
    /// For an all-to-all-v: the bytes that each member has for each other member.
    Parts(Parts),
    /// For a pipeline: the computing times of the stages.
    Stages(Stages),
}

/// One collective of one group.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Shape {
    pub(crate) operation: CollectiveOperation,
    pub(crate) algorithm: CollectiveAlgorithm,
    pub(crate) size: Bytes,
    /// Number of members.
    pub(crate) ranks: u32,
    pub(crate) channels: u32,
    pub(crate) chunks: u32,
    /// NCCL's division of the buffer, instead of equal `channels` and `chunks`.
    pub(crate) division: Option<Division>,
    /// Members of a node, for hierarchical algorithms.
    pub(crate) local_size: u32,
    /// The member that has the data of a broadcast.
    pub(crate) root: u32,
    pub(crate) detail: Detail,
}

impl Shape {
    /// Returns the number of parts of the buffer that pass through the algorithm independently.
    pub(super) fn units(&self) -> u32 {
        let divided = self.division.as_ref().map(Division::units);
        divided.unwrap_or(self.channels * self.chunks)
    }

    /// Returns the number of blocks into which the algorithm divides each unit.
    pub(super) fn unit_blocks(&self) -> u32 {
        use CollectiveAlgorithm as Algorithm;
        if let Some(division) = &self.division {
            return division.row() * division.channels;
        }
        match self.algorithm {
            Algorithm::Ring if self.operation == CollectiveOperation::SendReceive => 1,
            Algorithm::Ring | Algorithm::HalvingDoubling | Algorithm::Hierarchical => self.ranks,
            Algorithm::Direct | Algorithm::Pairwise | Algorithm::Pxn => self.ranks,
            Algorithm::BidirectionalRing => 2 * self.ranks,
            Algorithm::DoubleBinaryTree => 2,
            Algorithm::Binomial | Algorithm::Chain | Algorithm::Nccl => 1,
            Algorithm::Gpipe | Algorithm::OneForwardOneBackward => 1,
            Algorithm::Sharp | Algorithm::Nvls => self.aggregated_blocks(),
        }
    }

    /// Returns the number of blocks of all units.
    pub(crate) fn blocks(&self) -> u64 {
        u64::from(self.units()) * u64::from(self.unit_blocks())
    }

    /// Returns `true` if `other` is the same collective, of any size.
    pub(crate) fn has_form_of(&self, other: &Self) -> bool {
        let size = self.size;
        *self
            == Self {
                size,
                ..other.clone()
            }
    }

    /// Returns a description for messages: `all-reduce of 4096B by ring`.
    pub(crate) fn in_words(&self) -> String {
        format!(
            "{} of {} by {}",
            self.operation.name(),
            self.size,
            self.algorithm_label()
        )
    }

    /// Returns the algorithm in results: `ring`, or with NCCL's division its protocol and channels,
    /// as in `ring/ll128/4`.
    pub(crate) fn algorithm_label(&self) -> Box<str> {
        let name = self.algorithm.name();
        match &self.division {
            Some(division) => {
                let (protocol, channels) = (division.protocol.name(), division.channels);
                format!("{name}/{protocol}/{channels}").into()
            }
            None => name.into(),
        }
    }

    /// Returns the first byte of block `block` of all that divide the buffer: blocks differ by at
    /// most one byte.
    pub(super) fn offset(&self, block: u64) -> u64 {
        let blocks = u64::from(self.units()) * u64::from(self.data_blocks());
        let size = self.size.get();
        // Each message computes two offsets, and a division of 64 bits is the faster one.
        if let Some(bytes) = size.checked_mul(block) {
            return bytes / blocks;
        }
        let bytes = u128::from(size) * u128::from(block) / u128::from(blocks);
        u64::try_from(bytes).expect("no offset is beyond the size")
    }

    /// Returns the bytes of the message with `blocks` of part number `unit` from the member `from`
    /// to `to`: at least one. A collective takes as many steps for a few bytes as for many, so a
    /// message is sent even if its share of the buffer is empty.
    pub(super) fn message(&self, unit: u32, (from, to): (u32, u32), blocks: &Range<u32>) -> Bytes {
        let bytes = match &self.detail {
            Detail::Parts(parts) => {
                let (bytes, units) = (u128::from(parts.bytes(from, to)), u128::from(self.units()));
                let at = |unit: u32| bytes * u128::from(unit) / units;
                u64::try_from(at(unit + 1) - at(unit)).expect("no part is above the size")
            }
            _ => match &self.division {
                Some(division) => division.message(unit, blocks.start),
                None => self.bytes_of(unit, self.places(to, blocks)) * self.senders(from, to),
            },
        };
        Bytes::new(bytes.max(1))
    }

    /// Returns the bytes of `blocks` of part number `unit`.
    fn bytes_of(&self, unit: u32, blocks: Range<u32>) -> u64 {
        let first = u64::from(unit) * u64::from(self.data_blocks());
        // A second number of a block has the same bytes.
        let again = blocks.start / self.data_blocks() * self.data_blocks();
        let at = |block: u32| self.offset(first + u64::from(block - again));
        at(blocks.end) - at(blocks.start)
    }

    /// Returns the blocks whose sizes a message to `to` with `blocks` has. Messages of `pxn` name
    /// their blocks by the sender, but their sizes are by the receiver at the end.
    fn places(&self, to: u32, blocks: &Range<u32>) -> Range<u32> {
        match self.algorithm {
            CollectiveAlgorithm::Pxn => {
                let end = blocks.start / self.local_size * self.local_size + to % self.local_size;
                end..end + 1
            }
            _ => blocks.clone(),
        }
    }

    /// Returns the number of members with data in a message: with `pxn` between nodes the whole
    /// node.
    fn senders(&self, from: u32, to: u32) -> u64 {
        let crosses = from / self.local_size != to / self.local_size;
        if self.algorithm == CollectiveAlgorithm::Pxn && crosses {
            u64::from(self.local_size)
        } else {
            1
        }
    }

    /// Returns the ratio of the bus bandwidth to the algorithm bandwidth. For an all-to-all-v, it
    /// follows from the bytes on the busiest link between a member and the network, in one
    /// direction.
    pub(crate) fn bus_factor(&self) -> f64 {
        match &self.detail {
            Detail::Parts(parts) if self.size > Bytes::ZERO => parts.busiest() / self.size.as_f64(),
            _ => self.operation.bus_factor(self.ranks),
        }
    }

    /// Checks that the collective is possible.
    ///
    /// # Errors
    /// The error names the invalid key.
    pub(crate) fn checked(self) -> Result<Self, ConfigError> {
        let refuse = |key, message: String, help: String| Err(ConfigError::new(key, message, help));
        if self.size > MAX_SIZE {
            return refuse(
                "size",
                format!(
                    "{} is too large: {MAX_SIZE} is the most of a collective",
                    self.size
                ),
                "divide it into several".to_owned(),
            );
        }
        // Not every operation has every algorithm, and some algorithms restrict the size of the
        // group.
        let able = self.operation.algorithms();
        let names = || {
            let names: Vec<String> = able
                .iter()
                .map(|algorithm| format!("\"{}\"", algorithm.name()))
                .collect();
            names.join(", ")
        };
        if !able.contains(&self.algorithm) {
            return refuse(
                "algorithm",
                format!(
                    "{} has no algorithm \"{}\"",
                    self.operation.name(),
                    self.algorithm.name()
                ),
                format!("choose from {}", names()),
            );
        }
        if self.algorithm == CollectiveAlgorithm::HalvingDoubling && !self.ranks.is_power_of_two() {
            return refuse(
                "algorithm",
                format!(
                    "halving and doubling needs groups of a power of two, not of {} ranks",
                    self.ranks
                ),
                "choose another algorithm, or other groups".to_owned(),
            );
        }
        if matches!(
            self.algorithm,
            CollectiveAlgorithm::Hierarchical | CollectiveAlgorithm::Pxn
        ) {
            self.check_nodes()?;
        }
        if self.root >= self.ranks {
            return refuse(
                "root",
                format!(
                    "there is no member {} in a group of {} ranks",
                    self.root, self.ranks
                ),
                format!("choose 0 to {}", self.ranks - 1),
            );
        }
        self.check_detail()?;
        Ok(self)
    }

    /// Checks that the group has whole nodes. A single member has no steps, with any algorithm.
    pub(super) fn check_nodes(&self) -> Result<(), ConfigError> {
        if self.ranks < 2 || self.ranks.is_multiple_of(self.local_size) {
            return Ok(());
        }
        Err(ConfigError::new(
            "local_size",
            format!(
                "a group of {} ranks is no whole number of nodes of {}",
                self.ranks, self.local_size
            ),
            "choose a divisor of the group's size",
        ))
    }

    /// Checks that the settings that only one operation has match the operation.
    fn check_detail(&self) -> Result<(), ConfigError> {
        let has_detail = match self.operation {
            CollectiveOperation::AllToAllV => matches!(self.detail, Detail::Parts(_)),
            CollectiveOperation::Pipeline => matches!(self.detail, Detail::Stages(_)),
            _ => self.detail == Detail::None,
        };
        if !has_detail {
            return Err(ConfigError::new(
                "operation",
                format!("{} has more keys than this text", self.operation.name()),
                "write its messages and computations one by one",
            ));
        }
        Ok(())
    }
}
