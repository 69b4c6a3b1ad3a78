//! The sending host's state of connections: the place of the next message in the stream, and the
//! messages that wait for a route.

use std::collections::BTreeMap;

use fabricsim_base::checkpoint::Stored;
use fabricsim_base::flow::Connection;
use fabricsim_base::flow::{Ends, Flow, FlowRequest, ResolvedPath, StreamPlace};
use fabricsim_base::id::FlowId;
use fabricsim_base::limits::MAX_SIZE;
use fabricsim_base::units::Bytes;

/// A message of a connection that is due.
#[derive(Clone, Copy, Debug, Stored)]
#[checkpoint(plain)]
pub(super) struct Message {
    pub(super) id: FlowId,
    pub(super) connection: Connection,
    pub(super) request: FlowRequest,
    pub(super) tag: u64,
}

impl Message {
    /// Returns the message as a flow on the path `found`. Its place in the stream is set later.
    pub(super) fn flow(&self, found: &ResolvedPath) -> Flow {
        Flow {
            stream: Some(StreamPlace {
                connection: self.connection.id,
                from: 0,
            }),
            ..found.flow(self.id, self.request)
        }
    }
}

/// One direction of a connection, at its sender.
#[derive(Debug, Default, Stored)]
#[checkpoint(plain)]
struct Stream {
    /// Total bytes of all messages, including messages that start later.
    asked: Bytes,
    /// The end of the last started message in the stream.
    written: u64,
    /// The path of the last message with a route.
    path: Option<ResolvedPath>,
    /// The number of the routes that were last searched for a path between these addresses.
    looked_in: Option<u64>,
}

/// The streams that one host sends.
#[derive(Debug, Default, Stored)]
pub(super) struct Streams {
    of: BTreeMap<FlowId, Stream>,
    /// Messages without a route, by connection, in the order they were due.
    held: BTreeMap<FlowId, Vec<Message>>,
}

impl Streams {
    /// Returns `true` if one direction of a connection can carry one more message of `size`. The
    /// limit is the size of the longest flow.
    pub(super) fn has_room(&self, connection: FlowId, size: Bytes) -> bool {
        let asked = self
            .of
            .get(&connection)
            .map_or(Bytes::ZERO, |own| own.asked);
        asked.saturating_add(size) <= MAX_SIZE
    }

    /// Counts a message of `size` that starts now or later.
    pub(super) fn ask(&mut self, connection: FlowId, size: Bytes) {
        let stream = self.of.entry(connection).or_default();
        stream.asked = stream.asked.saturating_add(size);
    }

    /// Returns the path of a message of `connection` that starts now. `resolve` finds it between
    /// the addresses of the connection, or between any addresses if the connection has none yet; it
    /// is called once for each number of `routes`.
    ///
    /// If the connection had a route before, a message waits for the next route in the transport.
    /// Otherwise it is held here.
    pub(super) fn path(
        &mut self,
        connection: &Connection,
        routes: u64,
        resolve: impl FnOnce(Option<Ends>) -> Option<ResolvedPath>,
    ) -> Option<ResolvedPath> {
        let stream = self.of.entry(connection.id).or_default();
        if stream.looked_in != Some(routes) || stream.path.is_none() {
            let ends = stream.path.map(|path| path.ends).or(connection.ends);
            stream.path = resolve(ends).or(stream.path);
            stream.looked_in = ends.map(|_| routes);
        }
        stream.path
    }

    /// Stores a message until there is a route for it.
    pub(super) fn hold(&mut self, message: Message) {
        let held = self.held.entry(message.connection.id).or_default();
        held.push(message);
    }

    /// Removes and returns the held messages.
    pub(super) fn take_held(&mut self) -> BTreeMap<FlowId, Vec<Message>> {
        std::mem::take(&mut self.held)
    }

    /// Returns the held messages.
    pub(super) fn held(&self) -> impl Iterator<Item = &Message> {
        self.held.values().flatten()
    }

    /// Returns the place of the next message, of `size`, which begins at a multiple of `alignment`.
    pub(super) fn place(
        &mut self,
        connection: FlowId,
        size: Bytes,
        alignment: Bytes,
    ) -> StreamPlace {
        let stream = self.of.entry(connection).or_default();
        let from = stream.written.next_multiple_of(alignment.get());
        let place = StreamPlace { connection, from };
        stream.written = place.end(size);
        place
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_follow_one_another_at_multiples_of_the_alignment() {
        let mut streams = Streams::default();
        let mut place = |connection: u32, size: u64, alignment: u64| {
            let (size, alignment) = (Bytes::new(size), Bytes::new(alignment));
            streams.place(FlowId(connection), size, alignment).from
        };
        assert_eq!(
            [place(0, 10, 1), place(0, 5, 1), place(0, 1, 1)],
            [0, 10, 15]
        );
        assert_eq!(
            [
                place(1, 1, 1_000),
                place(1, 2_500, 1_000),
                place(1, 1_000, 1_000)
            ],
            [0, 1_000, 4_000]
        );
        assert_eq!(place(1, 1, 1_000), 5_000);
    }
}
