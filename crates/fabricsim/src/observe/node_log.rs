//! What is written down at each node while packets move.

use fabricsim_core::id::{NodeId, PortId};
use fabricsim_core::packet::Header;
use fabricsim_core::plugin::Observer;
use fabricsim_core::units::{Bytes, Time};

use super::distribution::QueueTimes;
use crate::pause_log::PauseLog;

/// The observer of one node. Where nobody asks for queues a packet that waits pays two tests of
/// one pointer, and one that passes an idle port nothing.
#[derive(Clone, Debug)]
pub(crate) struct NodeLog {
    pub(crate) pauses: PauseLog,
    pub(crate) queues: Option<Box<QueueTimes>>,
}

impl<H: Header> Observer<H> for NodeLog {
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
