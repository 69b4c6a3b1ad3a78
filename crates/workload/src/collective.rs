//! Collectives of groups of ranks, such as all-reduce and all-gather, as messages that depend on
//! one another.

mod aggregation;
mod aggregator;
mod algorithm;
mod foreign_keys;
mod form;
mod groups;
mod kind;
mod member;
mod messages;
mod nccl;
mod parts;
mod pipeline;
mod rails;
mod shape;
mod stages;
mod symmetry;
mod transfers;
mod tree;
mod unit;
mod workload;

use fabricsim_base::id::NodeId;
use fabricsim_base::input::ConfigError;
use fabricsim_base::settings;
use fabricsim_base::units::{Bytes, Duration, Rate, Time};

use crate::check;
use crate::context::WorkloadContext;
use crate::graph::{Connections, Overlap, Pace, SlowRanks, Slowdown};
use crate::host_range::HostRange;
use crate::placement::{Order, Placement};
pub(crate) use form::Form;
pub use kind::{CollectiveAlgorithm, CollectiveOperation};
pub(crate) use member::Member;
use nccl::{Divided, Nodes};
pub use nccl::{NcclAlgorithm, Protocol, TunerRow};
use parts::Parts;
use rails::Rails;
pub(crate) use shape::{Detail, Shape};
use stages::Stages;

/// The default of `local_size` for algorithms that need nodes.
const LOCAL_SIZE: u32 = 8;

