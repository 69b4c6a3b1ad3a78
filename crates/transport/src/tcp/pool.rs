//! Connections that a client uses for one request after another. They are bound as in Go's HTTP/1.1
//! client.
//!
//! * A request takes an idle connection. If there is none, it dials a new one and waits.
//! * After its response has been read, a connection serves the oldest request that still waits for
//!   its own dial ("late binding"). If no request waits, the connection closes, because all idle
//!   connections are closed when a response has been read. This also applies to connections that
//!   become idle later, until the next request.
//! * If a dial completes after its request has been served, it serves another waiting request, or
//!   its connection becomes idle.

use std::collections::VecDeque;

use fabricsim_base::checkpoint::Stored;
use fabricsim_base::flow::Flow;
use fabricsim_base::id::FlowId;

/// Next use of a free connection.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Next {
    /// Serve the request of this flow.
    Serve(Flow),
    /// Stay open.
    Idle,
    /// Close.
    Close,
}

/// Handling of connections without a request to serve.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, Stored)]
#[checkpoint(absolute)]
enum WhenIdle {
    #[default]
    Keep,
    Close,
}

/// The connections of one host to one other host, for one class: a client process has one server
/// here. Connections are identified by their slot.
#[derive(Debug, Default, Stored)]
#[checkpoint(absolute)]
pub(super) struct Pool {
    /// Requests that wait for their dial, the oldest first.
    waiting: VecDeque<Flow>,
    idle: Vec<u32>,
    when_idle: WhenIdle,
}

impl Pool {
    /// Handles a request. Returns the connection that it takes (the one that became idle last), or
    /// `None` if it dials and waits.
    pub(super) fn request(&mut self, flow: &Flow) -> Option<u32> {
        self.when_idle = WhenIdle::Keep;
        let connection = self.idle.pop();
        if connection.is_none() {
            self.waiting.push_back(*flow);
        }
        connection
    }

    /// Returns the use of the connection in `slot`, which was dialled for `dialler` and is now
    /// open.
    pub(super) fn on_dialled(&mut self, slot: u32, dialler: FlowId) -> Next {
        let own = self.waiting.iter().position(|flow| flow.id == dialler);
        match own.and_then(|position| self.waiting.remove(position)) {
            Some(flow) => Next::Serve(flow),
            None => self.offer(slot),
        }
    }

    /// Returns the use of the connection in `slot` after its response has been read. Call
    /// [`Self::close_idle`] next.
    pub(super) fn on_read(&mut self, slot: u32) -> Next {
        self.offer(slot)
    }

    /// Returns the idle connections to close. Until the next request, connections close instead of
    /// becoming idle.
    pub(super) fn close_idle(&mut self) -> Vec<u32> {
        self.when_idle = WhenIdle::Close;
        std::mem::take(&mut self.idle)
    }

    fn offer(&mut self, slot: u32) -> Next {
        if let Some(flow) = self.waiting.pop_front() {
            return Next::Serve(flow);
        }
        match self.when_idle {
            WhenIdle::Keep => {
                self.idle.push(slot);
                Next::Idle
            }
            WhenIdle::Close => Next::Close,
        }
    }

    /// Returns the requests that wait for a connection.
    pub(super) fn waiting(&self) -> impl Iterator<Item = &Flow> {
        self.waiting.iter()
    }
}

#[cfg(test)]
mod tests {
    use fabricsim_base::flow::{FlowRequest, PathInfo};
    use fabricsim_base::id::{ClassId, NodeId};
    use fabricsim_base::priority::Priority;
    use fabricsim_base::units::{Bytes, Duration, Rate, Time};

    use super::*;

    fn flow(id: u32) -> Flow {
        let request = FlowRequest {
            src: NodeId(0),
            dst: NodeId(1),
            size: Bytes::new(1_000),
            start: Time::ZERO,
            class: ClassId(0),
            priority: Priority::new(1),
            src_port: Some(1),
            dst_port: 80,
        };
        let path = PathInfo {
            base_rtt: Duration::from_ms(10),
            bottleneck: Rate::from_mbps(50),
            switches: 2,
        };
        Flow::new(FlowId(id), request, path)
    }

    fn served(next: Next) -> u32 {
        match next {
            Next::Serve(flow) => flow.id.0,
            other => panic!("{other:?} serves nobody"),
        }
    }

    #[test]
    fn a_freed_connection_serves_the_oldest_request_that_still_dials() {
        let mut pool = Pool::default();
        for id in 0..3 {
            assert_eq!(pool.request(&flow(id)), None);
        }
        assert_eq!(served(pool.on_dialled(7, FlowId(0))), 0);
        assert_eq!(served(pool.on_read(7)), 1);
        assert_eq!(pool.close_idle(), []);
        // The dial of 1 finds that 1 is already served and serves 2. The dial of 2 then finds no
        // request.
        assert_eq!(served(pool.on_dialled(8, FlowId(1))), 2);
        assert_eq!(pool.on_dialled(9, FlowId(2)), Next::Close);
    }

    #[test]
    fn without_requests_that_wait_a_read_response_closes_its_connection() {
        let mut pool = Pool::default();
        pool.request(&flow(0));
        pool.on_dialled(1, FlowId(0));
        assert_eq!(pool.on_read(1), Next::Idle);
        assert_eq!(pool.close_idle(), [1]);
        // Until the next request, no connection stays idle.
        assert_eq!(pool.on_read(2), Next::Close);
    }

    #[test]
    fn a_dial_that_is_left_over_stays_idle_only_after_a_new_request() {
        let mut pool = Pool::default();
        pool.request(&flow(0));
        pool.on_dialled(1, FlowId(0));
        pool.request(&flow(1));
        assert_eq!(served(pool.on_read(1)), 1);
        pool.close_idle();
        pool.request(&flow(2));
        // Request 2 has cleared the flag and waits for its own dial; the dial of 1 serves it.
        assert_eq!(served(pool.on_dialled(2, FlowId(1))), 2);
        assert_eq!(pool.on_dialled(3, FlowId(2)), Next::Idle);
        assert_eq!(
            pool.request(&flow(3)),
            Some(3),
            "idle connections are taken"
        );
        assert_eq!(pool.waiting().count(), 0);
    }
}
