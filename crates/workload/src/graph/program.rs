//! The operations of a rank and their dependencies.

use fabricsim_base::units::{Bytes, Duration};

/// One operation of a rank.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Operation {
    /// A message to another rank.
    Send {
        /// The number of the connection to `to`.
        channel: u16,
        /// The receiving rank.
        to: u32,
        /// Payload bytes.
        size: Bytes,
        /// Value by which the receiver distinguishes messages of one sender; below 2^48.
        tag: u64,
    },
    /// Waits for a message of another rank.
    Receive {
        /// The sending rank.
        from: u32,
        /// The tag of the message.
        tag: u64,
    },
    /// A computation. Computations of one stream follow one another.
    Compute {
        /// Number of the stream.
        stream: u16,
        /// The computing time.
        span: Duration,
    },
    /// An operation without duration that joins dependencies.
    Join,
}

/// A message of a collective as one of its members sees it: the other member and the blocks are
/// relative to this member, so that members with the same role have the same program.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub(crate) struct Blocks {
    /// The other member; 0 is this member.
    pub(crate) peer: u32,
    /// The part of the buffer.
    pub(crate) unit: u32,
    /// The first block of the part.
    pub(crate) first: u32,
    /// The number of blocks.
    pub(crate) count: u32,
}

/// One operation of a program: for one rank, or for all ranks that share the program.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Step {
    /// The same operation for all ranks.
    Fixed(Operation),
    /// A message to a member of the rank's group.
    Send(Blocks),
    /// Waits for a message of a member of the rank's group.
    Receive(Blocks),
}

impl Step {
    /// Returns the sender and the tag of the message that this receives, both relative to the rank
    /// if the step is.
    pub(super) fn receipt(self) -> Option<(u32, u64)> {
        match self {
            Self::Fixed(Operation::Receive { from, tag }) => Some((from, tag)),
            Self::Receive(blocks) => Some((blocks.peer, blocks.tag())),
            Self::Fixed(_) | Self::Send(_) => None,
        }
    }
}

impl Blocks {
    /// Returns the tag of a message with these blocks, relative to the rank and the collective.
    pub(crate) const fn tag(self) -> u64 {
        (self.unit as u64) << 32 | self.first as u64
    }
}

/// The end of an edge: the waiting operation, and the event that it waits for.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Edge {
    /// The operation waits for the end of the other operation.
    AfterEnd(u32),
    /// The operation waits for the start of the other operation.
    AfterStart(u32),
}

impl Edge {
    /// Packs the edge into 32 bits: numbers of operations are below 2^31.
    pub(super) const fn packed(self) -> u32 {
        match self {
            Self::AfterEnd(operation) => operation << 1,
            Self::AfterStart(operation) => operation << 1 | 1,
        }
    }

    const fn unpacked(bits: u32) -> Self {
        match bits & 1 {
            0 => Self::AfterEnd(bits >> 1),
            _ => Self::AfterStart(bits >> 1),
        }
    }
}

/// The consecutive operations of a collective: a [`Operation::Join`] at its beginning, its
/// messages, and a join that starts when all of them have ended.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Span {
    /// Index of the join at the beginning.
    pub(super) begin: u32,
    /// Index of the join at the end.
    pub(super) end: u32,
    /// The number of the collective, counted from the first one of the rank's group.
    pub(super) instance: u32,
}

impl Span {
    /// Returns the number of operations between the joins.
    pub(super) const fn inner(&self) -> u32 {
        self.end - self.begin - 1
    }
}

/// The bit of tags that separates messages of collectives from messages of single operations. The
/// tags of single operations have 32 bits.
pub(crate) const OF_A_COLLECTIVE: u64 = 1 << 46;

/// The bit that separates messages of graphs from flows of lists, which may have the same class.
pub(super) const OF_A_GRAPH: u64 = 1 << 63;

/// Returns the number of a message among all messages of its job's collectives, if `tag` is the tag
/// of one on the wire.
pub(crate) const fn place_of_tag(tag: u64) -> Option<u64> {
    let marks = OF_A_GRAPH | OF_A_COLLECTIVE;
    if tag & marks == marks {
        Some(tag & (OF_A_COLLECTIVE - 1))
    } else {
        None
    }
}

/// Returns the end of a sentence about a message with `tag`.
fn in_words(tag: u64) -> String {
    if tag & OF_A_COLLECTIVE == 0 {
        format!(", tag {tag}")
    } else {
        " for a collective".to_owned()
    }
}

/// All that a program has of one operation.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Record {
    pub(super) step: Step,
    /// The number of dependencies, and the bits of receipts.
    needs: u32,
    /// The position of the first edge in [`Program::edges`].
    pub(super) first_edge: u32,
}

impl Record {
    /// The bit of `needs` that marks a receipt in [`Program::foreseen`].
    const FORESEEN: u32 = 1 << 31;

    /// The bit of `needs` that marks a receipt of a message of another rank. The dependencies of
    /// one operation are fewer, because each takes memory in [`Program::edges`].
    const TRAVELS: u32 = 1 << 30;

    /// Returns an operation without dependencies and edges.
    pub(super) const fn new(step: Step) -> Self {
        Self {
            step,
            needs: 0,
            first_edge: 0,
        }
    }

    /// Returns the number of dependencies.
    pub(super) const fn needs(&self) -> u32 {
        self.needs & !(Self::FORESEEN | Self::TRAVELS)
    }

    /// Counts one more dependency.
    pub(super) const fn need(&mut self) {
        self.needs += 1;
    }

