//! What is written down at each node while packets move.

use fabricsim_core::id::{NodeId, PortId};
use fabricsim_core::packet::Packet;
use fabricsim_core::plugin::{Hop, Observer};
use fabricsim_core::units::{Bytes, Time};
use fabricsim_pint::PintHeader;
use fabricsim_pint::query::{Sink, Truth};

use crate::network::pause_log::PauseLog;
use crate::network::queue_times::QueueTimes;

/// The observer of one node. Where nobody asks for queues a packet that waits pays two tests of
/// one pointer, and one that passes an idle port nothing.
#[derive(Clone, Debug)]
pub(crate) struct NodeLog {
    pub(crate) pauses: PauseLog,
    pub(crate) queues: Option<Box<QueueTimes>>,
    /// What a host makes of the digests that arrive.
    pub(crate) sink: Option<Box<Sink>>,
    /// What a switch notes beside the digests.
    pub(crate) truth: Option<Box<Truth>>,
}

impl<H: PintHeader> Observer<H> for NodeLog {
    #[inline]
    fn on_arrival(&mut self, now: Time, _node: NodeId, packet: &Packet<H>) {
        if H::QUERIES
            && let Some(sink) = &mut self.sink
        {
            sink.on_arrival(now, packet);
        }
    }

    #[inline]
    fn on_dequeue(&mut self, _node: NodeId, hop: &Hop, packet: &Packet<H>) {
        if H::QUERIES
            && let Some(truth) = &mut self.truth
        {
            truth.on_dequeue(hop, packet);
        }
    }

    #[inline]
    fn on_queue_change(&mut self, now: Time, _node: NodeId, port: PortId, queue: Bytes) {
        if let Some(times) = &mut self.queues {
            times.change(now, port, queue);
        }
    }

    fn on_pause(&mut self, now: Time, node: NodeId, port: PortId, priority: u8, stop: bool) {
        self.pauses.add(now, node, port, priority, stop);
    }
}
