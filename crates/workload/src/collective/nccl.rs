//! NCCL's division of a buffer: channels, rounds, chunks and slices, and the bytes of a protocol.
//!
//! Source: NCCL 2.30.7 (`github.com/NVIDIA/nccl`). Channels: `scheduleCollTasksToPlan` in
//! `src/enqueue.cc`. Chunks: `calcCollChunking` there. Rounds: `runRing` and `runTreeSplit` in
//! `src/device/all_reduce.h` and its neighbors. Slices: `genericOp` in `src/device/prims_simple.h`.
//! Sizes of buffers: `src/init.cc` and `src/include/device.h`. Elements have one byte here.
//!
//! Differs from NCCL: a sender is never blocked by a full buffer of `NCCL_STEPS` steps.

mod tuning;

use fabricsim_base::choices;
use fabricsim_base::input::ConfigError;
use fabricsim_base::units::Bytes;

use super::{CollectiveAlgorithm as Algorithm, CollectiveOperation as Operation, Rails};
pub(super) use tuning::Nodes;
pub use tuning::{NcclAlgorithm, TunerRow};

choices! {
    /// The protocol of NCCL's messages.
    pub enum Protocol {
        /// Data alone.
        Simple = "simple" ("data alone, two messages for each chunk of a ring"),
        /// A flag of 4 bytes behind each 4 bytes.
        Ll = "ll" ("a flag of 4 bytes behind each 4 bytes"),
        /// A flag of 8 bytes behind each 120 bytes.
        Ll128 = "ll128" ("a flag of 8 bytes behind each 120 bytes"),
    }
}

impl Protocol {
    /// Returns the name in scenarios and results.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Simple => "simple",
            Self::Ll => "ll",
            Self::Ll128 => "ll128",
        }
    }

    /// Returns the bytes to which chunks are rounded down: `ncclProtoGrainSize`.
    pub(super) const fn grain(self) -> u64 {
        match self {
            Self::Simple => 512,
            Self::Ll => 16,
            Self::Ll128 => 1_920,
        }
    }

    /// Returns the data of one of the 8 steps of a buffer: 4 MiB; 8 lines of 16 bytes for each of
    /// 512 threads and step, half of it data; 120 words for each of 640 threads and step, 15 of
    /// 16 data.
    const fn step(self) -> u64 {
        match self {
            Self::Simple => (4 << 20) / 8,
            Self::Ll => 8 * 512 * 16 / 2,
            Self::Ll128 => 120 * 640 * 8 / 16 * 15,
        }
    }

    /// Returns the bytes that carry `bytes` of data: lines of 16 bytes with 8 of data, or 2,048
    /// bytes, which a warp writes at once, with 1,920 of data.
    pub(super) const fn wire(self, bytes: u64) -> u64 {
        match self {
            Self::Simple => bytes,
            Self::Ll => bytes.div_ceil(8) * 16,
            Self::Ll128 => bytes.div_ceil(1_920) * 2_048,
        }
    }
}

/// Least traffic of a channel: `MinTrafficPerChannel`.
const LEAST_TRAFFIC: u64 = 32 << 10;
/// Alignment of chunks of the last round, and of slices.
const LINE: u64 = 16;
/// Least bytes of the first slice of a chunk, 1/32 of the two steps of a full slice.
const LEAST_SLICE: u64 = Protocol::Simple.step() * 2 / 32;

/// The division of one buffer.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Division {
    pub(super) protocol: Protocol,
    /// The channels that have data.
    pub(super) channels: u32,
    /// All channels of the communicator. The first half have the first of the two trees.
    pub(super) all_channels: u32,
    /// The bytes that channels divide: the buffer, or its largest part of a member.
    length: u64,
    /// Bytes of each channel except for the last one, which has the rest.
    each: u64,
    /// Bytes of a full chunk of each channel except for the last one, and of the last one.
    chunks: (u64, u64),
    /// Members that have parts of their own (all-gather, reduce-scatter), the members that share a
    /// round (all-reduce on a ring), or 1.
    rows: Rows,
    slices: u32,
}

/// The blocks of a channel in one round.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Rows {
    /// One chunk.
    One,
    /// One chunk for each of so many members, consecutive in the channel's bytes.
    Consecutive(u32),
    /// The chunk of each member's own part, in the order of the channel's ring: the size of all
    /// parts.
    Parts(u64, Rails),
}

