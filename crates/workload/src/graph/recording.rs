//! The operations that a rank has done, for the series `operations`.

use fabricsim_base::checkpoint::Stored;
use fabricsim_base::id::{FlowId, NodeId};
use fabricsim_base::units::{Bytes, Time};
use rustc_hash::FxHashMap;

use super::plan::GraphInfo;

/// The number of the computation between two iterations, which is no operation of a program.
const BETWEEN: u32 = u32::MAX;

/// The kind of a recorded operation.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd, Stored)]
#[checkpoint(plain)]
pub enum OperationKind {
    /// A computation.
    Compute,
    /// A message to another rank: from its start to the end of the send operation.
    Send,
    /// A message of another rank: from its start there to the end of the receipt.
    Receive,
    /// All operations of a collective at the rank.
    Collective,
}

impl OperationKind {
    /// Returns the name in results.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Compute => "compute",
            Self::Send => "send",
            Self::Receive => "receive",
            Self::Collective => "collective",
        }
    }
}

/// An operation that a rank has done.
#[derive(Clone, Copy, Debug)]
pub struct OperationRecord<'a> {
    /// The properties of the graph.
    pub info: &'a GraphInfo,
    /// The rank.
    pub rank: u32,
    /// Its host.
    pub host: NodeId,
    /// The iteration, from zero.
    pub iteration: u32,
    /// The number of the operation in the rank's program; `None` for the computation between two
    /// iterations.
    pub operation: Option<u32>,
    /// Its kind.
    pub kind: OperationKind,
    /// Its name in the file of the graph, or the operation of its collective; empty for neither.
    pub name: &'a str,
    /// The stream of a computation.
    pub stream: Option<u16>,
    /// The other rank of a message.
    pub peer: Option<u32>,
    /// Payload bytes of a message.
    pub size: Option<Bytes>,
    /// The flow of a message; `None` for a message of a rank to itself.
    pub flow: Option<FlowId>,
    /// The number of its collective in the graph.
    pub collective: Option<u32>,
    /// Time at which its dependencies had been met. A computation then waits for its stream, and a
    /// receipt has none of its own: its message starts at another rank.
    pub ready: Option<Time>,
    /// Its start.
    pub start: Time,
    /// Its end.
    pub end: Time,
}

/// An operation under way.
#[derive(Clone, Copy, Debug, Stored)]
#[checkpoint(plain)]
struct Begun {
    kind: OperationKind,
    ready: Time,
    start: Time,
    flow: Option<FlowId>,
}

/// An operation that has ended, without the properties that its program has.
#[derive(Clone, Copy, Debug, Stored)]
#[checkpoint(plain)]
pub(super) struct Done {
    pub(super) kind: OperationKind,
    pub(super) iteration: u32,
    operation: u32,
    pub(super) ready: Option<Time>,
    pub(super) start: Time,
    pub(super) end: Time,
    pub(super) flow: Option<FlowId>,
    /// Of a received message.
    pub(super) size: Option<Bytes>,
}

impl Done {
    /// Returns the number of the operation in its program.
    pub(super) fn operation(&self) -> Option<u32> {
        (self.operation != BETWEEN).then_some(self.operation)
    }
}

/// Records the operations of one rank. Memory is proportional to the operations under way, to the
/// messages that no receipt has taken yet, and to the operations that have ended since the last
/// call of [`take`](Self::take).
#[derive(Debug, Default, Stored)]
#[checkpoint(plain)]
pub(super) struct Recording {
    begun: FxHashMap<u32, Begun>,
    /// Delivered messages that no receipt has taken: their start at the sender, and their size.
    arrived: FxHashMap<FlowId, (Time, Bytes)>,
    done: Vec<Done>,
}

impl Recording {
    /// Records that the dependencies of a computation or a send operation have been met.
    pub(super) fn ready(&mut self, operation: u32, kind: OperationKind, now: Time) {
        let begun = Begun {
            kind,
            ready: now,
            start: now,
            flow: None,
        };
        self.begun.insert(operation, begun);
    }

    /// Records that a computation starts, after it has waited for its stream.
    pub(super) fn computes(&mut self, operation: u32, now: Time) {
        if let Some(begun) = self.begun.get_mut(&operation) {
            begun.start = now;
        }
    }

    /// Records the flow of a send operation.
    pub(super) fn sends(&mut self, operation: u32, flow: FlowId) {
        if let Some(begun) = self.begun.get_mut(&operation) {
            begun.flow = Some(flow);
        }
    }

    /// Records the delivery of a message that started at `start`.
    pub(super) fn arrives(&mut self, message: FlowId, start: Time, size: Bytes) {
        self.arrived.insert(message, (start, size));
    }

    /// Records the end of a receipt. A message that has not [arrived](Self::arrives) is one of the
    /// rank to itself, which takes no time.
    pub(super) fn received(
        &mut self,
        (operation, iteration): (u32, u32),
        message: FlowId,
        now: Time,
    ) {
        let arrived = self.arrived.remove(&message);
        self.done.push(Done {
            kind: OperationKind::Receive,
            iteration,
            operation,
            ready: None,
            start: arrived.map_or(now, |(start, _)| start),
            end: now,
            flow: arrived.map(|_| message),
            size: arrived.map(|(_, size)| size),
        });
    }

    /// Records the end of a computation or a send operation; other operations are not under way
    /// here.
    pub(super) fn ended(&mut self, (operation, iteration): (u32, u32), now: Time) {
        let Some(begun) = self.begun.remove(&operation) else {
            return;
        };
        self.done.push(Done {
            kind: begun.kind,
            iteration,
            operation,
            ready: Some(begun.ready),
            start: begun.start,
            end: now,
            flow: begun.flow,
            size: None,
        });
    }

    /// Records a collective, of which `last` is the last operation.
    pub(super) fn collective(&mut self, (last, iteration): (u32, u32), start: Time, end: Time) {
        self.done.push(Done {
            kind: OperationKind::Collective,
            iteration,
            operation: last,
            ready: Some(start),
            start,
            end,
            flow: None,
            size: None,
        });
    }

    /// Records the computation after `iteration`.
    pub(super) fn between(&mut self, iteration: u32, start: Time, end: Time) {
        self.done.push(Done {
            kind: OperationKind::Compute,
            iteration,
            operation: BETWEEN,
            ready: Some(start),
            start,
            end,
            flow: None,
            size: None,
        });
    }

    /// Removes and returns the operations that have ended.
    pub(super) fn take(&mut self) -> Vec<Done> {
        std::mem::take(&mut self.done)
    }
}
