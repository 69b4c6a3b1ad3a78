//! The operations of one rank and what each of them waits for.

use fabricsim_base::units::{Bytes, Duration};

/// One operation of a rank.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Operation {
    /// A message to another rank.
    Send {
        /// The connection among those to `to`.
        channel: u16,
        /// The rank that receives it.
        to: u32,
        /// Payload.
        size: Bytes,
        /// Value by which the receiver tells messages of one sender apart; below 2^48.
        tag: u64,
    },
    /// Waits for a message of another rank.
    Receive {
        /// The rank that sends it.
        from: u32,
        /// The tag of the message.
        tag: u64,
    },
    /// Takes time. Computations of one stream follow one another.
    Compute {
        /// The stream.
        stream: u16,
        /// The time that it takes.
        span: Duration,
    },
    /// Takes no time: joins dependencies.
    Join,
}

/// The end of an edge: the operation that waits, and for what.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Edge {
    /// The operation waits for the end of the other one.
    AfterEnd(u32),
    /// It waits for the start.
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

/// Operations of a collective, which follow one another: a [`Operation::Join`] with which it
/// begins, its messages, and a join that starts when all of them have ended.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Span {
    /// The first join.
    pub(super) begin: u32,
    /// The last join.
    pub(super) end: u32,
    /// The collective among those of the graph.
    pub(super) instance: u32,
}

impl Span {
    /// Number of operations between the joins.
    pub(super) const fn inner(&self) -> u32 {
        self.end - self.begin - 1
    }
}

/// The bit of tags that tells messages of collectives from those of single operations, which have
/// 32 bits.
pub(crate) const OF_A_COLLECTIVE: u64 = 1 << 46;

/// Returns the end of a sentence on a message with `tag`.
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
    /// By operation: where its edges begin in `edges`; and the end of the last ones.
    pub(super) first_edge: Box<[u32]>,
    /// The operations that wait for an operation, packed.
    pub(super) edges: Box<[u32]>,
    /// By operation: what it waits for.
    pub(super) needs: Box<[u32]>,
    /// Collectives, in the order of their operations.
    pub(super) spans: Box<[Span]>,
    /// Names of operations in the file that they come from; empty where they have none.
    pub(super) names: Box<[Box<str>]>,
}

impl Program {
    /// Number of operations.
    #[must_use]
    pub fn len(&self) -> usize {
        self.operations.len()
    }

    /// Whether there are no operations.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.operations.is_empty()
    }

    /// The operations.
    #[must_use]
    pub fn operations(&self) -> &[Operation] {
        &self.operations
    }

    /// The operations that wait for `operation`.
    pub(super) fn edges(&self, operation: u32) -> impl Iterator<Item = Edge> + '_ {
        let at = operation as usize;
        let edges = self.first_edge[at] as usize..self.first_edge[at + 1] as usize;
        self.edges[edges].iter().map(|&bits| Edge::unpacked(bits))
    }

    /// The position of the collective that `operation` belongs to.
    pub(super) fn span_of(&self, operation: u32) -> Option<usize> {
        let after = self.spans.partition_point(|span| span.begin <= operation);
        let at = after.checked_sub(1)?;
        (operation <= self.spans[at].end).then_some(at)
    }

    /// The operation in words, for messages: "`l3` (receives from rank 2, tag 0)".
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