/// The collective that is divided.
#[derive(Clone, Copy, Debug)]
pub(super) struct Divided {
    pub(super) operation: Operation,
    pub(super) algorithm: Algorithm,
    pub(super) size: Bytes,
    pub(super) ranks: u32,
    pub(super) local_size: u32,
    pub(super) protocol: Protocol,
    /// All channels of the communicator, and the most that are used.
    pub(super) all_channels: u32,
    pub(super) channels: u32,
    pub(super) chunk_size: Option<Bytes>,
}

impl Divided {
    /// Returns the division.
    ///
    /// # Errors
    /// Fails if a chunk is smaller than the unit of the protocol, or if NCCL has no such division
    /// for the algorithm.
    pub(super) fn division(&self) -> Result<Division, ConfigError> {
        if !matches!(
            self.algorithm,
            Algorithm::Ring | Algorithm::DoubleBinaryTree | Algorithm::Chain
        ) || self.operation == Operation::SendReceive
        {
            return Err(ConfigError::new(
                "protocol",
                format!(
                    "NCCL has no {} by \"{}\"",
                    self.operation.name(),
                    self.algorithm.name()
                ),
                "use it with \"nccl\", \"ring\", \"double-binary-tree\" or \"chain\"",
            ));
        }
        let ranks = u64::from(self.ranks);
        let size = self.size.get();
        let (rows, length) = match self.operation {
            Operation::AllGather | Operation::ReduceScatter => {
                let rails = Rails {
                    local: self.local_size,
                    nodes: self.ranks / self.local_size,
                };
                (Rows::Parts(size, rails), size.div_ceil(ranks))
            }
            _ if self.algorithm == Algorithm::Ring => (Rows::Consecutive(self.ranks), size),
            _ => (Rows::One, size),
        };
        let has_slices = self.algorithm == Algorithm::Ring && self.protocol == Protocol::Simple;
        let (channels, each) = self.channels(length);
        let last = length - each * u64::from(channels - 1);
        let first = if channels == 1 { last } else { each };
        Ok(Division {
            protocol: self.protocol,
            channels,
            all_channels: self.all_channels,
            length,
            each,
            chunks: (self.chunk(first)?, self.chunk(last)?),
            rows,
            slices: if has_slices { 2 } else { 1 },
        })
    }

    /// Returns the number of channels that have data, and the bytes of each except for the last
    /// one, if they divide `length` bytes. Channels have whole cells of 32 KiB of traffic.
    fn channels(&self, length: u64) -> (u32, u64) {
        let traffic = match self.operation {
            Operation::AllReduce => 2,
            Operation::AllGather | Operation::ReduceScatter => u64::from(self.ranks),
            _ => 1,
        } * if self.protocol == Protocol::Ll { 4 } else { 1 };
        let cell = LEAST_TRAFFIC.div_ceil(traffic).next_multiple_of(LINE);
        let cells = length.div_ceil(cell).max(1);
        let most = u64::from(self.channels);
        let each = (LEAST_TRAFFIC.max(length * traffic) / most).next_multiple_of(LINE);
        let cells_each = cells.min(each.div_ceil(cell * traffic));
        // Rounding may leave one cell more than the channels take, which the last one gets.
        let channels = cells.div_ceil(cells_each).min(most);
        let channels = u32::try_from(channels).expect("no more than all channels");
        (channels, cells_each * cell)
    }

    /// Returns the bytes of a full chunk of a channel with `bytes`.
    fn chunk(&self, bytes: u64) -> Result<u64, ConfigError> {
        let steps = match (self.algorithm, self.protocol) {
            (Algorithm::Ring, Protocol::Simple) => 4,
            _ => 1,
        };
        let mut chunk = self.protocol.step() * steps;
        if (self.algorithm, self.protocol) == (Algorithm::DoubleBinaryTree, Protocol::Ll128) {
            // Ten times the steps of the tree: 1, log2 of the nodes, and 0.1 for each local rank.
            let local = u64::from(self.local_size);
            let nodes = (self.ranks / self.local_size).max(1);
            let steps = 10 + 10 * u64::from(nodes.ilog2()) + local;
            for (factor, least) in [(64, 131_072), (16, 32_768)] {
                while bytes / chunk * 10 * local < steps * factor && chunk > least {
                    chunk /= 2;
                }
            }
        }
        let grain = self.protocol.grain();
        let chunk = self.chunk_size.map_or(chunk, Bytes::get) / grain * grain;
        if chunk == 0 {
            return Err(ConfigError::new(
                "chunk_size",
                format!(
                    "a chunk of the protocol \"{}\" has at least {grain} bytes",
                    self.protocol.name()
                ),
                format!("write at least \"{grain}B\""),
            ));
        }
        Ok(chunk)
    }
}