settings! {
    /// Collectives: the ranks of each group exchange messages that depend on one another. A message
    /// leaves as soon as its data has been delivered to the sender; nothing else delays it.
    pub struct CollectiveConfig {
        /// Operation.
        pub operation: CollectiveOperation = required,
        /// Size of the whole buffer, such as "64MB", as NCCL-tests define it.
        ///
        /// Its parts differ by one byte if the size is not divisible. A message of zero bytes is
        /// sent as one byte, so that "0B" is a barrier.
        pub size: Bytes = required,
        /// Algorithm of the operation.
        #[note("(default: \"ring\"; of all-to-all \"direct\", of broadcast \"binomial\")")]
        pub algorithm: Option<CollectiveAlgorithm> = null,
        /// Name of the job in results.
        #[note("(default: \"job\" and the number of the workload)")]
        pub job: Option<String> = null,
        /// Hosts that ranks are placed on in the order of their numbers, such as ["0..16"].
        #[note("(default: all)")]
        pub hosts: Option<Vec<HostRange>> = null,
        /// Placement of ranks on hosts.
        pub placement: Placement = "packed",
        /// With "scattered": hosts from one rank to the next.
        #[range(from 1)]
        #[refused("ranks cannot be {value} hosts apart", "write at least 1")]
        pub placement_stride: u32 = 1,
        /// Hosts to leave out at the beginning of that order, such as hosts of other jobs.
        pub skip: u32 = 0,
        /// Number of ranks.
        #[note("(default: all hosts that are left)")]
        pub ranks: Option<u32> = null,
        /// Ranks of each group.
        #[note("(default: all ranks are one group)")]
        pub group_size: Option<u32> = null,
        /// Ranks from one member of a group to the next: 1 for tensor parallelism, `group_size` of
        /// that for data parallelism.
        #[range(from 1)]
        #[refused("members cannot be {value} ranks apart", "write at least 1")]
        pub group_stride: u32 = 1,
        /// With "hierarchical", "pxn", "nccl" or a `protocol`: ranks of a node, which follow one
        /// another in a group.
        #[range(from 1)]
        #[refused("a node of {value} ranks is none", "write for example 8")]
        #[note("(default 8; of \"nccl\" and with a `protocol` 1)")]
        pub local_size: Option<u32> = null,
        /// Of a broadcast: the member that has the data.
        pub root: u32 = 0,
        /// Parts of the buffer that go on connections of their own; with "nccl" or a `protocol` the
        /// most that NCCL uses.
        #[range(from 1, to 1024)]
        #[refused("{value} channels are outside the range 1 to 1024", "write for example 2")]
        #[note("(default 1; of \"nccl\" and with a `protocol` two for each rank of a node)")]
        pub channels: Option<u32> = null,
        /// With "sharp" and "nvls": most bytes of the segments that switches reduce one by one.
        #[range(from "1B")]
        #[refused("a segment of {value} has no data", "write for example \"64KB\"")]
        #[note("(default \"4096B\"; in channels above 4 MiB, 1/1024 of a channel)")]
        pub segment: Option<Bytes> = null,
        /// Protocol of NCCL: the buffer is divided into channels, chunks and slices as NCCL does it.
        #[note("(default: equal channels and chunks; of \"nccl\" by its choice)")]
        pub protocol: Option<Protocol> = null,
        /// With "nccl" or a `protocol`: data of a full chunk, such as "128KB".
        #[note("(default: by the protocol and NCCL's buffers)")]
        pub chunk_size: Option<Bytes> = null,
        /// With "nccl": rows that precede NCCL's own choice, the first that matches counts: [{
        /// max_bytes = "64KB", algorithm = "tree", protocol = "ll", channels = 2 }].
        #[note("(default: none)")]
        pub tuner: Option<Vec<TunerRow>> = null,
        /// Of an all-to-all-v: the k-th member of a group gets a share in proportion to 1/k^skew of
        /// each member's data.
        #[range(from 0.0, to 10.0)]
        #[refused("a skew of {value} is outside the range 0 to 10", "write for example 1")]
        pub skew: f64 = 0.0,
        /// Of an all-to-all-v, instead of `skew`: rows of numbers, one row for each sender, in
        /// proportion to its data for each receiver.
        pub weights: Option<Vec<Vec<f64>>> = null,
        /// Of a pipeline: time that a stage computes for a micro-batch forward, one for all stages
        /// or one for each.
        #[note("(default: none)")]
        pub forward: Option<Vec<Duration>> = null,
        /// The same backward.
        #[note("(default: none)")]
        pub backward: Option<Vec<Duration>> = null,
        /// Parts of each channel that follow one another; in a pipeline, the micro-batches.
        #[range(from 1, to 65536)]
        #[refused("{value} chunks are outside the range 1 to 65536", "write for example 8")]
        pub chunks: u32 = 1,
        /// How often it is done.
        #[range(from 1, to 65536)]
        #[refused("{value} iterations are outside the range 1 to 65536", "write for example 10")]
        pub iterations: u32 = 1,
        /// Time that a rank computes between two iterations.
        ///
        /// An iteration ends at a rank when the messages that it sent have been acknowledged and
        /// the messages for it have been delivered.
        pub compute: Duration = "0s",
        /// Iterations at the beginning that statistics of iterations leave out.
        pub warm_up: u32 = 0,
        /// Coefficient of variation of computing times, such as 0.1: each is multiplied by a random
        /// factor with a mean of 1.
        #[range(from 0.0, to 10.0)]
        #[refused("a variation of {value} is outside the range 0 to 10", "write for example 0.1")]
        pub compute_jitter: f64 = 0.0,
        /// Ranks with longer computing times: [{ ranks = ["3"], factor = 1.5 }].
        #[note("(default: none)")]
        pub slow_ranks: Option<Vec<SlowRanks>> = null,
        /// Of a pipeline: factors of computing times while messages of the rank are under way, and
        /// of transmission times of its host while it computes: { compute = 1.2, communication =
        /// 1.3 }.
        #[note("(default: none)")]
        pub overlap: Option<Overlap> = null,
        /// Time of the first iteration.
        pub start: Time = "0s",
        /// Connections of messages.
        pub connections: Connections = "kept",
        /// Priority queue.
        #[range(from 1, to 7)]
        #[refused(check::NO_PRIORITY, check::PRIORITIES)]
        #[note("(default 3); 1 with an algorithm of TCP")]
        pub priority: u8 = 3,
        /// Destination port.
        pub dst_port: u16 = 400,
    }
}

impl CollectiveConfig {
    /// Returns one collective of all hosts, with the other keys at their defaults.
    #[must_use]
    pub fn new(operation: CollectiveOperation, size: Bytes) -> Self {
        Self::with_required(operation, size)
    }

    /// Checks the keys that do not depend on the hosts.
    fn check_keys(&self) -> Result<(), ConfigError> {
        self.validate_ranges()?;
        check::job(self.job.as_deref())?;
        check::instant("start", self.start)?;
        check::span("compute", self.compute)?;
        Ok(())
    }

    /// Returns the hosts in the order of the ranks that they can have.
    fn placed(&self, context: &WorkloadContext) -> Result<Vec<NodeId>, ConfigError> {
        let order = Order {
            hosts: self.hosts.as_deref(),
            placement: self.placement,
            stride: self.placement_stride,
            skip: self.skip,
        };
        order.placed(context)
    }