    /// Returns `true` for a receipt in [`Program::foreseen`].
    pub(super) const fn is_foreseen(&self) -> bool {
        self.needs & Self::FORESEEN != 0
    }

    /// Returns `true` for a receipt of a message of another rank.
    pub(super) const fn is_from_another(&self) -> bool {
        self.needs & Self::TRAVELS != 0
    }

    /// Marks a receipt of a message of another rank.
    pub(super) const fn travel(&mut self) {
        self.needs |= Self::TRAVELS;
    }

    /// Marks a receipt in [`Program::foreseen`].
    pub(super) const fn foresee(&mut self) {
        self.needs |= Self::FORESEEN;
    }
}

/// A receipt that can be found for its message without a record that it waits.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(super) struct Receipt {
    /// The sender and the tag as in [`Step::receipt`].
    pub(super) from: u32,
    pub(super) tag: u64,
    pub(super) operation: u32,
    /// The operation that must have ended before the receipt waits; `None` if it waits from the
    /// beginning.
    pub(super) after: Option<u32>,
}

/// The operations of one rank, or of all ranks with the same role in a collective: 32 bytes for
/// each, 24 for each receipt, and 4 for each dependency.
#[derive(Debug, Eq, PartialEq)]
pub(crate) struct Program {
    pub(super) records: Box<[Record]>,
    /// The packed edges to the operations that wait, grouped by the operation that they wait for.
    pub(super) edges: Box<[u32]>,
    /// The operations without dependencies.
    pub(super) roots: Box<[u32]>,
    /// The receipts that become ready in their order, by sender, tag and number.
    pub(super) foreseen: Box<[Receipt]>,
    /// Collectives, in the order of their operations.
    pub(super) spans: Box<[Span]>,
    /// The names of operations in their file; empty if they have none.
    pub(super) names: Box<[Box<str>]>,
}

impl Program {
    /// Returns the number of operations.
    pub(crate) fn len(&self) -> usize {
        self.records.len()
    }

    /// Returns `true` if an operation is a computation that takes time.
    pub(crate) fn computes(&self) -> bool {
        let takes_time = |span: &Duration| *span > Duration::ZERO;
        (self.records.iter()).any(|record| match &record.step {
            Step::Fixed(Operation::Compute { span, .. }) => takes_time(span),
            _ => false,
        })
    }

    /// Returns the operations.
    #[cfg(test)]
    pub(crate) fn steps(&self) -> impl Iterator<Item = Step> + '_ {
        self.records.iter().map(|record| record.step)
    }

    /// Returns the operations that wait for the end of each operation.
    #[cfg(test)]
    pub(crate) fn waiting(&self) -> Vec<Vec<u32>> {
        let after = |edge| match edge {
            Edge::AfterEnd(operation) => Some(operation),
            Edge::AfterStart(_) => None,
        };
        let numbers = (0..).take(self.len());
        let waiting = numbers.map(|number| self.edges(number).filter_map(after).collect());
        waiting.collect()
    }

    /// Returns the operations of a program of a file.
    #[cfg(test)]
    pub(crate) fn operations(&self) -> Vec<Operation> {
        let fixed = |step| match step {
            Step::Fixed(operation) => operation,
            Step::Send(_) | Step::Receive(_) => panic!("{step:?} is relative to a rank"),
        };
        self.steps().map(fixed).collect()
    }

    /// Returns the edges to the operations that wait for `operation`.
    pub(super) fn edges(&self, operation: u32) -> impl Iterator<Item = Edge> + '_ {
        let at = operation as usize;
        let next = self.records.get(at + 1);
        let end = next.map_or(self.edges.len(), |next| next.first_edge as usize);
        let edges = self.records[at].first_edge as usize..end;
        self.edges[edges].iter().map(|&bits| Edge::unpacked(bits))
    }

    /// Returns the foreseen receipts of messages with the sender `from` and `tag`, in their order.
    pub(super) fn receipts(&self, (from, tag): (u32, u64)) -> impl Iterator<Item = &Receipt> {
        let first = (self.foreseen).partition_point(|one| (one.from, one.tag) < (from, tag));
        let rest = self.foreseen[first..].iter();
        rest.take_while(move |one| (one.from, one.tag) == (from, tag))
    }

    /// Returns the position of the collective that contains `operation`.
    pub(super) fn span_of(&self, operation: u32) -> Option<usize> {
        let after = self.spans.partition_point(|span| span.begin <= operation);
        let at = after.checked_sub(1)?;
        (operation <= self.spans[at].end).then_some(at)
    }

    /// Describes an operation for messages: "`l3` (receives from rank 2, tag 0)". `is` is the
    /// operation with this number. Numbers from `ranks` on belong to aggregators.
    pub(super) fn describe(&self, number: u32, is: Operation, ranks: u32) -> String {
        let peer = |rank: u32| match rank < ranks {
            true => format!("rank {rank}"),
            false => "the aggregator of a switch".to_owned(),
        };
        let text = match is {
            Operation::Send { to, size, tag, .. } => {
                format!("sends {size} to {}{}", peer(to), in_words(tag))
            }
            Operation::Receive { from, tag } => {
                format!("receives from {}{}", peer(from), in_words(tag))
            }
            Operation::Compute { span, stream } => format!("computes {span} on stream {stream}"),
            Operation::Join => "joins others".to_owned(),
        };
        match self.names.get(number as usize) {
            Some(name) => format!("`{name}` ({text})"),
            None => format!("operation {number} ({text})"),
        }
    }
}
