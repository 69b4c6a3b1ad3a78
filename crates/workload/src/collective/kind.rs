//! Operations and algorithms of collectives.

use fabricsim_base::choices;

choices! {
    /// The operation of a collective. Sizes are defined as in NCCL-tests (`doc/PERFORMANCE.md`
    /// there): they are sizes of the whole buffer.
    pub enum CollectiveOperation {
        /// All members receive the sum of all buffers. The size is the size of each buffer.
        AllReduce = "all-reduce" ("`size` is each rank's buffer"),
        /// All members receive the parts of all. The size is the size of all parts together.
        AllGather = "all-gather" ("`size` is the data of each rank at the end"),
        /// Each member receives its part of the sum. The size is the size of all parts together.
        ReduceScatter = "reduce-scatter" ("`size` is the data of each rank at the start"),
        /// Each member has a part for each member. The size is the size of all parts of one member.
        AllToAll = "all-to-all" ("`size` is the data of each rank: a part for each rank, including itself"),
        /// Each member has a part for each member, and the parts differ in size.
        AllToAllV = "all-to-all-v" ("`size` is the data of the rank with the most: parts by `skew` or `weights`"),
        /// All members receive the buffer of the root.
        Broadcast = "broadcast" ("`size` is the root's buffer"),
        /// Each member sends its buffer to the next rank of its group.
        SendReceive = "send-receive" ("`size` is the data that each rank sends to the next one"),
        /// Each member is a stage, and micro-batches pass through all stages forward and back.
        Pipeline = "pipeline" ("`size` is the data of all micro-batches between two stages"),
    }
}

choices! {
    /// The algorithm of a collective.
    pub enum CollectiveAlgorithm {
        /// Around a ring, one part after the other.
        Ring = "ring",
        /// Around two rings in opposite directions, with half of the buffer on each.
        BidirectionalRing = "bidirectional-ring",
        /// Recursive halving and doubling, for powers of two.
        HalvingDoubling = "halving-doubling" ("groups of a power of two"),
        /// Up and down two binary trees, with half of the buffer on each.
        DoubleBinaryTree = "double-binary-tree",
        /// Rings inside nodes of `local_size` ranks and rings between nodes.
        Hierarchical = "hierarchical" ("rings inside of nodes and between them"),
        /// All messages at once.
        Direct = "direct" ("all messages at once"),
        /// One peer after the other.
        Pairwise = "pairwise" ("one peer after the other"),
        /// Through the host of the sender's node on the receiver's rail.
        Pxn = "pxn" ("data for other nodes pass the host of the own node on the receiver's rail"),
        /// As NCCL would do it.
        Nccl = "nccl" ("NCCL's choice of algorithm, protocol and channels for the size"),
        /// Along a binomial tree.
        Binomial = "binomial",
        /// From each rank to the next one.
        Chain = "chain" ("each rank passes on to the next; with `chunks` a pipeline"),
        /// All micro-batches forward, then all back.
        Gpipe = "gpipe" ("all micro-batches forward, then all back"),
        /// Alternately one micro-batch forward and one back.
        OneForwardOneBackward = "1f1b" ("one micro-batch forward and one back in turn"),
        /// Reduced and multicast by the switches on a tree, as SHARP does.
        Sharp = "sharp" ("a tree of switches reduces and multicasts"),
        /// Reduced and multicast by the switch of a server, as NVLink SHARP does.
        Nvls = "nvls" ("the switch of a server reduces and multicasts"),
    }
}

impl CollectiveOperation {
    /// Returns the name in scenarios and results.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::AllReduce => "all-reduce",
            Self::AllGather => "all-gather",
            Self::ReduceScatter => "reduce-scatter",
            Self::AllToAll => "all-to-all",
            Self::Broadcast => "broadcast",
            Self::SendReceive => "send-receive",
            Self::AllToAllV => "all-to-all-v",
            Self::Pipeline => "pipeline",
        }
    }

    /// Returns the ratio of NCCL-tests' bus bandwidth to the algorithm bandwidth for `ranks` ranks.
    #[must_use]
    pub fn bus_factor(self, ranks: u32) -> f64 {
        let ranks = f64::from(ranks.max(1));
        match self {
            Self::AllReduce => 2.0 * (ranks - 1.0) / ranks,
            Self::AllGather | Self::ReduceScatter | Self::AllToAll | Self::AllToAllV => {
                (ranks - 1.0) / ranks
            }
            Self::Broadcast | Self::SendReceive | Self::Pipeline => 1.0,
        }
    }

    /// Returns the algorithm that is used if the scenario names none.
    #[must_use]
    pub const fn usual_algorithm(self) -> CollectiveAlgorithm {
        match self {
            Self::AllToAll | Self::AllToAllV => CollectiveAlgorithm::Direct,
            Self::Pipeline => CollectiveAlgorithm::Gpipe,
            Self::Broadcast => CollectiveAlgorithm::Binomial,
            _ => CollectiveAlgorithm::Ring,
        }
    }

    /// Returns the algorithms that implement this operation.
    #[must_use]
    pub const fn algorithms(self) -> &'static [CollectiveAlgorithm] {
        use CollectiveAlgorithm as A;
        match self {
            Self::AllReduce => &[
                A::Ring,
                A::BidirectionalRing,
                A::HalvingDoubling,
                A::DoubleBinaryTree,
                A::Hierarchical,
                A::Sharp,
                A::Nvls,
                A::Nccl,
            ],
            Self::AllGather | Self::ReduceScatter => &[
                A::Ring,
                A::BidirectionalRing,
                A::HalvingDoubling,
                A::Sharp,
                A::Nvls,
                A::Nccl,
            ],
            Self::AllToAll => &[A::Direct, A::Pairwise, A::Pxn],
            Self::AllToAllV => &[A::Direct, A::Pairwise],
            Self::Pipeline => &[A::Gpipe, A::OneForwardOneBackward],
            Self::Broadcast => &[A::Binomial, A::Chain, A::Sharp, A::Nvls, A::Nccl],
            Self::SendReceive => &[A::Ring],
        }
    }
}

impl CollectiveAlgorithm {
    /// Returns the name in scenarios and results.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ring => "ring",
            Self::BidirectionalRing => "bidirectional-ring",
            Self::HalvingDoubling => "halving-doubling",
            Self::DoubleBinaryTree => "double-binary-tree",
            Self::Hierarchical => "hierarchical",
            Self::Direct => "direct",
            Self::Pairwise => "pairwise",
            Self::Pxn => "pxn",
            Self::Nccl => "nccl",
            Self::Binomial => "binomial",
            Self::Chain => "chain",
            Self::Gpipe => "gpipe",
            Self::OneForwardOneBackward => "1f1b",
            Self::Sharp => "sharp",
            Self::Nvls => "nvls",
        }
    }

    /// Returns `true` if switches reduce and multicast.
    #[must_use]
    pub const fn is_in_network(self) -> bool {
        matches!(self, Self::Sharp | Self::Nvls)
    }
}