    /// Returns the speeds of `ranks` ranks.
    fn pace(&self, context: &WorkloadContext, ranks: u32) -> Result<Pace, ConfigError> {
        let is_time = |span: &Duration| *span > Duration::ZERO;
        let stages = [&self.forward, &self.backward]
            .into_iter()
            .flatten()
            .flatten();
        let between = is_time(&self.compute) && self.iterations > 1;
        let computes = between || stages.into_iter().any(is_time);
        let vary = (
            self.compute_jitter,
            self.slow_ranks.as_deref().unwrap_or_default(),
        );
        Pace::new(context, vary, (ranks, computes))
    }

    /// Returns the slowdown of computations by messages, and of messages by computations. Only
    /// stages compute while messages are under way: between two iterations of a rank, all of its
    /// messages have ended.
    fn slowdown(&self) -> Result<Option<Slowdown>, ConfigError> {
        let mut stages = [&self.forward, &self.backward]
            .into_iter()
            .flatten()
            .flatten();
        let computes = stages.any(|span| *span > Duration::ZERO);
        let overlap = self.overlap.as_ref();
        overlap.map_or(Ok(None), |keys| keys.slowdown(computes))
    }

    /// Returns the collective of a group of `ranks` whose hosts send at `rate`.
    fn shape(&self, ranks: u32, rate: Rate) -> Result<Shape, ConfigError> {
        let usual = || self.operation.usual_algorithm();
        let algorithm = self.algorithm.unwrap_or_else(usual);
        let mut shape = Shape {
            operation: self.operation,
            algorithm,
            size: self.size,
            ranks,
            channels: self.channels.unwrap_or(1),
            chunks: self.chunks,
            division: None,
            local_size: self.local_size.unwrap_or(LOCAL_SIZE),
            root: self.root,
            detail: self.detail(ranks)?,
        };
        if self.is_divided() {
            shape.local_size = self.local_size.unwrap_or(1);
        }
        // Other keys are checked first, because the choice and the division need them.
        let shape = shape.checked()?;
        if self.is_divided() && ranks > 1 {
            return self.divided(shape, rate);
        }
        shape.in_segments(self.segment)
    }

    /// Returns the algorithm, unless it is the choice of NCCL.
    fn algorithm_by_name(&self) -> Option<CollectiveAlgorithm> {
        let usual = self.operation.usual_algorithm();
        Some(self.algorithm.unwrap_or(usual)).filter(|one| *one != CollectiveAlgorithm::Nccl)
    }

    /// Returns `true` if NCCL divides the buffer.
    fn is_divided(&self) -> bool {
        self.protocol.is_some() || self.algorithm == Some(CollectiveAlgorithm::Nccl)
    }

    /// Returns `shape` with NCCL's division.
    fn divided(&self, shape: Shape, rate: Rate) -> Result<Shape, ConfigError> {
        shape.check_nodes()?;
        let nodes = Nodes {
            ranks: shape.ranks,
            local_size: shape.local_size,
            rate,
            channels: self.channels.unwrap_or(2 * shape.local_size),
        };
        let choice = nodes.choice(self)?;
        let divided = Divided {
            operation: shape.operation,
            algorithm: choice.algorithm,
            size: shape.size,
            ranks: shape.ranks,
            local_size: shape.local_size,
            protocol: choice.protocol,
            all_channels: nodes.channels.max(choice.channels),
            channels: choice.channels,
            chunk_size: self.chunk_size,
        };
        Ok(Shape {
            algorithm: choice.algorithm,
            channels: 1,
            division: Some(divided.division()?),
            ..shape
        })
    }

    /// Returns the settings that only this operation has, for a group of `ranks`.
    fn detail(&self, ranks: u32) -> Result<Detail, ConfigError> {
        self.refuse_foreign_keys()?;
        let times = |times: &Option<Vec<Duration>>| times.clone().unwrap_or_default();
        Ok(match (self.operation, &self.weights) {
            (CollectiveOperation::AllToAllV, Some(weights)) => {
                Detail::Parts(Parts::weighted(self.size, ranks, weights)?)
            }
            (CollectiveOperation::AllToAllV, None) => {
                Detail::Parts(Parts::skewed(self.size, ranks, self.skew))
            }
            (CollectiveOperation::Pipeline, _) => {
                let (forward, backward) = (times(&self.forward), times(&self.backward));
                Detail::Stages(Stages::new(ranks, &forward, &backward)?)
            }
            _ => Detail::None,
        })
    }

    /// Checks all keys.
    fn checked(&self, context: &WorkloadContext) -> Result<groups::Groups, ConfigError> {
        check::two_hosts(context)?;
        self.check_keys()?;
        let groups = groups::Groups::of(self, context)?;
        self.shape(groups.size, groups.rate)?
            .check_messages(groups.count())?;
        Ok(groups)
    }
}

#[cfg(test)]
mod tests;
