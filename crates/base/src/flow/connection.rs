//! Connections on which applications send one message after another.

use super::{Ends, Flow, FlowKey};
use crate::checkpoint::Stored;
use crate::id::{ClassId, FlowId, NodeId};
use crate::priority::Priority;

/// One end of a persistent connection: an RDMA queue pair, or a TCP connection.
///
/// Each direction is a stream of bytes, in which messages follow one another in the order they were
/// sent. Congestion control continues from one message to the next. Without a message the
/// connection is idle; it never closes.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Stored)]
pub struct Connection {
    /// The connection's number, the same at both ends.
    pub id: FlowId,
    /// Hosts and ports of the packets sent from this end.
    pub key: FlowKey,
    /// Addresses of the packets sent from this end, if known: the addresses of NICs at hosts with
    /// several. A new connection gets them from its first message.
    pub ends: Option<Ends>,
    /// Flow class of its messages.
    pub class: ClassId,
    /// Priority queue of its packets, 1 to 7.
    pub priority: Priority,
}

impl Connection {
    /// Returns the host of this end.
    #[must_use]
    pub const fn host(&self) -> NodeId {
        self.key.src
    }

    /// Returns the host of the other end.
    #[must_use]
    pub const fn peer(&self) -> NodeId {
        self.key.dst
    }

    /// Returns the other end.
    #[must_use]
    pub const fn reversed(mut self) -> Self {
        self.key = self.key.reversed();
        self.ends = match self.ends {
            Some(ends) => Some(ends.reversed()),
            None => None,
        };
        self
    }
}

impl Flow {
    /// Returns the connection end from which the receiver of this message replies, or `None` for a
    /// flow that is not part of a connection.
    #[must_use]
    pub fn reply_connection(&self) -> Option<Connection> {
        let place = self.stream?;
        let request = &self.request;
        let sender = Connection {
            id: place.connection,
            key: FlowKey {
                src: request.src,
                dst: request.dst,
                src_port: request.src_port?,
                dst_port: request.dst_port,
            },
            ends: Some(self.ends),
            class: request.class,
            priority: request.priority,
        };
        Some(sender.reversed())
    }
}
