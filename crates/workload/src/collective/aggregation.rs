//! The parts of a buffer that switches reduce or multicast: who contributes, and who gets the
//! result.
//!
//! "sharp" follows the trees of aggregation nodes of Graham et al., "Scalable Hierarchical
//! Aggregation Protocol (SHArP)" (COMHPC 2016): reliable connections join an aggregation node in
//! each switch to its parent and its children; a node sends data up when all children have
//! contributed, and the root sends the result down. Differs from the paper: a node sends copies of
//! the result one after the other, at the rate of its link. Switches can also multicast them without
//! a connection (Bloch et al., "Towards A Data Centric System Architecture: SHARP", 2017).
//!
//! "nvls" follows NCCL's algorithm of this name for NVLink switches (`src/device/all_reduce.h`):
//! each rank reduces a part of the buffer with loads from a multicast address, and stores the result
//! to that address, from which all ranks get it.
//!
//! Differs from NCCL: ranks push their data without a request by the reducing rank, so the barrier
//! before it and the request take no time of their own.

use fabricsim_base::input::ConfigError;
use fabricsim_base::units::Bytes;

use super::shape::Shape;
use super::transfers::{Transfers, Use};
use super::{CollectiveAlgorithm as Algorithm, CollectiveOperation as Operation};

/// Default least size of a segment: a packet of InfiniBand.
const LEAST_SEGMENT: u64 = 4_096;

/// Largest number of segments of a channel if the scenario gives no size.
const SEGMENTS: u64 = 1_024;

/// Largest number of segments of a part, the same as of `chunks`.
const MOST_CHUNKS: u64 = 65_536;

/// The members that get the result of a part.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Receivers {
    All,
    /// All but the one that has sent it, as for multicast in a network.
    AllBut(u32),
    One(u32),
}

/// The roles of members in a part of the buffer.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Part {
    /// The only contributor; all members contribute if it is `None`.
    from: Option<u32>,
    to: Receivers,
    /// The block by which receivers know the result.
    pub(super) result: u32,
}

impl Part {
    /// Returns `true` if one of `members` contributes.
    pub(super) fn goes_up(&self, members: &[u32]) -> bool {
        self.from
            .is_none_or(|from| members.binary_search(&from).is_ok())
    }

    /// Returns the number of contributions to a node with so many children.
    pub(super) const fn contributions(&self, children: usize) -> usize {
        match self.from {
            None => children,
            Some(_) => 1,
        }
    }

    /// Returns `true` if one of `members` gets the result.
    pub(super) fn goes_down(&self, members: &[u32]) -> bool {
        match self.to {
            Receivers::All => true,
            Receivers::AllBut(source) => members != [source],
            Receivers::One(member) => members.binary_search(&member).is_ok(),
        }
    }
}

impl Shape {
    /// Returns `true` if switches gather each part at one member, which sends it to all.
    const fn has_two_phases(&self) -> bool {
        matches!(
            (self.algorithm, self.operation),
            (Algorithm::Nvls, Operation::AllReduce)
        )
    }

    /// Returns the number of blocks that divide the data of a unit. An all-reduce in two phases
    /// has two numbers for each.
    pub(super) fn data_blocks(&self) -> u32 {
        match self.has_two_phases() {
            true => self.ranks,
            false => self.unit_blocks(),
        }
    }

    /// Returns the number of blocks of a unit of an algorithm of switches.
    pub(super) fn aggregated_blocks(&self) -> u32 {
        match self.operation {
            Operation::AllReduce if self.has_two_phases() => 2 * self.ranks,
            Operation::AllGather | Operation::ReduceScatter => self.ranks,
            _ => 1,
        }
    }

    /// Returns the same collective with as many chunks of each channel as segments of at most
    /// `segment` need, if switches reduce.
    ///
    /// # Errors
    /// Fails if there are too many.
    pub(super) fn in_segments(self, segment: Option<Bytes>) -> Result<Self, ConfigError> {
        if !self.algorithm.is_in_network() {
            return Ok(self);
        }
        let channel = self.size.get() / u64::from(self.channels);
        let usual = (channel / SEGMENTS).max(LEAST_SEGMENT);
        let segment = segment.map_or(usual, Bytes::get);
        let part = channel.div_ceil(u64::from(self.data_blocks()));
        let chunks = part.div_ceil(segment).max(1);
        if chunks > MOST_CHUNKS {
            return Err(ConfigError::new(
                "segment",
                format!(
                    "a buffer of {} has {chunks} segments of {segment}B",
                    self.size
                ),
                format!("write a size that makes at most {MOST_CHUNKS} of them"),
            ));
        }
        let chunks = u32::try_from(chunks).expect("the chunks are counted above");
        Ok(Self { chunks, ..self })
    }

    /// Returns the roles of members in `block` of each unit.
    pub(super) fn part(&self, block: u32) -> Part {
        let owner = block % self.ranks;
        let copies = |source| match self.algorithm {
            // A store to a multicast address of NVLink reaches its source, too.
            Algorithm::Nvls => Receivers::All,
            _ => Receivers::AllBut(source),
        };
        let (from, to, result) = match self.operation {
            Operation::AllReduce if !self.has_two_phases() => (None, Receivers::All, block),
            Operation::AllReduce if block < self.ranks => {
                (None, Receivers::One(owner), block + self.ranks)
            }
            Operation::AllReduce => (Some(owner), Receivers::All, owner),
            Operation::ReduceScatter => (None, Receivers::One(owner), block),
            Operation::Broadcast => (Some(self.root), copies(self.root), block),
            _ => (Some(owner), copies(owner), block),
        };
        Part { from, to, result }
    }

    /// Returns the connection of messages with `block` of part number `unit`. The second phase has
    /// its own, because the first one of later units would be in its way.
    pub(super) fn channel(&self, unit: u32, block: u32) -> u16 {
        let channel = match &self.division {
            Some(division) => division.channel(block),
            None => unit % self.channels,
        };
        let second = self.has_two_phases() && block >= self.ranks;
        let channel = channel + if second { self.channels } else { 0 };
        u16::try_from(channel).expect("channels are few")
    }
}

/// Passes the messages between `member` and the aggregator of its switch to `to`. Both ends have
/// the number of the member.
pub(super) fn transfer(shape: &Shape, member: u32, to: &mut impl Transfers) {
    let own = [member];
    let blocks = || 0..shape.unit_blocks();
    let first = || blocks().filter(|&block| block < shape.data_blocks());
    for block in first().filter(|&block| shape.part(block).goes_up(&own)) {
        to.send(member, block..block + 1);
    }
    // The member sends the reduced part once it has it.
    if shape.has_two_phases() {
        let reduced = shape.ranks + member;
        to.receive(member, reduced..reduced + 1, Use::Replace);
        to.send(member, reduced..reduced + 1);
    }
    let results = blocks().map(|block| shape.part(block));
    let mut results: Vec<u32> = results
        .filter(|part| part.goes_down(&own) && part.result < shape.data_blocks())
        .map(|part| part.result)
        .collect();
    results.sort_unstable();
    for block in results {
        to.receive(member, block..block + 1, Use::Apart);
    }
}