impl Division {
    /// Returns the number of units: slices of rounds, each with the blocks of all channels.
    pub(super) fn units(&self) -> u32 {
        let rounds = self.rounds(0).max(self.rounds(self.channels - 1));
        u32::try_from(rounds * u64::from(self.slices)).unwrap_or(u32::MAX)
    }

    /// Returns the number of blocks of a channel in a unit.
    pub(super) fn row(&self) -> u32 {
        match self.rows {
            Rows::One => 1,
            Rows::Consecutive(ranks) => ranks,
            Rows::Parts(_, rails) => rails.local * rails.nodes,
        }
    }

    /// Returns `true` if the rounds of a channel wait for one another, and `unit` is the last slice
    /// of its round: in NCCL one block of threads runs the steps of a ring in their order. The
    /// chunks of trees and chains follow one another like their data.
    pub(super) fn ends_round(&self, unit: u32) -> bool {
        self.rows != Rows::One && (unit + 1).is_multiple_of(self.slices)
    }

    /// Returns the channel of `block` of a unit.
    pub(super) fn channel(&self, block: u32) -> u32 {
        block / self.row()
    }

    /// Returns `true` if the channel of `block` has the unit: channels have different numbers of
    /// rounds.
    pub(super) fn has(&self, unit: u32, block: u32) -> bool {
        u64::from(unit / self.slices) < self.rounds(self.channel(block))
    }

    /// Returns the bytes of `channel`.
    fn bytes(&self, channel: u32) -> u64 {
        if channel + 1 < self.channels {
            return self.each;
        }
        self.length - self.each * u64::from(channel)
    }

    fn chunk(&self, channel: u32) -> u64 {
        let (chunk, last) = self.chunks;
        if channel + 1 < self.channels {
            chunk
        } else {
            last
        }
    }

    /// Returns the number of rounds of `channel`; one if there are no data.
    fn rounds(&self, channel: u32) -> u64 {
        let round = match self.rows {
            Rows::Consecutive(ranks) => u64::from(ranks) * self.chunk(channel),
            Rows::One | Rows::Parts(..) => self.chunk(channel),
        };
        self.bytes(channel).div_ceil(round).max(1)
    }

    /// Returns the data of `block` in `unit`.
    pub(super) fn data(&self, unit: u32, block: u32) -> u64 {
        let (channel, place) = (self.channel(block), u64::from(block % self.row()));
        let round = u64::from(unit / self.slices);
        let (all, full) = (self.bytes(channel), self.chunk(channel));
        let part = |all: u64, first: u64, most: u64| all.saturating_sub(first).min(most);
        let bytes = match self.rows {
            Rows::One => part(all, round * full, full),
            Rows::Consecutive(ranks) => {
                let ranks = u64::from(ranks);
                let left = all.saturating_sub(round * ranks * full);
                // A round that is not full is divided anew.
                let chunk = if left < ranks * full {
                    left.div_ceil(ranks).next_multiple_of(LINE)
                } else {
                    full
                };
                part(left, place * chunk, chunk)
            }
            Rows::Parts(size, rails) => {
                let member = u128::from(rails.member(channel, block % self.row()));
                let at = |member: u128| u128::from(size) * member / u128::from(self.row());
                let own = u64::try_from(at(member + 1) - at(member)).expect("no part is larger");
                let own = part(own, self.each * u64::from(channel), all);
                part(own, round * full, full)
            }
        };
        if self.slices == 1 {
            return bytes;
        }
        let first = (bytes.div_ceil(2 * LINE) * LINE)
            .max(LEAST_SLICE)
            .min(bytes);
        if unit.is_multiple_of(2) {
            first
        } else {
            bytes - first
        }
    }

    /// Returns the bytes of the message with `block` in `unit`.
    pub(super) fn message(&self, unit: u32, block: u32) -> u64 {
        self.protocol.wire(self.data(unit, block))
    }
}
