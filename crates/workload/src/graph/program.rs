//! The operations of one rank and their dependencies.

use fabricsim_base::units::{Bytes, Duration};

/// One operation of a rank.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Operation {
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
    /// The number of the collective in the graph.
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

/// Returns the end of a sentence about a message with `tag`.
fn in_words(tag: u64) -> String {
    if tag & OF_A_COLLECTIVE == 0 {
        format!(", tag {tag}")
    } else {
        " for a collective".to_owned()
    }
}

/// The operations of one rank: 32 bytes for each, and 4 for each dependency.
#[derive(Debug, Eq, PartialEq)]
pub struct Program {
    pub(super) operations: Box<[Operation]>,
    /// For each operation, the position of its first edge in `edges`; then the end of the last
    /// operation's edges.
    pub(super) first_edge: Box<[u32]>,
    /// The packed edges to the operations that wait, grouped by the operation that they wait for.
    pub(super) edges: Box<[u32]>,
    /// For each operation, the number of its dependencies.
    pub(super) needs: Box<[u32]>,
    /// Collectives, in the order of their operations.
    pub(super) spans: Box<[Span]>,
    /// The names of operations in their file; empty if they have none.
    pub(super) names: Box<[Box<str>]>,
}

impl Program {
    /// Returns the number of operations.
    #[must_use]
    pub fn len(&self) -> usize {
        self.operations.len()
    }

    /// Returns `true` if there are no operations.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.operations.is_empty()
    }

    /// Returns the operations.
    #[must_use]
    pub fn operations(&self) -> &[Operation] {
        &self.operations
    }

    /// Returns the edges to the operations that wait for `operation`.
    pub(super) fn edges(&self, operation: u32) -> impl Iterator<Item = Edge> + '_ {
        let at = operation as usize;
        let edges = self.first_edge[at] as usize..self.first_edge[at + 1] as usize;
        self.edges[edges].iter().map(|&bits| Edge::unpacked(bits))
    }

    /// Returns the position of the collective that contains `operation`.
    pub(super) fn span_of(&self, operation: u32) -> Option<usize> {
        let after = self.spans.partition_point(|span| span.begin <= operation);
        let at = after.checked_sub(1)?;
        (operation <= self.spans[at].end).then_some(at)
    }

    /// Describes the operation for messages: "`l3` (receives from rank 2, tag 0)".
    pub(super) fn describe(&self, operation: u32) -> String {
        let at = operation as usize;
        let what = match self.operations[at] {
            Operation::Send { to, size, tag, .. } => {
                format!("sends {size} to rank {to}{}", in_words(tag))
            }
            Operation::Receive { from, tag } => {
                format!("receives from rank {from}{}", in_words(tag))
            }
            Operation::Compute { span, stream } => format!("computes {span} on stream {stream}"),
            Operation::Join => "joins others".to_owned(),
        };
        match self.names.get(at) {
            Some(name) => format!("`{name}` ({what})"),
            None => format!("operation {operation} ({what})"),
        }
    }
}
