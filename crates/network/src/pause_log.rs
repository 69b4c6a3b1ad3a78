//! Log of when ports were paused and resumed.

use fabricsim_base::checkpoint::Stored;
use fabricsim_base::id::{NodeId, PortId};
use fabricsim_base::priority::Priority;
use fabricsim_base::units::Time;
use fabricsim_core::packet::PauseChange;

/// A pause or resume frame that has arrived.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Stored)]
pub struct PauseEvent {
    /// Time of arrival of the frame.
    pub at: Time,
    /// The node that has to stop or may go on.
    pub node: NodeId,
    /// The port that it arrived at, and that is paused.
    pub port: PortId,
    /// The priority.
    pub priority: Priority,
    /// Stop or go on.
    pub change: PauseChange,
}

/// The pauses of one node, when they are asked for. Such frames are rare, and nothing else is
/// observed, so that packets pay nothing.
#[derive(Clone, Debug, Stored)]
pub(crate) enum PauseLog {
    /// Nobody wants to know.
    Off,
    /// Every frame that has arrived, in the order of arrival.
    On(Vec<PauseEvent>),
}

impl PauseLog {
    pub(crate) fn events(&self) -> &[PauseEvent] {
        match self {
            Self::Off => &[],
            Self::On(events) => events,
        }
    }
}

impl PauseLog {
    /// A pause or resume frame has arrived.
    pub(crate) fn add(
        &mut self,
        now: Time,
        node: NodeId,
        port: PortId,
        priority: Priority,
        change: PauseChange,
    ) {
        if let Self::On(events) = self {
            events.push(PauseEvent {
                at: now,
                node,
                port,
                priority,
                change,
            });
        }
    }
}
